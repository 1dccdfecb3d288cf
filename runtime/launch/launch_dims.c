/* SPDX-License-Identifier: Apache-2.0 */
/* The dims of a launch plan: which have their defaults, and whether all of them
 * are allowed. See launch_spec.h. */
#include "runtime/launch/launch_resolver.h"

#include "runtime/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of an operation in a message, which may be cut. */
enum { SIGNATURE_BYTES = 384 };

/* "gemm_f16(M, N, K, T = f32)" */
static void format_signature(const hone_launch_spec *spec, char *out,
                             size_t size_bytes)
{
    hone_text text = {0};

    hone__text_printf(&text, "%s(", spec->op);
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const spec_dim *dim = &spec->dims[i];

        hone__text_printf(&text, "%s%s", i ? ", " : "", dim->name);
        if (dim->default_expr)
            hone__text_printf(&text, " = %s",
                              hone__expr_text(dim->default_expr));
        else if (dim->default_value && dim->is_type)
            hone__text_printf(&text, " = %s",
                              hone__type_name((hone_type)dim->default_value));
        else if (hone__dim_has_default(dim))
            hone__text_printf(&text, " = %" PRId64, dim->default_value);
    }
    hone__text_puts(&text, ")");
    (void)snprintf(out, size_bytes, "%s", hone__text_str(&text));
    hone__text_free(&text);
}

/* The default of dim `i` where those before it are `dims`. `why` it has no
 * value; it may have one below 1. */
static hone_status eval_default(const hone_launch_spec *spec, size_t i,
                                const int64_t *dims, int64_t *out,
                                hone_error *why)
{
    const hone_expr *expr = spec->dims[i].default_expr;
    int64_t slots[SLOT_LETS] = {0};

    *out = spec->dims[i].default_value;
    if (!expr)
        return HONE_OK;
    memcpy(slots + SLOT_DIMS, dims, i * sizeof *dims);
    return hone__expr_eval(expr, slots, out, why);
}

static int is_allowed(const spec_dim *dim, int64_t value)
{
    if (dim->is_type)
        return value >= 1 && value <= INT32_MAX &&
               hone__type_size_bytes((hone_type)value);
    return value >= 0;
}

static hone_status refuse_count(const hone_launch_spec *spec, size_t n_dims,
                                hone_error *err)
{
    char signature[SIGNATURE_BYTES];

    format_signature(spec, signature, sizeof signature);
    if (spec->n_mandatory == spec->n_dims)
        return hone__fail(err, HONE_ERR_DIMS, "%s takes %zu dims, not %zu",
                          signature, spec->n_mandatory, n_dims);
    return hone__fail(err, HONE_ERR_DIMS, "%s takes %zu to %zu dims, not %zu",
                      signature, spec->n_mandatory, spec->n_dims, n_dims);
}

static hone_status refuse_value(const hone_launch_spec *spec,
                                const spec_dim *dim, int64_t value,
                                hone_error *err)
{
    char signature[SIGNATURE_BYTES];

    format_signature(spec, signature, sizeof signature);
    if (value == HONE_DIM_DEFAULT)
        return hone__fail(err, HONE_ERR_DIMS, "dim %s of %s has no default",
                          dim->name, signature);
    if (dim->is_type)
        return hone__fail(err, HONE_ERR_DIMS,
                          "dim %s of %s is an element type; %" PRId64
                          " is not the code of one",
                          dim->name, signature, value);
    return hone__fail(err, HONE_ERR_DIMS,
                      "dim %s of %s is %" PRId64 "; sizes are 0 or more",
                      dim->name, signature, value);
}

/* Is the expression, which may be left out, known to be 0? */
static int is_zero(hone_partial *partial, const hone_expr *expr)
{
    int64_t value = 1;

    return expr && hone__partial_knows(partial, expr) &&
           hone__expr_eval(expr, partial->resolver.slots, &value, NULL) ==
               HONE_OK &&
           value == 0;
}

/* Where sizes are 0, lets and counts of arrays that do not matter may divide by
 * them: what cannot be evaluated is not known to be empty. */
static int writes_nothing(const hone_launch_case *plan)
{
    const hone_launch_spec *spec = plan->spec;
    hone_partial partial;

    hone__partial_fill(&partial, spec, plan->properties, plan->dims, NULL);
    for (size_t i = 0; i < spec->n_args; ++i) {
        const spec_arg *arg = &spec->args[i];

        if ((arg->mode == HONE_ARG_OUT || arg->mode == HONE_ARG_INOUT) &&
            !is_zero(&partial, arg->given) && !is_zero(&partial, arg->count))
            return 0;
    }
    return 1;
}

hone_status hone__launch_case_check_sizes(const hone_launch_case *plan,
                                          int *out_is_nothing, hone_error *err)
{
    const hone_launch_spec *spec = plan->spec;
    const spec_dim *refused = NULL;
    char signature[SIGNATURE_BYTES];
    int any = 0;

    *out_is_nothing = 0;
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const int is_empty =
            !hone__dim_is_fixed(&spec->dims[i]) && plan->dims[i] == 0;

        any |= is_empty;
        if (is_empty && !refused && !spec->dims[i].from_zero)
            refused = &spec->dims[i];
    }
    *out_is_nothing = any && writes_nothing(plan);
    if (*out_is_nothing || !refused)
        return HONE_OK;
    format_signature(spec, signature, sizeof signature);
    return hone__fail(err, HONE_ERR_DIMS,
                      "dim %s of %s is 0; sizes are 1 or more, but where that "
                      "leaves nothing to write",
                      refused->name, signature);
}

static hone_status refuse_default(const hone_launch_spec *spec,
                                  const spec_dim *dim, int64_t value,
                                  const hone_error *why, hone_error *err)
{
    char signature[SIGNATURE_BYTES];
    /* A damaged plan has a type as default that the dim does not take. */
    const char *const text =
        dim->default_expr ? hone__expr_text(dim->default_expr) : "a type";

    format_signature(spec, signature, sizeof signature);
    if (why->status != HONE_OK)
        return hone__fail(err, HONE_ERR_DIMS,
                          "dim %s of %s is not given, and its default '%s' has "
                          "no value here: %.200s",
                          dim->name, signature, text, why->text);
    return hone__fail(err, HONE_ERR_DIMS,
                      "dim %s of %s is not given, and its default '%s' is "
                      "%" PRId64 " here; sizes are 0 or more",
                      dim->name, signature, text, value);
}

hone_status hone__launch_spec_complete_dims(const hone_launch_spec *spec,
                                            const int64_t *dims, size_t n_dims,
                                            int64_t *out_dims, hone_error *err)
{
    hone_error why = {0};

    if (n_dims < spec->n_mandatory || n_dims > spec->n_dims)
        return refuse_count(spec, n_dims, err);
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const spec_dim *dim = &spec->dims[i];
        const int is_given = i < n_dims && dims[i] != HONE_DIM_DEFAULT;

        if (is_given || !hone__dim_has_default(dim)) {
            out_dims[i] = dims[i];
            if (!is_allowed(dim, dims[i]))
                return refuse_value(spec, dim, dims[i], err);
        } else if (eval_default(spec, i, out_dims, &out_dims[i], &why) !=
                       HONE_OK ||
                   !is_allowed(dim, out_dims[i])) {
            return refuse_default(spec, dim, out_dims[i], &why, err);
        }
    }
    return HONE_OK;
}

unsigned hone__launch_spec_defaults(const hone_launch_spec *spec,
                                    const int64_t *dims)
{
    unsigned mask = 0;

    for (size_t i = 0; i < spec->n_dims; ++i) {
        int64_t value;

        if (hone__dim_has_default(&spec->dims[i]) &&
            eval_default(spec, i, dims, &value, NULL) == HONE_OK &&
            value == dims[i])
            mask |= 1u << i;
    }
    return mask;
}
