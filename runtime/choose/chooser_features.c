/* SPDX-License-Identifier: Apache-2.0 */
/* What a chooser knows of dims: features. */
#include "runtime/choose/chooser_model.h"

#include "runtime/launch/launch_body.h"

#include <math.h>

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
