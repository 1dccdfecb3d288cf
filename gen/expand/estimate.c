/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions with numbers for what is known: the bytecode runs with values of
 * which some are texts. See estimate.h. */
#include "gen/expand/estimate.h"

#include "gen/expand/estimate_value.h"

#include <string.h>

typedef struct folder {
    const hone_template *tmpl;
    const int64_t *dims, *config;
    const hone_properties *properties;
    hone_estimate_add *add;
    void *user;
    hone_arena arena;
    hone_estimate_value *lets;
    unsigned char *has_let;
    hone_error *err;
} folder;

/* The parser counts one branch at a time: here the first one's value, or the
 * first operand of && and ||, lies below the second, once for each nesting. */
typedef struct stack {
    hone_estimate_value at[HONE_EXPR_STACK + 3 * HONE_EXPR_NESTING];
    size_t n;
} stack;

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
    const hone_estimate_value c = s->at[--s->n];
    hone_text text = {0};
    hone_estimate_value *a;

    *at = end;
    if (!c.text)
        return c.number ? run(f, expr, first, otherwise - 1, s)
                        : run(f, expr, otherwise, end, s);
    HONE_TRY(run(f, expr, first, otherwise - 1, s));
    HONE_TRY(run(f, expr, otherwise, end, s));
    a = &s->at[--s->n - 1];
    hone__text_printf(&text, "(%s?", c.text);
    hone__estimate_spell(a, &text);
    hone__text_puts(&text, ":");
    hone__estimate_spell(a + 1, &text);
    hone__text_puts(&text, ")");
    *a = hone__estimate_some(a->is_truth && a[1].is_truth,
                             hone__estimate_least(a) <
                                     hone__estimate_least(&a[1])
                                 ? hone__estimate_least(a)
                                 : hone__estimate_least(&a[1]));
    return hone__estimate_keep(&f->arena, &text, a, f->err);
}

/* && and ||, whose first operand is on the stack. */
static hone_status logic(folder *f, const hone_expr *expr, size_t *at, stack *s)
{
    const int is_and = expr->code[*at].op == HONE_OP_JUMP_IF_ZERO_KEEP;
    const size_t first = *at + 1;
    hone_estimate_value *a = &s->at[s->n - 1];
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
            *a = hone__estimate_known(!is_and);
        return HONE_OK;
    }
    hone__text_printf(&text, "(%s%s", a->text, is_and ? "&&" : "||");
    hone__estimate_spell(a + 1, &text);
    hone__text_puts(&text, ")");
    *a = hone__estimate_some(1, 0);
    return hone__estimate_keep(&f->arena, &text, a, f->err);
}

/* Lets read lets: their stacks are in the arena, since there may be many. */
static hone_status fold(folder *f, const hone_template_expr *expr,
                        hone_estimate_value *out)
{
    stack *s = hone__arena_alloc(&f->arena, sizeof *s);

    if (!s)
        return hone__out_of_memory(f->err, "");
    HONE_TRY(run(f, expr->expr, 0, expr->expr->n_code, s));
    *out = s->at[0];
    return HONE_OK;
}

/* What it is, at the first time that somebody reads it. */
static hone_status read_let(folder *f, size_t i, hone_estimate_value *out)
{
    hone_estimate_value *let = &f->lets[i];
    hone_text name = {0};
    size_t number;

    if (!f->has_let[i]) {
        HONE_TRY(fold(f, &f->tmpl->lets[i].value, let));
        f->has_let[i] = 1;
        if (let->text && strpbrk(let->text, "(")) {
            HONE_TRY(f->add(f->user, let->text, &number, f->err));
            hone__text_printf(&name, "e%zu", number);
            HONE_TRY(hone__estimate_keep(&f->arena, &name, let, f->err));
            let->chain = 0;
        }
    }
    *out = *let;
    return HONE_OK;
}

static hone_status read_slot(folder *f, size_t slot, hone_estimate_value *out)
{
    const hone_slots *of = &f->tmpl->slots;
    hone_text name = {0};

    *out = hone__estimate_known(0);
    if (slot < of->dims) {
        out->number = f->properties->value[slot];
    } else if (slot < of->params) {
        const size_t dim = slot - of->dims;

        out->number = f->dims[dim];
        if (f->tmpl->dims[dim].n_types)
            return HONE_OK;
        hone__text_printf(&name, "d%zu", dim);
        *out = hone__estimate_some(0, 1);
        return hone__estimate_keep(&f->arena, &name, out, f->err);
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
            s->at[s->n++] = hone__estimate_known(i->operand);
        } else if (i->op == HONE_OP_SLOT) {
            HONE_TRY(read_slot(f, (size_t)i->operand, &s->at[s->n++]));
        } else if (i->op >= HONE_OP_ADD) {
            --s->n;
            HONE_TRY(hone__estimate_binary(&f->arena, i->op, &s->at[s->n - 1],
                                           &s->at[s->n], f->err));
        } else if (i->op >= HONE_OP_NEG) {
            HONE_TRY(hone__estimate_unary(&f->arena, i->op, &s->at[s->n - 1],
                                          f->err));
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
    hone_estimate_value v = {0};

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
        hone__estimate_spell(&v, out);
    hone__arena_free(&f.arena);
    return status == HONE_OK ? hone__text_check(out, err) : status;
}
