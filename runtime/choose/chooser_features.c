/* SPDX-License-Identifier: Apache-2.0 */
/* What a chooser knows of dims: features, and the operation's work. */
#include "runtime/choose/chooser_model.h"

#include "runtime/base/grow.h"
#include "runtime/launch/launch_body.h"

#include <math.h>
#include <string.h>

/* log2 of the largest of 16, 8, 4, 2, 1 that divides it. */
static double alignment(int64_t size)
{
    return (double)__builtin_ctzll((uint64_t)size | 16);
}

static double value_of(size_t kind, int64_t size)
{
    if (kind == HONE_CHOOSER_alignment)
        return alignment(size);
    return log(size > 1 ? (double)size : 1) / log(2);
}

/* Of a dim that follows others by default it counts how far it is from that:
 * all else the others say. */
void hone__chooser_values(size_t n_dims, const hone_launch_spec *spec,
                          const int64_t *dims, double *out)
{
    int64_t derived[HONE_MAX_DIMS];

    hone__launch_spec_derived(spec, dims, derived);
    for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind)
        for (size_t i = 0; i < n_dims; ++i, ++out) {
            *out = 0;
            if (derived[i] != dims[i])
                *out = value_of(kind, dims[i]) -
                       (derived[i] >= 0 ? value_of(kind, derived[i]) : 0);
        }
}

size_t hone__chooser_features(const hone_chooser *chooser, const double *values,
                              double *out, size_t stride)
{
    size_t n = 0;

    for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind)
        for (size_t i = 0; i < chooser->n_dims; ++i, ++values)
            if (chooser->weights[kind][i] > 0)
                out[n++ * stride] = chooser->weights[kind][i] * *values;
    return n;
}

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
    return HONE_OK;
}

void hone__chooser_bases(const hone_chooser *chooser,
                         const hone_chooser_model *m,
                         const hone_launch_case *plan, const float *asked,
                         double *out)
{
    const double base = base_of_operation(chooser, plan);
    int64_t slots[HONE_MAX_DIMS + HONE_CHOOSER_ESTIMATES];
    int64_t *const values = slots + HONE_MAX_DIMS;
    unsigned char has_value[HONE_CHOOSER_ESTIMATES];
    size_t at = 0;

    memset(has_value, 0, chooser->n_estimates);
    memcpy(slots, plan->dims, chooser->n_dims * sizeof *slots);
    for (size_t j = 0; j < chooser->n_members; at = m->needs_end[j++]) {
        if (asked && !(asked[j] > 0))
            continue;
        out[j] = base;
        for (; at < m->needs_end[j]; ++at) {
            const size_t i = m->needs[at];

            if (!has_value[i] && hone__expr_eval(chooser->estimates[i].expr,
                                                 slots, &values[i], NULL))
                values[i] = 0; /* as a let of a template that is searched */
            has_value[i] = 1;
        }
        if (chooser->members[j].cost)
            out[j] = log((double)values[chooser->members[j].cost - 1]);
    }
}
