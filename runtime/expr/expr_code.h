/* SPDX-License-Identifier: Apache-2.0 */
/* The bytecode between expr_parse.c, which writes it, and expr.c, which runs
 * it: a stack machine on int64. Private to these, to gen/, which takes
 * conditions apart to propagate them, and to runtime/choose, which makes steps
 * of it. */
#ifndef HONE_RUNTIME_EXPR_CODE_H
#define HONE_RUNTIME_EXPR_CODE_H

#include "runtime/expr/expr.h"

typedef enum hone_op {
    /* push */
    HONE_OP_CONST, /* operand: value */
    HONE_OP_SLOT,  /* operand: slot */
    /* control; operand: index of the next instruction */
    HONE_OP_JUMP,
    HONE_OP_JUMP_IF_ZERO,      /* pops always */
    HONE_OP_JUMP_IF_ZERO_KEEP, /* pops if it does not jump */
    HONE_OP_JUMP_IF_SET_KEEP,
    /* one operand */
    HONE_OP_NEG,
    HONE_OP_NOT,
    HONE_OP_INVERT,
    HONE_OP_BOOL,
    HONE_OP_ABS,
    HONE_OP_LOG2,
    HONE_OP_ISPOW2,
    HONE_OP_SIZEOF,
    /* two operands */
    HONE_OP_ADD,
    HONE_OP_SUB,
    HONE_OP_MUL,
    HONE_OP_DIV,
    HONE_OP_MOD,
    HONE_OP_SHL,
    HONE_OP_SHR,
    HONE_OP_AND,
    HONE_OP_OR,
    HONE_OP_XOR,
    HONE_OP_EQ,
    HONE_OP_NE,
    HONE_OP_LT,
    HONE_OP_LE,
    HONE_OP_GT,
    HONE_OP_GE,
    HONE_OP_MIN,
    HONE_OP_MAX,
    HONE_OP_CEILDIV,
    HONE_OP_ALIGN,
    HONE_OP_GCD
} hone_op;

typedef struct hone_instruction {
    hone_op op;
    int64_t operand;
} hone_instruction;

enum {
    HONE_EXPR_NESTING = 64, /* parentheses, calls, unary, ?: */
    HONE_EXPR_STACK = 256   /* guess: four times the nesting is plenty */
};

struct hone_expr {
    hone_instruction *code;
    size_t n_code;
    size_t n_slots; /* highest slot read plus one */
    char *text;
};

/* Why an operation has no value. */
typedef enum hone_fault {
    HONE_FAULT_NONE,
    HONE_FAULT_OVERFLOW,
    HONE_FAULT_SHIFT,
    HONE_FAULT_DIVISION,
    HONE_FAULT_DIVISOR,
    HONE_FAULT_LOG2,
    HONE_FAULT_SIZEOF,
    HONE_FAULT_LACKS
} hone_fault;

/* One operation, checked. `out` is set only if there is no fault. */
hone_fault hone__op_unary(hone_op op, int64_t a, int64_t *out);
hone_fault hone__op_binary(hone_op op, int64_t a, int64_t b, int64_t *out);

#endif
