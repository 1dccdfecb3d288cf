// SPDX-License-Identifier: Apache-2.0
// softmax: each row of x becomes exp(x - largest) / sum of those, in f32 or f64.
//
// One block a row. Three ways through it, FORM:
//   again   three passes: the largest, the sum, the result
//   online  two passes: the sum is scaled down whenever a larger element comes
//   keep    like `again`, but the row is read once and kept in shared memory
// A vector of VEC elements needs rows that start at a multiple of its size.

#pragma hone op softmax(rows, columns, T in {f32, f64} default f32) "y[r][c] = exp(x[r][c]) / sum over the row"
#pragma hone arg x: in T[rows][columns] normal(0, 3), y: out T[rows][columns]

#pragma hone param FORM in {again, online, keep}
#pragma hone param VEC in {1, 2, 4}
#pragma hone param BLOCK in pow2 32..1024 default 256
#pragma hone param FAST: bool when sizeof(T) == 4

#pragma hone require columns % VEC == 0 "rows do not start at a multiple of the vector"
#pragma hone let KEPT = FORM == keep ? columns*sizeof(T) : 0
#pragma hone require KEPT + 1024 <= device.smem_optin "a row does not fit shared memory"

#pragma hone launch softmax grid(rows) block(BLOCK) shared(KEPT)
#pragma hone work flops(5*rows*columns) bytes(2*rows*columns*sizeof(T))
#pragma hone check template.softmax_plain tolerance(4*log2(columns) + 16 + columns/BLOCK)
#pragma hone baseline template.softmax_plain

struct alignas(VEC * sizeof(T)) pack {
    T v[VEC];
};

__device__ inline T power_of_e(T x)
{
    if constexpr (FAST)
        return __expf(x);
    else
        return exp(x);
}

struct larger {
    __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
struct total {
    __device__ T operator()(T a, T b) const { return a + b; }
};

/* All threads' values combined; every thread gets the result. */
template <typename F> __device__ inline T over_block(T v, F combine)
{
    __shared__ T part[BLOCK / 32];

    for (int away = 16; away > 0; away /= 2)
        v = combine(v, __shfl_xor_sync(0xffffffffu, v, away));
    __syncthreads(); /* the last call's values have been read */
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int i = 1; i < BLOCK / 32; ++i)
        v = combine(v, part[i]);
    return v;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
softmax(const T *__restrict__ x, T *__restrict__ y, long long rows,
        long long columns)
{
    extern __shared__ __align__(32) unsigned char kept_bytes[];
    pack *kept = reinterpret_cast<pack *>(kept_bytes);
    const pack *in =
        reinterpret_cast<const pack *>(x + blockIdx.x * columns);
    pack *out = reinterpret_cast<pack *>(y + blockIdx.x * columns);
    const long long n = columns / VEC;
    const T least = sizeof(T) == 4 ? -3.0e38f : -1.0e308;
    T largest = least, sum = 0;

    for (long long i = threadIdx.x; i < n; i += BLOCK) {
        const pack p = in[i];

        if constexpr (FORM == FORM_values::keep)
            kept[i] = p;
        for (int j = 0; j < VEC; ++j) {
            if constexpr (FORM == FORM_values::online) {
                if (p.v[j] > largest) {
                    sum *= power_of_e(largest - p.v[j]);
                    largest = p.v[j];
                }
                sum += power_of_e(p.v[j] - largest);
            } else {
                largest = larger()(largest, p.v[j]);
            }
        }
    }
    const T mine = largest;

    largest = over_block(largest, larger());
    if constexpr (FORM == FORM_values::online) {
        sum *= power_of_e(mine - largest); /* 0 for threads without work */
    } else {
        for (long long i = threadIdx.x; i < n; i += BLOCK) {
            const pack p = FORM == FORM_values::keep ? kept[i] : in[i];

            for (int j = 0; j < VEC; ++j)
                sum += power_of_e(p.v[j] - largest);
        }
    }
    const T scale = 1 / over_block(sum, total());

    for (long long i = threadIdx.x; i < n; i += BLOCK) {
        pack p = FORM == FORM_values::keep ? kept[i] : in[i];

        for (int j = 0; j < VEC; ++j)
            p.v[j] = power_of_e(p.v[j] - largest) * scale;
        out[i] = p;
    }
}
