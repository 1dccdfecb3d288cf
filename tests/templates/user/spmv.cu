// SPDX-License-Identifier: Apache-2.0
// spmv: y = A*x for a sparse matrix in CSR, f32 or f64. Row r has the elements
// start[r] .. start[r+1]-1 of `column` and `value`.
//
// LANES threads share a row and add up what they found; each takes UNROLL
// elements at once. READ says how elements of x are read: they are the only
// thing that is used again.

#pragma hone op spmv(rows, columns, nnz, T in {f32, f64} default f32) "y = A*x, A in CSR"
#pragma hone arg start: in i32[rows + 1] offsets of nnz, \
    column: in i32[nnz] from 0..columns - 1, value: in T[nnz], \
    x: in T[columns], y: out T[rows]

#pragma hone param LANES in pow2 1..32 default 8
#pragma hone param BLOCK in {64, 128, 256} default 128
#pragma hone param UNROLL in {1, 2, 4}
#pragma hone param READ in {plain, read_only, streamed}

#pragma hone launch spmv grid(ceildiv(rows, BLOCK/LANES)) block(BLOCK)
#pragma hone work flops(2*nnz) bytes(4*(rows + nnz) + (nnz + columns + rows)*sizeof(T))
#pragma hone check template.spmv_plain tolerance(nnz + 8) exact(8)
#pragma hone baseline template.spmv_plain

/* A column and its value are used once, x again and again. */
template <typename V> __device__ inline V once(const V *p)
{
    if constexpr (READ == READ_values::streamed)
        return __ldcs(p);
    else
        return *p;
}
__device__ inline T again(const T *p)
{
    if constexpr (READ == READ_values::plain)
        return *p;
    else
        return __ldg(p);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
spmv(const int *__restrict__ start, const int *__restrict__ column,
     const T *__restrict__ value, const T *__restrict__ x, T *__restrict__ y,
     long long rows, long long columns, long long nnz)
{
    const long long row =
        (long long)blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
    const int lane = threadIdx.x % LANES;
    /* Threads beyond the last row have nothing to add, but take part. */
    const int end = row < rows ? start[row + 1] : 0;
    int at = row < rows ? start[row] + lane : 0;
    T sum = 0;

    for (; at + (UNROLL - 1) * LANES < end; at += UNROLL * LANES) {
        T part[UNROLL];

#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            part[i] = once(value + at + i * LANES) *
                      again(x + once(column + at + i * LANES));
#pragma unroll
        for (int i = 0; i < UNROLL; ++i)
            sum += part[i];
    }
    for (; at < end; at += LANES)
        sum += once(value + at) * again(x + once(column + at));
    for (int away = LANES / 2; away > 0; away /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, away, LANES);
    if (lane == 0 && row < rows)
        y[row] = sum;
}
