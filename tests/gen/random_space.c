/* SPDX-License-Identifier: Apache-2.0 */
/* Random parameters and trees of operations: see random_space.h. */
#include "tests/gen/random_space_ops.h"

/* ---- random numbers ---------------------------------------------------- */

uint32_t rs_next(random_space *space, uint32_t n)
{
    space->state = space->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((space->state >> 33) % n);
}

static int chance(random_space *space, uint32_t percent)
{
    return rs_next(space, 100) < percent;
}

/* ---- trees ------------------------------------------------------------- */

static int add_node(random_space *space, rs_node node)
{
    space->nodes[space->n_nodes] = node;
    return space->n_nodes++;
}

static int add_const(random_space *space)
{
    static const int64_t seldom[] = {0, 0x7fffffff, 1024, INT64_C(3037000500),
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
    return add_node(
        space, (rs_node){.op = OP_PARAM,
                         .number = rs_next(space, (uint32_t)space->n_params)});
}

static int pick_op(random_space *space, int first, int last)
{
    const int language =
        space->language == RS_TEMPLATE ? RS_IN_C : RS_IN_PYTHON;
    int op;

    do {
        op = first + (int)rs_next(space, (uint32_t)(last - first + 1));
    } while (!(rs_ops[op].languages & language));
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
    node.n_args = rs_ops[node.op].n_args;
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
        node.n_args = rs_ops[node.op].n_args;
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
        node.args[0] = add_node(
            space, (rs_node){.op = OP_MOD,
                             .n_args = 2,
                             .args = {add_tree(space, 1), add_tree(space, 1)}});
        node.args[1] = add_node(space, (rs_node){.op = OP_CONST});
        return add_node(space, node);
    }
    node.n_args = rs_ops[node.op].n_args;
    for (int k = 0; k < node.n_args; ++k)
        node.args[k] = add_tree(space, k ? 1 : 2);
    if (node.op >= OP_EQ && node.op <= OP_GE && chance(space, 60)) {
        /* a bound that some configurations meet */
        node.op = chance(space, 20) ? OP_NE : chance(space, 70) ? OP_LE : OP_GE;
        node.args[1] =
            add_node(space, (rs_node){.op = OP_CONST,
                                      .number = node.op == OP_GE
                                                    ? rs_next(space, 4)
                                                    : 5 + rs_next(space, 60)});
    }
    return add_node(space, node);
}

/* ---- domains ----------------------------------------------------------- */

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
        const int shape = space->language == RS_T1 && chance(space, 15)
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
