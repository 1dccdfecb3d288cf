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
json schema_version=1 op=mini variants=16 failed=0 compiles=8 seconds \
    variants_per_s workers=2 toolchain
[ -s "$cache/CACHEDIR.TAG" ] || fail "no CACHEDIR.TAG"
run 0 compile "$mini" --arch sm_90 --cache-dir "$cache" --format json
json variants=16 compiles=0
run 0 compile "$mini" --arch sm_80 --limit 3 --cache-dir "$cache" \
    --format json
json variants=3 compiles
run 0 compile "$mini" --config VEC=4,BLOCK=64 --cache-dir "$cache" --list \
    --format json
json variants=1 list.0.ok=true list.0.registers list.0.spill_bytes=0 \
    list.0.config=BLOCK=64,VEC=4,FAST=false

# What does not compile is listed with the compiler's words; exit 1.
sed 's/T(1)/T(oops)/' "$mini" >"$work/broken.cu"
run 1 compile "$work/broken.cu" --limit 2 --cache-dir "$cache" --format json
json variants=2 failed=2 failures.1.config
out_has "oops"

# Ctrl-C: what is done is kept and counted, and the sentence says how to go on.
code=0
timeout --preserve-status -s INT 1.5 "$HONE" compile gemm_f16 -j 2 \
    --cache-dir "$cache" --format json >"$work/out" 2>"$work/err" \
    </dev/null || code=$?
[ "$code" -eq 130 ] || fail "an interrupted run should end with 130"
json variants failed=0
err_has "run the same command again"

# A template without a form for the host still compiles for its architecture.
run 0 compile "$fixtures/cuda_only.cu" --arch sm_90 --cache-dir "$cache" \
    --format json
json variants=2 failed=0
