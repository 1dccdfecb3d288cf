# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What tests of libhone_blas begin with, beside hone_test.sh: the fakes need a
# C++ compiler, products are tuned and computed on the cpu device.
. "$HONE_SOURCE/tests/tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
# shellcheck disable=SC2034
tests=$(dirname "$HONE")/../tests
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_DEVICE=cpu
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/none.db
# The library is in front of ASan's, where there is one.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export HONE_CUDA_LIBRARY HONE_DEVICE HONE_CACHE_DIR HONE_DB ASAN_OPTIONS
