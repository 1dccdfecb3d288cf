#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernel Tuner's configurations per second on this GPU, on the kernels of
# throughput.sh. Nothing of it is needed otherwise; skips (77) where the
# package is not installed.
#
#     sh tests/gpu/baseline_tuner.sh FOLDER
#
# WHEELS: folder with wheels to install for this run, from
#     pip download kernel_tuner --python-version 3.12 --only-binary=:all: ..
# PYTHON (python3), SECONDS_EACH (40), BACK_END (CUDA: its own choice).
. "$(dirname "$0")/steps.sh"

PYTHON=${PYTHON:-python3}
CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
CUDA_CACHE_PATH=$scratch/driver # of the driver's own compiler: cold
export CUDA_HOME CUDA_CACHE_PATH
if [ -n "${WHEELS:-}" ]; then
    "$PYTHON" -m pip install -q --no-index --no-deps --no-compile \
        --no-cache-dir --target "$scratch/site" "$WHEELS"/*.whl || exit 1
    PYTHONPATH=$scratch/site${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
fi
if ! "$PYTHON" -c 'import kernel_tuner' 2>"$OUT/import.log"; then
    tail -n 1 "$OUT/import.log"
    echo "skipped: no package kernel_tuner for $PYTHON (WHEELS names a folder)"
    exit 77
fi
rate() { # rate NAME OP DIMS
    step "$1" "$PYTHON" "$HONE_SOURCE/tests/baselines/kernel_tuner_rate.py" "$2" \
        --dims "$3" --seconds "${SECONDS_EACH:-40}" --limit "${LIMIT:-60}" \
        --back-end "${BACK_END:-CUDA}" --hone "$HONE" \
        --templates "$HONE_TEMPLATE_PATH" --cuda-include "$CUDA_HOME/include"
}
rate saxpy saxpy 1048576
rate sum sum 4194304
rate gemm_wmma gemm/wmma 4096,4096,4096
table baseline_tuner.sql
exit $status
