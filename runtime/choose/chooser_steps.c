/* SPDX-License-Identifier: Apache-2.0 */
/* What costs are computed with, some hundreds of expressions in each decision:
 * their bytecode as steps, each with its operands and its place, all in a row.
 * What the stack would hold is followed: what is pushed takes no step, since
 * the step that pops it reads it where it is. Only where two ways meet a value
 * has to be in its place, whichever way was taken. */
#include "runtime/choose/chooser_model.h"

#include "runtime/base/grow.h"
#include "runtime/expr/expr_code.h"

typedef struct follower {
    hone_chooser_model *model;
    size_t own;    /* where the value of the expression belongs */
    size_t *lands; /* of instructions: 1 where ways meet, then the step that it
                      is */
    int has_memory;
    size_t depth;
    /* Each as a step has it that reads it as its second operand. */
    hone_chooser_step stack[HONE_EXPR_STACK];
} follower;

static uint16_t place_of(const follower *f, size_t depth)
{
    return (uint16_t)(depth ? HONE_CHOOSER_STACK + depth : f->own);
}

static void add_step(follower *f, unsigned op, uint16_t a,
                     const hone_chooser_step *second, uint16_t to)
{
    hone_chooser_model *m = f->model;

    f->has_memory = f->has_memory && HONE_GROW(m->steps, m->n_steps);
    if (f->has_memory)
        m->steps[m->n_steps++] =
            (hone_chooser_step){second->number, second->b, a, to, (uint16_t)op};
}

/* The value on top, or the two of which `second` is, become one. */
static void compute(follower *f, unsigned op, const hone_chooser_step *second,
                    size_t depth)
{
    hone_chooser_step *first = &f->stack[depth];
    const uint16_t to = place_of(f, depth);

    if (first->b == HONE_CHOOSER_NUMBER && op != HONE_CHOOSER_MOVE)
        compute(f, HONE_CHOOSER_MOVE, first, depth);
    add_step(f, op, first->b, second, to);
    first->b = to;
    f->depth = depth + 1;
}

/* The value on top is in its place. */
static void settle(follower *f)
{
    const size_t top = f->depth - 1;

    if (f->stack[top].b != place_of(f, top))
        compute(f, HONE_CHOOSER_MOVE, &f->stack[top], top);
}

static void follow(follower *f, const hone_instruction *i)
{
    hone_chooser_step *const next = &f->stack[f->depth];

    if (i->op <= HONE_OP_SLOT) {
        next->number = i->operand;
        next->b =
            i->op == HONE_OP_SLOT ? (uint16_t)i->operand : HONE_CHOOSER_NUMBER;
        ++f->depth;
    } else if (i->op >= HONE_OP_ADD) {
        compute(f, i->op, next - 1, f->depth - 2);
    } else if (i->op >= HONE_OP_NEG) {
        compute(f, i->op, next - 1, f->depth - 1);
    } else { /* to there with the value on top, if that is kept; on without */
        const hone_chooser_step there = {.number = i->operand,
                                         .b = HONE_CHOOSER_NUMBER};

        settle(f);
        add_step(f, i->op, next[-1].b, &there, 0);
        --f->depth;
        f->lands[i->operand] = i->op != HONE_OP_JUMP_IF_ZERO;
    }
}

static void follow_all(follower *f, const hone_expr *expr)
{
    const hone_chooser_model *m = f->model;
    size_t step = m->n_steps;

    f->depth = 0;
    for (size_t i = 0; i <= expr->n_code; ++i) {
        if (f->lands[i] || i == expr->n_code)
            settle(f);
        f->lands[i] = m->n_steps;
        if (i < expr->n_code)
            follow(f, &expr->code[i]);
    }
    for (; step < m->n_steps; ++step)
        if (m->steps[step].op >= HONE_OP_JUMP &&
            m->steps[step].op < HONE_OP_NEG)
            m->steps[step].number =
                (int64_t)(f->lands[m->steps[step].number] - step - 1);
}

static hone_status make_steps(const hone_chooser *c, hone_chooser_model *m,
                              hone_error *err)
{
    follower f = {.model = m};

    m->steps_begin = hone__alloc((c->n_estimates + 1) * sizeof *m->steps_begin);
    f.has_memory = m->steps_begin != NULL;
    for (size_t i = 0; i < c->n_estimates && f.has_memory; ++i) {
        const hone_expr *expr = c->estimates[i].expr;

        f.own = HONE_MAX_DIMS + i;
        f.lands = hone__alloc((expr->n_code + 1) * sizeof *f.lands);
        f.has_memory = f.lands != NULL;
        if (f.has_memory)
            follow_all(&f, expr);
        hone__free(f.lands);
        m->steps_begin[i + 1] = (uint32_t)m->n_steps;
    }
    return f.has_memory ? HONE_OK : hone__out_of_memory(err, "");
}

/* In front of an estimate are those that it reads; so from the last one on all
 * that a cost needs is found, and from the first one on it has a value. */
hone_status hone__chooser_prepare_costs(const hone_chooser *c,
                                        hone_chooser_model *m, hone_error *err)
{
    unsigned char is_needed[HONE_CHOOSER_ESTIMATES] = {0};
    size_t n = 0;

    for (size_t j = 0; j < c->n_members; ++j) {
        const size_t cost = c->members[j].cost;

        is_needed[cost ? cost - 1 : 0] = cost > 0;
        for (size_t i = cost; i-- > 0;)
            for (size_t r = i ? c->estimates[i - 1].end : 0;
                 is_needed[i] && r < c->estimates[i].end; ++r)
                is_needed[c->reads[r]] = 1;
        for (size_t i = 0; i < cost; ++i) {
            if (!is_needed[i])
                continue;
            if (!HONE_GROW(m->needs, n))
                return hone__out_of_memory(err, "");
            m->needs[n++] = (uint16_t)i;
            is_needed[i] = 0;
        }
        m->needs_end[j] = n;
    }
    return make_steps(c, m, err);
}
