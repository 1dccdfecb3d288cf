// SPDX-License-Identifier: Apache-2.0
// variance: mean and variance (divided by the number of columns) of each row, in
// f32 or f64. The elements may lie far from zero and near each other, which
// takes the digits off a difference of sums: all three METHODs avoid that.
//
//   two_pass  the mean first, then the squares of the distances from it
//   shifted   one pass over the distances from the row's first element
//   welford   one pass; a running mean, and partial results that are merged
//
// LANES threads take a row, UNROLL elements of it at once; a block has ROWS rows.

#pragma hone op variance(rows, columns, T in {f32, f64} default f32) "mean and variance of each row of x"
#pragma hone arg x: in T[rows][columns] from 1000..1001, mean: out T[rows], var: out T[rows]

#pragma hone param METHOD in {two_pass, shifted, welford}
#pragma hone param LANES in {8, 16, 32} default 32
#pragma hone param ROWS in {2, 4, 8, 16} default 4
#pragma hone param UNROLL in {1, 2, 4} default 2

#pragma hone require ROWS*LANES >= 32 "a block is no full warp"
#pragma hone launch variance grid(ceildiv(rows, ROWS)) block(LANES, ROWS)
#pragma hone work flops(3*rows*columns) bytes((rows*columns + 2*rows)*sizeof(T))
#pragma hone check template.variance_plain tolerance(ceildiv(columns, LANES) + 16)
#pragma hone baseline template.variance_plain

/* So many elements have this mean, and this sum of squares around it. */
struct moments {
    T n, mean, squares;
};

/* Chan, Golub and LeVeque: the moments of two sets together. */
__device__ inline moments merge(moments a, moments b)
{
    const T n = a.n + b.n, away = b.mean - a.mean;

    if (n == 0)
        return a;
    return {n, a.mean + away * (b.n / n),
            a.squares + b.squares + away * away * (a.n * b.n / n)};
}

__device__ inline T sum_of_lanes(T v)
{
    for (int away = LANES / 2; away > 0; away /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, away, LANES);
    return v;
}

/* f(row[c]) for all columns of this lane. */
template <typename F>
__device__ inline void each(const T *row, long long columns, F f)
{
    long long c = threadIdx.x;

    for (; c + (UNROLL - 1) * LANES < columns; c += UNROLL * LANES) {
        T v[UNROLL];

#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            v[i] = row[c + i * LANES];
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            f(v[i]);
    }
    for (; c < columns; c += LANES)
        f(row[c]);
}

extern "C" __global__ void __launch_bounds__(LANES * ROWS)
variance(const T *__restrict__ x, T *__restrict__ mean, T *__restrict__ var,
         long long rows, long long columns)
{
    const long long mine = (long long)blockIdx.x * ROWS + threadIdx.y;
    /* Rows beyond the last one are the last one again: shuffles are by all. */
    const T *row = x + (mine < rows ? mine : rows - 1) * columns;
    T middle = 0, sum = 0, squares = 0;

    if constexpr (METHOD == METHOD_values::two_pass) {
        each(row, columns, [&](T v) { sum += v; });
        middle = sum_of_lanes(sum) / columns;
        each(row, columns,
             [&](T v) { squares += (v - middle) * (v - middle); });
        squares = sum_of_lanes(squares);
    } else if constexpr (METHOD == METHOD_values::shifted) {
        const T shift = row[0];

        each(row, columns, [&](T v) {
            sum += v - shift;
            squares += (v - shift) * (v - shift);
        });
        sum = sum_of_lanes(sum);
        squares = sum_of_lanes(squares) - sum * (sum / columns);
        middle = shift + sum / columns;
    } else {
        moments m = {0, 0, 0};

        each(row, columns, [&](T v) {
            const T away = v - m.mean;

            m.n += 1;
            m.mean += away / m.n;
            m.squares += away * (v - m.mean);
        });
        for (int away = LANES / 2; away > 0; away /= 2) {
            const moments other = {
                __shfl_xor_sync(0xffffffffu, m.n, away, LANES),
                __shfl_xor_sync(0xffffffffu, m.mean, away, LANES),
                __shfl_xor_sync(0xffffffffu, m.squares, away, LANES)};

            m = merge(m, other);
        }
        middle = m.mean;
        squares = m.squares;
    }
    if (threadIdx.x == 0 && mine < rows) {
        mean[mine] = middle;
        var[mine] = squares / columns;
    }
}
