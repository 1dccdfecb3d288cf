/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on values: see graph.h. Integers are int64 and checked; what
 * Python would carry on with beyond that is a fault, never a wrong number. */
#include "gen/solve/graph.h"

#include <math.h>
#include <string.h>

static const char *const fault_texts[] = {
    [HONE_FAULT_OVERFLOW] = "a result does not fit 64 bits",
    [HONE_FAULT_SHIFT] = "a shift is outside 0..62",
    [HONE_FAULT_DIVISION] = "division by zero",
    [HONE_FAULT_DIVISOR] =
        "the second value of ceildiv and align must be positive",
    [HONE_FAULT_LOG2] = "log2 takes a positive value",
    [HONE_FAULT_SIZEOF] = "sizeof takes an element type such as f32",
    [HONE_FAULT_TYPE] = "this operation does not take values of such types",
    [HONE_FAULT_ORDER] = "texts can be compared with == and != only",
    [HONE_FAULT_NEGATIVE_SHIFT] = "a shift by a negative number",
    [HONE_FAULT_COMPLEX] =
        "a negative number to a power that is not an integer",
    [HONE_FAULT_LARGE_QUOTIENT] =
        "'/' of an integer beyond 2^53 would not be exact",
    [HONE_FAULT_NO_INT] = "int() of what is not a number within 64 bits",
};

const char *hone__datum_fault_text(hone_datum fault)
{
    return fault_texts[fault.i];
}

hone_datum hone__datum_int(int64_t i)
{
    return (hone_datum){HONE_DATUM_INT, {.i = i}};
}

hone_datum hone__datum_float(double d)
{
    return (hone_datum){HONE_DATUM_FLOAT, {.d = d}};
}

hone_datum hone__datum_text(int64_t number)
{
    return (hone_datum){HONE_DATUM_TEXT, {.i = number}};
}

static hone_datum fault(int what)
{
    return (hone_datum){HONE_DATUM_FAULT, {.i = what}};
}

int hone__datum_truth(hone_datum a)
{
    if (a.kind == HONE_DATUM_FLOAT)
        return a.d != 0;
    return a.kind != HONE_DATUM_FAULT && a.i != 0;
}

int hone__datum_same(hone_datum a, hone_datum b)
{
    return a.kind == b.kind && a.i == b.i;
}

int hone__op_arity(int op)
{
    if (op == HONE_OP_SELECT)
        return 3;
    if (op < HONE_OP_NEG)
        return 0;
    return op < HONE_OP_ADD || op == HONE_OP_FAULTS || op == HONE_OP_INT ||
                   op == HONE_OP_FLOAT
               ? 1
               : 2;
}

int hone__op_is_truth(int op)
{
    return op == HONE_OP_NOT || op == HONE_OP_BOOL || op == HONE_OP_ISPOW2 ||
           (op >= HONE_OP_EQ && op <= HONE_OP_GE) || op == HONE_OP_AND_THEN ||
           op == HONE_OP_OR_ELSE || op == HONE_OP_FAULTS;
}

static double as_float(hone_datum a)
{
    return a.kind == HONE_DATUM_FLOAT ? a.d : (double)a.i;
}

/* -1, 0, 1, or 2 if one of them is no number. Exact: an integer beyond 2^53
 * is not rounded before it is compared. */
static int compare(hone_datum a, hone_datum b)
{
    if (a.kind == HONE_DATUM_INT && b.kind == HONE_DATUM_INT)
        return (a.i > b.i) - (a.i < b.i);
    if (a.kind == HONE_DATUM_INT) {
        const int reversed = compare(b, a);

        return reversed == 2 ? 2 : -reversed;
    }
    if (b.kind == HONE_DATUM_INT) {
        const double whole = floor(a.d);

        if (isnan(a.d))
            return 2;
        if (a.d >= 0x1p63)
            return 1;
        if (a.d < -0x1p63)
            return -1;
        if ((int64_t)whole != b.i)
            return (int64_t)whole > b.i ? 1 : -1;
        return a.d > whole;
    }
    if (isnan(a.d) || isnan(b.d))
        return 2;
    return (a.d > b.d) - (a.d < b.d);
}

int hone__datum_order(const void *a, const void *b)
{
    const hone_datum x = *(const hone_datum *)a;
    const hone_datum y = *(const hone_datum *)b;
    int order;

    if (x.kind == HONE_DATUM_TEXT && y.kind == HONE_DATUM_TEXT)
        return (x.i > y.i) - (x.i < y.i);
    if (x.kind == HONE_DATUM_TEXT || y.kind == HONE_DATUM_TEXT)
        return x.kind == HONE_DATUM_TEXT ? 1 : -1;
    order = compare(x, y);
    return order == 2 ? 0 : order;
}

static hone_datum compared(int op, hone_datum a, hone_datum b)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
    static const int holds[] = {[HONE_OP_EQ - HONE_OP_EQ] = EQUAL,
                                [HONE_OP_NE - HONE_OP_EQ] =
                                    LESS | GREATER | UNORDERED,
                                [HONE_OP_LT - HONE_OP_EQ] = LESS,
                                [HONE_OP_LE - HONE_OP_EQ] = LESS | EQUAL,
                                [HONE_OP_GT - HONE_OP_EQ] = GREATER,
                                [HONE_OP_GE - HONE_OP_EQ] = GREATER | EQUAL};

    return hone__datum_int(holds[op - HONE_OP_EQ] >> (compare(a, b) + 1) & 1);
}

/* An operation of templates on integers. */
static hone_datum binary(int op, int64_t a, int64_t b)
{
    int64_t result = 0;
    const hone_fault what = hone__op_binary((hone_op)op, a, b, &result);

    return what ? fault((int)what) : hone__datum_int(result);
}

/* ---- Python's operations on integers ------------------------------------ */

static hone_datum floor_divide(int op, int64_t a, int64_t b)
{
    const hone_datum quotient = binary(HONE_OP_DIV, a, b);
    const int64_t rest =
        quotient.kind == HONE_DATUM_FAULT ? 0 : a - b * quotient.i;
    const int is_low = rest && (rest < 0) != (b < 0);

    if (quotient.kind == HONE_DATUM_FAULT)
        return quotient;
    return hone__datum_int(op == HONE_OP_FLOOR_DIV ? quotient.i - is_low
                                                   : rest + (is_low ? b : 0));
}

static hone_datum float_power(double a, double b)
{
    double result;

    if (a < 0 && isfinite(b) && floor(b) < b)
        return fault(HONE_FAULT_COMPLEX);
    result = pow(a, b);
    if (a == 0 && b < 0)
        return fault(HONE_FAULT_DIVISION);
    if (isinf(result) && isfinite(a) && isfinite(b))
        return fault(HONE_FAULT_OVERFLOW);
    return hone__datum_float(result);
}

static hone_datum int_power(int64_t a, int64_t b)
{
    int64_t result = 1;

    if (b < 0)
        return float_power((double)a, (double)b);
    if (a == 0 || a == 1 || a == -1)
        return hone__datum_int(b == 0 || a == 1 ? 1
                               : a == -1        ? (b % 2 ? -1 : 1)
                                                : 0);
    for (; b > 0; --b) { /* 63 rounds at most */
        if (__builtin_mul_overflow(result, a, &result))
            return fault(HONE_FAULT_OVERFLOW);
    }
    return hone__datum_int(result);
}

static hone_datum python_shift(int op, int64_t a, int64_t b)
{
    if (b < 0)
        return fault(HONE_FAULT_NEGATIVE_SHIFT);
    if (op == HONE_OP_SHIFT_RIGHT && b > 62)
        return hone__datum_int(a < 0 ? -1 : 0);
    if (op == HONE_OP_SHIFT_LEFT && b > 62)
        return a ? fault(HONE_FAULT_OVERFLOW) : hone__datum_int(0);
    return binary(op == HONE_OP_SHIFT_LEFT ? HONE_OP_SHL : HONE_OP_SHR, a, b);
}

static hone_datum true_divide(int64_t a, int64_t b)
{
    const int64_t limit = INT64_C(1) << 53;

    if (b == 0)
        return fault(HONE_FAULT_DIVISION);
    if (a > limit || a < -limit || b > limit || b < -limit)
        return fault(HONE_FAULT_LARGE_QUOTIENT);
    return hone__datum_float((double)a / (double)b);
}

static hone_datum int_binary(int op, int64_t a, int64_t b)
{
    switch (op) {
    case HONE_OP_TRUE_DIV:
        return true_divide(a, b);
    case HONE_OP_FLOOR_DIV:
    case HONE_OP_FLOOR_MOD:
        return floor_divide(op, a, b);
    case HONE_OP_POWER:
        return int_power(a, b);
    case HONE_OP_SHIFT_LEFT:
    case HONE_OP_SHIFT_RIGHT:
        return python_shift(op, a, b);
    default:
        return binary(op, a, b);
    }
}

/* ---- floats ------------------------------------------------------------- */

/* Quotient and rest as Python computes them: from fmod(), which is exact,
 * with the sign of the divisor. */
static hone_datum float_divide(int op, double a, double b)
{
    double rest;
    double quotient;
    double whole;

    if (b == 0)
        return fault(HONE_FAULT_DIVISION);
    rest = fmod(a, b);
    quotient = (a - rest) / b;
    if (rest == 0) {
        rest = copysign(0, b);
    } else if ((b < 0) != (rest < 0)) {
        rest += b;
        quotient -= 1;
    }
    if (op == HONE_OP_FLOOR_MOD)
        return hone__datum_float(rest);
    if (quotient == 0)
        return hone__datum_float(copysign(0, a / b));
    whole = floor(quotient);
    return hone__datum_float(quotient - whole > 0.5 ? whole + 1 : whole);
}

static hone_datum float_binary(int op, double a, double b)
{
    switch (op) {
    case HONE_OP_ADD:
        return hone__datum_float(a + b);
    case HONE_OP_SUB:
        return hone__datum_float(a - b);
    case HONE_OP_MUL:
        return hone__datum_float(a * b);
    case HONE_OP_TRUE_DIV:
        if (b == 0)
            return fault(HONE_FAULT_DIVISION);
        return hone__datum_float(a / b);
    case HONE_OP_FLOOR_DIV:
    case HONE_OP_FLOOR_MOD:
        return float_divide(op, a, b);
    case HONE_OP_POWER:
        return float_power(a, b);
    default:
        return fault(HONE_FAULT_TYPE);
    }
}

static hone_datum to_int(hone_datum a)
{
    if (a.kind == HONE_DATUM_INT)
        return a;
    if (!(a.d > -0x1p63 && a.d < 0x1p63))
        return fault(HONE_FAULT_NO_INT);
    return hone__datum_int((int64_t)a.d);
}

/* ---- any kind ----------------------------------------------------------- */

static hone_datum one_value(int op, hone_datum a)
{
    int64_t result = 0;
    hone_fault what;

    if (op == HONE_OP_NOT || op == HONE_OP_BOOL)
        return hone__datum_int(hone__datum_truth(a) == (op == HONE_OP_BOOL));
    if (a.kind == HONE_DATUM_TEXT)
        return fault(HONE_FAULT_TYPE);
    if (op == HONE_OP_INT)
        return to_int(a);
    if (op == HONE_OP_FLOAT)
        return hone__datum_float(as_float(a));
    if (a.kind == HONE_DATUM_FLOAT) {
        if (op == HONE_OP_NEG)
            return hone__datum_float(-a.d);
        return op == HONE_OP_ABS ? hone__datum_float(fabs(a.d))
                                 : fault(HONE_FAULT_TYPE);
    }
    what = hone__op_unary((hone_op)op, a.i, &result);
    return what ? fault((int)what) : hone__datum_int(result);
}

static hone_datum text_binary(int op, hone_datum a, hone_datum b)
{
    if (op == HONE_OP_EQ || op == HONE_OP_NE)
        return hone__datum_int(hone__datum_same(a, b) == (op == HONE_OP_EQ));
    return fault(op >= HONE_OP_LT && op <= HONE_OP_MAX ? HONE_FAULT_ORDER
                                                       : HONE_FAULT_TYPE);
}

static hone_datum two_values(int op, hone_datum a, hone_datum b)
{
    if (a.kind == HONE_DATUM_TEXT || b.kind == HONE_DATUM_TEXT)
        return text_binary(op, a, b);
    if (op >= HONE_OP_EQ && op <= HONE_OP_GE)
        return compared(op, a, b);
    if (op == HONE_OP_MIN) /* of equal ones the first, as in Python */
        return compare(b, a) == -1 ? b : a;
    if (op == HONE_OP_MAX)
        return compare(b, a) == 1 ? b : a;
    if (a.kind == HONE_DATUM_INT && b.kind == HONE_DATUM_INT)
        return int_binary(op, a.i, b.i);
    return float_binary(op, as_float(a), as_float(b));
}

hone_datum hone__datum_apply(int op, hone_datum a, hone_datum b, hone_datum c)
{
    if (op == HONE_OP_FAULTS)
        return hone__datum_int(a.kind == HONE_DATUM_FAULT);
    if (a.kind == HONE_DATUM_FAULT)
        return a;
    switch (op) {
    case HONE_OP_AND_THEN:
    case HONE_OP_OR_ELSE:
        if (hone__datum_truth(a) == (op == HONE_OP_OR_ELSE))
            return hone__datum_int(op == HONE_OP_OR_ELSE);
        return b.kind == HONE_DATUM_FAULT
                   ? b
                   : hone__datum_int(hone__datum_truth(b));
    case HONE_OP_SELECT:
        return hone__datum_truth(a) ? b : c;
    default:
        break;
    }
    if (hone__op_arity(op) == 1)
        return one_value(op, a);
    return b.kind == HONE_DATUM_FAULT ? b : two_values(op, a, b);
}
