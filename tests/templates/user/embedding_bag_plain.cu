// SPDX-License-Identifier: Apache-2.0
// What embedding_bag.cu must give: one thread a bag.
#pragma hone op embedding_bag_plain(bags, total, entries, width, MEAN in {0, 1}, WEIGHTED in {0, 1}) "y[b] = sum or mean of weight[i]*table[index[i]] over the bag"
#pragma hone arg table: in f32[entries][width], start: in i32[bags + 1] offsets of total, \
    index: in i32[total] from 0..entries - 1, weight: in optional(WEIGHTED) f32[total], \
    y: out f32[bags][width]
#pragma hone param BLOCK in {64}
#pragma hone launch embedding_bag_plain grid(ceildiv(bags, BLOCK)) block(BLOCK)
#pragma hone check none

extern "C" __global__ void
embedding_bag_plain(const float *table, const int *start, const int *index,
                    const float *weight, float *y, long long bags,
                    long long total, long long entries, long long width)
{
    const long long b = (long long)blockIdx.x * BLOCK + threadIdx.x;

    for (long long c = 0; b < bags && c < width; ++c) {
        float sum = 0;

        for (int i = start[b]; i < start[b + 1]; ++i)
            sum += (WEIGHTED ? weight[i] : 1.0f) * table[index[i] * width + c];
        if (MEAN && start[b + 1] > start[b])
            sum /= start[b + 1] - start[b];
        y[b * width + c] = sum;
    }
}
