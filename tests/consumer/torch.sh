#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone.matmul() and hone.linear() in PyTorch on the CPU, where it is installed
# ($HONE_TEST_PYTHON names a Python that has it).
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${HONE_TEST_PYTHON:-python3}
command -v "$python" >/dev/null || {
    echo "there is no Python"
    exit 77
}
"$python" -c 'import torch' 2>/dev/null || {
    echo "$python has no package torch (HONE_TEST_PYTHON names another Python)"
    exit 77
}
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
if nm "${HONE:?}" | grep -q '__[at]san_init'; then
    echo "a sanitized library is for sanitized programs"
    exit 77
fi
HONE_DB=$work/tuned.db
HONE_CACHE_DIR=$work/cache
HONE_LOCK_DIR=$work
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_TEMPLATE_PATH=${HONE_SOURCE:?}/templates
export HONE_DB HONE_CACHE_DIR HONE_LOCK_DIR HONE_CUDA_LIBRARY HONE_TEMPLATE_PATH
# A product that is only written, and what its gradients are, which may be read.
printf 'gemm %s\n' 24,56,40,f32,f32,0,1,ADD=0 24,40,56,f32 40,56,24,f32,f32,1,0 \
    56,40,24,f32,f32,1,0 >"$work/shapes.txt"
"$HONE" tune gemm/plain --shapes "$work/shapes.txt" --device cpu -q \
    >"$work/log" 2>&1 || {
    cat "$work/log"
    exit 1
}
LD_LIBRARY_PATH=$(dirname "$HONE")/../lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    PYTHONPATH=$HONE_SOURCE/runtime PYTHONDONTWRITEBYTECODE=1 "$python" \
    "$HONE_SOURCE/tests/consumer/torch_products.py" cpu
