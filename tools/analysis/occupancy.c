/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks on a multiprocessor: see occupancy.h. */
#include "tools/analysis/occupancy.h"

static int64_t round_up(int64_t n, int64_t lot)
{
    return (n + lot - 1) / lot * lot;
}

hone_occupancy hone__occupancy(const hone_properties *device, int64_t threads,
                               int64_t registers, int64_t shared_bytes)
{
    const int64_t *has = device->value;
    const int64_t warp = has[HONE_PROPERTY_warp] ? has[HONE_PROPERTY_warp] : 32;
    const int64_t warps = (threads + warp - 1) / warp;
    const int is_8 = has[HONE_PROPERTY_sm] >= 80;
    const int64_t of_warp = round_up(registers * warp, 256);
    const int64_t shared =
        round_up(shared_bytes + (is_8 ? 1024 : 0), is_8 ? 128 : 256);
    const struct {
        int64_t blocks;
        const char *name;
    } limits[] = {
        {warps ? has[HONE_PROPERTY_threads_sm] / warp / warps : 0, "threads"},
        {has[HONE_PROPERTY_blocks_sm], "blocks"},
        /* Warps are dealt to four parts, each with a quarter of them. */
        {of_warp && warps ? has[HONE_PROPERTY_regs_sm] / 4 / of_warp * 4 / warps
                          : INT64_MAX,
         "registers"},
        {shared ? has[HONE_PROPERTY_smem_sm] / shared : INT64_MAX,
         "shared memory"}};
    hone_occupancy out = {INT64_MAX, 0, ""};

    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i)
        if (limits[i].blocks < out.blocks) {
            out.blocks = limits[i].blocks;
            out.limited_by = limits[i].name;
        }
    if (has[HONE_PROPERTY_threads_sm] > 0)
        out.share = (double)(out.blocks * warps * warp) /
                    (double)has[HONE_PROPERTY_threads_sm];
    return out;
}
