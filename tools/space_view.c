/* SPDX-License-Identifier: Apache-2.0 */
/* Templates and T1 files behind one face, and the list of their
 * configurations: see space_view.h. */
#include "tools/space_view.h"

#include "runtime/base/alloc.h"
#include "tools/inputs/inputs.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/base/progress.h"
#include "tuner/process/worker.h"

#include <stdio.h>
#include <string.h>

static int is_t1(const char *name)
{
    const size_t n = strlen(name);

    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

static hone_status open_t1(hone_space_view *view, const char *path,
                           hone_error *err)
{
    hone_diagnostics diagnostics = {0};
    hone_text source = {0};
    hone_waiting waiting;
    hone_status status;

    if (view->options->text[HONE_OPT_DIMS])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%s' is a T1 definition, which has no dimensions; "
                          "leave --dims out",
                          path);
    status = hone__text_read_file(&source, path, err);
    if (status == HONE_OK)
        status = hone__t1_read(path, hone__text_str(&source), source.length,
                               &view->t1, &diagnostics, err);
    hone__print_mistakes(&diagnostics, path, &source);
    hone__text_free(&source);
    HONE_TRY(status);
    hone__waiting_begin(&waiting, "building the search space of", path);
    status = hone__space_create_t1(view->t1, &view->space, err);
    hone__waiting_end(&waiting);
    return status;
}

hone_status hone__space_view_open(const hone_options *options,
                                  hone_space_view *out, hone_error *err)
{
    const char *name = hone__options_arg(options, 0);
    double start_s = hone__now_s();
    hone_status status;

    *out = (hone_space_view){.options = options};
    if (is_t1(name)) {
        status = open_t1(out, name, err);
    } else {
        HONE_TRY(hone__load_template(options, name, &out->tmpl, err));
        start_s = hone__now_s();
        status = hone__load_space(options, out->tmpl, &out->space, err);
    }
    out->time_ms = (hone__now_s() - start_s) * 1e3;
    return status;
}

void hone__space_view_close(hone_space_view *view)
{
    hone__space_free(view->space);
    hone__t1_free(view->t1);
    hone__template_free(view->tmpl);
}

/* ---- what is known of it ----------------------------------------------- */

/* An integer where it fits, else a number that is near. */
static json_t *raw_count(const hone_space *space)
{
    const int64_t raw = space->raw;
    double product = 1;

    if (raw < INT64_MAX)
        return json_integer(raw);
    for (size_t i = 0; i < space->n_params; ++i)
        product *= space->n_values[i];
    return hone__json_real(product);
}

/* The names of the sizes, or the listed dimensions with their values. */
static void put_dims(const hone_template *tmpl, const int64_t *dims,
                     int are_listed, const char *first, const char *next,
                     hone_text *out)
{
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];

        if ((dim->n_types > 0) != are_listed)
            continue;
        hone__text_printf(out, "%s%s", first, dim->name);
        first = next;
        if (are_listed) {
            hone__text_puts(out, "=");
            hone__template_dim_text(dim, dims[i], out);
        }
    }
}

/* Which problems the space is for: without --dims those of every size, but
 * not of every type. */
static json_t *problem(const hone_space_view *view)
{
    int64_t dims[HONE_MAX_DIMS];
    int is_given = 0;
    hone_text text = {0};

    if (hone__load_dims(view->options, view->tmpl, dims, &is_given, NULL) !=
        HONE_OK)
        return json_null(); /* cannot be: the space has been built */
    if (is_given) {
        hone__template_label_dims(view->tmpl, dims, &text);
    } else {
        put_dims(view->tmpl, dims, 0, "any ", ", ", &text);
        put_dims(view->tmpl, dims, 1, text.length ? "; default " : "default ",
                 " ", &text);
    }
    return hone__json_text(&text);
}

json_t *hone__space_view_head(const hone_space_view *view)
{
    const int64_t valid = view->space->count;

    if (view->t1)
        return hone__json("definition:s name:s parameters:I constraints:I "
                          "raw:o valid:I time_ms:f",
                          view->t1->path, view->t1->name,
                          (int64_t)view->t1->n_params,
                          (int64_t)view->t1->n_conditions,
                          raw_count(view->space), valid, view->time_ms);
    return hone__json("template:s op:s arch:s dims:s problem:o raw:o valid:I "
                      "time_ms:f",
                      view->tmpl->path, view->tmpl->op,
                      hone__load_arch(view->options),
                      view->options->text[HONE_OPT_DIMS], problem(view),
                      raw_count(view->space), valid, view->time_ms);
}

const char *hone__space_view_param(const hone_space_view *view, size_t param)
{
    return view->t1 ? view->t1->params[param].name
                    : view->tmpl->params[param].name;
}

void hone__space_view_value(const hone_space_view *view, size_t param,
                            int value, hone_text *out)
{
    if (view->t1)
        hone__text_puts(out, view->t1->params[param].texts[value]);
    else
        hone__template_value_text(view->tmpl, &view->tmpl->params[param],
                                  view->tmpl->params[param].values[value], out);
}

int hone__space_view_line(const hone_space_view *view, size_t constraint)
{
    return view->t1 ? view->t1->conditions[constraint].line
                    : view->tmpl->requires_[constraint].condition.line;
}

const char *hone__space_view_condition(const hone_space_view *view,
                                       size_t constraint)
{
    return view->t1 ? view->t1->conditions[constraint].text
                    : hone__require_text(&view->tmpl->requires_[constraint]);
}

const char *hone__space_view_message(const hone_space_view *view,
                                     size_t constraint)
{
    return view->t1 ? "" : view->tmpl->requires_[constraint].message;
}

/* ---- the list -------------------------------------------------------------
 * Hundreds of thousands of configurations are common, so every value is
 * spelled once and lines are put together from the spellings. */

static void value_json(const hone_space_view *view, size_t param, int value,
                       hone_text *out)
{
    int is_name; /* of an enumeration or a type: needs no escapes */

    if (view->t1) {
        hone__text_puts(out, view->t1->params[param].json[value]);
        return;
    }
    is_name = view->tmpl->params[param].kind == HONE_PARAM_ENUM ||
              view->tmpl->params[param].kind == HONE_PARAM_TYPE;
    hone__text_puts(out, is_name ? "\"" : "");
    hone__space_view_value(view, param, value, out);
    hone__text_puts(out, is_name ? "\"" : "");
}

enum { ROWS = 4096 }; /* decoded and printed at once */

/* What one value adds to a line: a part of the one-line spelling, and in JSON
 * one of "params". */
typedef struct spelling {
    hone_text text;
    hone_text json;
} spelling;

typedef struct list_writer {
    const hone_space_view *view;
    hone_output *output;
    size_t n_params;
    size_t *first; /* spelling of a parameter's first value */
    spelling *spellings;
    size_t n_spellings;
    uint16_t *rows;
    hone_text line;
    int *row;              /* one configuration, */
    unsigned char *exists; /* and which of its parameters exist */
    int is_json;
    int is_csv;
} list_writer;

static void spell(const list_writer *w, size_t param, int value, spelling *out)
{
    const char *name = hone__space_view_param(w->view, param);

    hone__text_printf(&out->text, "%s=", name);
    hone__space_view_value(w->view, param, value, &out->text);
    hone__text_printf(&out->json, "\"%s\": ", name);
    value_json(w->view, param, value, &out->json);
}

static int prepare(list_writer *w)
{
    const int *n_values = w->view->space->n_values;
    size_t at = 0;

    w->first = hone__alloc((w->n_params + 1) * sizeof *w->first);
    w->rows = hone__alloc((ROWS * w->n_params + 1) * sizeof *w->rows);
    for (size_t i = 0; i < w->n_params; ++i)
        w->n_spellings += (size_t)n_values[i];
    w->spellings = hone__alloc((w->n_spellings + 1) * sizeof *w->spellings);
    w->row = hone__alloc((w->n_params + 1) * sizeof *w->row);
    w->exists = hone__alloc(w->n_params + 1);
    if (!w->first || !w->rows || !w->spellings || !w->row || !w->exists)
        return 0;
    for (size_t i = 0; i < w->n_params; ++i) {
        w->first[i] = at;
        for (int v = 0; v < n_values[i]; ++v, ++at) {
            spell(w, i, v, &w->spellings[at]);
            if (w->spellings[at].text.failed || w->spellings[at].json.failed)
                return 0;
        }
    }
    return 1;
}

/* In a CSV field and in a JSON string quotes are doubled or escaped. */
static void put_quoted(list_writer *w, const hone_text *text)
{
    const char *at = hone__text_str(text);

    if (!strpbrk(at, "\"\\")) {
        hone__text_append(&w->line, at, text->length);
        return;
    }
    for (; *at; ++at) {
        if (*at == '"')
            hone__text_puts(&w->line, w->is_json ? "\\" : "\"");
        else if (*at == '\\' && w->is_json)
            hone__text_puts(&w->line, "\\");
        hone__text_append(&w->line, at, 1);
    }
}

/* "A=1,B=2", or in JSON the values of the parameters that exist. */
static void put_values(list_writer *w, const uint16_t *row, int as_params)
{
    const char *separator = "";

    for (size_t i = 0; i < w->n_params; ++i) {
        const spelling *s = &w->spellings[w->first[i] + row[i]];

        if (!w->exists[i])
            continue;
        hone__text_puts(&w->line, separator);
        separator = as_params ? ", " : ",";
        if (as_params)
            hone__text_append(&w->line, s->json.data, s->json.length);
        else if (w->is_json || w->is_csv)
            put_quoted(w, &s->text);
        else
            hone__text_append(&w->line, s->text.data, s->text.length);
    }
}

static void put_row(list_writer *w, const uint16_t *row)
{
    for (size_t i = 0; i < w->n_params; ++i)
        w->row[i] = row[i];
    if (hone__space_settle_indexes(w->view->space, w->row, w->exists, NULL))
        w->line.failed = 1;
    hone__text_clear(&w->line);
    hone__text_puts(&w->line, w->is_json  ? "{\"config\": \""
                              : w->is_csv ? "\""
                                          : "");
    put_values(w, row, 0);
    if (w->is_csv)
        hone__text_puts(&w->line, "\"");
    if (w->is_json) {
        hone__text_puts(&w->line, "\", \"params\": {");
        put_values(w, row, 1);
        hone__text_puts(&w->line, "}}");
    }
    if (w->line.failed)
        hone__output_row(w->output, NULL);
    else
        hone__output_line(w->output, hone__text_str(&w->line), w->line.length);
}

static void put_all(list_writer *w)
{
    const hone_options *options = w->view->options;
    int64_t n = w->view->space->count;

    if (options->text[HONE_OPT_LIMIT] && options->number[HONE_OPT_LIMIT] < n)
        n = options->number[HONE_OPT_LIMIT];
    for (int64_t at = 0; at < n; at += ROWS) {
        const int64_t some = n - at < ROWS ? n - at : ROWS;

        hone__space_rows(w->view->space, at, some, w->rows);
        for (int64_t i = 0; i < some; ++i)
            put_row(w, w->rows + (size_t)i * w->n_params);
    }
}

hone_exit hone__space_view_list(const hone_space_view *view)
{
    list_writer w = {
        .view = view,
        .n_params = view->space->n_params,
        .is_json = hone__options_is(view->options, HONE_OPT_FORMAT, "json"),
        .is_csv = hone__options_is(view->options, HONE_OPT_FORMAT, "csv")};
    const int is_ready = prepare(&w);

    if (is_ready) {
        /* In text the list is for pipes: no head. */
        w.output = hone__output_begin(
            view->options, "configs", "config=configuration",
            w.is_json || w.is_csv ? hone__space_view_head(view)
                                  : hone__json(""));
        put_all(&w);
    }
    for (size_t i = 0; w.spellings && i < w.n_spellings; ++i) {
        hone__text_free(&w.spellings[i].text);
        hone__text_free(&w.spellings[i].json);
    }
    hone__text_free(&w.line);
    hone__free(w.first);
    hone__free(w.rows);
    hone__free(w.row);
    hone__free(w.exists);
    hone__free(w.spellings);
    return hone__output_end(w.output, hone__json(""));
}
