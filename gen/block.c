/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a variant as C++: a constexpr value, type or enumeration
 * for the code, and a macro that starts with HONE_ for #if. */
#include "gen/block.h"

#include "gen/values.h"

#include <limits.h>

static void write_int(const char *name, int64_t value, hone_text *out)
{
    const int is_int = value >= INT_MIN && value <= INT_MAX;

    /* The smallest ones cannot be written as one literal in C++. */
    if (value == INT64_MIN)
        hone__text_printf(out,
                          "#define HONE_%s (-9223372036854775807LL - 1)\n",
                          name);
    else
        hone__text_printf(out, "#define HONE_%s %s%lld%s%s\n", name,
                          value < 0 ? "(" : "", (long long)value,
                          is_int ? "" : "LL", value < 0 ? ")" : "");
    hone__text_printf(out, "[[maybe_unused]] constexpr %s %s = HONE_%s;\n",
                      is_int ? "int" : "long long", name, name);
}

static void write_bool(const char *name, int64_t value, hone_text *out)
{
    hone__text_printf(out,
                      "#define HONE_%s %d\n"
                      "[[maybe_unused]] constexpr bool %s = %s;\n",
                      name, value != 0, name, value ? "true" : "false");
}

static void write_type(const char *name, const int64_t *types,
                       size_t n_types, int64_t value, hone_text *out)
{
    for (size_t i = 0; i < n_types; ++i)
        hone__text_printf(out, "#define HONE_%s_%s %lld\n", name,
                          hone__type_name((hone_type)types[i]),
                          (long long)types[i]);
    hone__text_printf(out, "#define HONE_%s %lld\nusing %s = %s;\n", name,
                      (long long)value, name,
                      hone__type_cpp((hone_type)value));
}

static void write_enum(const hone_template *tmpl, const hone_param *param,
                       int64_t value, hone_text *out)
{
    size_t chosen = 0;

    for (size_t i = 0; i < param->n_values; ++i) {
        hone__text_printf(out, "#define HONE_%s_%s %zu\n", param->name,
                          tmpl->symbols[param->values[i] - 1000], i);
        if (param->values[i] == value)
            chosen = i;
    }
    hone__text_printf(out, "#define HONE_%s %zu\nenum class %s_values : int {",
                      param->name, chosen, param->name);
    for (size_t i = 0; i < param->n_values; ++i)
        hone__text_printf(out, "%s%s", i ? ", " : " ",
                          tmpl->symbols[param->values[i] - 1000]);
    hone__text_printf(out,
                      " };\n[[maybe_unused]] constexpr %s_values %s = "
                      "%s_values::%s;\n", param->name, param->name,
                      param->name, tmpl->symbols[value - 1000]);
}

static void write_param(const hone_template *tmpl, const hone_param *param,
                        int64_t value, hone_text *out)
{
    switch (param->kind) {
    case HONE_PARAM_INT:
        write_int(param->name, value, out);
        break;
    case HONE_PARAM_BOOL:
        write_bool(param->name, value, out);
        break;
    case HONE_PARAM_ENUM:
        write_enum(tmpl, param, value, out);
        break;
    case HONE_PARAM_TYPE:
        write_type(param->name, param->values, param->n_values, value, out);
        break;
    }
}

void hone__block_write(const hone_template *tmpl, const int64_t *config,
                       const int64_t *dims, const int64_t *slots,
                       hone_text *out)
{
    hone__text_printf(out, "#define HONE 1\n#define HONE_OP_%s 1\n",
                      tmpl->op);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        if (tmpl->dims[i].n_types)
            write_type(tmpl->dims[i].name, tmpl->dims[i].types,
                       tmpl->dims[i].n_types, dims[i], out);
    }
    for (size_t i = 0; i < tmpl->n_params; ++i)
        write_param(tmpl, &tmpl->params[i], config[i], out);
    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        if (hone__values_is_fixed(&tmpl->lets[i].value))
            write_int(tmpl->lets[i].name, slots[tmpl->slots.lets + i], out);
    }
}
