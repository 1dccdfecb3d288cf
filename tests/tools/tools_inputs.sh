#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Inputs that fit: a product with a matrix in CSR, a scatter through a
# permutation, a histogram of zipf keys and a search among sorted ones are
# verified and tuned on the cpu device; row pointers by another template; an
# array from a file; what is said where nothing can be drawn.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/inputs.db
HONE_CACHE_DIR=$work/cache
export HONE_DB HONE_CACHE_DIR
cp "$fixtures"/csr*.cu "$fixtures"/keys*.cu "$work"

run 0 verify "$work/csr.cu" --dims 70,33,200 --config BLOCK=64 --format json
json checked=1 failed=0
run 0 tune "$work/csr.cu" --dims 70,33,200 --device cpu --budget 1 --format json
json shapes.0.outcomes.ok=1
run 0 verify "$work/keys.cu" --dims 700,33 --format json
json checked=1 failed=0

# variant NAME TEMPLATE EXPRESSION: a template, changed by sed.
variant() {
    sed -e "$3" "$work/$2.cu" >"$work/$1.cu"
    ! cmp -s "$work/$1.cu" "$work/$2.cu" || fail "$1 is not changed"
}
# An entry too many, a count that is lost, a place that is one off.
variant overrun csr 's/i < start\[row + 1\]/i <= start[row + 1]/'
run 1 verify "$work/overrun.cu" --dims 70,33,200 --config BLOCK=64
out_has "wrong"
variant lost keys 's/atomicAdd(&sums\[key\[i\]\], 1u)/sums[key[i]] = sums[key[i]] ? 2 : 1/'
run 1 verify "$work/lost.cu" --dims 700,33
out_has "wrong"
# An index outside: one past the end of the permutation's array.
variant outside keys 's/scattered\[to\[i\]\]/scattered[to[i] + 1]/'
run 1 verify "$work/outside.cu" --dims 700,33
out_has "behind the array 'scattered' were written"

# Row pointers by another template, which is run for every shape and seed.
# shellcheck disable=SC2016 # sed reads the $a
variant banded csr 's/ offsets of nnz//; s/ from 0..columns - 1//; $a\
#pragma hone inputs template.csr_rows'
run 0 verify "$work/banded.cu" --dims 70,33,200 --config BLOCK=64 --format json
json checked=1 failed=0
variant idle_rows csr_rows 's/: out i32/: in i32/g'
variant idle banded 's/csr_rows/idle_rows/'
run 3 verify "$work/idle.cu" --dims 70,33,200 --config BLOCK=64
err_has "idle.cu:24: template.idle_rows: it writes none of the inputs"
variant wild_rows csr_rows 's/i <= rows; ++i/i <= rows + 1; ++i/'
variant wild banded 's/csr_rows/wild_rows/'
run 3 verify "$work/wild.cu" --dims 70,33,200 --config BLOCK=64
err_has "wild.cu:24: template.wild_rows writes outside the array 'start'"

# What takes the imaginary parts at both ends of a half spectrum into account, as
# cuFFT does, is right for the inputs that transforms to real numbers get.
cat >"$work/packed.cu" <<'EOF'
#include "fft_c2r.cuh"
#pragma hone implements fft_c2r/packed "by its definition, from all of x"
#pragma hone launch packed grid(ceildiv(n*batch, 64)) block(64) args(x, y, i64(batch))
extern "C" __global__ void packed(const float2 *x, float *y, long long batch)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;
    const float2 *const X = x + i / n * (n / 2 + 1);
    const int j = i % n;

    if (i >= n * batch)
        return;
    double sum = X[0].x + (j % 2 ? -1 : 1) * (X[n / 2].x - X[n / 2].y) - X[0].y;
    for (int k = 1; k < n / 2; ++k) {
        const double angle = 6.283185307179586 * (j * k % n) / n;

        sum += 2 * (X[k].x * cos(angle) - X[k].y * sin(angle));
    }
    y[i] = sum;
}
EOF
run 0 verify "$work/packed.cu" --dims 64,9 --format json
json checked=1 failed=0

# A file: 3 row pointers 0 2 2 of a matrix with two entries; and what is no
# such file.
header="{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"
{
    printf '\223NUMPY\1\0\166\0%-117s\n' "$header"
    printf '\0\0\0\0\2\0\0\0\2\0\0\0'
} >"$work/rows.npy"
variant filed csr 's/offsets of nnz/file("rows.npy")/; /#pragma hone param/i\
#pragma hone require rows == 2 \&\& nnz == 2'
run 0 verify "$work/filed.cu" --dims 2,3,2 --config BLOCK=64 --format json
json checked=1 failed=0
# refused WORDS: `filed` names what is wrong with the file, and where.
refused() {
    run 3 verify "$work/filed.cu" --dims 2,3,2 --config BLOCK=64
    err_has "filed.cu:5:42: start: $1"
}
sed -i 's/<i4/<f4/' "$work/rows.npy"
refused "cannot take i32 from '$work/rows.npy': its elements are of another"
printf 'no array' >"$work/rows.npy"
refused "cannot take i32 from '$work/rows.npy': it is not a .npy file"
rm "$work/rows.npy"
refused "cannot open '$work/rows.npy'"

# Nothing can be drawn at this size.
variant empty csr 's/from 0..columns - 1/from 1..columns - 1/'
run 3 verify "$work/empty.cu" --dims 70,33,200 --config BLOCK=64
err_has "empty.cu:6:25: column: the range 1..0 is empty at rows=1 columns=1"
