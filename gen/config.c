/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations as text: "BM=128,WMMA=m16n16k16,T=f32". */
#include "gen/space_parts.h"
#include "gen/parse/suggest.h"
#include "runtime/base/type.h"

#include <ctype.h>
#include <string.h>

void hone__config_format(const hone_template *tmpl, const int64_t *config,
                         const unsigned char *exists, hone_text *out)
{
    const char *separator = "";

    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (exists && !exists[i])
            continue;
        hone__text_printf(out, "%s%s=", separator, tmpl->params[i].name);
        hone__template_value_text(tmpl, &tmpl->params[i], config[i], out);
        separator = ",";
    }
}

static hone_status unknown_param(const hone_template *tmpl, const char *name,
                                 size_t length, hone_error *err)
{
    hone_text text = {0};
    hone_suggestion s = hone__suggest(name, length);

    for (size_t i = 0; i < tmpl->n_params; ++i)
        hone__suggest_offer(&s, tmpl->params[i].name);
    hone__text_printf(
        &text, "%s has no parameter '%.*s'%s%s its parameters are", tmpl->op,
        (int)length, name, hone__suggest_text(&s), s.best ? "" : ";");
    for (size_t i = 0; i < tmpl->n_params; ++i)
        hone__text_printf(&text, "%s %s", i ? "," : "", tmpl->params[i].name);
    return hone__text_fail(&text, HONE_ERR_INPUT, err);
}

hone_status hone__param_refuse(const hone_template *tmpl,
                               const hone_param *param, const char *text,
                               size_t length, hone_error *err)
{
    hone_text sentence = {0};

    hone__text_printf(&sentence, "%s cannot be '%.*s'; its values are",
                      param->name, (int)length, text);
    for (size_t i = 0; i < param->n_values && i < 24; ++i) {
        hone__text_puts(&sentence, i ? ", " : " ");
        hone__template_value_text(tmpl, param, param->values[i], &sentence);
    }
    hone__text_puts(&sentence, param->n_values > 24 ? ", .." : "");
    return hone__text_fail(&sentence, HONE_ERR_INPUT, err);
}

/* Is there an element type or a boolean in it, which expressions know by a
 * number? */
static int names_another_kind(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t n = 0;

        while (i + n < length &&
               (isalnum((unsigned char)text[i + n]) || text[i + n] == '_'))
            ++n;
        if (n && (hone__type_find(text + i, n) ||
                  (n == 4 && !memcmp(text + i, "true", 4)) ||
                  (n == 5 && !memcmp(text + i, "false", 5))))
            return 1;
        i += n ? n : 1;
    }
    return 0;
}

/* Integers may be written in any way that expressions know: 4K, 0x40. What
 * is none leaves *out_ok 0. */
static hone_status read_integer(const char *text, size_t length, int64_t *out,
                                int *out_ok, hone_error *err)
{
    hone_expr *expr = NULL;
    const hone_status status =
        hone__expr_compile(text, length, NULL, NULL, &expr, NULL, NULL);

    *out_ok = !status && !names_another_kind(text, length) &&
              !hone__expr_eval(expr, NULL, out, NULL);
    hone__expr_free(expr);
    return status == HONE_ERR_NO_MEMORY
               ? hone__fail(err, status, "out of memory")
               : HONE_OK;
}

/* Does the parameter spell this value so? */
static int is_spelled(const hone_template *tmpl, const hone_param *param,
                      int64_t value, const char *text, size_t length,
                      hone_text *scratch)
{
    hone__text_clear(scratch);
    hone__template_value_text(tmpl, param, value, scratch);
    return scratch->length == length &&
           !memcmp(hone__text_str(scratch), text, length);
}

static hone_status set_value(const hone_template *tmpl, const hone_param *param,
                             const char *text, size_t length, int64_t *out,
                             hone_error *err)
{
    hone_text scratch = {0};
    hone_status status;
    int64_t value = 0;
    double real = 0;
    int is_number = 0;
    int found = 0;

    if (param->kind == HONE_PARAM_INT)
        HONE_TRY(read_integer(text, length, &value, &is_number, err));
    else if (param->kind == HONE_PARAM_REAL)
        is_number = hone__real_parse(text, length, &real);
    if (param->kind == HONE_PARAM_REAL)
        value = hone__real_bits(real);
    for (size_t i = 0; !found && i < param->n_values; ++i) {
        if (param->kind == HONE_PARAM_INT || param->kind == HONE_PARAM_REAL)
            found = is_number && param->values[i] == value;
        else
            found = is_spelled(tmpl, param, param->values[i], text, length,
                               &scratch);
        if (found)
            *out = param->values[i];
    }
    status = hone__text_check(&scratch, err);
    hone__text_free(&scratch);
    if (status || found)
        return status;
    return hone__param_refuse(tmpl, param, text, length, err);
}

static hone_status parse_pair(const hone_template *tmpl, const char *pair,
                              size_t length, char *seen, int64_t *out,
                              hone_error *err)
{
    const char *equals = memchr(pair, '=', length);
    const size_t name_length = equals ? (size_t)(equals - pair) : 0;

    if (!equals)
        return hone__fail(err, HONE_ERR_INPUT, "'%.*s' is not NAME=VALUE",
                          (int)length, pair);
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (strlen(tmpl->params[i].name) != name_length ||
            memcmp(tmpl->params[i].name, pair, name_length) != 0)
            continue;
        if (seen[i]++)
            return hone__fail(err, HONE_ERR_INPUT, "%s is given twice",
                              tmpl->params[i].name);
        return set_value(tmpl, &tmpl->params[i], equals + 1,
                         length - name_length - 1, &out[i], err);
    }
    return unknown_param(tmpl, pair, name_length, err);
}

hone_status hone__config_parse(const hone_template *tmpl, const char *text,
                               int64_t *out, hone_error *err)
{
    char seen[64] = {0}; /* a template has at most 64 parameters */

    for (size_t i = 0; i < tmpl->n_params; ++i)
        out[i] = tmpl->params[i].values[tmpl->params[i].default_index];
    while (*(text += strspn(text, ", \t\n"))) {
        const size_t length = strcspn(text, ", \t\n");

        HONE_TRY(parse_pair(tmpl, text, length, seen, out, err));
        text += length;
    }
    return HONE_OK;
}
