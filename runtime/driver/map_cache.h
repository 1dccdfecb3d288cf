/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded tensor maps of one variant for one problem, kept by the address of
 * the array. Encoding costs a third of a microsecond or more, and programs
 * run on the same few buffers. A look-up takes no lock and allocates nothing;
 * whoever finds no entry encodes, and leaves the result unless another thread
 * is writing there. */
#ifndef HONE_RUNTIME_MAP_CACHE_H
#define HONE_RUNTIME_MAP_CACHE_H

#include "runtime/driver/driver.h"
#include "runtime/launch/launch_spec.h"

typedef struct hone_map_cache hone_map_cache;

/* *out stays NULL if there are no maps. Copies what it needs of `resolved`.
 * HONE_ERR_NO_GPU: the driver is too old for tensor maps. */
hone_status hone__map_cache_create(const hone_resolved *resolved,
                                   const hone_driver *driver,
                                   hone_map_cache **out, hone_error *err);
void hone__map_cache_free(hone_map_cache *cache);

/* The maps of a run, in the order of the plan; those that are not wanted are
 * zeros. `args` as for hone_plan_run(), `parts` are the addresses of the
 * workspaces. `out` has room for HONE_MAX_MAPS. HONE_ERR_ARGUMENT for an
 * array where no map can be, HONE_ERR_CUDA if the driver refuses.
 * Thread-safe. */
hone_status hone__map_cache_get(hone_map_cache *cache, void *const *args,
                                const hone_cu_ptr *parts,
                                hone_cu_tensor_map *out, hone_error *err);

#endif
