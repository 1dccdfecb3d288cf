// SPDX-License-Identifier: Apache-2.0
// gather: y[i] = table[index[i]], where an entry of the table is a row of
// `width` numbers.
//
// The result is one long array, which the threads fill in order, VEC numbers at
// a time and EACH times; what they read jumps. A vector needs entries of a
// multiple of its length.

#pragma hone op gather(n, entries, width, T in {f32, f64, i32} default f32) "y[i][..] = table[index[i]][..]"
#pragma hone arg table: in T[entries][width], index: in i32[n] from 0..entries - 1, y: out T[n][width]

#pragma hone param VEC in {1, 2, 4}
#pragma hone param BLOCK in pow2 64..512 default 256
#pragma hone param EACH in {1, 2, 4} default 1
// The result is not read soon: it may go past the caches, which the table fills.
#pragma hone param STREAM: bool

#pragma hone require width % VEC == 0 "an entry does not start at a multiple of the vector"
#pragma hone launch gather grid(ceildiv(n*width, BLOCK*EACH*VEC)) block(BLOCK)
#pragma hone work bytes(2*n*width*sizeof(T) + 4*n)
#pragma hone check template.gather_plain tolerance(0) exact(100)
#pragma hone baseline template.gather_plain

struct alignas(VEC * sizeof(T)) pack {
    T v[VEC];
};

extern "C" __global__ void __launch_bounds__(BLOCK)
gather(const T *__restrict__ table, const int *__restrict__ index,
       T *__restrict__ y, long long n, long long entries, long long width)
{
    const pack *from = reinterpret_cast<const pack *>(table);
    const long long packs = width / VEC; /* of an entry */
    const long long first = (long long)blockIdx.x * (BLOCK * EACH) + threadIdx.x;

#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        const long long at = first + e * BLOCK;

        if (at < n * packs) {
            const pack p = from[index[at / packs] * packs + at % packs];

#pragma unroll
            for (int i = 0; i < VEC; ++i) {
                if constexpr (STREAM)
                    __stcs(y + at * VEC + i, p.v[i]);
                else
                    y[at * VEC + i] = p.v[i];
            }
        }
    }
}
