/* SPDX-License-Identifier: Apache-2.0 */
/* What a configuration comes to: the value vector of a variant; its parameters
 * as C++, each a constexpr value, type or enumeration for the code and a macro
 * that starts with HONE_ for #if; and the options as NVRTC spells them. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "gen/parse/body.h"
#include "runtime/base/alloc.h"
#include "runtime/base/type.h"

hone_status hone__values_eval(const hone_template *tmpl,
                              const hone_template_expr *expr,
                              const hone_values *values, int64_t *out,
                              hone_error *err)
{
    hone_error inner = {0};
    hone_status status;
    size_t slot;

    /* What it lacks says itself why it has no value. */
    while ((status = hone__expr_eval_known(expr->expr, values->slots,
                                           values->lacks, out, &slot,
                                           &inner)) == HONE_ERR_NOT_FOUND)
        expr = &tmpl->lets[slot - tmpl->slots.lets].value;
    return status ? hone__fail(err, status, "%s:%d:%d: %s",
                               HONE_PLACE(tmpl, expr->line), expr->column,
                               inner.text)
                  : HONE_OK;
}

int hone__values_is_fixed(const hone_template_expr *expr)
{
    return !expr->reads_dims && !expr->reads_properties;
}

hone_status hone__values_create(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                hone_values *out, hone_error *err)
{
    const size_t n_slots = tmpl->body->n_slots;
    int64_t *slots = hone__alloc(n_slots * sizeof *slots);
    hone_status status = HONE_OK;

    *out = (hone_values){slots, hone__alloc(n_slots)};
    if (!slots || !out->lacks) {
        hone__values_free(out);
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (tmpl->dims[i].n_types)
            slots[tmpl->slots.dims + i] = dims[i];
    }
    for (size_t i = 0; i < tmpl->n_params; ++i)
        slots[tmpl->slots.params + i] = config[i];
    for (size_t i = 0; !status && i < tmpl->n_lets; ++i) {
        const hone_template_expr *value = &tmpl->lets[i].value;

        const size_t slot = tmpl->slots.lets + i;

        if (!hone__values_is_fixed(value))
            continue;
        status = hone__values_eval(tmpl, value, out, &slots[slot], err);
        out->lacks[slot] = status != HONE_OK;
        if (!tmpl->mentioned[tmpl->n_params + i])
            status = HONE_OK;
    }
    if (status)
        hone__values_free(out);
    return status;
}

void hone__values_free(hone_values *values)
{
    hone__free(values->slots);
    hone__free(values->lacks);
    *values = (hone_values){0};
}

/* ---- as C++ -------------------------------------------------------------- */

static void write_number(int64_t value, hone_text *out)
{
    /* The smallest one cannot be written as one literal in C++. */
    if (value == INT64_MIN)
        hone__text_puts(out, "(-9223372036854775807LL - 1)");
    else
        hone__text_printf(out, "%s%lld%s%s", value < 0 ? "(" : "",
                          (long long)value, value == (int)value ? "" : "LL",
                          value < 0 ? ")" : "");
}

static void write_real(int64_t bits, hone_text *out)
{
    hone__text_puts(out, bits < 0 ? "(" : "");
    hone__real_text(hone__real_of_bits(bits), out);
    hone__text_puts(out, bits < 0 ? ")" : "");
}

/* What has a value of its own: a constant, or a macro. */
static void write_value(const char *name, hone_param_kind kind, int64_t value,
                        int as_macro, hone_text *out)
{
    if (as_macro)
        hone__text_printf(out, "#define HONE_%s ", name);
    else
        hone__text_printf(out, "[[maybe_unused]] constexpr %s %s = ",
                          kind == HONE_PARAM_REAL   ? "double"
                          : kind == HONE_PARAM_BOOL ? "bool"
                          : value == (int)value     ? "int"
                                                    : "long long",
                          name);
    if (kind == HONE_PARAM_REAL)
        write_real(value, out);
    else if (kind == HONE_PARAM_BOOL && !as_macro)
        hone__text_puts(out, value ? "true" : "false");
    else
        write_number(value, out);
    hone__text_puts(out, as_macro ? "\n" : ";\n");
}

static void write_type(const char *name, const int64_t *types, size_t n_types,
                       int64_t value, int as_macro, hone_text *out)
{
    if (!as_macro) {
        hone__text_printf(out, "using %s = %s;\n", name,
                          hone__type_cpp((hone_type)value));
        return;
    }
    for (size_t i = 0; i < n_types; ++i)
        hone__text_printf(out, "#define HONE_%s_%s %lld\n", name,
                          hone__type_name((hone_type)types[i]),
                          (long long)types[i]);
    write_value(name, HONE_PARAM_INT, value, 1, out);
}

static void write_enum(const hone_template *tmpl, const hone_param *param,
                       int64_t value, int as_macro, hone_text *out)
{
    const char *name = param->name;

    if (!as_macro)
        hone__text_printf(out, "enum class %s_values : int {", name);
    for (size_t i = 0; i < param->n_values; ++i) {
        const char *symbol = tmpl->symbols[param->values[i] - 1000];

        if (!as_macro)
            hone__text_printf(out, "%s%s", i ? ", " : " ", symbol);
        else
            hone__text_printf(out, "#define HONE_%s_%s %zu\n", name, symbol, i);
        if (as_macro && param->values[i] == value)
            write_value(name, HONE_PARAM_INT, (int64_t)i, 1, out);
    }
    if (!as_macro)
        hone__text_printf(
            out,
            " };\n[[maybe_unused]] constexpr %s_values %s = %s_values::%s;\n",
            name, name, name, tmpl->symbols[value - 1000]);
}

/* All of them as code, or all as macros. */
static void write_all(const hone_template *tmpl, const int64_t *config,
                      const int64_t *dims, const hone_values *values,
                      int as_macro, hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (dim->is_choice)
            write_value(dim->name, HONE_PARAM_INT, dims[i], as_macro, out);
        else if (dim->n_types)
            write_type(dim->name, dim->types, dim->n_types, dims[i], as_macro,
                       out);
    }
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        const hone_param *param = &tmpl->params[i];

        if (!tmpl->mentioned[i])
            continue;
        if (param->kind == HONE_PARAM_TYPE)
            write_type(param->name, param->values, param->n_values, config[i],
                       as_macro, out);
        else if (param->kind == HONE_PARAM_ENUM)
            write_enum(tmpl, param, config[i], as_macro, out);
        else
            write_value(param->name, param->kind, config[i], as_macro, out);
    }
    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        /* Lets that depend on run-time values have none in the code. */
        if (tmpl->mentioned[tmpl->n_params + i] &&
            hone__values_is_fixed(&tmpl->lets[i].value))
            write_value(tmpl->lets[i].name, HONE_PARAM_INT,
                        values->slots[tmpl->slots.lets + i], as_macro, out);
    }
}

void hone__block_write(const hone_template *tmpl, const int64_t *config,
                       const int64_t *dims, const hone_values *values,
                       hone_text *out)
{
    /* A precompiled header ends at the first line of code. It must come
     * before anything that differs between variants, and before a #line,
     * which NVRTC does not precompile and says so in every log (20283). */
    hone__text_puts(out, "static_assert(true, \"parameters\");\n"
                         "#pragma nv_diag_suppress 20283\n");
    write_all(tmpl, config, dims, values, 0, out);
    hone__text_printf(out, "#define HONE 1\n#define HONE_OP_%s 1\n", tmpl->op);
    write_all(tmpl, config, dims, values, 1, out);
}

/* ---- options ------------------------------------------------------------- */

static hone_status write_option(const hone_template *tmpl,
                                const hone_template_option *option,
                                const hone_values *values, hone_text *out,
                                hone_error *err)
{
    const hone_compiler_option *row = option->row;
    const hone_template_expr *expr = &option->value;
    int64_t value;

    HONE_TRY(hone__values_eval(tmpl, expr, values, &value, err));
    switch (row->kind) {
    case HONE_COMPILER_COUNT:
        if (value < 0 || value > 255)
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s:%d: %s(%s) is %lld, but must be 0 (leave it "
                              "to the compiler) to 255",
                              HONE_PLACE(tmpl, expr->line), row->name,
                              hone__expr_text(expr->expr), (long long)value);
        if (value)
            hone__text_printf(out, "%s=%lld\n", row->spelling,
                              (long long)value);
        break;
    case HONE_COMPILER_CHOICE:
        hone__text_printf(out, "%s=%s\n", row->spelling,
                          value ? "true" : "false");
        break;
    case HONE_COMPILER_FLAG:
        if (value)
            hone__text_printf(out, "%s\n", row->spelling);
        break;
    }
    return HONE_OK;
}

hone_status hone__expand_options(const hone_template *tmpl,
                                 const int64_t *config, const int64_t *dims,
                                 hone_text *out, hone_error *err)
{
    hone_values values;
    hone_status status = hone__values_create(tmpl, config, dims, &values, err);

    /* In the order of the table, which is sorted by spelling. */
    for (size_t r = 0; !status && r < HONE_N_COMPILER_OPTIONS; ++r) {
        for (size_t i = 0; !status && i < tmpl->n_options; ++i) {
            if (tmpl->options[i].row == &hone__compiler_options[r])
                status =
                    write_option(tmpl, &tmpl->options[i], &values, out, err);
        }
    }
    hone__values_free(&values);
    HONE_TRY(status);
    return hone__text_check(out, err);
}
