/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of tensor maps: see tensor_map.h. They are those of
 * cuTensorMapEncodeTiled() for maps that are not interleaved, and one of our
 * own: a map stays inside its array. */
#include "runtime/launch/tensor_map.h"

#include "runtime/expr/expr.h"

#include <inttypes.h>

enum {
    UNIT_BYTES = 16, /* addresses, strides and box rows are multiples of it */
    FIRST_SM = 90,
    MOST_BOX = 256,
    MOST_STEP = 8
};

#define MOST_DIM (INT64_C(1) << 32)
#define STRIDE_END (INT64_C(1) << 40)

/* CUtensorMapDataType. Bytes are bytes and complex numbers pairs of words:
 * copied as they are, but a reduction would not add them. */
typedef struct type_row {
    uint8_t type;
    uint8_t code;
    uint8_t is_float;
} type_row;

static const type_row type_rows[] = {
    {HONE_TYPE_U8, 0, 0},   {HONE_TYPE_I8, 0, 0},   {HONE_TYPE_U32, 2, 0},
    {HONE_TYPE_I32, 3, 0},  {HONE_TYPE_U64, 4, 0},  {HONE_TYPE_C32, 4, 0},
    {HONE_TYPE_I64, 5, 0},  {HONE_TYPE_F16, 6, 1},  {HONE_TYPE_F32, 7, 1},
    {HONE_TYPE_F64, 8, 1},  {HONE_TYPE_BF16, 9, 1}, {HONE_TYPE_TF32, 11, 1},
    {HONE_TYPE_E4M3, 0, 0}, {HONE_TYPE_E5M2, 0, 0},
};

enum { N_TYPE_ROWS = sizeof type_rows / sizeof type_rows[0] };

/* In the order of the driver's numbers, which start at 0. */
static const int64_t swizzles[] = {0, 32, 64, 128};
static const int64_t promotions[] = {0, 64, 128, 256};
static const int64_t fills[] = {0, 1};

static const type_row *find_type(int64_t type)
{
    for (size_t i = 0; i < N_TYPE_ROWS; ++i) {
        if (type_rows[i].type == type)
            return &type_rows[i];
    }
    return NULL;
}

static int place_of(int64_t value, const int64_t *list, int n)
{
    for (int i = 0; i < n; ++i) {
        if (list[i] == value)
            return i;
    }
    return -1;
}

#define PLACE_OF(value, list)                                                  \
    place_of((value), (list), (int)(sizeof(list) / sizeof(list)[0]))

/* ---- each dimension by itself -------------------------------------------- */

static hone_status check_range(const hone_tensor_map *map, const char *what,
                               int index, int64_t value, int64_t most,
                               hone_error *err)
{
    if (value == HONE_MAP_UNKNOWN || (value >= 1 && value <= most))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "tensor map '%s': %s %d is %" PRId64
                      "; a tensor map allows 1 to %" PRId64,
                      map->name, what, index, value, most);
}

static hone_status check_stride(const hone_tensor_map *map, int index,
                                hone_error *err)
{
    const int64_t stride = map->strides[index];

    if (stride == HONE_MAP_UNKNOWN)
        return HONE_OK;
    if (stride < 0 || stride >= STRIDE_END)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "tensor map '%s': the stride of dimension %d is "
                          "%" PRId64 " bytes; a tensor map allows 0 to 2^40 - "
                          "16",
                          map->name, index, stride);
    if (stride % UNIT_BYTES)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "tensor map '%s': the stride of dimension %d is "
                          "%" PRId64 " bytes, which is no multiple of 16; pad "
                          "the rows of '%s'",
                          map->name, index, stride, map->array);
    return HONE_OK;
}

static hone_status check_dimensions(const hone_tensor_map *map, hone_error *err)
{
    for (int i = 0; i < map->rank; ++i) {
        HONE_TRY(check_range(map, "dimension", i, map->dims[i], MOST_DIM, err));
        HONE_TRY(check_range(map, "box side", i, map->box[i], MOST_BOX, err));
        HONE_TRY(check_range(map, "element stride", i, map->steps[i], MOST_STEP,
                             err));
        if (i > 0)
            HONE_TRY(check_stride(map, i, err));
    }
    /* The driver ignores another one without a word. */
    if (map->steps[0] != 1 && map->steps[0] != HONE_MAP_UNKNOWN)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "tensor map '%s': element stride 0 is %" PRId64
                          "; that of the innermost dimension is 1",
                          map->name, map->steps[0]);
    return HONE_OK;
}

/* A word that stands for a code; `place` is that of its value. */
static hone_status check_mode(const hone_tensor_map *map, const char *what,
                              int64_t value, int place, const char *rule,
                              hone_error *err)
{
    if (value == HONE_MAP_UNKNOWN || place >= 0)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "tensor map '%s': the %s is %" PRId64 "%s", map->name,
                      what, value, rule);
}

static hone_status check_modes(const hone_tensor_map *map, const type_row *type,
                               hone_error *err)
{
    const hone_cu_map_codes codes = hone__tensor_map_codes(map);

    HONE_TRY(check_mode(map, "swizzle", map->swizzle, codes.swizzle,
                        " bytes; a tensor map allows 0, 32, 64 and 128", err));
    HONE_TRY(check_mode(map, "L2 promotion", map->l2, codes.l2,
                        " bytes; a tensor map allows 0, 64, 128 and 256", err));
    HONE_TRY(check_mode(map, "fill", map->fill, codes.fill,
                        "; it is 0 for zeros or 1 for NaNs", err));
    if (map->fill == 1 && type && !type->is_float)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "tensor map '%s': there is no NaN to fill with in "
                          "%s elements; use fill(0)",
                          map->name, hone__type_name(type->type));
    return HONE_OK;
}

static hone_status check_box_row(const hone_tensor_map *map,
                                 const type_row *type, hone_error *err)
{
    const int64_t row_bytes =
        map->box[0] * (int64_t)hone__type_size_bytes(type->type);

    if (row_bytes % UNIT_BYTES)
        return hone__fail(
            err, HONE_ERR_CONSTRAINT,
            "tensor map '%s': box side 0 is %" PRId64
            " elements of %s, %" PRId64 " bytes, which is no multiple of 16",
            map->name, map->box[0], hone__type_name(type->type), row_bytes);
    if (map->swizzle > 0 && row_bytes > map->swizzle)
        return hone__fail(err, HONE_ERR_CONSTRAINT,
                          "tensor map '%s': box side 0 is %" PRId64
                          " elements of %s, %" PRId64
                          " bytes, more than the %" PRId64
                          " of the swizzle; make the box narrower",
                          map->name, map->box[0], hone__type_name(type->type),
                          row_bytes, map->swizzle);
    return HONE_OK;
}

/* Behind the last byte that the map shows; HONE_MAP_UNKNOWN if a number is
 * missing, INT64_MAX if there are too many. */
static int64_t reach_bytes(const hone_tensor_map *map, const type_row *type)
{
    int64_t reach = map->dims[0];
    int overflow = 0;

    if (reach == HONE_MAP_UNKNOWN)
        return HONE_MAP_UNKNOWN;
    reach *= (int64_t)hone__type_size_bytes(type->type); /* 2^35 at most */
    for (int i = 1; i < map->rank; ++i) {
        int64_t part;

        if (map->dims[i] == HONE_MAP_UNKNOWN ||
            map->strides[i] == HONE_MAP_UNKNOWN)
            return HONE_MAP_UNKNOWN;
        overflow |=
            __builtin_mul_overflow(map->dims[i] - 1, map->strides[i], &part);
        overflow |= __builtin_add_overflow(reach, part, &reach);
    }
    return overflow ? INT64_MAX : reach;
}

static hone_status check_reach(const hone_tensor_map *map, const type_row *type,
                               hone_error *err)
{
    const int64_t reach = reach_bytes(map, type);

    if (reach == HONE_MAP_UNKNOWN || map->array_bytes == HONE_MAP_UNKNOWN ||
        reach <= map->array_bytes)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "tensor map '%s' reaches over the end of '%s': its "
                      "dimensions and strides take %s%" PRId64
                      " bytes, the array has %" PRId64,
                      map->name, map->array,
                      reach == INT64_MAX ? "more than " : "", reach,
                      map->array_bytes);
}

hone_status hone__tensor_map_check_device(const char *name, int64_t sm,
                                          hone_error *err)
{
    if (sm >= FIRST_SM)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "tensor map '%s' needs a device of compute capability "
                      "9.0 or newer; this one has %" PRId64 ".%" PRId64,
                      name, sm / 10, sm % 10);
}

hone_status hone__tensor_map_check(const hone_tensor_map *map, hone_error *err)
{
    const type_row *type = find_type(map->type);

    if (!type && map->type != HONE_MAP_UNKNOWN)
        return hone__fail(
            err, HONE_ERR_CONSTRAINT,
            "tensor map '%s': '%s' has elements of %s, which a tensor map "
            "does not take",
            map->name, map->array, hone__type_name((hone_type)map->type));
    HONE_TRY(check_dimensions(map, err));
    HONE_TRY(check_modes(map, type, err));
    if (!type)
        return HONE_OK;
    if (map->box[0] != HONE_MAP_UNKNOWN)
        HONE_TRY(check_box_row(map, type, err));
    return check_reach(map, type, err);
}

hone_status hone__tensor_map_check_address(const hone_tensor_map *map,
                                           uint64_t address, hone_error *err)
{
    if (address && address % UNIT_BYTES == 0)
        return HONE_OK;
    if (!address)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "tensor map '%s' cannot be made: '%s' is a null "
                          "pointer",
                          map->name, map->array);
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "tensor map '%s' cannot be made: '%s' lies at %#" PRIx64
                      ", which is no multiple of 16 bytes",
                      map->name, map->array, address);
}

hone_cu_map_codes hone__tensor_map_codes(const hone_tensor_map *map)
{
    const type_row *type = find_type(map->type);

    return (hone_cu_map_codes){
        type ? type->code : 0, PLACE_OF(map->swizzle, swizzles),
        PLACE_OF(map->l2, promotions), PLACE_OF(map->fill, fills)};
}
