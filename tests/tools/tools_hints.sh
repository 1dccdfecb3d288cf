#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A command that a message says to run does what the message promises, with
# the words as they are printed; an operation is found by its name whatever
# its file is called.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
HONE_DB=$work/hone.db
export HONE_CACHE_DIR HONE_DB
mkdir "$work/own"
cat >"$work/own/file.cu" <<'CU'
#pragma hone op own_scale(n, T in {f32, f64}) "y = 2*x"
#pragma hone arg x: in T[n], y: out T[n]
#pragma hone launch own_scale grid(ceildiv(n, 64)) block(64) args(x, y, i64(n))
#pragma hone check none
extern "C" __global__ void own_scale(const T *x, T *y, long long n)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = 2 * x[i];
}
CU
run 0 tune "$work/own/file.cu" --dims 5,f32 --device cpu
# By its path, with a type among the dimensions.
run 3 bench "$work/own/file.cu" --dims 1000,f64 --device cpu
run_hint 0
run 0 bench "$work/own/file.cu" --dims 1000,f64 --device cpu
# By its name, from another folder.
HONE_TEMPLATE_PATH=$work/own
run 3 bench own_scale --dims 77,f32 --device cpu
run_hint 0
run 0 run own_scale --dims 77,f32 --device cpu
# Two files of one operation.
cp "$work/own/file.cu" "$work/own/copy.cu"
run 3 space own_scale --count
err_has "2 templates in '$work/own' have the operation 'own_scale'"
err_has copy.cu
err_has file.cu
