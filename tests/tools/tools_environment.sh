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
