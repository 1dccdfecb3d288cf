/* SPDX-License-Identifier: Apache-2.0 */
/* The evaluation of a launch plan where not all that it reads is known: sizes
 * of 0 that something divides by, arguments without a device or without dims.
 * See launch_resolver.h and launch_spec.h. */
#include "runtime/launch/launch_resolver.h"

#include <string.h>

int hone__partial_knows(const hone_partial *partial, const hone_expr *expr)
{
    const hone_launch_spec *spec = partial->resolver.spec;

    if (!expr)
        return 1;
    for (size_t i = 0; partial->lacks_properties && i < HONE_N_PROPERTIES; ++i)
        if (hone__expr_reads(expr, i))
            return 0;
    for (size_t i = 0; partial->lacks_dims && i < spec->n_dims; ++i)
        if (hone__expr_reads(expr, SLOT_DIMS + i))
            return 0;
    for (size_t i = 0; i < spec->n_lets; ++i)
        if (partial->lacks_let[i] && hone__expr_reads(expr, SLOT_LETS + i))
            return 0;
    return 1;
}

void hone__partial_fill(hone_partial *partial, const hone_launch_spec *spec,
                        const hone_properties *properties, const int64_t *dims,
                        hone_error *err)
{
    hone_resolver *r = &partial->resolver;

    memset(partial, 0, sizeof *partial);
    r->spec = spec;
    r->properties = properties;
    partial->lacks_properties = !properties;
    partial->lacks_dims = !dims;
    if (properties)
        memcpy(r->slots, properties, sizeof *properties);
    if (dims)
        memcpy(r->slots + SLOT_DIMS, dims, spec->n_dims * sizeof *dims);
    for (size_t i = 0; i < spec->n_lets; ++i)
        partial->lacks_let[i] =
            !hone__partial_knows(partial, spec->lets[i]) ||
            hone__expr_eval(spec->lets[i], r->slots, &r->slots[SLOT_LETS + i],
                            NULL) != HONE_OK;
    r->err = err;
}

static int knows_size(const hone_partial *partial, const spec_arg *arg)
{
    for (size_t i = 0; i < HONE_MAX_RANK; ++i)
        if (!hone__partial_knows(partial, arg->extents[i]))
            return 0;
    return hone__partial_knows(partial, arg->type) &&
           hone__partial_knows(partial, arg->count) &&
           hone__partial_knows(partial, arg->given);
}

/* An argument whose size depends on what is not known. */
static void describe_unknown(const hone_partial *partial, const spec_arg *arg,
                             hone_resolved_arg *to)
{
    int64_t type = 0;

    if (hone__partial_knows(partial, arg->type) &&
        hone__expr_eval(arg->type, partial->resolver.slots, &type, NULL) ==
            HONE_OK &&
        type > 0 && type <= INT32_MAX)
        to->type = (hone_type)type;
    to->rank = arg->count != NULL;
    for (size_t i = 0; i < HONE_MAX_RANK && arg->extents[i]; ++i)
        to->rank = i + 1;
    to->count = arg->count ? -1 : 1;
    for (size_t i = 0; i < to->rank; ++i)
        to->extents[i] = -1;
}

hone_status hone__launch_spec_describe(const hone_launch_spec *spec,
                                       const int64_t *dims,
                                       hone_resolved_arg *out, hone_error *err)
{
    hone_partial partial;
    int is_nothing = 0;

    if (dims)
        HONE_TRY(hone__launch_case_check_sizes(
            &(hone_launch_case){spec, dims, spec->n_dims, NULL}, &is_nothing,
            err));
    hone__partial_fill(&partial, spec, NULL, dims, err);
    memset(out, 0, spec->n_args * sizeof *out);
    for (size_t i = 0; i < spec->n_args; ++i) {
        const spec_arg *arg = &spec->args[i];
        hone_resolved_arg *to = &out[i];

        to->name = arg->name;
        to->mode = arg->mode;
        to->is_host = arg->host != NULL;
        if (!is_nothing && knows_size(&partial, arg)) {
            HONE_TRY(hone__resolver_arg(&partial.resolver, arg, to));
            continue;
        }
        describe_unknown(&partial, arg, to);
        /* As a plan that launches nothing has them. */
        if (is_nothing && arg->count) {
            to->count = 0;
            memset(to->extents, 0, sizeof to->extents);
        }
    }
    return HONE_OK;
}
