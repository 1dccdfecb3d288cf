/* SPDX-License-Identifier: Apache-2.0 */
/* Element types and kinds of matches: the tables of hone.h as functions; and
 * floating-point numbers where int64 values are kept. */
#ifndef HONE_RUNTIME_TYPE_H
#define HONE_RUNTIME_TYPE_H

#include "runtime/hone.h"

#include <stddef.h>
#include <string.h>

/* Element types by spelling: 0 if `name` is none. */
hone_type hone__type_find(const char *name, size_t length);
const char *hone__type_name(hone_type type);  /* "f32"; "?" if unknown */
const char *hone__type_cpp(hone_type type);   /* "float"; "?" if unknown */
size_t hone__type_size_bytes(hone_type type); /* 0 if unknown */
int hone__type_is_integer(hone_type type);

/* "exact"; NULL if unknown. */
const char *hone__match_name(hone_match_kind kind);

/* A double as the int64 that has its bits, and back. */
static inline int64_t hone__real_bits(double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double hone__real_of_bits(int64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
