/* SPDX-License-Identifier: Apache-2.0 */
/* What operations make of values of which some are texts: see estimate_value.h.
 */
#include "gen/expand/estimate_value.h"

#include <inttypes.h>
#include <string.h>

hone_status hone__estimate_keep(hone_arena *arena, hone_text *text,
                                hone_estimate_value *out, hone_error *err)
{
    hone_status status = hone__text_check(text, err);

    if (status == HONE_OK) {
        out->text =
            hone__arena_strndup(arena, hone__text_str(text), text->length);
        status = out->text ? HONE_OK : hone__out_of_memory(err, "");
    }
    hone__text_free(text);
    return status;
}

void hone__estimate_spell(const hone_estimate_value *v, hone_text *out)
{
    if (v->text)
        hone__text_puts(out, v->text);
    else
        hone__text_printf(out, v->number < 0 ? "(%" PRId64 ")" : "%" PRId64,
                          v->number);
}

/* ---- operations ---------------------------------------------------------- */

static const struct {
    hone_op op;
    const char *name; /* those that begin with a letter are functions */
} spellings[] = {
    {HONE_OP_NEG, "-"},
    {HONE_OP_NOT, "!"},
    {HONE_OP_INVERT, "~"},
    {HONE_OP_BOOL, "0!="},
    {HONE_OP_ABS, "abs"},
    {HONE_OP_LOG2, "log2"},
    {HONE_OP_ISPOW2, "ispow2"},
    {HONE_OP_SIZEOF, "sizeof"},
    {HONE_OP_ADD, "+"},
    {HONE_OP_SUB, "-"},
    {HONE_OP_MUL, "*"},
    {HONE_OP_DIV, "/"},
    {HONE_OP_MOD, "%"},
    {HONE_OP_SHL, "<<"},
    {HONE_OP_SHR, ">>"},
    {HONE_OP_AND, "&"},
    {HONE_OP_OR, "|"},
    {HONE_OP_XOR, "^"},
    {HONE_OP_EQ, "=="},
    {HONE_OP_NE, "!="},
    {HONE_OP_LT, "<"},
    {HONE_OP_LE, "<="},
    {HONE_OP_GT, ">"},
    {HONE_OP_GE, ">="},
    {HONE_OP_MIN, "min"},
    {HONE_OP_MAX, "max"},
    {HONE_OP_CEILDIV, "ceildiv"},
    {HONE_OP_ALIGN, "align"},
    {HONE_OP_GCD, "gcd"},
};

static const char *name_of(hone_op op)
{
    size_t i = 0;

    while (spellings[i].op != op)
        ++i;
    return spellings[i].name;
}

static int is_call(const char *name)
{
    return name[0] >= 'a' && name[0] <= 'z';
}

/* Of a sum whose last operand is at the right, as they are written. */
static char chain_of(hone_op op)
{
    if (op == HONE_OP_ADD || op == HONE_OP_SUB)
        return '+';
    return op == HONE_OP_MUL || op == HONE_OP_DIV || op == HONE_OP_MOD ? '*'
                                                                       : 0;
}

/* The left operand: parentheses around what goes on are left out, since an
 * expression may not have many of them. */
static void spell_left(const hone_estimate_value *v, char chain, hone_text *out)
{
    if (chain && v->text && v->chain == chain)
        hone__text_printf(out, "%.*s", (int)strlen(v->text) - 2, v->text + 1);
    else
        hone__estimate_spell(v, out);
}

hone_status hone__estimate_unary(hone_arena *arena, hone_op op,
                                 hone_estimate_value *a, hone_error *err)
{
    const char *const name = name_of(op);
    hone_text text = {0};
    int64_t number;

    if (op == HONE_OP_BOOL && a->is_truth)
        return HONE_OK;
    if (!a->text && hone__op_unary(op, a->number, &number) == HONE_FAULT_NONE) {
        *a = hone__estimate_known(number);
        return HONE_OK;
    }
    hone__text_printf(&text, is_call(name) ? "%s(" : "(%s", name);
    hone__estimate_spell(a, &text);
    hone__text_puts(&text, ")");
    *a = hone__estimate_some(
        op == HONE_OP_NOT || op == HONE_OP_BOOL || op == HONE_OP_ISPOW2,
        op == HONE_OP_ABS || op == HONE_OP_LOG2 ? 0 : INT64_MIN);
    return hone__estimate_keep(arena, &text, a, err);
}

/* The least that an operation makes of two values by the least that they are;
 * INT64_MIN: nothing is known. */
static int64_t least_made(hone_op op, const hone_estimate_value *a,
                          const hone_estimate_value *b)
{
    const int64_t x = hone__estimate_least(a);
    const int64_t y = hone__estimate_least(b);
    int64_t least = 0;

    if (op == HONE_OP_MIN)
        return x < y ? x : y;
    if (op == HONE_OP_MAX)
        return x > y ? x : y;
    if (x < 0 || y < 0)
        return INT64_MIN;
    if (op == HONE_OP_ADD || op == HONE_OP_MUL)
        return hone__op_binary(op, x, y, &least) == HONE_FAULT_NONE ? least
                                                                    : INT64_MAX;
    /* By something known alone: by more it would be less. */
    if (op == HONE_OP_DIV || op == HONE_OP_CEILDIV || op == HONE_OP_ALIGN)
        return !b->text && hone__op_binary(op, x, y, &least) == HONE_FAULT_NONE
                   ? least
                   : 0;
    return op == HONE_OP_SUB ? INT64_MIN : 0;
}

/* What is known of two values makes one of them, or a number; 0: no. Sums and
 * products with 0 and 1, the smaller or larger of two. */
static int simplify(hone_op op, hone_estimate_value *a,
                    const hone_estimate_value *b)
{
    const int none_left = !a->text && a->number == 0;
    const int none_right = !b->text && b->number == 0;
    const int one_left = !a->text && a->number == 1;
    const int one_right = !b->text && b->number == 1;
    const int is_sum = op == HONE_OP_ADD;
    const int is_product = op == HONE_OP_MUL;

    if (is_product && (none_left || none_right))
        *a = hone__estimate_known(0);
    else if ((is_sum && none_left) || (is_product && one_left) ||
             (op == HONE_OP_MAX && !a->text &&
              hone__estimate_least(b) >= a->number) ||
             (op == HONE_OP_MIN && !b->text &&
              hone__estimate_least(a) >= b->number))
        *a = *b;
    else
        return ((is_sum || op == HONE_OP_SUB) && none_right) ||
               ((is_product || op == HONE_OP_DIV || op == HONE_OP_CEILDIV ||
                 op == HONE_OP_ALIGN) &&
                one_right) ||
               (op == HONE_OP_MAX && !b->text &&
                hone__estimate_least(a) >= b->number) ||
               (op == HONE_OP_MIN && !a->text &&
                hone__estimate_least(b) >= a->number);
    return 1;
}

hone_status hone__estimate_binary(hone_arena *arena, hone_op op,
                                  hone_estimate_value *a,
                                  const hone_estimate_value *b, hone_error *err)
{
    const char *const name = name_of(op);
    const int64_t least = least_made(op, a, b);
    /* A number goes behind, where it is read without being put anywhere. */
    const int is_turned = !a->text && (op == HONE_OP_ADD || op == HONE_OP_MUL ||
                                       op == HONE_OP_MAX || op == HONE_OP_MIN);
    hone_text text = {0};
    int64_t number;

    if (!a->text && !b->text &&
        hone__op_binary(op, a->number, b->number, &number) == HONE_FAULT_NONE) {
        *a = hone__estimate_known(number);
        return HONE_OK;
    }
    if (simplify(op, a, b))
        return HONE_OK;
    hone__text_printf(&text, is_call(name) ? "%s(" : "(", name);
    spell_left(is_turned ? b : a, chain_of(op), &text);
    hone__text_puts(&text, is_call(name) ? "," : name);
    hone__estimate_spell(is_turned ? a : b, &text);
    hone__text_puts(&text, ")");
    *a = hone__estimate_some(op >= HONE_OP_EQ && op <= HONE_OP_GE, least);
    a->chain = chain_of(op);
    return hone__estimate_keep(arena, &text, a, err);
}
