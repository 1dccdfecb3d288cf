/* SPDX-License-Identifier: Apache-2.0 */
/* Each element of a slot by its place: lines of 128 bytes, whose eight pieces of 16
 * bytes are exchanged by the line's number. */
#include "loose_slots.cuh"
#pragma hone implements loose_slots/plain reference
#pragma hone launch place grid(ceildiv(SIZE, 256)) block(256) args(X, Y, SLOTS, i64(SIZE), i32(M), i32(N), i32(K), i64(PITCH_X), i64(PITCH_Y), i64(STEP_X), i64(STEP_Y))

/* Element `e` of a part with `rows` of M or N, of a matrix with `all` of these. */
__device__ static __half element(const __half *from, bool across, int e, int rows,
                                 int first, int k, int all, int K,
                                 long long pitch)
{
    const int lines = across ? BK : rows;
    const int piece = e / 8 ^ e / 64 % 8;
    const int col = piece % 8 * 8 + e % 8, line = e / 64 % lines;
    const int box = e / 64 / lines;
    const int row = first + (across ? box * 64 + col : line);
    const int deep = k + (across ? line : box * 64 + col);

    if (row >= all || deep >= K)
        return __half(0.0f);
    return across ? from[deep * pitch + row] : from[row * pitch + deep];
}

extern "C" __global__ void place(const __half *X, const __half *Y, __half *slots,
                                 long long size, int M, int N, int K,
                                 long long pitch_x, long long pitch_y,
                                 long long step_x, long long step_y)
{
    const long long i = blockIdx.x * 256LL + threadIdx.x;
    const int slot = SLOT_X + SLOT_Y, steps = (K + BK - 1) / BK;
    const int across = (N + BN - 1) / BN, down = (M + BM - 1) / BM;
    const int e = (int)(i % slot), step = (int)(i / slot % steps);
    const long long tile = i / slot / steps;
    const int col = (int)(tile % across) * BN;
    const int row = (int)(tile / across % down) * BM;
    const long long matrix = tile / across / down;

    if (i >= size)
        return;
    if (e < SLOT_X)
        slots[i] = WHICH & 1 ? element(X + matrix * step_x, ACROSS_X, e, BM, row,
                                       step * BK, M, K, pitch_x)
                             : __half(0.0f);
    else
        slots[i] = WHICH & 2 ? element(Y + matrix * step_y, ACROSS_Y,
                                       e - SLOT_X, BN, col, step * BK, N, K,
                                       pitch_y)
                             : __half(0.0f);
}
