/* SPDX-License-Identifier: Apache-2.0 */
/* T1 search spaces: of a template for one problem and device; and back, as the
 * lines of a template that declare the same parameters and constraints. */
#include "tools/exchange/exchange.h"

#include "gen/space_spell.h"
#include "runtime/base/alloc.h"
#include "tools/base/message.h"
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

/* Without one the first value would be it. */
static void put_default(const hone_space *space, size_t param, hone_text *out)
{
    const hone_t1_param *p = &space->t1->params[param];

    if (p->default_value < p->n_values) {
        hone__text_puts(out, " default ");
        hone__space_spell_value(space, param, p->default_value, HONE_C, out);
    }
    hone__text_puts(out, "\n");
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
        hone__text_printf(out, "#pragma hone param %s : bool", p->name);
        put_default(space, param, out);
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
    hone__text_puts(out, "}");
    put_default(space, param, out);
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

/* ---- does a template take them?
 * --------------------------------------------- */

static const char probe_begin[] =
    "#pragma hone op probe_of_t1(probe_of_t1_n)\n"
    "#pragma hone arg probe_of_t1_x: inout f32[probe_of_t1_n]\n";
static const char probe_end[] =
    "#pragma hone launch probe_of_t1 grid(1) block(32) args(probe_of_t1_x)\n"
    "extern \"C\" __global__ void probe_of_t1(float *x) { x[0] = 0; }\n";
enum { PROBE_LINES = 2 /* of its beginning */ };

/* Line `line` of the lines, and where it is of. */
static hone_status fail_line(const hone_space *space, const hone_text *lines,
                             const int *conditions, int line, const char *why,
                             hone_error *err)
{
    const hone_t1 *t1 = space->t1;
    const int n_params = (int)space->n_params;
    const char *at = hone__text_str(lines);

    for (int i = 0; i < line && strchr(at, '\n'); ++i)
        at = strchr(at, '\n') + 1;
    if (line < n_params)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: parameter '%.60s' is none that a template can "
                          "have: %s",
                          t1->path, t1->params[line].name, why);
    return hone__fail(
        err, HONE_ERR_INPUT,
        "%s:%d: a template cannot say this, '%.*s' is refused: "
        "%s",
        t1->path, t1->conditions[conditions[line - n_params]].line,
        (int)(strcspn(at, "\n") < 200 ? strcspn(at, "\n") : 200), at, why);
}

/* As whoever puts them into a template would find out: a fraction in a
 * condition, values of two kinds, reserved names. */
static hone_status check_lines(const hone_space *space, const hone_text *lines,
                               const int *conditions, hone_error *err)
{
    hone_text probe = {0};
    hone_diagnostics mistakes = {0};
    hone_template *tmpl = NULL;
    hone_status status;

    hone__text_printf(&probe, "%s%s%s", probe_begin, hone__text_str(lines),
                      probe_end);
    status = hone__text_check(&probe, err);
    if (status == HONE_OK)
        status = hone__template_read(space->t1->path, "", probe.data,
                                     probe.length, &tmpl, &mistakes, err);
    if (status == HONE_ERR_INPUT && mistakes.n &&
        mistakes.items[0].line > PROBE_LINES)
        status = fail_line(space, lines, conditions,
                           mistakes.items[0].line - PROBE_LINES - 1,
                           mistakes.items[0].text, err);
    hone__diagnostics_free(&mistakes);
    hone__template_free(tmpl);
    hone__text_free(&probe);
    return status;
}

static hone_status put_lines(const hone_space *space, hone_text *out,
                             hone_error *err)
{
    int *conditions = hone__alloc((space->n_constraints + 1) * sizeof(int));
    hone_status status = HONE_OK;
    size_t n = 0;

    if (!conditions)
        return hone__out_of_memory(err, "");
    for (size_t i = 0; i < space->n_params && status == HONE_OK; ++i)
        status = put_line(space, i, out, err);
    for (size_t i = 0; i < space->n_constraints && status == HONE_OK; ++i) {
        const size_t length = out->length;

        status = put_require(space, i, out, err);
        if (out->length > length)
            conditions[n++] = (int)i;
    }
    if (status == HONE_OK)
        status = hone__text_check(out, err);
    if (status == HONE_OK)
        status = check_lines(space, out, conditions, err);
    hone__free(conditions);
    return status;
}

/* A default that is none of the values would be lost without a word. */
static void note_defaults(hone_import *import, const hone_t1 *t1)
{
    for (size_t i = 0; i < t1->n_params; ++i) {
        const hone_t1_param *p = &t1->params[i];

        if (p->default_text && p->default_value == p->n_values)
            hone__message_note("%s: the default of '%.60s', '%.60s', is none "
                               "of its values; the first one is it",
                               import->path, p->name, p->default_text);
    }
}

static hone_status write_lines(hone_import *import, hone_text *lines,
                               hone_error *err)
{
    const char *path = import->options->text[HONE_OPT_OUTPUT];
    hone_output_file out;
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
        note_defaults(import, t1);
    if (status == HONE_OK)
        status = write_lines(import, &lines, err);
    hone__space_free(space);
    hone__t1_free(t1);
    hone__text_free(&source);
    hone__text_free(&lines);
    return status;
}
