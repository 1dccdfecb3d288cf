#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone expand: source, compiler options and launch plan of one configuration.
# That the text is right, byte for byte, is tested in tests/gen/.
. "$(dirname "$0")/hone_test.sh"
cp "$fixtures/mini.cu" "$work/"
cd "$work"

run 0 expand mini.cu
err_empty
out_has "using T = float;"
out_has "#define HONE_BLOCK 128"
out_has '"mini.cu"' # a #line that points at the template
out_has "x[i] += T(1);"
if grep -q '#pragma hone' out; then fail "a statement is left"; fi
cp out first
run 0 expand mini.cu
cmp first out || fail "not deterministic"
run 0 expand mini.cu --config BLOCK=128
cmp first out || fail "parameters left out should keep their default"

run 0 expand mini.cu --config VEC=2,BLOCK=64 --dims 5,f64
out_has "using T = double;"
out_has "#define HONE_BLOCK 64"
out_has "#define HONE_VEC 2"
# Integer dimensions do not change the source.
cp out first
run 0 expand mini.cu --config BLOCK=64,VEC=2 --dims 7777,f64
cmp first out || fail "the source depends on a size"

run 0 expand mini.cu --launch-plan --config BLOCK=64
head -n 1 out | grep -q '^hone-launch ' || fail "no launch plan"
out_has "param BLOCK 64"
out_has "launch mini"
run 0 expand mini.cu --options
out_empty
for template in saxpy sum gemm/wmma; do
    run 0 expand "$template"
    out_has "#line"
    run 0 expand "$template" --launch-plan
    out_has "op ${template%/*}"
done
# The copy engine writes C, which runs are not for, only where rows end at multiples of
# 16 bytes, too: it writes whole ones, and something else may lie between rows.
runs=RUN=2,BM=128,BN=64,STAGES=4
run 0 expand gemm/sm90 --dims 300,133,64,f16,f16,0,0,,,136 --config $runs
run 3 expand gemm/sm90 --dims 300,136,64,f16,f16,0,0,,,136 --config $runs
err_has "MAPPED_C"
