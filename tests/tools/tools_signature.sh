#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `launch` passes against what the kernel takes: every kind of mistake is
# a message of the compiler's, at the line of the launch, on both devices.
. "$(dirname "$0")/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR

# template PASSED PARAMETERS: line 7 is the launch.
template() {
    cat <<END >"$work/t.cu"
#pragma hone op t(n, T in {f32, f64} default f32)
#pragma hone arg x: in T[n], y: out T[n], a: T, k: in i32[n]
#pragma hone param BLOCK in {64}
#pragma hone workspace w: T[n]
#pragma hone workspace raw: u32[n]
#pragma hone check none
#pragma hone launch kernel grid(ceildiv(n, 64)) block(64) args($1)
#pragma hone launch other if(BLOCK == 32) args($1)
/* kernel(something else) */
extern "C" __global__ void kernel($2)
{
    (void)y;
}
#if HONE_BLOCK == 32
extern "C" __global__ void other() {}
#endif
END
}
both="on cuda and cpu"
"$HONE" doctor --require nvrtc >"$work/out" 2>&1 || both="on cpu"
# wrong MESSAGE [cpu]: on CUDA; with `cpu`, there too.
wrong() {
    if [ "$both" != "on cpu" ]; then
        run 1 compile "$work/t.cu" --list
        out_has "t.cu(7): error: static assertion failed"
        out_has "$1"
    fi
    [ "${2:-}" = cpu ] || [ "$both" = "on cpu" ] || return 0
    run 1 verify "$work/t.cu" --limit 1
    out_has "t.cu:7"
    out_has "$1"
}
# Fine: other spellings of the same types, wider elements, nothing known.
right() {
    [ "$both" = "on cpu" ] || run 0 compile "$work/t.cu"
    [ "${1:-}" != cpu ] || run 0 verify "$work/t.cu" --limit 1
}

template "x, y, a, i64(n), i32(BLOCK), w, raw, k" \
    "const T *__restrict__ x, T *__restrict__ y, const T a, long n, unsigned b,
     void *w, float *raw, const int4 *k"
right cpu
template "y, x, a" "T *y, T *x, T a"
right
# A number of another width, which nothing else would see.
template "x, y, a, i32(n)" "const T *x, T *y, T a, long long n"
wrong "argument 4 of the kernel 'kernel' is 'long long n', and launch passes i32(n)" cpu
template "x, y, a, i64(n)" "const T *x, T *y, T a, int n"
wrong "argument 4 of the kernel 'kernel' is 'int n', and launch passes i64(n)"
template "x, y, a" "const T *x, T *y, double a"
wrong "argument 3 of the kernel 'kernel' is 'double a', and launch passes a: f32"
template "x, y, a, i32(n)" "const T *x, T *y, T a, float n"
wrong "argument 4 of the kernel 'kernel' is 'float n', and launch passes i32(n)"
# One that is missing, one too many.
template "x, y, i64(n)" "const T *x, T *y, T a, long long n"
wrong "launch passes 3 arguments to the kernel 'kernel', which takes (const T *x, T *y, T a, long long n)" cpu
template "x, y, a, i64(n)" "const T *x, /* , */ T *y"
wrong "launch passes 4 arguments to the kernel 'kernel', which takes (const T *x, T *y)"
# Swapped: an array for a number, one that is written for one that is read.
template "y, a, x" "T *y, const T *x, T a"
wrong "argument 2 of the kernel 'kernel' is 'const T *x', and launch passes a: f32"
template "y, x, a" "const T *x, T *y, T a"
wrong "'y' is out, and every kernel that is passed it takes it as const" cpu
# Elements of another type.
template "x, y, k" "const T *x, T *y, const float *k"
wrong "argument 3 of the kernel 'kernel' is 'const float *k', and launch passes k: i32[..]"
template "x, y, w" "const T *x, T *y, double *w"
wrong "argument 3 of the kernel 'kernel' is 'double *w', and launch passes w: f32[..]"
template "x, y" "const double *x, T *y"
wrong "argument 1 of the kernel 'kernel' is 'const double *x', and launch passes x: f32[..]"
