#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels that subtract, on the cpu device: what rounds elsewhere than their
# reference passes, with the tolerance that its roundings ask for; an error of
# a thousandth in a few elements does not. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
# Its kernels or compilers write files where the test looks for them.
HONE_SANDBOX=off
export HONE_SANDBOX
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/cancel.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

sed -e 's/op cancel(/op cancel_plain(/' -e 's/WAYS in {4}/WAYS in {1}/' \
    -e 's/hone check .*/hone check none/' -e '/^    for difference/d' \
    "$fixtures/cancel.cu" >"$work/cancel_plain.cu"
cp "$fixtures/cancel.cu" "$work"
run 1 verify "$work/cancel.cu" --format json
json checked=6 failed=5
for array in difference stencil variance norm force; do
    grep -q "FLAW=$array.*times the bound (first: .* of '$array', reals" \
        "$work/out" || fail "the error in $array is not found"
done
