/* SPDX-License-Identifier: Apache-2.0 */
/* Random spaces and their meaning: see random_space.h. */
#include "tests/gen/random_space.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum {
    OP_CONST, OP_REAL, OP_TEXT, OP_PARAM,
    OP_NEG, OP_INV, OP_PLUS, OP_NOT,
    OP_ABS, OP_LOG2, OP_ISPOW2, OP_INT, OP_FLOAT, OP_BOOL,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_FDIV, OP_POW,
    OP_SHL, OP_SHR, OP_AND, OP_OR, OP_XOR,
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
    OP_LAND, OP_LOR,
    OP_MIN, OP_MAX, OP_CEILDIV, OP_ALIGN, OP_GCD,
    OP_SELECT, OP_CHAIN, OP_IN, OP_NOT_IN,
    N_OPS
};

enum { C = 1, P = 2 };

/* How operators are spelled. Precedence: C's and Python's differ, so each
 * language has its own; 0 is a function or an atom. */
static const struct op_row {
    const char *c;
    const char *python;
    int languages;
    int n_args;
    int c_level; /* higher binds tighter */
    int p_level;
} rows[N_OPS] = {
    [OP_CONST] = {"", "", C | P, 0, 99, 99},
    [OP_REAL] = {"", "", P, 0, 99, 99},
    [OP_TEXT] = {"", "", P, 0, 99, 99},
    [OP_PARAM] = {"", "", C | P, 0, 99, 99},
    [OP_NEG] = {"-", "-", C | P, 1, 20, 20},
    [OP_INV] = {"~", "~", C | P, 1, 20, 20},
    [OP_PLUS] = {"+", "+", C | P, 1, 20, 20},
    [OP_NOT] = {"!", "not ", C | P, 1, 20, 4},
    [OP_ABS] = {"abs", "abs", C | P, 1, 0, 0},
    [OP_LOG2] = {"log2", "", C, 1, 0, 0},
    [OP_ISPOW2] = {"ispow2", "", C, 1, 0, 0},
    [OP_INT] = {"", "int", P, 1, 0, 0},
    [OP_FLOAT] = {"", "float", P, 1, 0, 0},
    [OP_BOOL] = {"", "bool", P, 1, 0, 0},
    [OP_ADD] = {" + ", " + ", C | P, 2, 14, 14},
    [OP_SUB] = {"-", "-", C | P, 2, 14, 14},
    [OP_MUL] = {"*", "*", C | P, 2, 15, 15},
    [OP_DIV] = {"/", "/", C | P, 2, 15, 15},
    [OP_MOD] = {" % ", "%", C | P, 2, 15, 15},
    [OP_FDIV] = {"", "//", P, 2, 15, 15},
    [OP_POW] = {"", "**", P, 2, 0, 21},
    [OP_SHL] = {" << ", "<<", C | P, 2, 13, 13},
    [OP_SHR] = {">>", " >> ", C | P, 2, 13, 13},
    [OP_AND] = {"&", "&", C | P, 2, 10, 12},
    [OP_OR] = {"|", "|", C | P, 2, 8, 10},
    [OP_XOR] = {"^", "^", C | P, 2, 9, 11},
    [OP_EQ] = {" == ", "==", C | P, 2, 11, 6},
    [OP_NE] = {"!=", " != ", C | P, 2, 11, 6},
    [OP_LT] = {" < ", "<", C | P, 2, 12, 6},
    [OP_LE] = {"<=", " <= ", C | P, 2, 12, 6},
    [OP_GT] = {">", " > ", C | P, 2, 12, 6},
    [OP_GE] = {" >= ", ">=", C | P, 2, 12, 6},
    [OP_LAND] = {" && ", " and ", C | P, 2, 6, 3},
    [OP_LOR] = {"||", " or ", C | P, 2, 5, 2},
    [OP_MIN] = {"min", "min", C | P, 2, 0, 0},
    [OP_MAX] = {"max", "max", C | P, 2, 0, 0},
    [OP_CEILDIV] = {"ceildiv", "", C, 2, 0, 0},
    [OP_ALIGN] = {"align", "", C, 2, 0, 0},
    [OP_GCD] = {"gcd", "", C, 2, 0, 0},
    [OP_SELECT] = {"", "", C | P, 3, 1, 1},
    [OP_CHAIN] = {"", "", P, 3, 6, 6},
    [OP_IN] = {"", " in ", P, 4, 6, 6},
    [OP_NOT_IN] = {"", " not in ", P, 4, 6, 6},
};

/* ---- random numbers ----------------------------------------------------- */

uint32_t rs_next(random_space *space, uint32_t n)
{
    space->state = space->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((space->state >> 33) % n);
}

static int chance(random_space *space, uint32_t percent)
{
    return rs_next(space, 100) < percent;
}

/* ---- trees -------------------------------------------------------------- */

static int add_node(random_space *space, rs_node node)
{
    space->nodes[space->n_nodes] = node;
    return space->n_nodes++;
}

static int add_const(random_space *space)
{
    static const int64_t seldom[] = {0, 0x7fffffff, 1024,
                                     INT64_C(3037000500),
                                     INT64_C(4611686018427387904)};
    rs_node node = {.op = OP_CONST};

    node.number = chance(space, 3) ? seldom[rs_next(space, 5)]
                                   : (int64_t)rs_next(space, 12);
    if (space->language == RS_T1 && chance(space, 8)) {
        node.op = OP_REAL;
        node.real = (double)rs_next(space, 12) / 4;
    } else if (space->language == RS_T1 && chance(space, 2)) {
        node.op = OP_TEXT;
        node.number = rs_next(space, 3);
    }
    return add_node(space, node);
}

static int add_leaf(random_space *space)
{
    if (chance(space, 30))
        return add_const(space);
    return add_node(space,
                    (rs_node){.op = OP_PARAM,
                              .number = rs_next(space,
                                                (uint32_t)space->n_params)});
}

static int pick_op(random_space *space, int first, int last)
{
    const int language = space->language == RS_TEMPLATE ? C : P;
    int op;

    do {
        op = first + (int)rs_next(space, (uint32_t)(last - first + 1));
    } while (!(rows[op].languages & language));
    return op;
}

static int add_tree(random_space *space, int depth)
{
    rs_node node = {0};

    if (depth == 0 || chance(space, 15) || space->n_nodes > RS_NODES - 40)
        return add_leaf(space);
    /* Sums and products above all, as in real constraints. */
    node.op = chance(space, 60)   ? pick_op(space, OP_ADD, OP_MUL)
              : chance(space, 20) ? pick_op(space, OP_NEG, OP_BOOL)
              : chance(space, 10) ? pick_op(space, OP_SELECT, OP_SELECT)
                                  : pick_op(space, OP_ADD, OP_GCD);
    node.n_args = rows[node.op].n_args;
    for (int k = 0; k < node.n_args; ++k)
        node.args[k] = add_tree(space, depth - 1);
    return add_node(space, node);
}

/* Mostly a comparison, sometimes joined, sometimes anything. */
static int add_condition(random_space *space, int depth)
{
    rs_node node = {0};

    if (depth > 0 && chance(space, 35)) {
        node.op = chance(space, 25) ? OP_NOT : pick_op(space, OP_LAND, OP_LOR);
        node.n_args = rows[node.op].n_args;
        for (int k = 0; k < node.n_args; ++k)
            node.args[k] = add_condition(space, depth - 1);
        return add_node(space, node);
    }
    if (chance(space, 10))
        return add_tree(space, 3);
    node.op = space->language == RS_T1 && chance(space, 25)
                  ? pick_op(space, OP_CHAIN, OP_NOT_IN)
                  : pick_op(space, OP_EQ, OP_GE);
    if (chance(space, 25)) { /* divisibility */
        node.op = OP_EQ;
        node.n_args = 2;
        node.args[0] = add_node(space, (rs_node){.op = OP_MOD, .n_args = 2,
                                                 .args = {add_tree(space, 1),
                                                          add_tree(space, 1)}});
        node.args[1] = add_node(space, (rs_node){.op = OP_CONST});
        return add_node(space, node);
    }
    node.n_args = rows[node.op].n_args;
    for (int k = 0; k < node.n_args; ++k)
        node.args[k] = add_tree(space, k ? 1 : 2);
    if (node.op >= OP_EQ && node.op <= OP_GE && chance(space, 60)) {
        /* a bound that some configurations meet */
        node.op = chance(space, 20) ? OP_NE
                  : chance(space, 70) ? OP_LE : OP_GE;
        node.args[1] = add_node(
            space, (rs_node){.op = OP_CONST,
                             .number = node.op == OP_GE
                                           ? rs_next(space, 4)
                                           : 5 + rs_next(space, 60)});
    }
    return add_node(space, node);
}

/* ---- domains ------------------------------------------------------------ */

static rs_value make_value(size_t i, int shape, int start)
{
    rs_value value = {RS_INT, 0, 0};

    switch (shape) {
    case 0: /* powers of two */
        value.i = INT64_C(1) << (i + (size_t)start % 3);
        break;
    case 1: /* 0, 1, .. or so */
        value.i = start - 1 + (int)i;
        break;
    case 2:
        value.i = ((int)i - 1) * 3;
        break;
    case 3:
        value.kind = RS_FLOAT;
        value.f = (double)i * 0.5 + (start % 2 ? 0.1 : 0);
        break;
    case 4:
        value.kind = RS_TEXT;
        value.i = (int64_t)i;
        break;
    default: /* of several kinds */
        value.kind = i % 3 == 1 ? RS_FLOAT : i % 3 == 2 ? RS_TEXT : RS_INT;
        value.i = (int64_t)(i % 3 == 2 ? i / 3 : i);
        value.f = (double)i + 0.25;
        break;
    }
    return value;
}

static void make_domains(random_space *space, size_t most_raw)
{
    size_t raw = 1;

    space->n_params = 1 + rs_next(space, RS_PARAMS);
    for (size_t i = 0; i < space->n_params; ++i) {
        const int shape =
            space->language == RS_T1 && chance(space, 15)
                ? 3 + (int)rs_next(space, 3)
                : (int)rs_next(space, 3);
        const int start = (int)rs_next(space, 5);
        size_t n = 1 + rs_next(space, 6);

        if (chance(space, 4) && shape && shape < 4)
            n = 60 + rs_next(space, RS_VALUES - 60);
        while (n > 1 && raw * n > most_raw)
            --n;
        raw *= n;
        space->n_values[i] = n;
        for (size_t k = 0; k < n; ++k)
            space->values[i][k] = make_value(k, shape, start);
    }
}

void rs_make(random_space *space, rs_language language, uint64_t seed,
             size_t most_raw)
{
    *space = (random_space){.language = language,
                            .state = seed * 0x9e3779b97f4a7c15u + 1};
    for (int i = 0; i < 4; ++i)
        (void)rs_next(space, 2);
    make_domains(space, most_raw);
    space->n_constraints = chance(space, 60)
                               ? rs_next(space, 4)
                               : rs_next(space, RS_CONSTRAINTS + 1);
    for (size_t i = 0; i < space->n_constraints; ++i)
        space->roots[i] = add_condition(space, 2);
}

/* ---- text --------------------------------------------------------------- */

static void write_node(const random_space *space, int at, int level,
                       hone_text *out);

static void write_value(rs_value value, hone_text *out)
{
    if (value.kind == RS_FLOAT)
        hone__text_printf(out, "%.17g%s", value.f,
                          value.f == floor(value.f) ? ".0" : "");
    else if (value.kind == RS_TEXT)
        hone__text_printf(out, "'%c'", (char)('a' + value.i));
    else
        hone__text_printf(out, "%lld", (long long)value.i);
}

static void write_call(const random_space *space, const rs_node *node,
                       hone_text *out)
{
    hone__text_printf(out, "%s(", space->language == RS_T1
                                      ? rows[node->op].python
                                      : rows[node->op].c);
    for (int k = 0; k < node->n_args; ++k) {
        hone__text_puts(out, k ? ", " : "");
        write_node(space, node->args[k], 0, out);
    }
    hone__text_puts(out, ")");
}

/* Operators of equal level associate to the left; comparisons do not go
 * without parentheses inside each other. */
static void write_operator(const random_space *space, const rs_node *node,
                           int own, hone_text *out)
{
    const int is_t1 = space->language == RS_T1;
    const char *text = is_t1 ? rows[node->op].python : rows[node->op].c;
    const int compares = node->op >= OP_EQ && node->op <= OP_GE;

    if (node->op == OP_POW) { /* -a ** b is -(a**b), a ** -b is meant */
        write_node(space, node->args[0], 98, out);
        hone__text_puts(out, text);
        write_node(space, node->args[1], 20, out);
    } else if (node->n_args == 1) {
        hone__text_puts(out, text);
        if (!is_t1 || node->op != OP_NOT)
            hone__text_puts(out, " "); /* "- -1" is no "--1" */
        write_node(space, node->args[0], own, out);
    } else {
        write_node(space, node->args[0], own + compares, out);
        hone__text_puts(out, text);
        write_node(space, node->args[1], own + 1, out);
    }
}

static void write_special(const random_space *space, const rs_node *node,
                          hone_text *out)
{
    const int *args = node->args;

    if (node->op == OP_SELECT && space->language == RS_TEMPLATE) {
        write_node(space, args[0], 2, out);
        hone__text_puts(out, " ? ");
        write_node(space, args[1], 0, out);
        hone__text_puts(out, " : ");
        write_node(space, args[2], 1, out);
    } else if (node->op == OP_SELECT) {
        write_node(space, args[1], 2, out);
        hone__text_puts(out, " if ");
        write_node(space, args[0], 2, out);
        hone__text_puts(out, " else ");
        write_node(space, args[2], 1, out);
    } else if (node->op == OP_CHAIN) {
        write_node(space, args[0], 7, out);
        hone__text_puts(out, " < ");
        write_node(space, args[1], 7, out);
        hone__text_puts(out, " <= ");
        write_node(space, args[2], 7, out);
    } else {
        write_node(space, args[0], 7, out);
        hone__text_printf(out, "%s[", rows[node->op].python);
        for (int k = 1; k < 4; ++k) {
            hone__text_puts(out, k > 1 ? ", " : "");
            write_node(space, args[k], 0, out);
        }
        hone__text_puts(out, "]");
    }
}

static void write_node(const random_space *space, int at, int level,
                       hone_text *out)
{
    const rs_node *node = &space->nodes[at];
    const int own = space->language == RS_T1 ? rows[node->op].p_level
                                             : rows[node->op].c_level;
    const int wants_parentheses = own && own < level;

    if (wants_parentheses)
        hone__text_puts(out, "(");
    if (node->op == OP_CONST)
        hone__text_printf(out, "%lld", (long long)node->number);
    else if (node->op == OP_REAL)
        write_value((rs_value){RS_FLOAT, 0, node->real}, out);
    else if (node->op == OP_TEXT)
        write_value((rs_value){RS_TEXT, node->number, 0}, out);
    else if (node->op == OP_PARAM)
        hone__text_printf(out, "P%lld", (long long)node->number);
    else if (node->op >= OP_SELECT)
        write_special(space, node, out);
    else if (own)
        write_operator(space, node, own, out);
    else
        write_call(space, node, out);
    if (wants_parentheses)
        hone__text_puts(out, ")");
}

static void write_values(const random_space *space, size_t param,
                         hone_text *out)
{
    for (size_t k = 0; k < space->n_values[param]; ++k) {
        hone__text_puts(out, k ? ", " : "");
        write_value(space->values[param][k], out);
    }
}

static void write_t1(const random_space *space, hone_text *out)
{
    hone__text_puts(out, "{\"ConfigurationSpace\": {\"TuningParameters\": [");
    for (size_t i = 0; i < space->n_params; ++i) {
        hone__text_printf(out, "%s\n{\"Name\": \"P%zu\", \"Values\": \"[",
                          i ? "," : "", i);
        write_values(space, i, out);
        hone__text_puts(out, "]\"}");
    }
    hone__text_puts(out, "],\n\"Conditions\": [");
    for (size_t i = 0; i < space->n_constraints; ++i) {
        hone__text_printf(out, "%s\n{\"Expression\": \"", i ? "," : "");
        write_node(space, space->roots[i], 0, out);
        hone__text_puts(out, "\"}");
    }
    hone__text_puts(out, "]}}\n");
}

static void write_template(const random_space *space, hone_text *out)
{
    hone__text_puts(out, "#pragma hone op o(n)\n");
    for (size_t i = 0; i < space->n_params; ++i) {
        hone__text_printf(out, "#pragma hone param P%zu in {", i);
        write_values(space, i, out);
        hone__text_puts(out, "}\n");
    }
    for (size_t i = 0; i < space->n_constraints; ++i) {
        hone__text_puts(out, "#pragma hone require ");
        write_node(space, space->roots[i], 0, out);
        hone__text_puts(out, "\n");
    }
    hone__text_puts(out, "#pragma hone launch k\n"
                         "extern \"C\" __global__ void k() {}\n");
}

void rs_write(const random_space *space, hone_text *out)
{
    if (space->language == RS_T1)
        write_t1(space, out);
    else
        write_template(space, out);
}

/* ---- meaning ------------------------------------------------------------ */

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
            return make_int(b.i == 0   ? 1
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
    if (isinf(pow(real(a), real(b))) && isfinite(real(a)) &&
        isfinite(real(b)))
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
    return make_float(rest - floor(rest) > 0.5 ? floor(rest) + 1
                                               : floor(rest));
}

static int compare_reals(int op, double a, double b)
{
    switch (op) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    default: return a >= b;
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
    return op == OP_FDIV
               ? make_int(floor_quotient(a.i, b.i))
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
    case OP_ADD: return make_int((wide)a + b);
    case OP_SUB: return make_int((wide)a - b);
    case OP_MUL: return make_int((wide)a * b);
    case OP_SHL:
    case OP_SHR: return shift(language, op, a, b);
    case OP_AND: return make_int(a & b);
    case OP_OR: return make_int(a | b);
    case OP_XOR: return make_int(a ^ b);
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
            if (compare(OP_EQ, a,
                        evaluate(space, node->args[k], value_indexes)).i)
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
        const rs_value value =
            evaluate(space, space->roots[i], value_indexes);

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
