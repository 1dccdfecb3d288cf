/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver's tensor maps: they are recorded. */
#include "tests/runtime/fake_cuda_parts.h"

#include <stdatomic.h>
#include <string.h>

enum { KEPT = 64 };

static atomic_long n_maps;
static fake_map maps[KEPT];

void fake_forget_maps(void)
{
    atomic_store(&n_maps, 0);
}

long fake_n_maps(void)
{
    return atomic_load(&n_maps);
}

const fake_map *fake_map_at(long index)
{
    return &maps[index % KEPT];
}

hone_cu_result cuTensorMapEncodeTiled(
    hone_cu_tensor_map *out, int type, uint32_t rank, hone_cu_ptr address,
    const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
    const uint32_t *steps, int interleave, int swizzle, int l2, int fill)
{
    fake_map map = {.type = type,
                    .rank = rank,
                    .address = address,
                    .modes = {interleave, swizzle, l2, fill}};
    long index;

    FAKE_ENTER();
    if ((uintptr_t)out % 64 || address % 16 || rank < 1 || rank > 5)
        return FAKE_INVALID_VALUE;
    memcpy(map.dims, dims, rank * sizeof dims[0]);
    memcpy(map.strides, strides, (rank - 1) * sizeof strides[0]);
    memcpy(map.box, box, rank * sizeof box[0]);
    memcpy(map.steps, steps, rank * sizeof steps[0]);
    index = atomic_fetch_add(&n_maps, 1);
    maps[index % KEPT] = map;
    memset(out, 0, sizeof *out);
    out->words[0] = address;
    out->words[1] = (uint64_t)index;
    return 0;
}
