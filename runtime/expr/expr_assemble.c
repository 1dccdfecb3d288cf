/* SPDX-License-Identifier: Apache-2.0 */
/* The growing bytecode of an expression, and how much stack it needs. */
#include "runtime/base/alloc.h"
#include "runtime/expr/expr_code.h"

/* How an instruction changes the height of the stack. */
static int stack_effect(hone_op op)
{
    if (op <= HONE_OP_SLOT)
        return 1;
    if (op == HONE_OP_JUMP || (op >= HONE_OP_NEG && op < HONE_OP_ADD))
        return 0;
    return -1;
}

hone_status hone__assemble(hone_assembler *code, hone_op op, int64_t operand,
                           hone_error *err)
{
    hone_expr *expr = code->expr;

    if (expr->n_code == code->capacity) {
        const size_t capacity = code->capacity ? 2 * code->capacity : 8;
        hone_instruction *grown =
            hone__realloc(expr->code, capacity * sizeof *grown);

        if (!grown)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        expr->code = grown;
        code->capacity = capacity;
    }
    expr->code[expr->n_code++] = (hone_instruction){op, operand};
    code->stack += stack_effect(op);
    if (code->stack > HONE_EXPR_STACK)
        return hone__fail(err, HONE_ERR_INPUT,
                          "the expression is too complex; split it with "
                          "'let'");
    return HONE_OK;
}
