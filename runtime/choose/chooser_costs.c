/* SPDX-License-Identifier: Apache-2.0 */
/* What members cost at some dims, or the operation's work: the base of
 * predictions. See chooser.h. */
#include "runtime/choose/chooser_model.h"

#include "runtime/launch/launch_body.h"

#include <math.h>
#include <string.h>

static double base_of_operation(const hone_chooser *chooser,
                                const hone_launch_case *plan)
{
    const double *p = chooser->parameters;
    int64_t flops = 0;
    int64_t bytes = 0;

    if (hone__launch_work(plan, &flops, &bytes) != HONE_OK)
        return 0;
    return log(p[HONE_CHOOSER_launch_ns] +
               (bytes > 0 ? (double)bytes / p[HONE_CHOOSER_bytes_per_ns] : 0) +
               (flops > 0 ? (double)flops / p[HONE_CHOOSER_flops_per_ns] : 0));
}

/* Divisions of 32 bits are the faster ones. */
static int are_small(int64_t a, int64_t b)
{
    return ((uint64_t)a | (uint64_t)b) <= UINT32_MAX && b;
}

/* 0: there is a fault, and values are not those of the estimates. */
static int run(const hone_chooser_step *step, const hone_chooser_step *end,
               int64_t *values)
{
    for (; step < end; ++step) {
        const int64_t a = values[step->a];
        const int64_t b = *(step->b == HONE_CHOOSER_NUMBER ? &step->number
                                                           : &values[step->b]);
        int64_t *const to = &values[step->to];

        switch (step->op) {
        /* clang-format off */
        case HONE_CHOOSER_MOVE: *to = b; continue;
        case HONE_OP_MAX:  *to = a > b ? a : b; continue;
        case HONE_OP_MIN:  *to = a < b ? a : b; continue;
        case HONE_OP_NE:   *to = a != b; continue;
        case HONE_OP_BOOL: *to = a != 0; continue;
        case HONE_OP_JUMP: step += b; continue;
        case HONE_OP_JUMP_IF_ZERO:
        case HONE_OP_JUMP_IF_ZERO_KEEP: step += a ? 0 : b; continue;
        case HONE_OP_JUMP_IF_SET_KEEP:  step += a ? b : 0; continue;
        case HONE_OP_ADD:
            if (!__builtin_add_overflow(a, b, to)) continue;
            return 0;
        case HONE_OP_SUB:
            if (!__builtin_sub_overflow(a, b, to)) continue;
            return 0;
        case HONE_OP_MUL:
            if (!__builtin_mul_overflow(a, b, to)) continue;
            return 0;
        case HONE_OP_DIV:
            if (!are_small(a, b)) break;
            *to = (uint32_t)a / (uint32_t)b;
            continue;
        case HONE_OP_MOD:
            if (!are_small(a, b)) break;
            *to = (uint32_t)a % (uint32_t)b;
            continue;
        case HONE_OP_CEILDIV:
            if (!are_small(a, b)) break;
            *to = (uint32_t)a / (uint32_t)b + ((uint32_t)a % (uint32_t)b > 0);
            continue;
        default: break;
            /* clang-format on */
        }
        if (step->op >= HONE_OP_ADD ? hone__op_binary(step->op, a, b, to)
                                    : hone__op_unary(step->op, a, to))
            return 0;
    }
    return 1;
}

/* Estimates from `from` to `end`, all of which have those in front that they
 * read. One without a value is 0, as a let of a template that is searched. */
static void evaluate(const hone_chooser *c, const hone_chooser_model *m,
                     size_t from, size_t end, int64_t *values)
{
    if (run(&m->steps[m->steps_begin[from]], &m->steps[m->steps_begin[end]],
            values))
        return;
    for (; from < end; ++from)
        if (hone__expr_eval(c->estimates[from].expr, values,
                            &values[HONE_MAX_DIMS + from], NULL))
            values[HONE_MAX_DIMS + from] = 0;
}

void hone__chooser_bases(const hone_chooser *chooser,
                         const hone_chooser_model *m,
                         const hone_launch_case *plan,
                         const hone_chooser_asked *asked, double *out)
{
    const double base = base_of_operation(chooser, plan);
    int64_t values[HONE_CHOOSER_VALUES];
    unsigned char has_value[HONE_CHOOSER_ESTIMATES + 1];

    values[HONE_CHOOSER_NUMBER] = 0; /* read, and not used */
    memset(has_value, 0, chooser->n_estimates + 1);
    memcpy(values, plan->dims, chooser->n_dims * sizeof *values);
    for (size_t k = 0; k < asked->n; ++k) {
        const size_t j = asked->members[k];
        const size_t cost = chooser->members[j].cost;
        size_t at = j ? m->needs_end[j - 1] : 0;

        while (at < m->needs_end[j]) {
            const size_t from = m->needs[at];
            size_t end = from;

            while (at < m->needs_end[j] && m->needs[at] == end &&
                   !has_value[end]) {
                has_value[end++] = 1;
                ++at;
            }
            if (end > from)
                evaluate(chooser, m, from, end, values);
            else
                ++at;
        }
        out[j] = cost ? log((double)values[HONE_MAX_DIMS + cost - 1]) : base;
    }
}
