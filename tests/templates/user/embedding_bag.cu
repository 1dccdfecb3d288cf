// SPDX-License-Identifier: Apache-2.0
// embedding_bag: y[b] = sum over the entries of bag b, each `width` numbers of a
// table, times their weights where there are any; MEAN divides by their number.
// Bag b has the indices start[b] .. start[b+1]-1; an empty one gives zeros.
//
// A block has BAGS bags beside each other and WIDE threads along an entry, which
// take VEC neighbouring numbers each; UNROLL entries are asked for at once.

#pragma hone op embedding_bag(bags, total, entries, width, MEAN in {0, 1}, WEIGHTED in {0, 1}) "y[b] = sum or mean of weight[i]*table[index[i]] over the bag"
#pragma hone arg table: in f32[entries][width], start: in i32[bags + 1] offsets of total, \
    index: in i32[total] from 0..entries - 1, weight: in optional(WEIGHTED) f32[total], \
    y: out f32[bags][width]

#pragma hone param WIDE in {8, 16, 32, 64} default 32
#pragma hone param BAGS in {2, 4, 8, 16} default 4
#pragma hone param VEC in {1, 2, 4}
#pragma hone param UNROLL in {1, 2, 4} default 2

#pragma hone require width % VEC == 0 "an entry does not start at a multiple of the vector"
#pragma hone require WIDE*BAGS >= 32 && WIDE*BAGS <= 512 "a block has 32 to 512 threads"
#pragma hone launch embedding_bag grid(ceildiv(bags, BAGS)) block(WIDE, BAGS)
#pragma hone work flops(2*total*width) bytes(4*(total*width + bags*width + bags + total*(1 + WEIGHTED)))
#pragma hone check template.embedding_bag_plain tolerance(total + 8) exact(8)
#pragma hone baseline template.embedding_bag_plain

struct alignas(4 * VEC) pack {
    float v[VEC];
};

extern "C" __global__ void __launch_bounds__(WIDE * BAGS)
embedding_bag(const float *__restrict__ table, const int *__restrict__ start,
              const int *__restrict__ index, const float *__restrict__ weight,
              float *__restrict__ y, long long bags, long long total,
              long long entries, long long width)
{
    const long long bag = (long long)blockIdx.x * BAGS + threadIdx.y;
    const long long packs = width / VEC;
    const pack *from = reinterpret_cast<const pack *>(table);
    pack *to = reinterpret_cast<pack *>(y);

    if (bag >= bags)
        return;
    const int begin = start[bag], end = start[bag + 1];

    for (long long c = threadIdx.x; c < packs; c += WIDE) {
        pack sum = {};
        int at = begin;
        const auto add = [&](pack p, int i) {
            const float w = WEIGHTED ? weight[i] : 1.0f;

#pragma unroll
            for (int v = 0; v < VEC; ++v)
                sum.v[v] += w * p.v[v];
        };

        for (; at + UNROLL <= end; at += UNROLL) {
            pack p[UNROLL];

#pragma unroll
            for (int u = 0; u < UNROLL; ++u)
                p[u] = from[index[at + u] * packs + c];
#pragma unroll
            for (int u = 0; u < UNROLL; ++u)
                add(p[u], at + u);
        }
        for (; at < end; ++at)
            add(from[index[at] * packs + c], at);
        if (MEAN && end > begin)
            for (int v = 0; v < VEC; ++v)
                sum.v[v] /= end - begin;
        to[bag * packs + c] = sum;
    }
}
