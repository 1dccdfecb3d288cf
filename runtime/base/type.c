/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: see type.h. */
#include "runtime/base/type.h"

typedef struct type_row {
    hone_type type;
    const char *name;
    size_t size_bytes;
    const char *cpp;
} type_row;

static const type_row types[] = {
#define TYPE_ROW(name, code, spelling, size, cpp)                              \
    {HONE_TYPE_##name, spelling, size, cpp},
    HONE_TYPE_MAP(TYPE_ROW)
#undef TYPE_ROW
};

enum { N_TYPES = sizeof types / sizeof types[0] };

static const type_row *find(hone_type type)
{
    static const type_row unknown = {(hone_type)0, "?", 0, "?"};

    for (size_t i = 0; i < N_TYPES; ++i) {
        if (types[i].type == type)
            return &types[i];
    }
    return &unknown;
}

hone_type hone__type_find(const char *name, size_t length)
{
    for (size_t i = 0; i < N_TYPES; ++i) {
        if (strlen(types[i].name) == length &&
            memcmp(types[i].name, name, length) == 0)
            return types[i].type;
    }
    return (hone_type)0;
}

const char *hone__type_name(hone_type type)
{
    return find(type)->name;
}

const char *hone__type_cpp(hone_type type)
{
    return find(type)->cpp;
}

size_t hone__type_size_bytes(hone_type type)
{
    return find(type)->size_bytes;
}

int hone__type_is_integer(hone_type type)
{
    return type >= HONE_TYPE_I8 && type != HONE_TYPE_C32 &&
           type != HONE_TYPE_C64;
}

const char *hone__match_name(hone_match_kind kind)
{
    static const char *const names[] = {
#define MATCH_NAME(name, value, spelling) [value] = spelling,
        HONE_MATCH_MAP(MATCH_NAME)
#undef MATCH_NAME
    };
    const size_t index = (size_t)kind;

    return index < HONE_COUNT(names) ? names[index] : NULL;
}
