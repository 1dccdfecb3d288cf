/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of random spaces: random_space.c chooses them,
 * random_space_text.c writes them, random_space_meaning.c evaluates them. */
#ifndef HONE_TESTS_RANDOM_SPACE_OPS_H
#define HONE_TESTS_RANDOM_SPACE_OPS_H

#include "tests/gen/random_space.h"

typedef enum rs_op_name {
    OP_CONST,
    OP_REAL,
    OP_TEXT,
    OP_PARAM,
    OP_NEG,
    OP_INV,
    OP_PLUS,
    OP_NOT,
    OP_ABS,
    OP_LOG2,
    OP_ISPOW2,
    OP_INT,
    OP_FLOAT,
    OP_BOOL,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_FDIV,
    OP_POW,
    OP_SHL,
    OP_SHR,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_LAND,
    OP_LOR,
    OP_MIN,
    OP_MAX,
    OP_CEILDIV,
    OP_ALIGN,
    OP_GCD,
    OP_SELECT,
    OP_CHAIN,
    OP_IN,
    OP_NOT_IN,
    N_OPS
} rs_op_name;

enum { RS_IN_C = 1, RS_IN_PYTHON = 2 };

typedef struct rs_op {
    const char *c;
    const char *python;
    int languages;
    int n_args;
    int c_level; /* higher binds tighter; 0: a function */
    int p_level;
} rs_op;

extern const rs_op rs_ops[N_OPS];

#endif
