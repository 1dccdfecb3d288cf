#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Parameters that do not always exist, floating-point numbers and arguments
# that are left out, from the file to the database and back: verified, tuned,
# resumed, launched and replayed. tests/gen/ has the details.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cat >"$work/plain.cu" <<'CODE'
#pragma hone op plain(n) "y = a*x + a"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone launch plain grid(ceildiv(n, 64)) block(64)
extern "C" __global__ void plain(const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;

    if (i < n)
        y[i] = 0.25f * x[i] + 0.25f;
}
CODE
cat >"$work/scaled.cu" <<'CODE'
#pragma hone op scaled(n) "y = a*x + a"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone param WIDE : bool
#pragma hone param UNROLL in {1, 2} for device sm >= 999 {4} when WIDE
#pragma hone param HALF in {0.5, 0.25} default 0.25
#pragma hone require HALF_IS_RIGHT || 1
#pragma hone launch scaled grid(ceildiv(n, 64*UNROLL)) block(64) \
    args(x, y, f32(HALF), f64(-0.25), i64(n))
#pragma hone check template.plain tolerance(4)
extern "C" __global__ void scaled(const float *x, float *y, float a, double b,
                                  long long n)
{
    for (int u = 0; u < UNROLL; ++u) {
        const long long i = (blockIdx.x * UNROLL + u) * 64LL + threadIdx.x;

        if (i < n)
            y[i] = a * x[i] - (float)b;
    }
}
CODE
run 3 space "$work/scaled.cu"
err_has "unknown name 'HALF_IS_RIGHT'"
sed -i '/HALF_IS_RIGHT/d' "$work/scaled.cu"

run 0 space "$work/scaled.cu" --list
out_is "WIDE=false,HALF=0.5
WIDE=true,UNROLL=1,HALF=0.5
WIDE=true,UNROLL=2,HALF=0.5
WIDE=false,HALF=0.25
WIDE=true,UNROLL=1,HALF=0.25
WIDE=true,UNROLL=2,HALF=0.25"
run 0 space "$work/scaled.cu" --list --format json
out_has '{"config": "WIDE=false,HALF=0.5", "params": {"WIDE": false, "HALF": 0.5}}'

# What kernels get is what is listed: a half is wrong.
run 1 verify "$work/scaled.cu" --config HALF=0.5 --dims 1000 --format json
json checked=1 failed=1
out_has '"WIDE=false,HALF=0.5"'
sed -i 's/{0.5, 0.25}/{25e-2}/' "$work/scaled.cu"
run 0 verify "$work/scaled.cu" --config UNROLL=2,WIDE=true --dims 1000 \
    --format json
json checked=1 failed=0

# An argument that is left out: a kernel that does not ask is caught.
for op in linear linear_plain; do
    sed "s/OP/$op/" >"$work/$op.cu" <<'CODE'
#pragma hone op OP(n, BIAS in {0, 1})
#pragma hone arg x: in f32[n], bias: in optional(BIAS) f32[n], y: out f32[n]
#pragma hone launch k grid(ceildiv(n, 64)) block(64)
extern "C" __global__ void k(const float *x, const float *bias, float *y,
                             long long n)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[i] + (bias ? bias[i] : 0.0f);
}
CODE
done
printf '#pragma hone check template.linear_plain tolerance(2)\n' \
    >>"$work/linear.cu"
for bias in 0 1; do
    run 0 verify "$work/linear.cu" --dims "100,$bias" --format json
    json checked=1 failed=0
done
sed -i 's/bias ? bias/BIAS ? x/' "$work/linear.cu"
run 0 verify "$work/linear.cu" --dims 100,0 --format json
run 1 verify "$work/linear.cu" --dims 100,1 --format json
json checked=1 failed=1

run 0 tune "$work/scaled.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --strategy exhaustive --budget 9 --format json
json shapes.0.trials=3 shapes.0.resumed=0
run 0 tune "$work/scaled.cu" --dims 1000 --device cpu --db "$work/t.db" \
    --strategy exhaustive --budget 9 --format json
json shapes.0.resumed=3
run 0 run "$work/scaled.cu" --dims 1000 --device cpu --db "$work/t.db"
run 0 simulate "$work/t.db" --strategy random --format json
json files.0.configurations=3 files.0.valid=3
echo passed
