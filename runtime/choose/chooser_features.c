/* SPDX-License-Identifier: Apache-2.0 */
/* What a chooser knows of dims: features, and the operation's work. */
#include "runtime/choose/chooser_model.h"

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
size_t hone__chooser_features(const hone_chooser *chooser,
                              const hone_launch_spec *spec, const int64_t *dims,
                              double *out, size_t stride)
{
    int64_t derived[HONE_MAX_DIMS];
    size_t n = 0;

    hone__launch_spec_derived(spec, dims, derived);
    for (size_t kind = 0; kind < HONE_N_CHOOSER_FEATURES; ++kind) {
        for (size_t i = 0; i < chooser->n_dims; ++i) {
            const double weight = chooser->weights[kind][i];
            double value = 0;

            if (!(weight > 0))
                continue;
            if (derived[i] != dims[i])
                value = value_of(kind, dims[i]) -
                        (derived[i] >= 0 ? value_of(kind, derived[i]) : 0);
            out[n++ * stride] = weight * value;
        }
    }
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

void hone__chooser_bases(const hone_chooser *chooser,
                         const hone_launch_case *plan, double *out)
{
    const double base = base_of_operation(chooser, plan);
    int64_t slots[HONE_MAX_DIMS + HONE_CHOOSER_ESTIMATES];

    memcpy(slots, plan->dims, chooser->n_dims * sizeof *slots);
    for (size_t i = 0; i < chooser->n_estimates; ++i)
        if (hone__expr_eval(chooser->estimates[i], slots,
                            &slots[HONE_MAX_DIMS + i], NULL) != HONE_OK)
            slots[HONE_MAX_DIMS + i] =
                0; /* as a let of a template that is searched */
    for (size_t j = 0; j < chooser->n_members; ++j) {
        const size_t cost = chooser->members[j].cost;

        out[j] = cost ? log((double)slots[HONE_MAX_DIMS + cost - 1]) : base;
    }
}
