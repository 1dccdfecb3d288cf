/* SPDX-License-Identifier: Apache-2.0 */
/* T1 search spaces: of a template for one problem and device; and back, as the
 * lines of a template that declare the same parameters and constraints. */
#include "tools/exchange/exchange.h"

#include "gen/space_spell.h"
#include "tools/inputs/inputs.h"

#include <ctype.h>
#include <string.h>

/* ---- out
 * -------------------------------------------------------------------------- */

/* "int", "bool", "string" or "float", as other T1 files name them. */
static const char *type_of(const hone_param *param)
{
    static const char *const names[] = {[HONE_PARAM_INT] = "int",
                                        [HONE_PARAM_BOOL] = "bool",
                                        [HONE_PARAM_ENUM] = "string",
                                        [HONE_PARAM_TYPE] = "string",
                                        [HONE_PARAM_REAL] = "float"};

    return names[param->kind];
}

static void put_param(const hone_space *space, size_t param, hone_text *out)
{
    hone_text text = {0};
    const size_t by_default = hone__space_default_value(space, param);

    hone__text_printf(out, "%s\n      {\"Name\": \"%s\", \"Type\": \"%s\", ",
                      param ? "," : "", hone__space_param_name(space, param),
                      type_of(&space->tmpl->params[param]));
    hone__text_puts(&text, "[");
    for (int i = 0; i < space->n_values[param]; ++i) {
        hone__text_puts(&text, i ? ", " : "");
        hone__space_spell_value(space, param, (size_t)i, HONE_PYTHON, &text);
    }
    hone__text_puts(&text, "]");
    hone__text_puts(out, "\"Values\": ");
    hone__json_quote(hone__text_str(&text), text.length, out);
    hone__text_clear(&text);
    hone__space_spell_value(space, param, by_default, HONE_C, &text);
    hone__text_puts(out, ", \"Default\": ");
    if (strcmp(type_of(&space->tmpl->params[param]), "string") == 0)
        hone__json_quote(hone__text_str(&text), text.length, out);
    else
        hone__text_puts(out, hone__text_str(&text));
    hone__text_puts(out, "}");
    out->failed |= text.failed;
    hone__text_free(&text);
}

static hone_status put_condition(const hone_space *space, size_t constraint,
                                 int *n, hone_text *out, hone_error *err)
{
    const char *separator = "";
    hone_text text = {0};
    hone_vars vars = 0;
    hone_status status =
        hone__space_spell(space, constraint, HONE_PYTHON, &text, &vars, err);

    if (status == HONE_OK && text.length) {
        hone__text_printf(out,
                          "%s\n      {\"Expression\": ", (*n)++ ? "," : "");
        hone__json_quote(text.data, text.length, out);
        hone__text_puts(out, ", \"Parameters\": [");
        for (size_t i = 0; i < space->n_params; ++i) {
            if (!(vars >> i & 1))
                continue;
            hone__text_printf(out, "%s\"%s\"", separator,
                              hone__space_param_name(space, i));
            separator = ", ";
        }
        hone__text_puts(out, "]}");
    }
    hone__text_free(&text);
    return status;
}

static void put_problem(const hone_template *tmpl, const int64_t *dims,
                        const char *arch, int has_dims, hone_text *out)
{
    hone_text label = {0};

    hone__template_label_dims(tmpl, dims, &label);
    hone__text_puts(out, "\n    ]\n  },\n  \"KernelSpecification\": {"
                         "\"Language\": \"CUDA\", \"KernelName\": ");
    hone__json_quote(tmpl->op, strlen(tmpl->op), out);
    hone__text_puts(out, ", \"ProblemSize\": [");
    for (size_t i = 0; has_dims && i < tmpl->n_dims; ++i)
        hone__text_printf(out, "%s%lld", i ? ", " : "", (long long)dims[i]);
    hone__text_puts(out, "], \"Device\": ");
    hone__json_quote(arch, strlen(arch), out);
    hone__text_puts(out, "}\n}\n");
    hone__text_free(&label);
}

static hone_status put_space(hone_export *export, const hone_template *tmpl,
                             const hone_space *space, hone_error *err)
{
    hone_text *out = &export->line;
    int64_t dims[HONE_MAX_DIMS];
    hone_text name = {0};
    int has_dims = 0, n = 0;

    HONE_TRY(hone__load_dims(export->options, tmpl, dims, &has_dims, err));
    hone__text_printf(&name, "%s/%s", tmpl->op, hone__template_name(tmpl));
    hone__text_puts(out, "{\n  \"General\": {\"BenchmarkName\": ");
    hone__json_quote(hone__text_str(&name), name.length, out);
    hone__text_puts(out, ", \"OutputFormat\": \"JSON\"},\n"
                         "  \"ConfigurationSpace\": {\n"
                         "    \"TuningParameters\": [");
    hone__text_free(&name);
    for (size_t i = 0; i < space->n_params; ++i)
        put_param(space, i, out);
    hone__text_puts(out, "\n    ],\n    \"Conditions\": [");
    for (size_t i = 0; i < space->n_constraints; ++i)
        HONE_TRY(put_condition(space, i, &n, out, err));
    put_problem(tmpl, dims, hone__load_arch(export->options), has_dims, out);
    export->n_rows = (int64_t)space->n_params;
    return hone__export_line(export, out, err);
}

hone_status hone__write_t1(hone_export *export, hone_error *err)
{
    hone_template *tmpl = NULL;
    hone_space *space = NULL;
    hone_status status = hone__load_template(
        export->options, hone__options_arg(export->options, 0), &tmpl, err);

    if (status == HONE_OK)
        status = hone__load_space(export->options, tmpl, &space, err);
    if (status == HONE_OK)
        status = put_space(export, tmpl, space, err);
    hone__space_free(space);
    hone__template_free(tmpl);
    return status;
}

/* ---- in
 * ---------------------------------------------------------------------------
 */

static int is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return 0;
    while (isalnum((unsigned char)*text) || *text == '_')
        ++text;
    return !*text;
}

static hone_status put_line(const hone_space *space, size_t param,
                            hone_text *out, hone_error *err)
{
    const hone_t1_param *p = &space->t1->params[param];

    if (!is_name(p->name))
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: '%s' is no name of a template's parameter",
                          space->t1->path, p->name);
    if (p->n_values == 2 && strcmp(p->texts[0], "False") == 0 &&
        strcmp(p->texts[1], "True") == 0) {
        hone__text_printf(out, "#pragma hone param %s : bool\n", p->name);
        return HONE_OK;
    }
    hone__text_printf(out, "#pragma hone param %s in {", p->name);
    for (size_t i = 0; i < p->n_values; ++i) {
        if (p->values[i].kind == HONE_DATUM_TEXT && !is_name(p->texts[i]))
            return hone__fail(err, HONE_ERR_INPUT,
                              "%s: the value '%s' of %s is no name, so a "
                              "template cannot have it",
                              space->t1->path, p->texts[i], p->name);
        hone__text_puts(out, i ? ", " : "");
        hone__space_spell_value(space, param, i, HONE_C, out);
    }
    hone__text_puts(out, "}\n");
    return HONE_OK;
}

static hone_status put_require(const hone_space *space, size_t constraint,
                               hone_text *out, hone_error *err)
{
    hone_text text = {0};
    hone_error inner = {0};
    hone_vars vars = 0;
    hone_status status =
        hone__space_spell(space, constraint, HONE_C, &text, &vars, &inner);

    if (status == HONE_OK && text.length)
        hone__text_printf(out, "#pragma hone require %s\n", text.data);
    if (status != HONE_OK)
        (void)hone__fail(err, status, "%s:%d: %s", space->t1->path,
                         space->t1->conditions[constraint].line, inner.text);
    hone__text_free(&text);
    return status;
}

static hone_status put_lines(const hone_space *space, hone_text *out,
                             hone_error *err)
{
    for (size_t i = 0; i < space->n_params; ++i)
        HONE_TRY(put_line(space, i, out, err));
    for (size_t i = 0; i < space->n_constraints; ++i)
        HONE_TRY(put_require(space, i, out, err));
    return hone__text_check(out, err);
}

static hone_status write_lines(hone_import *import, hone_text *lines,
                               hone_error *err)
{
    const char *path = import->options->text[HONE_OPT_OUTPUT];
    hone_out out;
    hone_export export = {.options = import->options, .out = &out};

    HONE_TRY(hone__out_open(path ? path : "-", &out, err));
    return hone__out_close(&out, hone__export_line(&export, lines, err), err);
}

hone_status hone__read_t1(hone_import *import, hone_error *err)
{
    hone_text source = {0}, lines = {0};
    hone_diagnostics mistakes = {0};
    hone_t1 *t1 = NULL;
    hone_space *space = NULL;
    hone_status status = hone__text_read_file(&source, import->path, err);

    if (status == HONE_OK)
        status = hone__t1_read(import->path, hone__text_str(&source),
                               source.length, &t1, &mistakes, err);
    hone__print_mistakes(&mistakes, import->path, &source);
    if (status == HONE_OK)
        status = hone__space_create_t1(t1, &space, err);
    if (status == HONE_OK)
        status = put_lines(space, &lines, err);
    if (status == HONE_OK)
        status = write_lines(import, &lines, err);
    hone__space_free(space);
    hone__t1_free(t1);
    hone__text_free(&source);
    hone__text_free(&lines);
    return status;
}
