#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone space: counts, lists and reasons, in every format.
. "$(dirname "$0")/hone_test.sh"
mini=$fixtures/mini.cu

# By hand: BLOCK*VEC <= 512 removes only 256*4, times two for FAST: 18 - 2.
# For f64, VEC 4 is out: 3*2*2.
run 0 space "$mini"
out_has "raw: 18"
out_has "valid: 16"
err_empty
run 0 space "$mini" --count
out_is 16
run 0 space "$mini" --count --verbose
err_has "template $mini"
run 0 space "$mini" --dims 1M,f64 --count
out_is 12
run 0 space "$mini" --dims 1000,f64 --format json
json schema_version=1 op=mini raw=18 valid=12 time_ms arch=sm_90 \
    dims=1000,f64
run 0 space "$mini" --format csv
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "a head line and one row"

run 0 space "$mini" --list
[ "$(wc -l <"$work/out")" -eq 16 ] || fail "16 lines"
[ "$(sort -u "$work/out" | wc -l)" -eq 16 ] || fail "all different"
grep -q '^BLOCK=64,VEC=1,FAST=false$' "$work/out" || fail "no BLOCK=64"
! grep -q 'BLOCK=256,VEC=4' "$work/out" || fail "an invalid one is listed"
run 0 space "$mini" --list --limit 3
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "--limit 3 gives 3"
run 0 space "$mini" --list --format json
json configs.15.config configs.0.params.BLOCK=64 \
    configs.0.params.FAST=false valid=16
run 0 space "$mini" --list --format csv
head -n 1 "$work/out" | grep -qx config || fail "a head line"
grep -q '^"BLOCK=64,VEC=1,FAST=false"$' "$work/out" || fail "quoted commas"

run 0 space "$mini" --explain --dims 1000,f64 --format json
json requires.0.rejected=2 "requires.0.message=too much per block" \
    requires.0.line=8 requires.1.rejected=4
run 0 space "$mini" --explain
out_has "BLOCK*VEC <= 512"

run 3 space "$fixtures/empty_space.cu"
out_has "valid: 0"
err_has "empty_space.cu:6:22: 'BLOCK > 128' (never) rejects every configuration"
run 3 space "$fixtures/empty_space.cu" --count
out_is 0
run 3 space "$fixtures/empty_space.cu" --explain
out_has "never"

# The shipped templates, found by name.
for template in saxpy reduce_sum gemm_f16; do
    run 0 space "$template" --format json
    json raw valid
    run 0 space "$template" --count --arch sm_80
    [ "$(cat "$work/out")" -gt 0 ] || fail "no configuration for sm_80"
done
# A folder named by option or environment is searched instead.
run 0 space mini --template-path "/nowhere:$fixtures" --count
out_is 16
HONE_TEMPLATE_PATH=$fixtures
export HONE_TEMPLATE_PATH
run 0 space mini --count
out_is 16
