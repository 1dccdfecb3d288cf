/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler is given of a configuration: the parameters as C++, each a
 * constexpr value, type or enumeration for the code and a macro that starts
 * with HONE_ for #if; and the options as NVRTC spells them. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "runtime/base/real.h"

#include <limits.h>

static int fits_int(int64_t value)
{
    return value >= INT_MIN && value <= INT_MAX;
}

static void write_number(int64_t value, hone_text *out)
{
    /* The smallest one cannot be written as one literal in C++. */
    if (value == INT64_MIN)
        hone__text_puts(out, "(-9223372036854775807LL - 1)");
    else
        hone__text_printf(out, "%s%lld%s%s", value < 0 ? "(" : "",
                          (long long)value, fits_int(value) ? "" : "LL",
                          value < 0 ? ")" : "");
}

static void write_real(int64_t bits, hone_text *out)
{
    hone__text_puts(out, bits < 0 ? "(" : "");
    hone__real_text(hone__real_of_bits(bits), out);
    hone__text_puts(out, bits < 0 ? ")" : "");
}

static void code_int(const char *name, int64_t value, hone_text *out)
{
    hone__text_printf(out, "[[maybe_unused]] constexpr %s %s = ",
                      fits_int(value) ? "int" : "long long", name);
    write_number(value, out);
    hone__text_puts(out, ";\n");
}

static void code_type(const char *name, int64_t value, hone_text *out)
{
    hone__text_printf(out, "using %s = %s;\n", name,
                      hone__type_cpp((hone_type)value));
}

static void code_enum(const hone_template *tmpl, const hone_param *param,
                      int64_t value, hone_text *out)
{
    const char *name = param->name;

    hone__text_printf(out, "enum class %s_values : int {", name);
    for (size_t i = 0; i < param->n_values; ++i)
        hone__text_printf(out, "%s%s", i ? ", " : " ",
                          tmpl->symbols[param->values[i] - 1000]);
    hone__text_printf(out,
                      " };\n[[maybe_unused]] constexpr %s_values %s = "
                      "%s_values::%s;\n",
                      name, name, name, tmpl->symbols[value - 1000]);
}

static void code_param(const hone_template *tmpl, const hone_param *param,
                       int64_t value, hone_text *out)
{
    switch (param->kind) {
    case HONE_PARAM_INT:
        code_int(param->name, value, out);
        break;
    case HONE_PARAM_BOOL:
        hone__text_printf(out, "[[maybe_unused]] constexpr bool %s = %s;\n",
                          param->name, value ? "true" : "false");
        break;
    case HONE_PARAM_REAL:
        hone__text_printf(
            out, "[[maybe_unused]] constexpr double %s = ", param->name);
        write_real(value, out);
        hone__text_puts(out, ";\n");
        break;
    case HONE_PARAM_ENUM:
        code_enum(tmpl, param, value, out);
        break;
    case HONE_PARAM_TYPE:
        code_type(param->name, value, out);
        break;
    }
}

static void macro_int(const char *name, int64_t value, hone_text *out)
{
    hone__text_printf(out, "#define HONE_%s ", name);
    write_number(value, out);
    hone__text_puts(out, "\n");
}

static void macro_type(const char *name, const int64_t *types, size_t n_types,
                       int64_t value, hone_text *out)
{
    for (size_t i = 0; i < n_types; ++i)
        hone__text_printf(out, "#define HONE_%s_%s %lld\n", name,
                          hone__type_name((hone_type)types[i]),
                          (long long)types[i]);
    macro_int(name, value, out);
}

static void macro_param(const hone_template *tmpl, const hone_param *param,
                        int64_t value, hone_text *out)
{
    if (param->kind == HONE_PARAM_TYPE) {
        macro_type(param->name, param->values, param->n_values, value, out);
        return;
    }
    for (size_t i = 0; param->kind == HONE_PARAM_ENUM && i < param->n_values;
         ++i) {
        hone__text_printf(out, "#define HONE_%s_%s %zu\n", param->name,
                          tmpl->symbols[param->values[i] - 1000], i);
        if (param->values[i] == value)
            macro_int(param->name, (int64_t)i, out);
    }
    if (param->kind == HONE_PARAM_REAL) {
        hone__text_printf(out, "#define HONE_%s ", param->name);
        write_real(value, out);
        hone__text_puts(out, "\n");
    } else if (param->kind != HONE_PARAM_ENUM) {
        macro_int(param->name, value, out);
    }
}

/* Lets that depend on run-time values have none in the code. */
static int is_in_code(const hone_template *tmpl, size_t let)
{
    return tmpl->mentioned[tmpl->n_params + let] &&
           hone__values_is_fixed(&tmpl->lets[let].value);
}

/* All of them as code, or all as macros. */
static void write_all(const hone_template *tmpl, const int64_t *config,
                      const int64_t *dims, const int64_t *slots, int as_macros,
                      hone_text *out)
{
    void (*const number)(const char *, int64_t, hone_text *) =
        as_macros ? macro_int : code_int;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if (dim->is_choice)
            number(dim->name, dims[i], out);
        else if (dim->n_types && as_macros)
            macro_type(dim->name, dim->types, dim->n_types, dims[i], out);
        else if (dim->n_types)
            code_type(dim->name, dims[i], out);
    }
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (tmpl->mentioned[i])
            (as_macros ? macro_param : code_param)(tmpl, &tmpl->params[i],
                                                   config[i], out);
    }
    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        if (is_in_code(tmpl, i))
            number(tmpl->lets[i].name, slots[tmpl->slots.lets + i], out);
    }
}

void hone__block_write(const hone_template *tmpl, const int64_t *config,
                       const int64_t *dims, const int64_t *slots,
                       hone_text *out)
{
    /* A precompiled header ends at the first line of code. It must come
     * before anything that differs between variants, and before a #line,
     * which NVRTC does not precompile and says so in every log (20283). */
    hone__text_puts(out, "static_assert(true, \"parameters\");\n"
                         "#pragma nv_diag_suppress 20283\n");
    write_all(tmpl, config, dims, slots, 0, out);
    hone__text_printf(out, "#define HONE 1\n#define HONE_OP_%s 1\n", tmpl->op);
    write_all(tmpl, config, dims, slots, 1, out);
}

/* ---- options ------------------------------------------------------------- */

static hone_status write_option(const hone_template *tmpl,
                                const hone_template_option *option,
                                const int64_t *slots, hone_text *out,
                                hone_error *err)
{
    const hone_compiler_option *row = option->row;
    const hone_template_expr *expr = &option->value;
    int64_t value;

    HONE_TRY(hone__values_eval(tmpl, expr, slots, &value, err));
    switch (row->kind) {
    case HONE_COMPILER_COUNT:
        if (value < 0 || value > 255)
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s:%d: %s(%s) is %lld, but must be 0 (leave "
                              "it to the compiler) to 255",
                              tmpl->path, expr->line, row->name,
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
    int64_t *slots = NULL;
    hone_status status = hone__values_create(tmpl, config, dims, &slots, err);

    /* In the order of the table, which is sorted by spelling. */
    for (size_t r = 0; !status && r < HONE_N_COMPILER_OPTIONS; ++r) {
        for (size_t i = 0; !status && i < tmpl->n_options; ++i) {
            if (tmpl->options[i].row == &hone__compiler_options[r])
                status = write_option(tmpl, &tmpl->options[i], slots, out, err);
        }
    }
    hone__free(slots);
    HONE_TRY(status);
    return hone__text_check(out, err);
}
