#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone expand: source, compiler options and launch plan of one configuration.
. "$(dirname "$0")/hone_test.sh"
cp "$fixtures/mini.cu" "$work/"
cd "$work"

run 0 expand mini.cu
golden mini_default.expected
cp out first
run 0 expand mini.cu
cmp first out || fail "not deterministic"
run 0 expand mini.cu --config VEC=2,BLOCK=64 --dims 5,f64
golden mini_f64.expected
run 0 expand mini.cu --launch-plan
golden mini_plan.expected
run 0 expand mini.cu --options
out_empty
run 0 expand gemm_f16 --launch-plan
head -n 1 out | grep -q '^hone-launch ' || fail "no launch plan"
for template in saxpy reduce_sum gemm_f16; do
    run 0 expand "$template"
    out_has "#line"
done
