#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays in host memory on the cpu device: the shipped operation and one with
# rows, arrays that are copied whole and arrays on the device are verified,
# tuned and launched; kernels that are wrong at the border of a chunk are found.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/pipeline.db
HONE_CACHE_DIR=$work/cache
export HONE_DB HONE_CACHE_DIR

# A few chunks, a rest, staged and not.
for config in CHUNK_KB=64,STREAMS=1,STAGING=false CHUNK_KB=64,STREAMS=3,STAGING=true; do
    run 0 verify host_axpb/chunks --device cpu --dims 100003,0 --config "$config" --format json
    json checked=1 failed=0
done
run 0 tune host_axpb --dims 50001 --device cpu --budget 2 --format json
json shapes.0.verdict
run 0 run host_axpb --dims 50001 --device cpu --format json
json correct=true

# y = x*w + d, by rows: x and y are cut, w is copied whole, d is on the device.
cat >"$work/rows.cuh" <<'END'
#pragma once
#pragma hone op rows(n, m) "y[r][c] = x[r][c]*w[c] + d[r]"
#pragma hone arg x: in host f32[n][m], w: in host f32[m], d: in f32[n], y: inout host f32[n][m]
#pragma hone check template.rows_plain tolerance(4) exact(100)
END
cat >"$work/rows_plain.cu" <<'END'
#include "rows.cuh"
#pragma hone implements rows/plain reference
#pragma hone launch plain grid(ceildiv(n*m, 64)) block(64) args(x, w, d, y, i64(n), i64(m))
extern "C" __global__ void plain(const float *x, const float *w, const float *d,
                                 float *y, long long n, long long m)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;
    if (i < n * m)
        y[i] += x[i] * w[i % m] + d[i / m];
}
END
sed -e 's/rows.plain reference/rows\/chunks/; s/plain/chunks/g' "$work/rows_plain.cu" >"$work/rows_chunks.cu"
cat >>"$work/rows_chunks.cu" <<'END'
#pragma hone param CHUNK in {1, 3, 64}
#pragma hone param STREAMS in {1, 2, 5}
#pragma hone param STAGING : bool
#pragma hone pipeline chunks(n, CHUNK) streams(STREAMS) staging(STAGING)
END
run 0 verify "$work/rows_chunks.cu" --device cpu --dims 17,5 --format json
json checked=18 failed=0

# variant NAME EXPRESSION: the template, changed by sed.
variant() {
    sed -e "$2" "$work/rows_chunks.cu" >"$work/$1.cu"
    ! cmp -s "$work/rows_chunks.cu" "$work/$1.cu" || fail "$1 is not changed"
}
# The first element of each chunk is left out; the last row reads the next one.
variant border 's/(i < n \* m)/(i > 0 \&\& i < n * m)/'
run 1 verify "$work/border.cu" --device cpu --dims 17,5 --config CHUNK=3,STREAMS=2,STAGING=false
out_has "wrong"
variant next 's/x\[i\] \*/x[i + m] */'
run 1 verify "$work/next.cu" --device cpu --dims 17,5 --config CHUNK=64,STREAMS=2,STAGING=true
out_has "wrong"
# A write behind the chunk: the guard of the array's part.
variant behind 's/if (i < n \* m)/if (i >= n * m) y[i] = 0; else/'
run 1 verify "$work/behind.cu" --device cpu --dims 17,5 --config CHUNK=64,STREAMS=1,STAGING=false
out_has "were written"

# What cannot be.
variant still 's/pipeline chunks(n, CHUNK)/pipeline chunks(m, CHUNK)/'
run 3 verify "$work/still.cu" --device cpu --dims 17,5
err_has "'y' is written, so its rows must be those that are cut: declare it as y[m]"
