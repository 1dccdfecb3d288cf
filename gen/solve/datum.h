/* SPDX-License-Identifier: Apache-2.0 */
/* Values of constraints, and every operation on them: the C meaning of
 * templates and the Python meaning of T1 files. An operation that has no
 * value gives a fault, which is a value too and spreads, except through what
 * is not evaluated. Private to gen/. */
#ifndef HONE_GEN_DATUM_H
#define HONE_GEN_DATUM_H

#include "runtime/expr/expr_code.h"

typedef enum hone_datum_kind {
    HONE_DATUM_INT,
    HONE_DATUM_FLOAT,
    HONE_DATUM_TEXT, /* `i` is a number that equal texts share; "" is 0 */
    HONE_DATUM_FAULT /* `i` is a hone_fault or one of those below */
} hone_datum_kind;

typedef struct hone_datum {
    hone_datum_kind kind;
    union {
        int64_t i;
        double d;
    };
} hone_datum;

/* Faults of Python's operations, beside those of hone_fault. */
enum {
    HONE_FAULT_TYPE = HONE_FAULT_SIZEOF + 1,
    HONE_FAULT_ORDER,
    HONE_FAULT_NEGATIVE_SHIFT,
    HONE_FAULT_COMPLEX,
    HONE_FAULT_LARGE_QUOTIENT,
    HONE_FAULT_NO_INT
};

/* Operations: those of hone_op on one or two values, and these. The first
 * four do not fault because of a value that they do not need. */
enum {
    HONE_OP_AND_THEN = HONE_OP_GCD + 1, /* 0 or 1 */
    HONE_OP_OR_ELSE,
    HONE_OP_SELECT, /* a ? b : c */
    HONE_OP_FAULTS, /* 1 if a is a fault */
    HONE_OP_TRUE_DIV,
    HONE_OP_FLOOR_DIV,
    HONE_OP_FLOOR_MOD,
    HONE_OP_POWER,
    HONE_OP_SHIFT_LEFT, /* Python's: any distance from 0 */
    HONE_OP_SHIFT_RIGHT,
    HONE_OP_INT,
    HONE_OP_FLOAT,
    HONE_OP_END
};

hone_datum hone__datum_int(int64_t i);
hone_datum hone__datum_float(double d);
hone_datum hone__datum_text(int64_t number);

/* Unused operands are ignored. `op` is a hone_op from NEG on, or one of
 * those above. */
hone_datum hone__datum_apply(int op, hone_datum a, hone_datum b, hone_datum c);
/* How many operands it has. */
int hone__op_arity(int op);
/* Is the result always 0, 1 or a fault? */
int hone__op_is_truth(int op);

/* A fault is not true. */
int hone__datum_truth(hone_datum a);
/* The same kind and the same value; not Python's ==. */
int hone__datum_same(hone_datum a, hone_datum b);
/* For qsort(): numbers by size, then texts by number; what Python finds equal
 * is equal. */
int hone__datum_order(const void *a, const void *b);
/* "division by zero": what a fault means. */
const char *hone__datum_fault_text(hone_datum fault);

#endif
