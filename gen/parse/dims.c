/* SPDX-License-Identifier: Apache-2.0 */
/* Problem dimensions of a template: checking, reading, labelling; and values
 * of parameters as text. */
#include "gen/parse/template.h"
#include "runtime/base/type.h"

#include <ctype.h>
#include <string.h>

/* The beginning of a sentence: "gemm_f16(M, N, K): ". */
static hone_text signature_of(const hone_template *tmpl)
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
    hone__text_puts(out, dim->n_types ? "}" : "");
    if (dim->default_value || dim->is_choice) {
        hone__text_puts(out, " default ");
        hone__template_dim_text(dim, dim->default_value, out);
    }
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

static int is_mandatory(const hone_template_dim *dim)
{
    return !dim->is_choice && !dim->default_value;
}

static hone_status refuse_count(const hone_template *tmpl, size_t n_dims,
                                hone_error *err)
{
    hone_text sentence = signature_of(tmpl);
    size_t n_mandatory = 0;

    while (n_mandatory < tmpl->n_dims && is_mandatory(&tmpl->dims[n_mandatory]))
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
        return value >= 1;
    for (size_t i = 0; i < dim->n_types; ++i) {
        if (dim->types[i] == value)
            return 1;
    }
    return 0;
}

enum { MOST_SHOWN = 13 }; /* so many types there are */

/* "the dimension T is an element type, f32 or f64"; and what it is not, where
 * there is such a word. */
static hone_status refuse_kind(const hone_template *tmpl,
                               const hone_template_dim *dim, const char *word,
                               size_t length, hone_error *err)
{
    hone_text sentence = signature_of(tmpl);

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
        return refuse_kind(tmpl, dim, NULL, 0, err);
    sentence = signature_of(tmpl);
    hone__text_printf(&sentence,
                      "the dimension %s must be at least 1, not %lld",
                      dim->name, (long long)value);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

hone_status hone__template_complete_dims(const hone_template *tmpl,
                                         const int64_t *dims, size_t n_dims,
                                         int64_t out_dims[HONE_MAX_DIMS],
                                         hone_error *err)
{
    if (n_dims > tmpl->n_dims)
        return refuse_count(tmpl, n_dims, err);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (i >= n_dims && is_mandatory(&tmpl->dims[i]))
            return refuse_count(tmpl, n_dims, err);
        out_dims[i] = i < n_dims ? dims[i] : tmpl->dims[i].default_value;
        if (!is_allowed(&tmpl->dims[i], out_dims[i]))
            return refuse_value(tmpl, &tmpl->dims[i], out_dims[i], err);
    }
    return HONE_OK;
}

/* A type has its name, or its code as the library and the database have it;
 * where the dimension is a number, a type's name is a mistake. */
static int is_of_kind(const hone_template_dim *dim, const char *word,
                      size_t length)
{
    const int wants_type = dim->n_types && !dim->is_choice;
    size_t n_types = 0, n_names = 0;

    for (size_t i = 0; i < length;) {
        size_t n = 0;

        while (i + n < length &&
               (isalnum((unsigned char)word[i + n]) || word[i + n] == '_'))
            ++n;
        n_names += n > 0;
        n_types += n > 0 && hone__type_find(word + i, n) != 0;
        i += n ? n : 1;
    }
    return wants_type ? n_types <= 1 && n_names == 1 : n_types == 0;
}

static hone_status parse_one(const hone_template *tmpl,
                             const hone_template_dim *dim, const char *word,
                             size_t length, int64_t *out, hone_error *err)
{
    hone_expr *expr = NULL;
    hone_text sentence;
    hone_status status =
        hone__expr_compile(word, length, NULL, NULL, &expr, NULL, NULL);

    if (!status)
        status = hone__expr_eval(expr, NULL, out, NULL);
    hone__expr_free(expr);
    if (!status && dim && !is_of_kind(dim, word, length))
        return refuse_kind(tmpl, dim, word, length, err);
    if (!status)
        return HONE_OK;
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "out of memory");
    sentence = signature_of(tmpl);
    hone__text_printf(&sentence,
                      "'%.*s' is not a dimension; give integers (4096, 4K, 1M) "
                      "or element types (f32), separated by commas",
                      (int)length, word);
    return hone__text_fail(&sentence, HONE_ERR_DIMS, err);
}

hone_status hone__template_parse_dims(const hone_template *tmpl,
                                      const char *text,
                                      int64_t out_dims[HONE_MAX_DIMS],
                                      hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS] = {0};
    size_t n = 0;

    if (!text[strspn(text, " ")])
        return hone__template_complete_dims(tmpl, dims, 0, out_dims, err);
    for (;;) {
        const size_t length = strcspn(text, ",");

        if (n == HONE_MAX_DIMS)
            return refuse_count(tmpl, n + 1, err);
        HONE_TRY(parse_one(tmpl, n < tmpl->n_dims ? &tmpl->dims[n] : NULL, text,
                           length, &dims[n], err));
        ++n;
        if (!text[length])
            break;
        text += length + 1;
    }
    return hone__template_complete_dims(tmpl, dims, n, out_dims, err);
}

void hone__template_known_dims(const hone_template *tmpl, const int64_t *dims,
                               int with_sizes, int64_t *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        out[i] = with_sizes || tmpl->dims[i].n_types ? dims[i] : 0;
}

size_t hone__template_count_dims(const char *text)
{
    size_t n = text[strspn(text, " ")] != '\0';

    for (; *text; ++text)
        n += *text == ',';
    return n;
}

void hone__template_label_dims(const hone_template *tmpl, const int64_t *dims,
                               hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
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
