/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of compiled expressions: see expr.h. Every operation that can
 * leave int64 is checked; nothing here is undefined behaviour. */
#include "runtime/expr/expr.h"

#include "runtime/base/alloc.h"
#include "runtime/expr/expr_code.h"

static const struct {
    hone_status status;
    const char *sentence;
} faults[] = {
    [HONE_FAULT_NONE] = {HONE_OK, ""},
    [HONE_FAULT_OVERFLOW] = {HONE_ERR_OVERFLOW,
                             "a result does not fit 64 bits"},
    [HONE_FAULT_SHIFT] = {HONE_ERR_OVERFLOW, "a shift is outside 0..62"},
    [HONE_FAULT_DIVISION] = {HONE_ERR_INPUT, "division by zero"},
    [HONE_FAULT_DIVISOR] = {HONE_ERR_INPUT,
                            "the second value of ceildiv and align must be "
                            "positive"},
    [HONE_FAULT_LOG2] = {HONE_ERR_INPUT, "log2 takes a positive value"},
    [HONE_FAULT_SIZEOF] = {HONE_ERR_INPUT,
                           "sizeof takes an element type such as f32"},
    [HONE_FAULT_LACKS] = {HONE_ERR_NOT_FOUND, "a name has no value"},
};

static hone_fault fault_if(int overflow)
{
    return overflow ? HONE_FAULT_OVERFLOW : HONE_FAULT_NONE;
}

static hone_fault divide(hone_op op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return HONE_FAULT_DIVISION;
    if (b == -1) { /* INT64_MIN / -1 traps on some processors, % too */
        *out = 0;
        return fault_if(op == HONE_OP_DIV && __builtin_sub_overflow(0, a, out));
    }
    *out = op == HONE_OP_DIV ? a / b : a % b;
    return HONE_FAULT_NONE;
}

static hone_fault shift(hone_op op, int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 || b > 62)
        return HONE_FAULT_SHIFT;
    if (op == HONE_OP_SHL)
        return fault_if(__builtin_mul_overflow(a, INT64_C(1) << b, out));
    /* Rounds down, written so that it does not depend on what the compiler
     * does with a negative left operand. */
    *out = a < 0 ? ~(~a >> b) : a >> b;
    return HONE_FAULT_NONE;
}

static hone_fault round_up(hone_op op, int64_t a, int64_t b, int64_t *out)
{
    int64_t quotient;

    if (b <= 0)
        return HONE_FAULT_DIVISOR;
    quotient = a / b + (a % b > 0);
    return fault_if(
        __builtin_mul_overflow(quotient, op == HONE_OP_CEILDIV ? 1 : b, out));
}

static uint64_t magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static hone_fault gcd(int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = magnitude(a);
    uint64_t y = magnitude(b);

    while (y) {
        const uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return fault_if(__builtin_add_overflow(x, 0, out));
}

static int log2_floor(int64_t a)
{
    int result = 0;

    for (; a > 1; a >>= 1)
        ++result;
    return result;
}

hone_fault hone__op_unary(hone_op op, int64_t a, int64_t *out)
{
    *out = a;
    switch (op) {
    case HONE_OP_NEG:
        return fault_if(__builtin_sub_overflow(0, a, out));
    case HONE_OP_ABS:
        return fault_if(a < 0 && __builtin_sub_overflow(0, a, out));
    case HONE_OP_LOG2:
        *out = log2_floor(a);
        return a > 0 ? HONE_FAULT_NONE : HONE_FAULT_LOG2;
    case HONE_OP_SIZEOF:
        *out = a >= 0 && a < 1000 ? (int64_t)hone__type_size_bytes((hone_type)a)
                                  : 0;
        return *out ? HONE_FAULT_NONE : HONE_FAULT_SIZEOF;
    /* clang-format off */
    case HONE_OP_NOT:    *out = !a; break;
    case HONE_OP_INVERT: *out = ~a; break;
    case HONE_OP_ISPOW2: *out = a > 0 && (a & (a - 1)) == 0; break;
    default:             *out = a != 0; break; /* HONE_OP_BOOL */
        /* clang-format on */
    }
    return HONE_FAULT_NONE;
}

hone_fault hone__op_binary(hone_op op, int64_t a, int64_t b, int64_t *out)
{
    int64_t result = 0;
    int overflow = 0;

    switch (op) {
    case HONE_OP_ADD:
        overflow = __builtin_add_overflow(a, b, &result);
        break;
    case HONE_OP_SUB:
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
    case HONE_OP_MUL:
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
    case HONE_OP_DIV:
    case HONE_OP_MOD:
        return divide(op, a, b, out);
    case HONE_OP_SHL:
    case HONE_OP_SHR:
        return shift(op, a, b, out);
    case HONE_OP_CEILDIV:
    case HONE_OP_ALIGN:
        return round_up(op, a, b, out);
    case HONE_OP_GCD:
        return gcd(a, b, out);
    /* clang-format off */
    case HONE_OP_AND: result = a & b; break;
    case HONE_OP_OR:  result = a | b; break;
    case HONE_OP_XOR: result = a ^ b; break;
    case HONE_OP_EQ:  result = a == b; break;
    case HONE_OP_NE:  result = a != b; break;
    case HONE_OP_LT:  result = a < b; break;
    case HONE_OP_LE:  result = a <= b; break;
    case HONE_OP_GT:  result = a > b; break;
    case HONE_OP_GE:  result = a >= b; break;
    case HONE_OP_MIN: result = a < b ? a : b; break;
    default:          result = a > b ? a : b; break; /* HONE_OP_MAX */
        /* clang-format on */
    }
    *out = result;
    return fault_if(overflow);
}

/* The parser has counted that the stack is deep enough. */
static hone_fault run(const hone_expr *expr, const int64_t *slots,
                      const unsigned char *lacks, int64_t *out,
                      size_t *out_slot)
{
    int64_t stack[HONE_EXPR_STACK];
    int64_t *top = stack; /* one past the last value */
    size_t at = 0;

    while (at < expr->n_code) {
        const hone_instruction instruction = expr->code[at++];
        const size_t target = (size_t)instruction.operand;
        hone_fault what = HONE_FAULT_NONE;

        if (instruction.op == HONE_OP_CONST) {
            *top++ = instruction.operand;
        } else if (instruction.op == HONE_OP_SLOT) {
            *out_slot = target;
            what = lacks && lacks[target] ? HONE_FAULT_LACKS : HONE_FAULT_NONE;
            *top++ = slots[target];
        } else if (instruction.op >= HONE_OP_ADD) {
            --top;
            what = hone__op_binary(instruction.op, top[-1], top[0], &top[-1]);
        } else if (instruction.op >= HONE_OP_NEG) {
            what = hone__op_unary(instruction.op, top[-1], &top[-1]);
        } else if (instruction.op == HONE_OP_JUMP) {
            at = target;
        } else if (instruction.op == HONE_OP_JUMP_IF_ZERO) {
            if (*--top == 0)
                at = target;
        } else if ((top[-1] != 0) ==
                   (instruction.op == HONE_OP_JUMP_IF_SET_KEEP)) {
            at = target;
        } else {
            --top;
        }
        if (what != HONE_FAULT_NONE)
            return what;
    }
    *out = top[-1];
    return HONE_FAULT_NONE;
}

hone_status hone__expr_eval_known(const hone_expr *expr, const int64_t *slots,
                                  const unsigned char *lacks, int64_t *out,
                                  size_t *out_slot, hone_error *err)
{
    const hone_fault what = run(expr, slots, lacks, out, out_slot);

    if (what == HONE_FAULT_NONE)
        return HONE_OK;
    return hone__fail(err, faults[what].status, "%s in '%s'",
                      faults[what].sentence, expr->text);
}

hone_status hone__expr_eval(const hone_expr *expr, const int64_t *slots,
                            int64_t *out, hone_error *err)
{
    size_t slot;

    return hone__expr_eval_known(expr, slots, NULL, out, &slot, err);
}

void hone__expr_free(hone_expr *expr)
{
    if (!expr)
        return;
    hone__free(expr->code);
    hone__free(expr->text);
    hone__free(expr);
}

size_t hone__expr_slot_count(const hone_expr *expr)
{
    return expr->n_slots;
}

int hone__expr_reads(const hone_expr *expr, size_t slot)
{
    for (size_t i = 0; i < expr->n_code; ++i) {
        if (expr->code[i].op == HONE_OP_SLOT &&
            (size_t)expr->code[i].operand == slot)
            return 1;
    }
    return 0;
}

const char *hone__expr_text(const hone_expr *expr)
{
    return expr->text;
}
