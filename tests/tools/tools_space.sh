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
# Without --dims it is every size, but not every type, and it says so.
out_has "problem: any n; default T=f32"
run 0 space gemm/sm90
out_has "problem: any M, N, K, LDA, LDB, LDC, BATCH, STRIDE_A, STRIDE_B, STRIDE_C; default T=f16 OUT=f32 TRANS_A=0 TRANS_B=0 ADD=1 EPILOGUE=0 EMULATED=0"
run 0 space "$mini" --count
out_is 16
run 0 space "$mini" --count --verbose
err_has "template $mini"
run 0 space "$mini" --dims 1M,f64 --count
out_is 12
run 0 space "$mini" --dims 1000,f64 --format json
json schema_version=1 op=mini raw=18 valid=12 time_ms arch=sm_90 \
    dims=1000,f64 "problem=n=1000 T=f64"
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

# A block without threads is not valid, wherever the zero comes from.
cat >"$work/zero.cu" <<'END'
#pragma hone op zero(n) "y = 1"
#pragma hone arg y: out f32[n]
#pragma hone param WARPS in 0..3
#pragma hone param FORM in {one, two}
#pragma hone launch zero if(FORM == one) grid(n) block(WARPS*32)
#pragma hone check none
extern "C" __global__ void zero(float *y, long long n)
{
    y[blockIdx.x] = 1;
}
END
run 0 space "$work/zero.cu" --explain
out_has "valid: 7"
out_has "a block without threads"
sed 's/if.*) grid/grid/; s/0\.\.3/{0}/' "$work/zero.cu" >"$work/never.cu"
run 3 space "$work/never.cu"
err_has "never.cu:5:"
err_has "a block without threads"

run 3 space "$fixtures/empty_space.cu"
out_has "valid: 0"
err_has "empty_space.cu:6:22: 'BLOCK > 128' (never) rejects every configuration"
run 3 space "$fixtures/empty_space.cu" --count
out_is 0
run 3 space "$fixtures/empty_space.cu" --explain
out_has "never"

# The shipped templates, found by name.
for template in saxpy sum gemm/wmma; do
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

# Definitions in T1 form.
t1=$HONE_SOURCE/tests/gen/t1
run 0 space "$t1/gemm.json" --count
out_is 116928
run 0 space "$t1/gemm.json" --format json
json schema_version=1 name=gemm raw=663552 valid=116928 time_ms \
    parameters=17 constraints=8
run 0 space "$t1/convolution.json" --list
[ "$(wc -l <"$work/out")" -eq 4362 ] || fail "4362 lines"
[ "$(sort -u "$work/out" | wc -l)" -eq 4362 ] || fail "all different"
run 0 space "$t1/convolution.json" --list --limit 2 --format json
json configs.1.config configs.0.params.filter_width=15 valid=4362
# By hand: 68 of 174 pairs of block sizes, times 128; then 1 of 8, 1 of 16.
run 0 space "$t1/dedispersion.json" --explain --format json
json requires.0.rejected=8704 requires.0.alone=8704 requires.1.rejected=1696 \
    requires.1.alone=2784 requires.2.rejected=742 requires.2.condition
cat >"$work/values.json" <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "layout", "Values": "['row', 'a,b', 'say \"x\"']"},
  {"Name": "fast", "Values": "[True, False]"},
  {"Name": "scale", "Values": "[0.5, 2]"}],
"Conditions": [{"Expression": "layout == 'row' or not fast"},
  {"Expression": "scale < 1"}]}}
END
sed -i 's/say "x"/say \\"x\\"/' "$work/values.json"
run 0 space "$work/values.json" --list
out_has 'layout=row,fast=True,scale=0.5'
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "4 lines"
run 0 space "$work/values.json" --list --format csv
out_has '"layout=say ""x"",fast=False,scale=0.5"'
run 0 space "$work/values.json" --list --format json
out_has '"layout": "say \"x\"", "fast": false, "scale": 0.5'
json configs.3.config valid=4
run 0 space "$work/values.json" --explain --format json
json requires.1.pruned.0=scale=2

# What is wrong with one: place, caret, sentence, exit 3.
cat >"$work/bad.json" <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "block", "Values": "[1, 2, 2]"}],
"Conditions": [{"Expression": "blok < 3"}]}}
END
run 3 space "$work/bad.json"
out_empty
err_has "bad.json:2:32: error: the value 2 is listed twice"
err_has "bad.json:3:32: error: no parameter is called 'blok'; did you mean 'block'?"
[ "$(grep -c '\^' "$work/err")" -eq 2 ] || fail "two carets"
cat >"$work/none.json" <<'END'
{"ConfigurationSpace": {"TuningParameters": [
  {"Name": "block", "Values": "[1, 2]"}],
"Conditions": [{"Expression": "block > 1"}, {"Expression": "block < 2"}]}}
END
run 3 space "$work/none.json" --count
out_is 0
err_has "none.json:3:61: 'block < 2' rejects the last of the configurations: all 1"
sed -i 's/block < 2/4 % (block - 2) == 0/' "$work/none.json"
run 3 space "$work/none.json"
out_empty
err_has "none.json:3:61: '4 % (block - 2) == 0': division by zero (with block=2)"
printf '{"ConfigurationSpace": {' >"$work/short.json"
run 3 space "$work/short.json"
err_has "short.json:1:"
run 2 space "$t1/gemm.json" --dims 1
err_has "leave --dims out"

# A space that takes long says so: after a second, and again.
cat >"$work/slow.cu" <<'END'
#pragma hone op slow(n)
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..100
#pragma hone param B in 1..100
#pragma hone param C in 1..100
#pragma hone param D in 1..100
#pragma hone require (A*7919 + B*104729 + C*1299709 + D*15485863) % 1000003 < 2000
#pragma hone launch slow grid(n) block(32)
extern "C" __global__ void slow(float *x, long long n) {}
END
run 0 space "$work/slow.cu" --format json
json valid=199969
# A machine that is too fast for it has nothing to say.
sed -n 's/.*"time_ms": \([0-9]*\).*/\1/p' "$work/out" >"$work/ms"
[ "$(cat "$work/ms")" -lt 5000 ] ||
    err_has "building the search space of slow: 1 s so far"
# Nothing can be launched with a block of 0.
sed 's/block(32)/block(0)/' "$work/slow.cu" >"$work/none.cu"
run 3 space "$work/none.cu"
err_has "none.cu:8:39: error: a block has at least 1 in every dimension, not 0"
