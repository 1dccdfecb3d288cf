/* SPDX-License-Identifier: Apache-2.0 */
/* What a random space means: a plain interpreter, which shares nothing with
 * gen/. */
#include "tests/gen/random_space_ops.h"

#include <math.h>

__extension__ typedef __int128 wide;

static const rs_value no_value = {RS_FAULT, 0, 0};

static rs_value make_int(wide value)
{
    if (value > INT64_MAX || value < INT64_MIN)
        return no_value;
    return (rs_value){RS_INT, (int64_t)value, 0};
}

static rs_value make_float(double value)
{
    return (rs_value){RS_FLOAT, 0, value};
}

static int truth(rs_value a)
{
    /* The texts are 'a', 'b', ..: none is empty. */
    return a.kind == RS_TEXT || (a.kind == RS_FLOAT ? a.f != 0 : a.i != 0);
}

static double real(rs_value a)
{
    return a.kind == RS_FLOAT ? a.f : (double)a.i;
}

static wide floor_quotient(wide a, wide b)
{
    const wide q = a / b;

    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static rs_value power(rs_value a, rs_value b)
{
    wide result = 1;

    if (a.kind == RS_INT && b.kind == RS_INT && b.i >= 0) {
        if (a.i >= -1 && a.i <= 1)
            return make_int(b.i == 0    ? 1
                            : a.i == -1 ? (b.i % 2 ? -1 : 1)
                                        : a.i);
        if (b.i > 64)
            return no_value;
        for (int64_t k = 0; k < b.i; ++k) {
            result *= a.i;
            if (result > INT64_MAX || result < INT64_MIN)
                return no_value;
        }
        return make_int(result);
    }
    if (real(a) == 0 && real(b) < 0)
        return no_value;
    if (real(a) < 0 && real(b) != floor(real(b)))
        return no_value;
    if (isinf(pow(real(a), real(b))) && isfinite(real(a)) && isfinite(real(b)))
        return no_value;
    return make_float(pow(real(a), real(b)));
}

static rs_value shift(rs_language language, int op, int64_t a, int64_t b)
{
    if (b < 0 || (language == RS_TEMPLATE && b > 62))
        return no_value;
    if (op == OP_SHR)
        return make_int(b > 62 ? (a < 0 ? -1 : 0)
                               : floor_quotient(a, (wide)1 << b));
    if (b > 62)
        return a ? no_value : make_int(0);
    return make_int((wide)a * ((wide)1 << b));
}

static rs_value float_rest(int op, double a, double b)
{
    double rest;

    if (b == 0)
        return no_value;
    rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    if (op == OP_MOD)
        return make_float(rest);
    rest = (a - rest) / b;
    return make_float(rest - floor(rest) > 0.5 ? floor(rest) + 1 : floor(rest));
}

static int compare_reals(int op, double a, double b)
{
    switch (op) {
    case OP_EQ:
        return a == b;
    case OP_NE:
        return a != b;
    case OP_LT:
        return a < b;
    case OP_LE:
        return a <= b;
    case OP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static rs_value compare(int op, rs_value a, rs_value b)
{
    if (a.kind == RS_TEXT || b.kind == RS_TEXT) {
        const int equal = a.kind == b.kind && a.i == b.i;

        if (op != OP_EQ && op != OP_NE)
            return no_value;
        return make_int(equal == (op == OP_EQ));
    }
    if (a.kind == RS_INT && b.kind == RS_INT) {
        if (a.i == b.i)
            return make_int(compare_reals(op, 0, 0));
        return make_int(a.i < b.i ? compare_reals(op, 0, 1)
                                  : compare_reals(op, 1, 0));
    }
    if (a.kind == RS_INT && b.kind == RS_FLOAT)
        return make_int(compare_reals(op, (double)a.i, b.f));
    return make_int(compare_reals(op, real(a), real(b)));
}

static rs_value division(rs_language language, int op, rs_value a, rs_value b)
{
    const wide limit = (wide)1 << 53;

    if (a.kind == RS_FLOAT || b.kind == RS_FLOAT) {
        if (op == OP_DIV)
            return real(b) == 0 ? no_value : make_float(real(a) / real(b));
        return float_rest(op, real(a), real(b));
    }
    if (b.i == 0)
        return no_value;
    if (language == RS_TEMPLATE)
        return op == OP_DIV ? make_int((wide)a.i / b.i)
                            : make_int((wide)a.i % b.i);
    if (op == OP_DIV)
        return a.i > limit || a.i < -limit || b.i > limit || b.i < -limit
                   ? no_value
                   : make_float((double)a.i / (double)b.i);
    return op == OP_FDIV ? make_int(floor_quotient(a.i, b.i))
                         : make_int(a.i - floor_quotient(a.i, b.i) * b.i);
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static rs_value integers(rs_language language, int op, int64_t a, int64_t b)
{
    switch (op) {
    case OP_ADD:
        return make_int((wide)a + b);
    case OP_SUB:
        return make_int((wide)a - b);
    case OP_MUL:
        return make_int((wide)a * b);
    case OP_SHL:
    case OP_SHR:
        return shift(language, op, a, b);
    case OP_AND:
        return make_int(a & b);
    case OP_OR:
        return make_int(a | b);
    case OP_XOR:
        return make_int(a ^ b);
    case OP_CEILDIV:
    case OP_ALIGN:
        if (b <= 0)
            return no_value;
        return make_int(-floor_quotient(-(wide)a, b) *
                        (op == OP_ALIGN ? b : 1));
    default: /* OP_GCD; INT64_MIN does not occur */
        return make_int(gcd(a, b));
    }
}

static rs_value unary(int op, rs_value a)
{
    int bits = 0;

    if (op == OP_NOT)
        return make_int(!truth(a));
    if (op == OP_BOOL)
        return make_int(truth(a));
    if (a.kind == RS_TEXT)
        return no_value;
    switch (op) {
    case OP_PLUS:
        return a;
    case OP_NEG:
        return a.kind == RS_FLOAT ? make_float(-a.f) : make_int(-(wide)a.i);
    case OP_ABS:
        if (a.kind == RS_FLOAT)
            return make_float(fabs(a.f));
        return make_int(a.i < 0 ? -(wide)a.i : a.i);
    case OP_INT:
        if (a.kind == RS_INT)
            return a;
        return fabs(a.f) < 9e18 ? make_int((wide)a.f) : no_value;
    case OP_FLOAT:
        return make_float(real(a));
    default:
        break;
    }
    if (a.kind == RS_FLOAT)
        return no_value;
    if (op == OP_INV)
        return make_int(-(wide)a.i - 1);
    if (op == OP_ISPOW2)
        return make_int(a.i > 0 && (a.i & (a.i - 1)) == 0);
    if (a.i <= 0)
        return no_value;
    while (a.i >> bits > 1)
        ++bits;
    return make_int(bits);
}

static rs_value binary(rs_language language, int op, rs_value a, rs_value b)
{
    if (op >= OP_EQ && op <= OP_GE)
        return compare(op, a, b);
    if (a.kind == RS_TEXT || b.kind == RS_TEXT)
        return no_value;
    switch (op) {
    case OP_MIN:
        return compare(OP_LT, b, a).i ? b : a;
    case OP_MAX:
        return compare(OP_GT, b, a).i ? b : a;
    case OP_DIV:
    case OP_MOD:
    case OP_FDIV:
        return division(language, op, a, b);
    case OP_POW:
        return power(a, b);
    default:
        break;
    }
    if (a.kind == RS_INT && b.kind == RS_INT)
        return integers(language, op, a.i, b.i);
    if (op == OP_ADD)
        return make_float(real(a) + real(b));
    if (op == OP_SUB)
        return make_float(real(a) - real(b));
    if (op == OP_MUL)
        return make_float(real(a) * real(b));
    return no_value;
}

static rs_value evaluate(const random_space *space, int at,
                         const int *value_indexes);

/* What does not evaluate all its operands. */
static rs_value lazy(const random_space *space, const rs_node *node,
                     const int *value_indexes)
{
    const rs_value a = evaluate(space, node->args[0], value_indexes);
    rs_value b;

    if (a.kind == RS_FAULT)
        return a;
    switch (node->op) {
    case OP_LAND:
    case OP_LOR:
        if (truth(a) == (node->op == OP_LOR))
            return space->language == RS_T1 ? a : make_int(truth(a));
        b = evaluate(space, node->args[1], value_indexes);
        if (b.kind == RS_FAULT)
            return b;
        return space->language == RS_T1 ? b : make_int(truth(b));
    case OP_SELECT:
        return evaluate(space, node->args[truth(a) ? 1 : 2], value_indexes);
    case OP_CHAIN:
        b = evaluate(space, node->args[1], value_indexes);
        if (b.kind == RS_FAULT)
            return b;
        if (compare(OP_LT, a, b).kind == RS_FAULT || !compare(OP_LT, a, b).i)
            return compare(OP_LT, a, b);
        {
            const rs_value c = evaluate(space, node->args[2], value_indexes);

            return c.kind == RS_FAULT ? c : compare(OP_LE, b, c);
        }
    default: /* in: Python evaluates the whole list before it looks */
        for (int k = 1; k < 4; ++k) {
            b = evaluate(space, node->args[k], value_indexes);
            if (b.kind == RS_FAULT)
                return b;
        }
        for (int k = 1; k < 4; ++k) {
            if (compare(OP_EQ, a, evaluate(space, node->args[k], value_indexes))
                    .i)
                return make_int(node->op == OP_IN);
        }
        return make_int(node->op == OP_NOT_IN);
    }
}

static rs_value evaluate(const random_space *space, int at,
                         const int *value_indexes)
{
    const rs_node *node = &space->nodes[at];
    rs_value args[2] = {no_value, no_value};

    switch (node->op) {
    case OP_CONST:
        return make_int(node->number);
    case OP_REAL:
        return make_float(node->real);
    case OP_TEXT:
        return (rs_value){RS_TEXT, node->number, 0};
    case OP_PARAM:
        return space->values[node->number][value_indexes[node->number]];
    case OP_LAND:
    case OP_LOR:
    case OP_SELECT:
    case OP_CHAIN:
    case OP_IN:
    case OP_NOT_IN:
        return lazy(space, node, value_indexes);
    default:
        break;
    }
    for (int k = 0; k < node->n_args; ++k) {
        args[k] = evaluate(space, node->args[k], value_indexes);
        if (args[k].kind == RS_FAULT)
            return no_value;
    }
    return node->n_args == 1
               ? unary(node->op, args[0])
               : binary(space->language, node->op, args[0], args[1]);
}

size_t rs_raw(const random_space *space)
{
    size_t raw = 1;

    for (size_t i = 0; i < space->n_params; ++i)
        raw *= space->n_values[i];
    return raw;
}

void rs_config(const random_space *space, size_t rank, int *out)
{
    for (size_t i = space->n_params; i-- > 0;) {
        out[i] = (int)(rank % space->n_values[i]);
        rank /= space->n_values[i];
    }
}

size_t rs_first(const random_space *space, const int *value_indexes,
                int *out_fault)
{
    *out_fault = 0;
    for (size_t i = 0; i < space->n_constraints; ++i) {
        const rs_value value = evaluate(space, space->roots[i], value_indexes);

        *out_fault = value.kind == RS_FAULT;
        if (*out_fault || !truth(value))
            return i;
    }
    return space->n_constraints;
}

int rs_holds(const random_space *space, size_t constraint,
             const int *value_indexes)
{
    const rs_value value =
        evaluate(space, space->roots[constraint], value_indexes);

    return value.kind != RS_FAULT && truth(value);
}

static int reads_params(const random_space *space, int at)
{
    const rs_node *node = &space->nodes[at];
    int reads = node->op == OP_PARAM;

    for (int k = 0; k < node->n_args; ++k)
        reads |= reads_params(space, node->args[k]);
    return reads;
}

int rs_has_constant_fault(const random_space *space)
{
    for (size_t i = 0; i < space->n_constraints; ++i) {
        if (!reads_params(space, space->roots[i]) &&
            evaluate(space, space->roots[i], NULL).kind == RS_FAULT)
            return 1;
    }
    return 0;
}
