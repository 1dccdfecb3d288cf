// SPDX-License-Identifier: Apache-2.0
// segsort: every row of x is sorted on its own, in place; rows are short (up to
// 1024 keys) and many. For i32 and f32.
//
// LANES threads sort a row, a block does ROWS of them. METHOD:
//   bitonic  exchanges in shared memory, over a row filled up to a power of two
//   rank     a key's place is the number of keys that come before it: columns^2
//            comparisons, but no barrier between them

#pragma hone op segsort(rows, columns, T in {i32, f32} default i32) "each row of x in ascending order"
#pragma hone arg x: inout T[rows][columns]

#pragma hone param METHOD in {bitonic, rank}
#pragma hone param LANES in pow2 4..256 default 64
#pragma hone param ROWS in {1, 2, 4, 8, 16} default 2

#pragma hone require columns <= 1024 "a row does not fit shared memory"
#pragma hone require ROWS*LANES >= 32 && ROWS*LANES <= 1024 "a block has 32 to 1024 threads"
#pragma hone let WIDTH = 1 << log2(2*columns - 1)
#pragma hone require ROWS*WIDTH*sizeof(T) <= 48K "a block's rows do not fit shared memory"

#pragma hone launch segsort grid(ceildiv(rows, ROWS)) block(LANES, ROWS) shared(ROWS*WIDTH*sizeof(T)) args(x, i64(rows), i32(columns), i32(WIDTH))
#pragma hone work bytes(2*rows*columns*sizeof(T))
#pragma hone check template.segsort_plain tolerance(0) exact(50)
#pragma hone baseline template.segsort_plain

/* No key comes after it. */
constexpr T LAST = T(0.5f) == 0 ? T(0x7fffffff) : T(3.4028234e38f);

extern __shared__ T keys[];

/* Sorts the `width` keys at `row`; each of the block's rows takes part. */
__device__ inline void sort_bitonic(T *row, int width)
{
    for (int run = 2; run <= width; run *= 2) {
        for (int away = run / 2; away > 0; away /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < width / 2; i += LANES) {
                const int low = 2 * i - (i & (away - 1)), high = low + away;
                const bool up = (low & run) == 0;
                const T a = row[low], b = row[high];

                if ((a > b) == up) {
                    row[low] = b;
                    row[high] = a;
                }
            }
        }
    }
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
segsort(T *x, long long rows, int columns, int width)
{
    const long long r = (long long)blockIdx.x * ROWS + threadIdx.y;
    T *row = keys + threadIdx.y * width;
    T *at = x + r * columns;

    for (int c = threadIdx.x; c < width; c += LANES)
        row[c] = r < rows && c < columns ? at[c] : LAST;
    if constexpr (METHOD == METHOD_values::bitonic) {
        sort_bitonic(row, width);
        if (r < rows)
            for (int c = threadIdx.x; c < columns; c += LANES)
                at[c] = row[c];
    } else {
        __syncthreads();
        if (r >= rows)
            return;
        for (int c = threadIdx.x; c < columns; c += LANES) {
            const T key = row[c];
            int place = 0;

            for (int j = 0; j < columns; ++j)
                place += row[j] < key || (row[j] == key && j < c);
            at[place] = key;
        }
    }
}
