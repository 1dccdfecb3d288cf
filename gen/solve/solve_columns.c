/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on columns of lanes: plain loops over doubles, which compilers
 * vectorise, for what interval analysis has proved to be safe; one checked
 * value after another for the rest. */
#include "gen/solve/solver.h"

#define EACH(expression)                                                       \
    for (size_t i = 0; i < n; ++i)                                             \
        out[i] = (expression);                                                 \
    return 1

/* Nearest integer of |x| <= 2^51 without a call: the bits below 1 fall off
 * the end of the sum. */
static inline double nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

static inline double floor_small(double x)
{
    const double whole = nearest(x);

    return whole - (whole > x ? 1 : 0);
}

static inline double ceil_small(double x)
{
    return -floor_small(-x);
}

/* Quotients are of integers below 2^51: the double nearest to a/b lies on the
 * same side of every integer as a/b itself. */
static int arithmetic(int op, const hone_node_info *info, const double *a,
                      const double *b, double *out, size_t n)
{
    const int is_quotient = op == HONE_OP_DIV || op == HONE_OP_MOD;
    const int is_floored = op == HONE_OP_FLOOR_DIV || op == HONE_OP_FLOOR_MOD;

    if ((is_quotient && !info->plain) ||
        ((is_quotient || is_floored) && info->kind != HONE_DATUM_INT))
        return 0;
    switch (op) {
    case HONE_OP_NEG:
        EACH(-a[i]);
    case HONE_OP_ADD:
        EACH(a[i] + b[i]);
    case HONE_OP_SUB:
        EACH(a[i] - b[i]);
    case HONE_OP_MUL:
        EACH(a[i] * b[i]);
    case HONE_OP_MIN:
        EACH(b[i] < a[i] ? b[i] : a[i]);
    case HONE_OP_MAX:
        EACH(b[i] > a[i] ? b[i] : a[i]);
    case HONE_OP_TRUE_DIV:
        EACH(a[i] / b[i]);
    case HONE_OP_FLOAT:
        EACH(a[i]);
    case HONE_OP_DIV:
    case HONE_OP_FLOOR_DIV:
        EACH(floor_small(a[i] / b[i]));
    case HONE_OP_MOD:
    case HONE_OP_FLOOR_MOD:
        EACH(a[i] - b[i] * floor_small(a[i] / b[i]));
    case HONE_OP_CEILDIV:
        EACH(ceil_small(a[i] / b[i]));
    case HONE_OP_ALIGN:
        EACH(b[i] * ceil_small(a[i] / b[i]));
    default:
        return 0;
    }
}

static int logic(int op, const double *a, const double *b, const double *c,
                 double *out, size_t n)
{
    switch (op) {
    case HONE_OP_EQ:
        EACH(a[i] == b[i] ? 1 : 0);
    case HONE_OP_NE:
        EACH(a[i] != b[i] ? 1 : 0);
    case HONE_OP_LT:
        EACH(a[i] < b[i] ? 1 : 0);
    case HONE_OP_LE:
        EACH(a[i] <= b[i] ? 1 : 0);
    case HONE_OP_GT:
        EACH(a[i] > b[i] ? 1 : 0);
    case HONE_OP_GE:
        EACH(a[i] >= b[i] ? 1 : 0);
    case HONE_OP_NOT:
        EACH(a[i] == 0 ? 1 : 0);
    case HONE_OP_BOOL:
        EACH(a[i] != 0 ? 1 : 0);
    case HONE_OP_AND_THEN:
        EACH(((a[i] != 0) & (b[i] != 0)) != 0 ? 1 : 0);
    case HONE_OP_OR_ELSE:
        EACH(((a[i] != 0) | (b[i] != 0)) != 0 ? 1 : 0);
    case HONE_OP_SELECT:
        EACH(a[i] != 0 ? b[i] : c[i]);
    case HONE_OP_FAULTS:
        EACH(0);
    default:
        return 0;
    }
}

void hone__column_apply(const hone_solver *solver, hone_node node,
                        const hone_column *columns, size_t n)
{
    const hone_graph_node *self = &solver->graph->nodes[node];
    const hone_column *out = &columns[node];
    const hone_column *args[3];

    for (int k = 0; k < 3; ++k)
        args[k] = &columns[self->args[k]];
    if (out->fast && (arithmetic(self->op, &solver->info[node], args[0]->fast,
                                 args[1]->fast, out->fast, n) ||
                      logic(self->op, args[0]->fast, args[1]->fast,
                            args[2]->fast, out->fast, n)))
        return;
    for (size_t i = 0; i < n; ++i) {
        hone_datum values[3] = {{0}};

        for (int k = 0; k < self->n_args; ++k)
            values[k] =
                args[k]->fast
                    ? hone__datum_widen(solver->info[self->args[k]].kind,
                                        args[k]->fast[i])
                    : args[k]->checked[i];
        values[0] =
            hone__datum_apply(self->op, values[0], values[1], values[2]);
        if (out->fast)
            out->fast[i] = hone__datum_double(values[0]);
        else
            out->checked[i] = values[0];
    }
}
