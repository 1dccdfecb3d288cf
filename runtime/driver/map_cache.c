/* SPDX-License-Identifier: Apache-2.0 */
/* See map_cache.h. An entry is guarded by a counter that is odd while it is
 * written: a reader copies the map and believes the copy if the counter was
 * even and did not change meanwhile. All words are atomic, so that a copy
 * that is thrown away is no race either. */
#include "runtime/driver/map_cache.h"

#include "runtime/base/alloc.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    N_ENTRIES = 16, /* of each map: a cold program's copies of its buffers */
    N_WORDS = sizeof(hone_cu_tensor_map) / sizeof(uint64_t),
    NAME_BYTES = 64 /* longer names are cut in sentences */
};

typedef struct map_entry {
    _Atomic uint32_t turn;
    _Atomic uint64_t words[N_WORDS];
} map_entry;

typedef struct cached_map {
    hone_resolved_map map;
    hone_cu_map_codes codes;
    char name[NAME_BYTES];
    char array[NAME_BYTES];
    _Atomic uint64_t addresses[N_ENTRIES]; /* 0: free; side by side, so that
                                              looking for one is quick */
    map_entry entries[N_ENTRIES];
} cached_map;

struct hone_map_cache {
    const hone_driver *driver;
    size_t n;
    cached_map maps[];
};

hone_status hone__map_cache_create(const hone_resolved *resolved,
                                   const hone_driver *driver,
                                   hone_map_cache **out, hone_error *err)
{
    hone_map_cache *cache;

    *out = NULL;
    if (!resolved->n_maps)
        return HONE_OK;
    if (driver->kind)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "tensor map '%s' cannot be made: the %s device has "
                          "no tensor maps",
                          resolved->maps[0].shape.name, driver->kind->name);
    if (!driver->tensor_map)
        return hone__fail(err, HONE_ERR_NO_GPU,
                          "tensor map '%s': the NVIDIA driver has no "
                          "cuTensorMapEncodeTiled; install driver 525.60 "
                          "(CUDA 12.0) or newer",
                          resolved->maps[0].shape.name);
    cache =
        hone__alloc(sizeof *cache + resolved->n_maps * sizeof cache->maps[0]);
    if (!cache)
        return hone__out_of_memory(err, " for tensor maps");
    cache->driver = driver;
    cache->n = resolved->n_maps;
    for (size_t i = 0; i < cache->n; ++i) {
        cached_map *to = &cache->maps[i];

        to->map = resolved->maps[i];
        to->codes = hone__tensor_map_codes(&to->map.shape);
        (void)snprintf(to->name, sizeof to->name, "%s", to->map.shape.name);
        (void)snprintf(to->array, sizeof to->array, "%s", to->map.shape.array);
        to->map.shape.name = to->name;
        to->map.shape.array = to->array;
    }
    *out = cache;
    return HONE_OK;
}

void hone__map_cache_free(hone_map_cache *cache)
{
    hone__free(cache);
}

/* Where to look first, and what is given up when all are taken. Arrays lie at
 * multiples of large powers of two: the high bits of the product differ. */
static size_t first_of(uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 60) % N_ENTRIES;
}

/* Loads are acquired in order, so that the last one, of the counter, comes
 * after the words; a fence would do, but thread sanitizers do not know it. */
static int read_entry(cached_map *map, size_t index, uint64_t address,
                      hone_cu_tensor_map *out)
{
    map_entry *entry = &map->entries[index];
    const uint32_t turn =
        atomic_load_explicit(&entry->turn, memory_order_acquire);

    if (turn & 1 || atomic_load_explicit(&map->addresses[index],
                                         memory_order_acquire) != address)
        return 0;
    for (size_t i = 0; i < N_WORDS; ++i)
        out->words[i] =
            atomic_load_explicit(&entry->words[i], memory_order_acquire);
    return atomic_load_explicit(&entry->turn, memory_order_relaxed) == turn;
}

static void write_entry(cached_map *map, size_t index, uint64_t address,
                        const hone_cu_tensor_map *words)
{
    map_entry *entry = &map->entries[index];
    uint32_t turn = atomic_load_explicit(&entry->turn, memory_order_relaxed);

    if (turn & 1 || !atomic_compare_exchange_strong_explicit(
                        &entry->turn, &turn, turn + 1, memory_order_acquire,
                        memory_order_relaxed))
        return; /* another thread is at it: one of us is enough */
    atomic_store_explicit(&map->addresses[index], address,
                          memory_order_release);
    for (size_t i = 0; i < N_WORDS; ++i)
        atomic_store_explicit(&entry->words[i], words->words[i],
                              memory_order_release);
    atomic_store_explicit(&entry->turn, turn + 2, memory_order_release);
}

static hone_status encode(const hone_driver *driver, const cached_map *map,
                          uint64_t address, hone_cu_tensor_map *out,
                          hone_error *err)
{
    const hone_tensor_map *shape = &map->map.shape;
    uint64_t dims[HONE_MAP_DIMS] = {0};
    uint64_t strides[HONE_MAP_DIMS] = {0};
    uint32_t box[HONE_MAP_DIMS] = {0};
    uint32_t steps[HONE_MAP_DIMS] = {0};
    char what[256];

    for (int i = 0; i < shape->rank; ++i) {
        dims[i] = (uint64_t)shape->dims[i];
        strides[i] = (uint64_t)shape->strides[i];
        box[i] = (uint32_t)shape->box[i];
        steps[i] = (uint32_t)shape->steps[i];
    }
    (void)snprintf(what, sizeof what,
                   "encoding tensor map '%s' of '%s' "
                   "(cuTensorMapEncodeTiled)",
                   map->name, map->array);
    return hone__driver_check(
        driver,
        driver->tensor_map(out, map->codes.type, (uint32_t)shape->rank, address,
                           dims, strides + 1, box, steps,
                           HONE_CU_INTERLEAVE_NONE, map->codes.swizzle,
                           map->codes.l2, map->codes.fill),
        what, err);
}

/* Where it is kept, else encoded: into a free entry, else instead of another.
 */
static hone_status get_map(const hone_driver *driver, cached_map *map,
                           uint64_t address, hone_cu_tensor_map *out,
                           hone_error *err)
{
    const size_t first = first_of(address);
    size_t place = first;

    for (size_t i = 0; i < N_ENTRIES; ++i) {
        const size_t index = (first + i) % N_ENTRIES;
        const uint64_t found =
            atomic_load_explicit(&map->addresses[index], memory_order_relaxed);

        if (!found) { /* entries are never freed: it is not behind */
            place = index;
            break;
        }
        if (found == address && read_entry(map, index, address, out))
            return HONE_OK;
    }
    HONE_TRY(hone__tensor_map_check_address(&map->map.shape, address, err));
    HONE_TRY(encode(driver, map, address, out, err));
    write_entry(map, place, address, out);
    return HONE_OK;
}

hone_status hone__map_cache_get(hone_map_cache *cache, void *const *args,
                                const hone_cu_ptr *parts,
                                hone_cu_tensor_map *out, hone_error *err)
{
    for (size_t i = 0; i < cache->n; ++i) {
        cached_map *map = &cache->maps[i];
        const int array = map->map.array;
        uint64_t address;

        if (!map->map.wanted) {
            memset(&out[i], 0, sizeof out[i]);
            continue;
        }
        if (map->map.array_kind == HONE_PASS_WORKSPACE)
            address = parts[array];
        else if (!args[array])
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "args[%d] is NULL; it points to the device "
                              "pointer '%s'",
                              array, map->array);
        else
            memcpy(&address, args[array], sizeof address);
        if (!address)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "'%s' is a null pointer, and a kernel reads it "
                              "through a tensor map",
                              map->array);
        HONE_TRY(get_map(cache->driver, map, address, &out[i], err));
    }
    return HONE_OK;
}
