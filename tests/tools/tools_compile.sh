#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone compile, where NVRTC is installed.
. "$(dirname "$0")/hone_test.sh"
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || {
    echo "NVRTC is not installed"
    exit 77
}
mini=$fixtures/mini.cu
cache=$work/cache

run 0 compile "$mini" --arch sm_90 --cache-dir "$cache" --format json -j 2
json schema_version=1 op=mini variants=16 failed=0 gated=0 warned=0 \
    compiles=8 cached=8 seconds variants_per_s compiles_per_s workers=2 \
    toolchain
[ -s "$cache/CACHEDIR.TAG" ] || fail "no CACHEDIR.TAG"
run 0 compile "$mini" --arch sm_90 --cache-dir "$cache" --format json
json variants=16 compiles=0 cached=16
run 0 compile "$mini" --arch sm_80 --limit 3 --cache-dir "$cache" \
    --format json
json variants=3 compiles
run 0 compile "$mini" --config VEC=4,BLOCK=64 --cache-dir "$cache" --list \
    --format json
json variants=1 list.0.ok=true list.0.outcome=ok list.0.registers \
    list.0.spill_bytes=0 list.0.warnings= \
    list.0.config=BLOCK=64,VEC=4,FAST=false

# What does not compile is listed with the compiler's words; exit 1.
sed 's/T(1)/T(oops)/' "$mini" >"$work/broken.cu"
run 1 compile "$work/broken.cu" --limit 2 --cache-dir "$cache" --format json
json variants=2 failed=2 failures.1.config failures.1.outcome=compile
out_has "oops"
# CSV has the rows; the totals go beside it.
run 1 compile "$work/broken.cu" --limit 2 --cache-dir "$cache" --format csv
out_has "config,outcome,log"
out_has ",compile,"
err_has "2 variants: 2 failed, 0 gated, 0 compiles, 2 cached"

# What cannot be launched is not compiled, and no failure. Without --dims only
# what the sizes do not decide is known.
cat >"$work/gated.cu" <<'CODE'
#pragma hone op wide(n) "x"
#pragma hone arg x: inout f32[n]
#pragma hone param T in {256, 1024, 2048}
#pragma hone param PER in {1, 4096}
#pragma hone launch wide grid(1, ceildiv(n, T*PER)) block(T) shared(T*160) args(x)
extern "C" __global__ void wide(float *x)
{
    x[threadIdx.x] += PER;
}
CODE
run 0 compile "$work/gated.cu" --cache-dir "$cache" --format json --list
json variants=6 gated=2 failed=0 compiles=2 cached=2 message=
out_has "a block of kernel 'wide' has 2048 threads"
run 0 compile "$work/gated.cu" --cache-dir "$cache" --format json --list \
    --arch sm_80 --dims 1G
json variants=6 gated=4 failed=0
out_has "grid.y of kernel 'wide'"
run 0 compile "$work/gated.cu" --cache-dir "$cache" --format json \
    --arch sm_75
json variants=6 gated=4 failed=0 failures
out_has '"failures": []'
# By name: the reason is told.
run 1 compile "$work/gated.cu" --cache-dir "$cache" --config T=2048 \
    --format json
json variants=1 gated=1 failed=0 failures.0.outcome=limits
# None at all: why.
run 1 compile "$work/gated.cu" --cache-dir "$cache" --format json --dims 1024G
json variants=6 gated=6
out_has '"message": "6 of 6: limits; for example: grid.y of kernel'
err_has "nothing was compiled: 6 of 6: limits; for example: grid.y of kernel"

# A setmaxnreg that the compiler ignores makes a slow kernel: it is marked.
cat >"$work/warned.cu" <<'CODE'
#pragma hone op slow(n) "x"
#pragma hone arch sm >= 90 features
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..2
#pragma hone launch slow grid(1) block(128) args(x)
extern "C" __global__ void slow(float *x)
{
#if HONE_A == 2
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#endif
    x[threadIdx.x] += A;
}
CODE
for _ in 1 2; do # compiled, and from the cache
    run 0 compile "$work/warned.cu" --cache-dir "$cache" --format json \
        --list --arch sm_90a -j 1
    json variants=2 failed=0 warned=1 list.0.warnings= list.1.warnings=C7508
done

# A compile that takes too long is ended, and the others go on: this one takes
# minutes, and little memory.
cat >"$work/slow.cu" <<'CODE'
#pragma hone op slow(n) "x"
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..4
#pragma hone launch slow grid(1) block(A) args(x)
constexpr int spin(int n)
{
    int sum = 0;
    for (int i = 0; i < 50000; ++i)
        sum += i ^ n;
    return sum & 1;
}
template <int M, int N> struct deep {
    static constexpr int value = spin(200 * M + N) + deep<M, N - 1>::value;
};
template <int M> struct deep<M, 0> { static constexpr int value = 0; };
template <int M> struct wide {
    static constexpr int value = deep<M, 180>::value + wide<M - 1>::value;
};
template <> struct wide<0> { static constexpr int value = 0; };
extern "C" __global__ void slow(float *x)
{
#if HONE_A == 2
    x[threadIdx.x] += wide<150>::value;
#else
    x[threadIdx.x] += A;
#endif
}
CODE
run 1 compile "$work/slow.cu" --cache-dir "$cache" --format json \
    --compile-timeout 10 -j 1
json variants=4 failed=1 compiles=4 failures.0.outcome=timeout \
    failures.0.config=A=2
out_has "the limit was the most any compile may take"

# One that takes too much memory is ended too.
cat >"$work/bomb.cu" <<'CODE'
#pragma hone op bomb(n) "x"
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..4
#pragma hone launch bomb grid(1) block(A) args(x)
template <int A, int B> struct t {
    static constexpr int value = t<A - 1, B * 2>::value + t<A - 1, B * 2 + 1>::value;
};
template <int B> struct t<0, B> { static constexpr int value = 1; };
extern "C" __global__ void bomb(float *x)
{
#if HONE_A == 2
    x[threadIdx.x] += t<26, 0>::value;
#else
    x[threadIdx.x] += A;
#endif
}
CODE
if ! grep -q "__asan_init\|__tsan_init" "$HONE"; then
    command="hone compile with ulimit -d"
    code=0
    (
        # shellcheck disable=SC3045 # dash and bash have it
        ulimit -d 450000
        "$HONE" compile "$work/bomb.cu" --cache-dir "$cache" --format json \
            -j 2 >"$work/out" 2>"$work/err"
    ) || code=$?
    [ "$code" -eq 1 ] || fail "a source that eats memory should give 1"
    json variants=4 failed=1 compiles=4 failures.0.outcome=compile
    out_has "each of 2 compile processes may take 439 MiB"
fi

# Ctrl-C: what is done is kept and counted, and the sentence says how to go on.
entries() { find "$cache" -path "$cache/??/*" -type f | wc -l; }
more_than() { [ "$(entries)" -gt "$1" ]; }
before=$(entries)
command="hone compile, interrupted"
code=0
"$HONE" compile gemm/wmma -j 2 --cache-dir "$cache" --format json \
    >"$work/out" 2>"$work/err" </dev/null &
compiling=$!
wait_until "a variant is compiled" more_than "$before"
kill -INT $compiling
wait $compiling || code=$?
[ "$code" -eq 130 ] || fail "an interrupted run should end with 130"
json variants failed=0
err_has "run the same command again"

# A template without a form for the host still compiles for its architecture.
run 0 compile "$fixtures/cuda_only.cu" --arch sm_90 --cache-dir "$cache" \
    --format json
json variants=2 failed=0
