#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Without GPU and without NVRTC: a sentence that says what to do, exit 4, no
# result on stdout.
. "$(dirname "$0")/hone_test.sh"
mini=$fixtures/mini.cu

HONE_CUDA_LIBRARY=$work/nowhere/libcuda.so.1
HONE_NVRTC_LIBRARY=$work/nowhere/libnvrtc.so
export HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

run 4 compile "$mini" --arch sm_90
out_empty
err_has "NVRTC"
err_has "$work/nowhere/libnvrtc.so"
run 4 tune saxpy --dims 1M
out_empty
err_has "hone: error: "
run 4 run saxpy --dims 1M
out_empty
err_has "hone: error: "

run 0 doctor
out_has "missing"
run 0 doctor --format json
json schema_version=1 gpu=false nvrtc=false checks.0.name=hone \
    checks.0.state=ok
run 4 doctor --require gpu
err_has "a GPU is required"
run 4 doctor --require nvrtc
err_has "NVRTC is required"
run 4 doctor --require all

# The NVRTC that is taken, why, what it compiles for, and which others there
# are: here a named one, one of an environment, one that is too old.
fakes=$(dirname "$HONE")/../tests/fakes
packages=$work/venv/lib/python3.11/site-packages/nvidia
mkdir -p "$packages/cuda_nvrtc/lib" "$packages/cuda_runtime/include" \
    "$work/old/lib64"
cp "$fakes/fake_nvrtc_12.so" "$packages/cuda_nvrtc/lib/libnvrtc.so.12"
cp "$fakes/fake_nvrtc_11.so" "$work/old/lib64/libnvrtc.so.11.2"
touch "$packages/cuda_runtime/include/cuda_fp16.h" \
    "$packages/cuda_runtime/include/mma.h"
(
    CUDA_HOME=$work/old VIRTUAL_ENV=$work/venv
    HONE_NVRTC_LIBRARY=$packages/cuda_nvrtc/lib/libnvrtc.so.12
    export CUDA_HOME VIRTUAL_ENV HONE_NVRTC_LIBRARY
    run 0 doctor
    grep -q "^NVRTC  *ok  *12.4, $HONE_NVRTC_LIBRARY, named by \$HONE_NVRTC_L" \
        "$work/out" || fail "which NVRTC was taken, and why"
    grep -q '^NVRTC compiles for  *ok  *sm_80 sm_90$' "$work/out" ||
        fail "what it compiles for"
    out_has "11.8, $work/old/lib64/libnvrtc.so.11.2, named by \$CUDA_HOME: hone"
    grep -q '^CUDA headers  *missing .*nvidia-cuda-nvcc-cu12' "$work/out" ||
        fail "the wheel that headers are missing from"
    [ "$(grep -c 'venv.*libnvrtc.so.12' "$work/out")" -eq 1 ] ||
        fail "the one that was taken was not passed over"
    run 0 doctor --format json
    json nvrtc=true checks.6.name=NVRTC checks.6.version=12.4 \
        checks.6.path="$HONE_NVRTC_LIBRARY" \
        checks.6.origin="named by \$HONE_NVRTC_LIBRARY" \
        checks.7.architectures.1=sm_90 checks.8.version=11.8 \
        checks.8.reason="hone needs 12.0 or newer"
    # The environment's is also found when nobody names it.
    unset HONE_NVRTC_LIBRARY
    run 0 doctor
    out_has "$packages/cuda_nvrtc/lib/libnvrtc.so.12, in the environment"
)

# The folders it names are those the options and the environment name.
run 0 doctor --db "$work/x.db" --cache-dir "$work/cache"
out_has "$work/x.db"
out_has "$work/cache"
XDG_DATA_HOME=$work/data XDG_CACHE_HOME=relative
export XDG_DATA_HOME XDG_CACHE_HOME
run 0 doctor
out_has "$work/data/hone/hone.db"
out_has "$HOME/.cache/hone" # a relative value is ignored
HONE_DB=$work/env.db
export HONE_DB
run 0 doctor
out_has "$work/env.db"

# A database is ok only if it can be used, and what is wrong is said.
is_unusable() { # is_unusable FILE WORD..
    run 3 doctor --db "$1" --format json
    json checks.3.name=database checks.3.state=unusable
    shift
    for word in "$@"; do
        out_has "$word"
        err_has "$word"
    done
}
"$(dirname "$HONE")/../tests/make_db" "$work/known.db"
run 0 doctor --db "$work/known.db" --format json
json checks.3.name=database checks.3.state=ok
out_has "known.db, format 11, 2 winners, 7 trials"
cp "$work/known.db" "$work/newer.db"
printf '\144' | dd of="$work/newer.db" bs=1 seek=63 conv=notrunc 2>/dev/null
is_unusable "$work/newer.db" "format 100" "newer hone"
cp "$work/known.db" "$work/short.db"
truncate -s -8192 "$work/short.db"
is_unusable "$work/short.db" "damaged" "short.db"
truncate -s 0 "$work/empty.db"
is_unusable "$work/empty.db" "is empty"
echo "a shopping list that somebody called hone.db: milk, bread, butter" \
    >"$work/text.db"
is_unusable "$work/text.db" "not a database" "text.db"

# The packages that tests and documents need are named, with what to do.
run 0 doctor --db "$work/known.db"
sed -n 's/^PACKAGE([to][^,]*, "[^"]*", "\([^"]*\)".*/\1/p' \
    "$HONE_SOURCE/tools/packages.def" >"$work/packages"
[ -s "$work/packages" ] || fail "no packages"
while read -r package; do
    out_has "$package "
done <"$work/packages"
env PATH="$work/nothing" "$HONE" doctor --db "$work/known.db" >"$work/out"
out_has "apt-get install scdoc"
