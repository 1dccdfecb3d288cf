#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cubin cache from outside: side by side, copied, damaged, interrupted.
. "$(dirname "$0")/hone_test.sh"
"$HONE" doctor --require nvrtc >/dev/null 2>&1 || {
    echo "NVRTC is not installed"
    exit 77
}
cache=$work/cache
mkdir -p "$work/here/kernels"
template=$work/here/kernels/many.cu
cat >"$template" <<'CODE'
#include "many.cuh"
#pragma hone op many(n) "x"
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..40
#pragma hone launch many grid(1) block(A) args(x)
extern "C" __global__ void many(float *x)
{
    add<A>(x);
}
CODE
cat >"$work/here/kernels/many.cuh" <<'CODE'
template <int A> __device__ void add(float *x)
{
    for (int i = 0; i < A; ++i)
        x[i] += A;
}
CODE

# number KEY FILE: a whole number of the JSON.
number() { sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$2"; }

# Two runs side by side on an empty cache compile every key once.
for side in a b; do
    "$HONE" compile "$template" -j 2 --cache-dir "$cache" --format json \
        >"$work/$side" 2>"$work/$side.err" </dev/null &
done
wait
for side in a b; do
    [ "$(number failed "$work/$side")" = 0 ] || fail "$(cat "$work/$side.err")"
    [ "$(number variants "$work/$side")" = 40 ] || fail "not all variants"
done
sum=$(($(number compiles "$work/a") + $(number compiles "$work/b")))
[ "$sum" -eq 40 ] || fail "40 keys took $sum compiles"
[ "$(find "$cache/tmp" -type f | wc -l)" -eq 0 ] || fail "leftovers in tmp"

# A copy elsewhere is as good, for a template that lies elsewhere too and is
# called by another path, from another folder, by another user.
cp -r "$cache" "$work/copy"
cp -r "$work/here" "$work/there"
mkdir "$work/other home"
(
    cd "$work/there"
    HOME="$work/other home" "$HONE" compile ./kernels/../kernels/many.cu \
        --cache-dir ../copy --format json >"$work/out" 2>"$work/err"
) || fail "the copied cache"
json variants=40 compiles=0 cached=40 failed=0
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work" # the folder stays root's: nobody can only read it
    as_nobody() {
        env HOME=/nowhere TMPDIR=/tmp setpriv --reuid=65534 --regid=65534 \
            --clear-groups "$@"
    }
    if as_nobody "$HONE" --version >/dev/null 2>&1; then
        as_nobody "$HONE" compile "$template" --cache-dir "$work/copy" \
            --format json >"$work/out" 2>"$work/err" ||
            fail "another user cannot read the cache"
        json compiles=0 cached=40
        # What is not there is compiled, and cannot be kept.
        as_nobody "$HONE" compile "$template" --cache-dir "$work/copy" \
            --arch sm_80 --limit 2 --format json >"$work/out" \
            2>"$work/err" || fail "a cache that cannot be written"
        json compiles=2 failed=0
    fi
fi
# Another header is another kernel.
sed 's/+= A/+= 2 * A/' "$work/here/kernels/many.cuh" \
    >"$work/there/kernels/many.cuh"
run 0 compile "$work/there/kernels/many.cu" --limit 1 --cache-dir "$cache" \
    --format json
json compiles=1

# Damaged entries are compiled again, the others not.
set -- "$work/copy"/??/*
printf '!' | dd of="$1" bs=1 seek=300 conv=notrunc 2>/dev/null
: >"$2"
head -c 200 "$3" >"$work/part"
cat "$work/part" >"$3"
run 0 compile "$template" --cache-dir "$work/copy" --format json
json compiles=3 cached=37 failed=0
run 0 compile "$template" --cache-dir "$work/copy" --format json
json compiles=0 cached=40

# What killed writers left is removed, what somebody may be writing is not.
mkdir -p "$cache/tmp"
: >"$cache/tmp/killed"
: >"$cache/tmp/writing"
touch -d "2 hours ago" "$cache/tmp/killed"
run 0 compile "$template" --limit 1 --cache-dir "$cache" --format json
[ ! -e "$cache/tmp/killed" ] || fail "a leftover stays"
[ -e "$cache/tmp/writing" ] || fail "a file was taken from its writer"

# kill -9 in the middle: the next run goes on from there.
"$HONE" compile "$template" -j 2 --arch sm_86 --cache-dir "$cache" \
    --format json >/dev/null 2>&1 </dev/null &
victim=$!
while [ "$(find "$cache" -path "$cache/??/*" -type f | wc -l)" -lt 50 ] &&
    kill -0 "$victim" 2>/dev/null; do
    sleep 0.02
done
kill -9 "$victim" 2>/dev/null || true
wait "$victim" 2>/dev/null || true
run 0 compile "$template" --arch sm_86 --cache-dir "$cache" --format json
json variants=40 failed=0
[ "$(number cached "$work/out")" -ge 8 ] || fail "what was done is lost"
[ "$(($(number cached "$work/out") + $(number compiles "$work/out")))" \
    -eq 40 ] || fail "the counts do not add up"

# Another build of NVRTC's version, as updates of a toolkit bring: nothing is taken from
# the cache of this one; a copy of this one finds all.
run 0 doctor --format json
library=$(sed -n 's/.*"name": "NVRTC".*"path": "\([^"]*\)".*/\1/p' "$work/out")
builtins=$(find "${library%/*}" -name "libnvrtc-builtins.so.*.*" | head -n 1)
if [ -n "$builtins" ]; then
    mkdir "$work/nvrtc"
    cp "$library" "$builtins" "$work/nvrtc"
    HONE_CUDA_INCLUDE=$(sed -n 's/.*"name": "CUDA headers".*"detail": "\([^"]*\)".*/\1/p' \
        "$work/out")
    HONE_NVRTC_LIBRARY=$work/nvrtc/${library##*/}
    export HONE_NVRTC_LIBRARY HONE_CUDA_INCLUDE
    run 0 compile "$template" --limit 2 --cache-dir "$cache" --format json
    json compiles=0 cached=2
    for file in "$builtins" "$library"; do
        printf '!' >>"$work/nvrtc/${file##*/}"
        run 0 compile "$template" --limit 2 --cache-dir "$cache" --format json
        json compiles=2
        run 0 compile "$template" --limit 2 --cache-dir "$cache" --format json
        json cached=2
    done
fi
