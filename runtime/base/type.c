/* SPDX-License-Identifier: Apache-2.0 */
/* Element types: see type.h. */
#include "runtime/base/type.h"

/* By code; the first is that of what is no type. No pointers: the library that
 * programs link is small. */
static const struct {
    char name[5];
    uint8_t size_bytes;
} types[] = {{"?", 0},
#define TYPE_ROW(name, code, spelling, size, cpp) [code] = {spelling, size},
             HONE_TYPE_MAP(TYPE_ROW)
#undef TYPE_ROW
};

static size_t row_of(hone_type type)
{
    const size_t code = (size_t)type;

    return code < HONE_COUNT(types) ? code : 0;
}

hone_type hone__type_find(const char *name, size_t length)
{
    for (size_t i = 1; i < HONE_COUNT(types); ++i) {
        if (strlen(types[i].name) == length &&
            memcmp(types[i].name, name, length) == 0)
            return (hone_type)i;
    }
    return (hone_type)0;
}

const char *hone__type_name(hone_type type)
{
    return types[row_of(type)].name;
}

const char *hone__type_cpp(hone_type type)
{
    static const char *const names[] = {"?",
#define TYPE_CPP(name, code, spelling, size, cpp) [code] = cpp,
                                        HONE_TYPE_MAP(TYPE_CPP)
#undef TYPE_CPP
    };

    return names[row_of(type)];
}

size_t hone__type_size_bytes(hone_type type)
{
    return types[row_of(type)].size_bytes;
}

int hone__type_is_integer(hone_type type)
{
    return type >= HONE_TYPE_I8 && type < HONE_TYPE_C64 &&
           type != HONE_TYPE_C32;
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
