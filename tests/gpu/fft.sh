#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fft beside cuFFT, and fft_filter beside cuFFT, a filter kernel, cuFFT, each
# after a short and a long search, as hopper.sh does it; 2^26 points each.
#
#     sh tests/gpu/fft.sh FOLDER [DIMS ..]
here=$(dirname "$0")
OUT=${1:?give the folder of the results}
shift
[ $# -gt 0 ] || set -- 64,1M 256,256K 1K,64K 4K,16K 8K,8K
status=0

OP=fft/registers sh "$here/hopper.sh" "$OUT/fft" "$@" || status=1
OP=fft_filter/registers sh "$here/hopper.sh" "$OUT/fft_filter" "$@" || status=1
exit $status
