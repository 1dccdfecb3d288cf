/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the algorithms that cuBLASLt proposes comes first where a product is
 * added to C. */
#include "runtime/vendor/vendor_lt.h"

enum {
    TILED_BY_WGMMA = 66, /* the only algorithm that this is known of */
    N_TILES = 512        /* those that the table has; of others no slow one was
                            proposed */
};

enum { ALGORITHM, TILE, SPLITS, CUSTOM, N_ATTRIBUTES };

/* Tiles whose kernels read C three times as slowly as others: [C is of 16
 * bits][custom option is odd], a bit for each cublasLtMatmulTile_t. Where that
 * option is odd, warp groups divide the first side of a tile, else the second;
 * of that side w, if it is a multiple of 64, and the other one, f, they are
 * (docs/decisions.md, 249):
 *
 *     32 bits, odd:  f > 64, 128, 192, 96 where w = 64, 128, 192, 256;
 *                    else f > 128
 *     32 bits, even: f > 96, 160, 192 where w = 64, 128, 192; else f > 96;
 *                    and f > 32 that is no multiple of 32
 *     16 bits:       w = 128 and f > 176 */
static const uint64_t slow[2][2][N_TILES / 64] = {
    {{0x0000000083a40000u, 0xf00fffffffff0000u, 0xffffffffe07fffffu,
      0xfffffffffffdfffbu, 0x00ffffffffffffffu, 0x0000000000000000u,
      0x8080000000000000u, 0x0000000800000000u},
     {0x0000000125ca0000u, 0x0ff0000000000000u, 0x0003000000000000u,
      0x0000010000040000u, 0xe000000000000000u, 0xffffffffffffffffu,
      0xffffffffffe001ffu, 0xffff003fffe00000u}},
    {{0x0000000081000000u, 0x0000000000000000u, 0x0000000000000000u,
      0x5555544924902000u, 0x0000000000000155u, 0x0000000000000000u,
      0x0000000000000000u, 0x0000000000000000u},
     {0x0000000100800000u, 0x0000000000000000u, 0x0003000000000000u,
      0x0000000000000000u, 0x0000000000000000u, 0x0000000000000000u,
      0xfffffffffc000000u, 0x0000000000000000u}},
};

/* Is it known to read C so? Sums of parts of K are added to C elsewhere. What
 * an algorithm does not have is 0. */
static int reads(const hone_lt_state *state, const hone_lt_proposal *proposal,
                 int slowly)
{
    static const uint8_t which[N_ATTRIBUTES] = {
        HONE_LT_CONFIG_ALGORITHM, HONE_LT_CONFIG_TILE, HONE_LT_CONFIG_SPLITS,
        HONE_LT_CONFIG_CUSTOM};
    uint32_t has[N_ATTRIBUTES] = {0};
    size_t n_bytes;

    for (int i = 0; i < N_ATTRIBUTES; i++)
        (void)state->lt->attribute(&proposal->algorithm, which[i], &has[i],
                                   sizeof has[i], &n_bytes);
    return has[ALGORITHM] == TILED_BY_WGMMA &&
           (has[SPLITS] <= 1 && has[TILE] < N_TILES &&
            slow[state->gemm.out_bytes == 2][has[CUSTOM] % 2][has[TILE] / 64] >>
                    has[TILE] % 64 &
                1) == slowly;
}

void hone__lt_order(const hone_lt_state *state, hone_lt_proposal *list,
                    size_t n)
{
    size_t i = 0;
    hone_lt_proposal first;

    if (!state->gemm.adds || state->gemm.in_bytes != 2)
        return;
    /* The first is slow, those behind it are not fast. */
    while (reads(state, &list[i], i == 0) == (i == 0))
        if (++i == n)
            return;
    first = list[i];
    memmove(list + 1, list, i * sizeof *list);
    list[0] = first;
}
