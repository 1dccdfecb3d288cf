/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: see type.h. */
#include "runtime/base/type.h"

#include <string.h>

static const struct {
    hone_type type;
    const char *name;
    size_t size_bytes;
    const char *cpp;
} types[] = {
#define TYPE_ROW(name, code, spelling, size, cpp)                              \
    {HONE_TYPE_##name, spelling, size, cpp},
    HONE_TYPE_MAP(TYPE_ROW)
#undef TYPE_ROW
};

enum { N_TYPES = sizeof types / sizeof types[0] };

/* Index in the table, N_TYPES if there is none. */
static size_t find(hone_type type)
{
    size_t i = 0;

    while (i < N_TYPES && types[i].type != type)
        ++i;
    return i;
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
    const size_t i = find(type);

    return i < N_TYPES ? types[i].name : "?";
}

const char *hone__type_cpp(hone_type type)
{
    const size_t i = find(type);

    return i < N_TYPES ? types[i].cpp : "?";
}

size_t hone__type_size_bytes(hone_type type)
{
    const size_t i = find(type);

    return i < N_TYPES ? types[i].size_bytes : 0;
}

int hone__type_is_integer(hone_type type)
{
    return type >= HONE_TYPE_I8 && type != HONE_TYPE_C32 &&
           type != HONE_TYPE_C64;
}
