/* SPDX-License-Identifier: Apache-2.0 */
/* Problem dimensions of a template: checking, completing, labelling; and
 * values of parameters as text. */
#include "gen/parse/dims.h"
#include "runtime/base/device_properties.h"
#include "runtime/base/type.h"

#include <string.h>

hone_text hone__dims_sentence(const hone_template *tmpl)
{
    hone_text out = {0};

    hone__text_printf(&out, "%s(", tmpl->op);
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        hone__text_printf(&out, "%s%s", i ? ", " : "", tmpl->dims[i].name);
    hone__text_puts(&out, "): ");
    return out;
}

void hone__template_dim_text(const hone_template_dim *dim, int64_t value,
                             hone_text *out)
{
    if (dim->n_types && !dim->is_choice)
        hone__text_puts(out, hone__type_name((hone_type)value));
    else
        hone__text_printf(out, "%lld", (long long)value);
}

/* "M", "T in {f16, f32} default f16" */
static void put_dim(const hone_template_dim *dim, hone_text *out)
{
    hone__text_puts(out, dim->name);
    for (size_t i = 0; i < dim->n_types; ++i) {
        hone__text_puts(out, i ? ", " : " in {");
        hone__template_dim_text(dim, dim->types[i], out);
    }
    hone__text_puts(out, dim->n_types ? "}" : dim->from_zero ? " from 0" : "");
    if (hone__dim_is_mandatory(dim))
        return;
    hone__text_puts(out, " default ");
    if (dim->default_expr.expr)
        hone__text_puts(out, hone__expr_text(dim->default_expr.expr));
    else
        hone__template_dim_text(dim, dim->default_value, out);
}

const char *hone__template_kind(const hone_template *tmpl)
{
    return tmpl->call           ? "vendor"
           : tmpl->is_reference ? "reference"
                                : "template";
}

const char *hone__template_name(const hone_template *tmpl)
{
    const char *slash = strrchr(tmpl->path, '/');

    if (tmpl->contract_path)
        return tmpl->implementation;
    return slash ? slash + 1 : tmpl->path;
}

void hone__template_signature(const hone_template *tmpl, hone_text *out)
{
    hone__text_printf(out, "%s(", tmpl->op);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        hone__text_puts(out, i ? ", " : "");
        put_dim(&tmpl->dims[i], out);
    }
    hone__text_puts(out, ")");
}

void hone__template_arguments(const hone_template *tmpl, hone_text *out)
{
    static const char *const modes[] = {[HONE_ARG_SCALAR] = "",
                                        [HONE_ARG_IN] = "in ",
                                        [HONE_ARG_OUT] = "out ",
                                        [HONE_ARG_INOUT] = "inout "};

    for (size_t i = 0; i < tmpl->n_args; ++i) {
        const hone_template_arg *arg = &tmpl->args[i];

        hone__text_printf(out, "%s%s: %s%s", i ? ", " : "", arg->name,
                          modes[arg->mode], hone__expr_text(arg->type.expr));
        for (size_t k = 0; k < arg->shape.rank; ++k)
            hone__text_printf(out, "[%s]",
                              hone__expr_text(arg->shape.extents[k].expr));
    }
}

hone_status hone__dims_refuse_count(const hone_template *tmpl, size_t n_dims,
                                    hone_error *err)
{
    hone_text sentence = hone__dims_sentence(tmpl);
    size_t n_mandatory = 0;

    while (n_mandatory < tmpl->n_dims &&
           hone__dim_is_mandatory(&tmpl->dims[n_mandatory]))
        ++n_mandatory;
    hone__text_printf(&sentence, "takes %zu", n_mandatory);
    if (n_mandatory < tmpl->n_dims)
        hone__text_printf(&sentence, " to %zu", tmpl->n_dims);
    hone__text_printf(&sentence, " dimension%s, but %zu %s given",
                      tmpl->n_dims == 1 ? "" : "s", n_dims,
                      n_dims == 1 ? "was" : "were");
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

static int is_allowed(const hone_template_dim *dim, int64_t value)
{
    if (!dim->n_types)
        return value >= !dim->from_zero;
    for (size_t i = 0; i < dim->n_types; ++i) {
        if (dim->types[i] == value)
            return 1;
    }
    return 0;
}

enum { MOST_SHOWN = 13 }; /* so many types there are */

hone_status hone__dims_refuse_kind(const hone_template *tmpl,
                                   const hone_template_dim *dim,
                                   const char *word, size_t length,
                                   hone_error *err)
{
    hone_text sentence = hone__dims_sentence(tmpl);

    hone__text_printf(&sentence, "the dimension %s is %s", dim->name,
                      !dim->n_types    ? "an integer"
                      : dim->is_choice ? "one of a few numbers,"
                                       : "an element type,");
    for (size_t i = 0; i < dim->n_types; ++i) {
        if (dim->n_types > MOST_SHOWN && i > 2 && i + 1 < dim->n_types)
            continue;
        hone__text_puts(&sentence, i ? " or " : " ");
        if (dim->n_types > MOST_SHOWN && i > 2)
            hone__text_puts(&sentence, ".. or ");
        hone__template_dim_text(dim, dim->types[i], &sentence);
    }
    if (word)
        hone__text_printf(&sentence, ", not '%.*s'", (int)length, word);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

static hone_status refuse_value(const hone_template *tmpl,
                                const hone_template_dim *dim, int64_t value,
                                hone_error *err)
{
    hone_text sentence;

    if (dim->n_types)
        return hone__dims_refuse_kind(tmpl, dim, NULL, 0, err);
    sentence = hone__dims_sentence(tmpl);
    hone__text_printf(&sentence,
                      "the dimension %s must be at least %d, not %lld",
                      dim->name, !dim->from_zero, (long long)value);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

static hone_status refuse_missing(const hone_template *tmpl, size_t i,
                                  hone_error *err)
{
    hone_text sentence = hone__dims_sentence(tmpl);

    hone__text_printf(&sentence,
                      "the dimension %s has no default, and is not given",
                      tmpl->dims[i].name);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

/* An expression that is no size there: `why` it has no value, or NULL. */
static hone_status refuse_default(const hone_template *tmpl, size_t i,
                                  int64_t value, const char *why,
                                  hone_error *err)
{
    const hone_template_dim *dim = &tmpl->dims[i];
    hone_text sentence = hone__dims_sentence(tmpl);

    hone__text_printf(&sentence,
                      "the dimension %s is not given, and its "
                      "default '%s' ",
                      dim->name, hone__expr_text(dim->default_expr.expr));
    if (why)
        hone__text_printf(&sentence, "has no value here: %s", why);
    else
        hone__text_printf(&sentence, "is %lld here; a dimension is at least %d",
                          (long long)value, !dim->from_zero);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

hone_status hone__template_default_dim(const hone_template *tmpl, size_t i,
                                       const int64_t *dims, int64_t *out,
                                       hone_error *err)
{
    const hone_expr *expr = tmpl->dims[i].default_expr.expr;
    int64_t slots[HONE_N_PROPERTIES + HONE_MAX_DIMS] = {0};
    hone_error why = {0};
    hone_status status;

    *out = tmpl->dims[i].default_value;
    if (!expr)
        return HONE_OK;
    memcpy(slots + tmpl->slots.dims, dims, i * sizeof *dims);
    status = hone__expr_eval(expr, slots, out, &why);
    if (status == HONE_OK && *out >= !tmpl->dims[i].from_zero)
        return HONE_OK;
    return refuse_default(tmpl, i, *out, status ? why.text : NULL, err);
}

int hone__template_dim_follows(const hone_template *tmpl, size_t i,
                               const int64_t *dims)
{
    int64_t value;

    return tmpl->dims[i].default_expr.expr &&
           hone__template_default_dim(tmpl, i, dims, &value, NULL) == HONE_OK &&
           value == dims[i];
}

int hone__template_dim_is_scale(const hone_template_dim *dim)
{
    enum { FEW_CHOICES = 3 };

    if (!dim->is_choice || dim->n_types <= FEW_CHOICES)
        return 0;
    for (size_t i = 0; i < dim->n_types; ++i)
        if (dim->types[i] < 1) /* flags, of which none may be set */
            return 0;
    return 1;
}

void hone__template_usual_dims(const hone_template *tmpl, int sizes_by_default,
                               int64_t *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (dim->default_expr.expr) {
            if (hone__template_default_dim(tmpl, i, out, &out[i], NULL))
                out[i] = 1;
            continue;
        }
        out[i] = dim->n_types || sizes_by_default ? dim->default_value : 0;
        if (!out[i] && !dim->is_choice)
            out[i] = dim->n_types ? dim->types[0] : 1;
    }
}

hone_status hone__template_complete_dims(const hone_template *tmpl,
                                         const int64_t *dims, size_t n_dims,
                                         int64_t out_dims[HONE_MAX_DIMS],
                                         hone_error *err)
{
    if (n_dims > tmpl->n_dims)
        return hone__dims_refuse_count(tmpl, n_dims, err);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (i < n_dims && dims[i] != HONE_DIM_DEFAULT) {
            out_dims[i] = dims[i];
            if (!is_allowed(dim, dims[i]))
                return refuse_value(tmpl, dim, dims[i], err);
        } else if (hone__dim_is_mandatory(dim)) {
            return i < n_dims ? refuse_missing(tmpl, i, err)
                              : hone__dims_refuse_count(tmpl, n_dims, err);
        } else {
            HONE_TRY(hone__template_default_dim(tmpl, i, out_dims, &out_dims[i],
                                                err));
        }
    }
    return HONE_OK;
}

void hone__template_known_dims(const hone_template *tmpl, const int64_t *dims,
                               int with_sizes, int64_t *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        out[i] =
            with_sizes || tmpl->dims[i].n_types ? dims[i] : HONE_DIM_DEFAULT;
}

void hone__template_label_dims(const hone_template *tmpl, const int64_t *dims,
                               hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (hone__template_dim_follows(tmpl, i, dims))
            continue;
        hone__text_printf(out, "%s%s=", i ? " " : "", tmpl->dims[i].name);
        hone__template_dim_text(&tmpl->dims[i], dims[i], out);
    }
}

void hone__template_value_text(const hone_template *tmpl,
                               const hone_param *param, int64_t value,
                               hone_text *out)
{
    switch (param->kind) {
    case HONE_PARAM_BOOL:
        hone__text_puts(out, value ? "true" : "false");
        break;
    case HONE_PARAM_TYPE:
        hone__text_puts(out, hone__type_name((hone_type)value));
        break;
    case HONE_PARAM_ENUM:
        hone__text_puts(out,
                        value >= 1000 && (size_t)value - 1000 < tmpl->n_symbols
                            ? tmpl->symbols[value - 1000]
                            : "?");
        break;
    case HONE_PARAM_REAL:
        hone__real_text(hone__real_of_bits(value), out);
        break;
    case HONE_PARAM_INT:
        hone__text_printf(out, "%lld", (long long)value);
        break;
    }
}
