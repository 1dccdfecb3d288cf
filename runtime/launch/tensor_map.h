/* SPDX-License-Identifier: Apache-2.0 */
/* What a tensor map shows of an array, and the rules that CUDA has for it.
 * The driver answers a broken rule with a bare "invalid value", so they are
 * checked here first, each with a sentence of its own: by the tuner before
 * anything is compiled, by the runtime when a plan is made. Pure: no driver
 * is asked. */
#ifndef HONE_RUNTIME_TENSOR_MAP_H
#define HONE_RUNTIME_TENSOR_MAP_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum {
    HONE_MAP_DIMS = 5, /* what CUDA allows */
    HONE_MAX_MAPS = 8  /* of one operation */
};

/* A number that is not known yet; no rule is applied to it. */
#define HONE_MAP_UNKNOWN INT64_MIN

typedef struct hone_tensor_map {
    const char *name;  /* borrowed, as the next */
    const char *array; /* which it shows */
    int64_t type;      /* hone_type of the elements */
    int64_t array_bytes;
    int rank;
    int64_t dims[HONE_MAP_DIMS];    /* elements, the innermost first */
    int64_t strides[HONE_MAP_DIMS]; /* bytes; [0] is not used */
    int64_t box[HONE_MAP_DIMS];     /* elements */
    int64_t steps[HONE_MAP_DIMS];   /* element strides */
    int64_t swizzle;                /* bytes: 0, 32, 64, 128 */
    int64_t l2;                     /* bytes: 0, 64, 128, 256 */
    int64_t fill;                   /* beyond the dims: 0 zeros, 1 NaNs */
} hone_tensor_map;

/* HONE_ERR_CONSTRAINT if devices of this `sm` have no tensor maps. */
hone_status hone__tensor_map_check_device(const char *name, int64_t sm,
                                          hone_error *err);

/* The rules that do not depend on an address. HONE_ERR_CONSTRAINT with a
 * sentence that names the map and the number. */
hone_status hone__tensor_map_check(const hone_tensor_map *map, hone_error *err);

/* HONE_ERR_ARGUMENT for an address that no tensor map can have. */
hone_status hone__tensor_map_check_address(const hone_tensor_map *map,
                                           uint64_t address, hone_error *err);

/* The driver's numbers for what hone__tensor_map_check() let through. */
typedef struct hone_cu_map_codes {
    int type;
    int swizzle;
    int l2;
    int fill;
} hone_cu_map_codes;
hone_cu_map_codes hone__tensor_map_codes(const hone_tensor_map *map);

#endif
