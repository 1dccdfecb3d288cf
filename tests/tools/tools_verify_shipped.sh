#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shipped templates on the cpu device, several variants of each, plain and
# under the sanitizers: this takes minutes.
. "$(dirname "$0")/hone_test.sh"
"${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q / || {
    echo "there is no C++ compiler with AddressSanitizer"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
run 0 verify saxpy sum gemm/wmma conv1d scan --limit 3 --format json
json checked=15 failed=0
run 0 verify saxpy sum gemm/wmma conv1d scan --sanitize --limit 3 \
    --format json
json checked=30 failed=0
run 0 verify fft/registers fft_filter --sanitize --limit 1 --format json
json checked=4 failed=0
run 0 verify gemm/plain --sanitize --format json
json checked=112 failed=0
