#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# conv1d beside its straightforward configuration and scan beside CUB, each
# after a short and a long search, as hopper.sh does it.
#
#     sh tests/gpu/conv_scan.sh FOLDER
here=$(dirname "$0")
OUT=${1:?give the folder of the results}
plain='OUTPUTS=1,UNROLL=4,BLOCK=256,FILTER=global,SIGNAL=global,STORE=direct'
status=0

OP=conv1d EXTRA=$plain sh "$here/hopper.sh" "$OUT/conv1d" \
    8M,3 8M,31 8M,512 8M,4096 || status=1
OP=scan sh "$here/hopper.sh" "$OUT/scan" \
    1M,f32 16M,f32 256M,f32 256M,f16 256M,i32 || status=1
exit $status
