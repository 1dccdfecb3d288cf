/* SPDX-License-Identifier: Apache-2.0 */
/* Random spaces as text, with no more parentheses than each language needs.
 */
#include "tests/gen/random_space_ops.h"

#include <math.h>

enum { BOTH = RS_IN_C | RS_IN_PYTHON };

const rs_op rs_ops[N_OPS] = {
    [OP_CONST] = {"", "", BOTH, 0, 99, 99},
    [OP_REAL] = {"", "", RS_IN_PYTHON, 0, 99, 99},
    [OP_TEXT] = {"", "", RS_IN_PYTHON, 0, 99, 99},
    [OP_PARAM] = {"", "", BOTH, 0, 99, 99},
    [OP_NEG] = {"-", "-", BOTH, 1, 20, 20},
    [OP_INV] = {"~", "~", BOTH, 1, 20, 20},
    [OP_PLUS] = {"+", "+", BOTH, 1, 20, 20},
    [OP_NOT] = {"!", "not ", BOTH, 1, 20, 4},
    [OP_ABS] = {"abs", "abs", BOTH, 1, 0, 0},
    [OP_LOG2] = {"log2", "", RS_IN_C, 1, 0, 0},
    [OP_ISPOW2] = {"ispow2", "", RS_IN_C, 1, 0, 0},
    [OP_INT] = {"", "int", RS_IN_PYTHON, 1, 0, 0},
    [OP_FLOAT] = {"", "float", RS_IN_PYTHON, 1, 0, 0},
    [OP_BOOL] = {"", "bool", RS_IN_PYTHON, 1, 0, 0},
    [OP_ADD] = {" + ", " + ", BOTH, 2, 14, 14},
    [OP_SUB] = {"-", "-", BOTH, 2, 14, 14},
    [OP_MUL] = {"*", "*", BOTH, 2, 15, 15},
    [OP_DIV] = {"/", "/", BOTH, 2, 15, 15},
    [OP_MOD] = {" % ", "%", BOTH, 2, 15, 15},
    [OP_FDIV] = {"", "//", RS_IN_PYTHON, 2, 15, 15},
    [OP_POW] = {"", "**", RS_IN_PYTHON, 2, 0, 21},
    [OP_SHL] = {" << ", "<<", BOTH, 2, 13, 13},
    [OP_SHR] = {">>", " >> ", BOTH, 2, 13, 13},
    [OP_AND] = {"&", "&", BOTH, 2, 10, 12},
    [OP_OR] = {"|", "|", BOTH, 2, 8, 10},
    [OP_XOR] = {"^", "^", BOTH, 2, 9, 11},
    [OP_EQ] = {" == ", "==", BOTH, 2, 11, 6},
    [OP_NE] = {"!=", " != ", BOTH, 2, 11, 6},
    [OP_LT] = {" < ", "<", BOTH, 2, 12, 6},
    [OP_LE] = {"<=", " <= ", BOTH, 2, 12, 6},
    [OP_GT] = {">", " > ", BOTH, 2, 12, 6},
    [OP_GE] = {" >= ", ">=", BOTH, 2, 12, 6},
    [OP_LAND] = {" && ", " and ", BOTH, 2, 6, 3},
    [OP_LOR] = {"||", " or ", BOTH, 2, 5, 2},
    [OP_MIN] = {"min", "min", BOTH, 2, 0, 0},
    [OP_MAX] = {"max", "max", BOTH, 2, 0, 0},
    [OP_CEILDIV] = {"ceildiv", "", RS_IN_C, 2, 0, 0},
    [OP_ALIGN] = {"align", "", RS_IN_C, 2, 0, 0},
    [OP_GCD] = {"gcd", "", RS_IN_C, 2, 0, 0},
    [OP_SELECT] = {"", "", BOTH, 3, 1, 1},
    [OP_CHAIN] = {"", "", RS_IN_PYTHON, 3, 6, 6},
    [OP_IN] = {"", " in ", RS_IN_PYTHON, 4, 6, 6},
    [OP_NOT_IN] = {"", " not in ", RS_IN_PYTHON, 4, 6, 6},
};

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
    hone__text_printf(out, "%s(",
                      space->language == RS_T1 ? rs_ops[node->op].python
                                               : rs_ops[node->op].c);
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
    const char *text = is_t1 ? rs_ops[node->op].python : rs_ops[node->op].c;
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
        hone__text_printf(out, "%s[", rs_ops[node->op].python);
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
    const int own = space->language == RS_T1 ? rs_ops[node->op].p_level
                                             : rs_ops[node->op].c_level;
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
