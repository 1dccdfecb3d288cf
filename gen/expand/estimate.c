/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions with numbers for what is known: the bytecode runs with values of
 * which some are texts. See estimate.h. */
#include "gen/expand/estimate.h"

#include "runtime/base/alloc.h"
#include "runtime/expr/expr_code.h"

#include <inttypes.h>
#include <string.h>

/* A number, or the text of what has it at run time. */
typedef struct value {
    int64_t number;
    const char *text; /* NULL: known */
    int is_truth;     /* 0 or 1 */
    int64_t least;    /* of one that is not known; INT64_MIN: any */
    char chain;       /* '+', '*': a text in parentheses of such operators */
} value;

typedef struct folder {
    const hone_template *tmpl;
    const int64_t *dims, *config;
    const hone_properties *properties;
    hone_estimate_add *add;
    void *user;
    hone_arena arena;
    value *lets;
    unsigned char *has_let;
    hone_error *err;
} folder;

/* The parser counts one branch at a time: here the first one's value, or the
 * first operand of && and ||, lies below the second, once for each nesting. */
typedef struct stack {
    value at[HONE_EXPR_STACK + 3 * HONE_EXPR_NESTING];
    size_t n;
} stack;

static value known(int64_t number)
{
    return (value){.number = number};
}

static value some(int is_truth, int64_t least)
{
    return (value){.is_truth = is_truth, .least = is_truth ? 0 : least};
}

static int64_t least_of(const value *v)
{
    return v->text ? v->least : v->number;
}

static hone_status keep(folder *f, hone_text *text, value *out)
{
    hone_status status = hone__text_check(text, f->err);

    if (status == HONE_OK) {
        out->text =
            hone__arena_strndup(&f->arena, hone__text_str(text), text->length);
        status = out->text ? HONE_OK : hone__out_of_memory(f->err, "");
    }
    hone__text_free(text);
    return status;
}

static void spell(const value *v, hone_text *out)
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
    const char *name; /* a letter: it is called */
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
static void spell_left(const value *v, char chain, hone_text *out)
{
    if (chain && v->text && v->chain == chain)
        hone__text_printf(out, "%.*s", (int)strlen(v->text) - 2, v->text + 1);
    else
        spell(v, out);
}

static hone_status unary(folder *f, hone_op op, value *a)
{
    const char *const name = name_of(op);
    hone_text text = {0};
    int64_t number;

    if (op == HONE_OP_BOOL && a->is_truth)
        return HONE_OK;
    if (!a->text && hone__op_unary(op, a->number, &number) == HONE_FAULT_NONE) {
        *a = known(number);
        return HONE_OK;
    }
    hone__text_printf(&text, is_call(name) ? "%s(" : "(%s", name);
    spell(a, &text);
    hone__text_puts(&text, ")");
    *a = some(op == HONE_OP_NOT || op == HONE_OP_BOOL || op == HONE_OP_ISPOW2,
              op == HONE_OP_ABS || op == HONE_OP_LOG2 ? 0 : INT64_MIN);
    return keep(f, &text, a);
}

/* The least that two values make, where both are at least 0 and neither makes
 * it smaller. */
static int64_t least_made(hone_op op, const value *a, const value *b)
{
    const int64_t x = least_of(a);
    const int64_t y = least_of(b);
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
static int simplify(hone_op op, value *a, const value *b)
{
    const int none_left = !a->text && a->number == 0;
    const int none_right = !b->text && b->number == 0;
    const int one_left = !a->text && a->number == 1;
    const int one_right = !b->text && b->number == 1;
    const int is_sum = op == HONE_OP_ADD;
    const int is_product = op == HONE_OP_MUL;

    if (is_product && (none_left || none_right))
        *a = known(0);
    else if ((is_sum && none_left) || (is_product && one_left) ||
             (op == HONE_OP_MAX && !a->text && least_of(b) >= a->number) ||
             (op == HONE_OP_MIN && !b->text && least_of(a) >= b->number))
        *a = *b;
    else
        return ((is_sum || op == HONE_OP_SUB) && none_right) ||
               ((is_product || op == HONE_OP_DIV || op == HONE_OP_CEILDIV ||
                 op == HONE_OP_ALIGN) &&
                one_right) ||
               (op == HONE_OP_MAX && !b->text && least_of(a) >= b->number) ||
               (op == HONE_OP_MIN && !a->text && least_of(b) >= a->number);
    return 1;
}

static hone_status binary(folder *f, hone_op op, value *a, const value *b)
{
    const char *const name = name_of(op);
    const int64_t least = least_made(op, a, b);
    hone_text text = {0};
    int64_t number;

    if (!a->text && !b->text &&
        hone__op_binary(op, a->number, b->number, &number) == HONE_FAULT_NONE) {
        *a = known(number);
        return HONE_OK;
    }
    if (simplify(op, a, b))
        return HONE_OK;
    hone__text_printf(&text, is_call(name) ? "%s(" : "(", name);
    spell_left(a, chain_of(op), &text);
    hone__text_puts(&text, is_call(name) ? "," : name);
    spell(b, &text);
    hone__text_puts(&text, ")");
    *a = some(op >= HONE_OP_EQ && op <= HONE_OP_GE, least);
    a->chain = chain_of(op);
    return keep(f, &text, a);
}

/* ---- the bytecode -------------------------------------------------------- */

static hone_status run(folder *f, const hone_expr *expr, size_t at, size_t end,
                       stack *s);

/* ?: whose condition is on the stack; the jump in front of the second value
 * says where it ends. */
static hone_status branches(folder *f, const hone_expr *expr, size_t *at,
                            stack *s)
{
    const size_t otherwise = (size_t)expr->code[*at].operand;
    const size_t end = (size_t)expr->code[otherwise - 1].operand;
    const size_t first = *at + 1;
    const value c = s->at[--s->n];
    hone_text text = {0};
    value *a;

    *at = end;
    if (!c.text)
        return c.number ? run(f, expr, first, otherwise - 1, s)
                        : run(f, expr, otherwise, end, s);
    HONE_TRY(run(f, expr, first, otherwise - 1, s));
    HONE_TRY(run(f, expr, otherwise, end, s));
    a = &s->at[--s->n - 1];
    hone__text_printf(&text, "(%s?", c.text);
    spell(a, &text);
    hone__text_puts(&text, ":");
    spell(a + 1, &text);
    hone__text_puts(&text, ")");
    *a = some(a->is_truth && a[1].is_truth,
              least_of(a) < least_of(&a[1]) ? least_of(a) : least_of(&a[1]));
    return keep(f, &text, a);
}

/* && and ||, whose first operand is on the stack. */
static hone_status logic(folder *f, const hone_expr *expr, size_t *at, stack *s)
{
    const int is_and = expr->code[*at].op == HONE_OP_JUMP_IF_ZERO_KEEP;
    const size_t first = *at + 1;
    value *a = &s->at[s->n - 1];
    hone_text text = {0};

    *at = (size_t)expr->code[*at].operand;
    if (!a->text && (a->number != 0) != is_and)
        return HONE_OK;
    if (!a->text) {
        --s->n;
        return run(f, expr, first, *at, s);
    }
    HONE_TRY(run(f, expr, first, *at, s));
    --s->n;
    if (!a[1].text) {
        if ((a[1].number != 0) != is_and)
            *a = known(!is_and);
        return HONE_OK;
    }
    hone__text_printf(&text, "(%s%s", a->text, is_and ? "&&" : "||");
    spell(a + 1, &text);
    hone__text_puts(&text, ")");
    *a = some(1, 0);
    return keep(f, &text, a);
}

/* Lets read lets: their stacks are in the arena, since there may be many. */
static hone_status fold(folder *f, const hone_template_expr *expr, value *out)
{
    stack *s = hone__arena_alloc(&f->arena, sizeof *s);

    if (!s)
        return hone__out_of_memory(f->err, "");
    HONE_TRY(run(f, expr->expr, 0, expr->expr->n_code, s));
    *out = s->at[0];
    return HONE_OK;
}

/* What it is, at the first time that somebody reads it. */
static hone_status read_let(folder *f, size_t i, value *out)
{
    value *let = &f->lets[i];
    hone_text name = {0};
    size_t number;

    if (!f->has_let[i]) {
        HONE_TRY(fold(f, &f->tmpl->lets[i].value, let));
        f->has_let[i] = 1;
        if (let->text && strpbrk(let->text, "(")) {
            HONE_TRY(f->add(f->user, let->text, &number, f->err));
            hone__text_printf(&name, "e%zu", number);
            HONE_TRY(keep(f, &name, let));
            let->chain = 0;
        }
    }
    *out = *let;
    return HONE_OK;
}

static hone_status read_slot(folder *f, size_t slot, value *out)
{
    const hone_slots *of = &f->tmpl->slots;
    hone_text name = {0};

    *out = known(0);
    if (slot < of->dims) {
        out->number = f->properties->value[slot];
    } else if (slot < of->params) {
        const size_t dim = slot - of->dims;

        out->number = f->dims[dim];
        if (f->tmpl->dims[dim].n_types)
            return HONE_OK;
        hone__text_printf(&name, "d%zu", dim);
        *out = some(0, 1);
        return keep(f, &name, out);
    } else if (slot < of->lets) {
        out->number = f->config[slot - of->params];
    } else if (slot - of->lets < f->tmpl->n_lets) {
        return read_let(f, slot - of->lets, out);
    } else {
        return hone__fail(f->err, HONE_ERR_UNSUPPORTED,
                          "COST reads what only a repeated launch has");
    }
    return HONE_OK;
}

static hone_status run(folder *f, const hone_expr *expr, size_t at, size_t end,
                       stack *s)
{
    while (at < end) {
        const hone_instruction *const i = &expr->code[at];

        if (i->op == HONE_OP_CONST) {
            s->at[s->n++] = known(i->operand);
        } else if (i->op == HONE_OP_SLOT) {
            HONE_TRY(read_slot(f, (size_t)i->operand, &s->at[s->n++]));
        } else if (i->op >= HONE_OP_ADD) {
            --s->n;
            HONE_TRY(binary(f, i->op, &s->at[s->n - 1], &s->at[s->n]));
        } else if (i->op >= HONE_OP_NEG) {
            HONE_TRY(unary(f, i->op, &s->at[s->n - 1]));
        } else {
            HONE_TRY(i->op == HONE_OP_JUMP_IF_ZERO ? branches(f, expr, &at, s)
                                                   : logic(f, expr, &at, s));
            continue; /* it went on */
        }
        ++at;
    }
    return HONE_OK;
}

hone_status hone__expand_estimate(const hone_template *tmpl,
                                  const int64_t *config, const int64_t *dims,
                                  const hone_properties *properties,
                                  hone_estimate_add *add, void *user,
                                  hone_text *out, hone_error *err)
{
    folder f = {.tmpl = tmpl,
                .dims = dims,
                .config = config,
                .properties = properties,
                .add = add,
                .user = user,
                .err = err};
    const hone_template_feature *cost;
    hone_status status = HONE_OK;
    value v = {0};

    if (!tmpl->cost)
        return hone__fail(err, HONE_ERR_NOT_FOUND, "there is no feature COST");
    cost = &tmpl->features[tmpl->cost - 1];
    if (cost->per.expr)
        return hone__fail(err, HONE_ERR_UNSUPPORTED, "COST is a quotient");
    f.lets = hone__arena_alloc(&f.arena, (tmpl->n_lets + 1) * sizeof *f.lets);
    f.has_let = hone__arena_alloc(&f.arena, tmpl->n_lets + 1);
    if (!f.lets || !f.has_let)
        status = hone__out_of_memory(err, "");
    if (status == HONE_OK)
        status = fold(&f, &cost->value, &v);
    if (status == HONE_OK)
        spell(&v, out);
    hone__arena_free(&f.arena);
    return status == HONE_OK ? hone__text_check(out, err) : status;
}
