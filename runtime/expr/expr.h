/* SPDX-License-Identifier: Apache-2.0 */
/* Integer expressions of templates and launch plans: text to bytecode, and
 * bytecode to an int64, every operation checked for overflow.
 *
 * Grammar: C's, with C's precedence: ?:  ||  &&  |  ^  &  == !=  < <= > >=
 * << >>  + -  * / %  unary + - ! ~  and parentheses. `/` and `%` truncate as
 * in C; division by zero is an error, as is a shift outside 0..62. && || ?:
 * evaluate only what they need. Comparisons do not chain: 1 < x < 4 and
 * x == y == 4 are refused. Literals: decimal (010 is none), 0x.., with suffix K
 * M G (1024-based), true, false. Functions: min(a,b,..) max(a,b,..) abs(a)
 * ceildiv(a,b) align(a,b) (a rounded up to a multiple of b) log2(a) (floor)
 * ispow2(a) gcd(a,b) sizeof(TYPE) (bytes of an element type).
 * Names: letters, digits, `_` and `.`, e.g. device.sm_count. */
#ifndef HONE_RUNTIME_EXPR_H
#define HONE_RUNTIME_EXPR_H

#include "runtime/base/error.h"
#include "runtime/base/type.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_expr hone_expr;

/* What a name stands for. Slots are read from the vector given to eval. */
typedef enum hone_symbol_kind {
    HONE_SYMBOL_UNKNOWN,
    HONE_SYMBOL_SLOT,
    HONE_SYMBOL_CONSTANT
} hone_symbol_kind;

typedef struct hone_symbol {
    hone_symbol_kind kind;
    int64_t value; /* slot number or constant */
} hone_symbol;

/* Resolves a name. Element types (f32 ..) are known without it, and it is
 * asked first, so that it may hide them. */
typedef hone_symbol hone_symbol_lookup(void *user, const char *name,
                                       size_t length);

/* Where in the text an error is, for a caret. */
typedef struct hone_span {
    size_t offset;
    size_t length;
} hone_span;

/* Compile text[0..length). HONE_ERR_INPUT with a sentence without position;
 * `out_where` (may be NULL) has the position. Free with hone__expr_free().
 * Nesting deeper than 64 is refused. */
hone_status hone__expr_compile(const char *text, size_t length,
                               hone_symbol_lookup *lookup, void *user,
                               hone_expr **out, hone_span *out_where,
                               hone_error *err);
void hone__expr_free(hone_expr *expr);

/* Evaluate. HONE_ERR_OVERFLOW (overflow, bad shift) or HONE_ERR_INPUT
 * (division by zero, domain of a function); the sentence quotes the text of
 * the expression. Thread-safe. */
hone_status hone__expr_eval(const hone_expr *expr, const int64_t *slots,
                            int64_t *out, hone_error *err);

/* The same where some slots have no value: those that `lacks` marks (NULL:
 * none). HONE_ERR_NOT_FOUND if one of them is needed; *out_slot is it. */
hone_status hone__expr_eval_known(const hone_expr *expr, const int64_t *slots,
                                  const unsigned char *lacks, int64_t *out,
                                  size_t *out_slot, hone_error *err);

/* Highest slot read plus one; 0 for a constant expression. */
size_t hone__expr_slot_count(const hone_expr *expr);
/* Does it read this slot? */
int hone__expr_reads(const hone_expr *expr, size_t slot);
/* The text it was compiled from (trimmed, NUL-terminated); borrowed. */
const char *hone__expr_text(const hone_expr *expr);

#endif
