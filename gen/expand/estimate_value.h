/* SPDX-License-Identifier: Apache-2.0 */
/* Values of which some are known when expressions are folded, and some at run
 * time alone. Private to gen/expand. */
#ifndef HONE_GEN_ESTIMATE_VALUE_H
#define HONE_GEN_ESTIMATE_VALUE_H

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "runtime/expr/expr_code.h"

/* A number, or the text of what has it at run time. */
typedef struct hone_estimate_value {
    int64_t number;
    const char *text; /* NULL: known */
    int is_truth;     /* 0 or 1 */
    int64_t least;    /* of one that is not known; INT64_MIN: any */
    char chain;       /* '+', '*': a text in parentheses of such operators */
} hone_estimate_value;

static inline hone_estimate_value hone__estimate_known(int64_t number)
{
    return (hone_estimate_value){.number = number};
}

/* One that is not known; its text is still to be kept. */
static inline hone_estimate_value hone__estimate_some(int is_truth,
                                                      int64_t least)
{
    return (hone_estimate_value){.is_truth = is_truth,
                                 .least = is_truth ? 0 : least};
}

static inline int64_t hone__estimate_least(const hone_estimate_value *value)
{
    return value->text ? value->least : value->number;
}

void hone__estimate_spell(const hone_estimate_value *value, hone_text *out);
/* The text becomes the value's, and is freed. */
hone_status hone__estimate_keep(hone_arena *arena, hone_text *text,
                                hone_estimate_value *out, hone_error *err);

/* `a` becomes what the operation makes of it, or of both: a number, one of the
 * two, or a text. */
hone_status hone__estimate_unary(hone_arena *arena, hone_op op,
                                 hone_estimate_value *a, hone_error *err);
hone_status hone__estimate_binary(hone_arena *arena, hone_op op,
                                  hone_estimate_value *a,
                                  const hone_estimate_value *b,
                                  hone_error *err);

#endif
