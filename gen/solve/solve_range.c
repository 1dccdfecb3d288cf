/* SPDX-License-Identifier: Apache-2.0 */
/* Interval analysis: what an operation can give, from what its operands can
 * be. Where it proves that no fault and no inexact double can occur, lanes of
 * plain doubles are enough; everything else is evaluated value by value with
 * checks. When in doubt: not fast. */
#include "gen/solve/solver.h"

#include <math.h>

static const double limit = 0x1p51; /* see is_small() in solve_domains.c */

typedef hone_node_info range;

static int set(range *out, hone_datum_kind kind, double low, double high)
{
    out->kind = kind;
    out->low = low;
    out->high = high;
    return kind == HONE_DATUM_INT ? low >= -limit && high <= limit
                                  : isfinite(low) && isfinite(high);
}

static int set_truth(range *out, int can_be_false, int can_be_true)
{
    return set(out, HONE_DATUM_INT, !can_be_false, can_be_true);
}

static int can_be_true(const range *a)
{
    return a->low != 0 || a->high != 0;
}

static int can_be_false(const range *a)
{
    return a->low <= 0 && a->high >= 0;
}

static int is_number(const range *a)
{
    return a->kind != HONE_DATUM_TEXT;
}

static hone_datum_kind kind_of_both(const range *a, const range *b)
{
    return a->kind == HONE_DATUM_INT && b->kind == HONE_DATUM_INT
               ? HONE_DATUM_INT
               : HONE_DATUM_FLOAT;
}

/* The hull of an operation that is monotone in each operand: its value at the
 * four corners. */
static int corners(range *out, hone_datum_kind kind, double p, double q,
                   double r, double s)
{
    return set(out, kind, fmin(fmin(p, q), fmin(r, s)),
               fmax(fmax(p, q), fmax(r, s)));
}

static int compare(int op, const range *a, const range *b, range *out)
{
    if (a->kind != b->kind && (!is_number(a) || !is_number(b)))
        return 0;
    if (!is_number(a) && op != HONE_OP_EQ && op != HONE_OP_NE)
        return 0;
    switch (op) {
    case HONE_OP_LT:
        return set_truth(out, a->high >= b->low, a->low < b->high);
    case HONE_OP_LE:
        return set_truth(out, a->high > b->low, a->low <= b->high);
    case HONE_OP_GT:
        return compare(HONE_OP_LT, b, a, out);
    case HONE_OP_GE:
        return compare(HONE_OP_LE, b, a, out);
    default: {
        const int may_differ = a->low != b->high || a->high != b->low;
        const int may_equal = a->low <= b->high && a->high >= b->low;

        return op == HONE_OP_EQ ? set_truth(out, may_differ, may_equal)
                                : set_truth(out, may_equal, may_differ);
    }
    }
}

static int arithmetic(int op, const range *a, const range *b, range *out)
{
    const hone_datum_kind kind = kind_of_both(a, b);

    switch (op) {
    case HONE_OP_ADD:
        return set(out, kind, a->low + b->low, a->high + b->high);
    case HONE_OP_SUB:
        return set(out, kind, a->low - b->high, a->high - b->low);
    default: /* HONE_OP_MUL */
        return corners(out, kind, a->low * b->low, a->low * b->high,
                       a->high * b->low, a->high * b->high);
    }
}

static int extreme(int op, const range *a, const range *b, range *out)
{
    if (a->kind != b->kind)
        return 0;
    return op == HONE_OP_MIN
               ? set(out, a->kind, fmin(a->low, b->low), fmin(a->high, b->high))
               : set(out, a->kind, fmax(a->low, b->low),
                     fmax(a->high, b->high));
}

/* A rest has the sign of `signed_by` and is smaller than the divisor. */
static int rest(hone_datum_kind kind, const range *signed_by, const range *b,
                range *out)
{
    const double most_rest =
        fmax(fabs(b->low), fabs(b->high)) - (kind == HONE_DATUM_INT ? 1 : 0);

    return set(out, kind, signed_by->low < 0 ? -most_rest : 0,
               signed_by->high > 0 ? most_rest : 0);
}

static int quotient(int op, const range *a, const range *b, range *out)
{
    double (*const whole)(double) = op == HONE_OP_DIV ? trunc : floor;
    const hone_datum_kind kind = kind_of_both(a, b);

    if (can_be_false(b))
        return 0;
    if (op == HONE_OP_TRUE_DIV)
        return corners(out, HONE_DATUM_FLOAT, a->low / b->low, a->low / b->high,
                       a->high / b->low, a->high / b->high);
    out->plain = a->low >= 0 && b->low > 0;
    if (op == HONE_OP_MOD)
        return rest(kind, a, b, out);
    if (op == HONE_OP_FLOOR_MOD)
        return rest(kind, b, b, out);
    if (!corners(out, kind, whole(a->low / b->low), whole(a->low / b->high),
                 whole(a->high / b->low), whole(a->high / b->high)))
        return 0;
    if (kind == HONE_DATUM_FLOAT) { /* Python's rounding: see datum.c */
        out->low -= 1;
        out->high += 1;
    }
    return 1;
}

static int rounded_up(int op, const range *a, const range *b, range *out)
{
    if (b->low <= 0)
        return 0;
    if (op == HONE_OP_ALIGN)
        return set(out, HONE_DATUM_INT, a->low, a->high + b->high);
    return corners(out, HONE_DATUM_INT, ceil(a->low / b->low),
                   ceil(a->low / b->high), ceil(a->high / b->low),
                   ceil(a->high / b->high));
}

static int shifted(int op, const range *a, const range *b, range *out)
{
    double p;
    double q;

    if (b->low < 0 || b->high > 62)
        return 0;
    p = ldexp(1, (int)b->low);
    q = ldexp(1, (int)b->high);
    if (op == HONE_OP_SHL || op == HONE_OP_SHIFT_LEFT)
        return corners(out, HONE_DATUM_INT, a->low * p, a->low * q, a->high * p,
                       a->high * q);
    return corners(out, HONE_DATUM_INT, floor(a->low / p), floor(a->low / q),
                   floor(a->high / p), floor(a->high / q));
}

static int bits(int op, const range *a, const range *b, range *out)
{
    double bound = 1;

    if (a->low < 0 || b->low < 0)
        return 0;
    if (op == HONE_OP_AND)
        return set(out, HONE_DATUM_INT, 0, fmin(a->high, b->high));
    while (bound <= fmax(a->high, b->high))
        bound *= 2;
    return set(out, HONE_DATUM_INT, 0, bound - 1);
}

static int power(const range *a, const range *b, range *out)
{
    if (a->low < 1 || b->low < 0)
        return 0;
    return set(out, HONE_DATUM_INT, 1, pow(a->high, b->high));
}

static int one_operand(int op, const range *a, range *out)
{
    const double size = fmax(fabs(a->low), fabs(a->high));
    const int is_int = a->kind == HONE_DATUM_INT;

    switch (op) {
    case HONE_OP_NEG:
        return set(out, a->kind, -a->high, -a->low);
    case HONE_OP_ABS:
        return set(out, a->kind,
                   can_be_false(a) ? 0 : fmin(fabs(a->low), fabs(a->high)),
                   size);
    case HONE_OP_NOT:
        return set_truth(out, can_be_true(a), can_be_false(a));
    case HONE_OP_BOOL:
        return set_truth(out, can_be_false(a), can_be_true(a));
    case HONE_OP_INVERT:
        return is_int && set(out, HONE_DATUM_INT, -a->high - 1, -a->low - 1);
    case HONE_OP_LOG2:
        return is_int && a->low > 0 && set(out, HONE_DATUM_INT, 0, 62);
    case HONE_OP_ISPOW2:
        return is_int && set_truth(out, 1, 1);
    case HONE_OP_INT:
        return set(out, HONE_DATUM_INT, trunc(a->low), trunc(a->high));
    case HONE_OP_FLOAT:
        return set(out, HONE_DATUM_FLOAT, a->low, a->high);
    default:
        return 0;
    }
}

static int two_ints(int op, const range *a, const range *b, range *out)
{
    switch (op) {
    case HONE_OP_CEILDIV:
    case HONE_OP_ALIGN:
        return rounded_up(op, a, b, out);
    case HONE_OP_SHL:
    case HONE_OP_SHR:
    case HONE_OP_SHIFT_LEFT:
    case HONE_OP_SHIFT_RIGHT:
        return shifted(op, a, b, out);
    case HONE_OP_AND:
    case HONE_OP_OR:
    case HONE_OP_XOR:
        return bits(op, a, b, out);
    case HONE_OP_GCD:
        return set(out, HONE_DATUM_INT, 0,
                   fmax(fmax(fabs(a->low), fabs(a->high)),
                        fmax(fabs(b->low), fabs(b->high))));
    case HONE_OP_POWER:
        return power(a, b, out);
    default:
        return 0;
    }
}

static int two_operands(int op, const range *a, const range *b, range *out)
{
    switch (op) {
    case HONE_OP_AND_THEN:
        return set_truth(out, can_be_false(a) || can_be_false(b),
                         can_be_true(a) && can_be_true(b));
    case HONE_OP_OR_ELSE:
        return set_truth(out, can_be_false(a) && can_be_false(b),
                         can_be_true(a) || can_be_true(b));
    case HONE_OP_ADD:
    case HONE_OP_SUB:
    case HONE_OP_MUL:
        return arithmetic(op, a, b, out);
    case HONE_OP_MIN:
    case HONE_OP_MAX:
        return extreme(op, a, b, out);
    case HONE_OP_DIV:
    case HONE_OP_MOD:
    case HONE_OP_TRUE_DIV:
    case HONE_OP_FLOOR_DIV:
    case HONE_OP_FLOOR_MOD:
        return quotient(op, a, b, out);
    default:
        return a->kind == HONE_DATUM_INT && b->kind == HONE_DATUM_INT &&
               two_ints(op, a, b, out);
    }
}

void hone__range_of(const hone_solver *solver, hone_node node,
                    hone_node_info *out)
{
    const hone_graph_node *self = &solver->graph->nodes[node];
    const range *a = &solver->info[self->args[0]];
    const range *b = &solver->info[self->args[1]];
    const range *c = &solver->info[self->args[2]];
    int fast = 1;

    for (int k = 0; k < self->n_args; ++k)
        fast &= solver->info[self->args[k]].fast;
    if (fast && self->op == HONE_OP_FAULTS)
        fast = set(out, HONE_DATUM_INT, 0, 0);
    else if (fast && self->op == HONE_OP_SELECT)
        fast = b->kind == c->kind &&
               set(out, b->kind, fmin(b->low, c->low), fmax(b->high, c->high));
    else if (fast && self->op >= HONE_OP_EQ && self->op <= HONE_OP_GE)
        fast = compare(self->op, a, b, out);
    else if (fast && self->n_args == 1)
        fast = (is_number(a) || self->op == HONE_OP_NOT ||
                self->op == HONE_OP_BOOL) &&
               one_operand(self->op, a, out);
    else if (fast)
        fast = ((is_number(a) && is_number(b)) ||
                self->op == HONE_OP_AND_THEN || self->op == HONE_OP_OR_ELSE) &&
               two_operands(self->op, a, b, out);
    out->fast = (unsigned char)fast;
}
