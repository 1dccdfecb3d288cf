/* SPDX-License-Identifier: Apache-2.0 */
/* Listing a space. Hundreds of thousands of configurations are common, so
 * every value is spelled once and lines are put together from the spellings.
 */
#include "tools/space_view.h"

#include "runtime/base/alloc.h"
#include "tools/output.h"

#include <stdio.h>
#include <string.h>

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
    hone__space_view_json(w->view, param, value, &out->json);
}

static int prepare(list_writer *w)
{
    const int *n_values = hone__space_n_values(w->view->space);
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

static void put_row(list_writer *w, const uint16_t *row)
{
    const char *separator = "";

    for (size_t i = 0; i < w->n_params; ++i)
        w->row[i] = row[i];
    if (hone__space_settle_indexes(w->view->space, w->row, w->exists, NULL))
        w->line.failed = 1;
    hone__text_clear(&w->line);
    hone__text_puts(&w->line, w->is_json  ? "{\"config\": \""
                              : w->is_csv ? "\""
                                          : "");
    for (size_t i = 0; i < w->n_params; ++i) {
        const hone_text *text = &w->spellings[w->first[i] + row[i]].text;

        if (!w->exists[i])
            continue;
        hone__text_puts(&w->line, separator);
        separator = ",";
        if (w->is_json || w->is_csv)
            put_quoted(w, text);
        else
            hone__text_append(&w->line, text->data, text->length);
    }
    if (w->is_csv)
        hone__text_puts(&w->line, "\"");
    if (w->is_json) {
        hone__text_puts(&w->line, "\", \"params\": {");
        separator = "";
        for (size_t i = 0; i < w->n_params; ++i) {
            const hone_text *json = &w->spellings[w->first[i] + row[i]].json;

            if (!w->exists[i])
                continue;
            hone__text_puts(&w->line, separator);
            separator = ", ";
            hone__text_append(&w->line, json->data, json->length);
        }
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
    int64_t n = hone__space_count(w->view->space);

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
    static const hone_column column = {"config", "configuration",
                                       HONE_CELL_TEXT};
    list_writer w = {
        .view = view,
        .n_params = hone__space_n_params(view->space),
        .is_json = hone__options_is(view->options, HONE_OPT_FORMAT, "json"),
        .is_csv = hone__options_is(view->options, HONE_OPT_FORMAT, "csv")};
    const int is_ready = prepare(&w);

    if (is_ready) {
        /* In text the list is for pipes: no head. */
        w.output = hone__output_begin(view->options, "configs", &column, 1,
                                      w.is_json || w.is_csv
                                          ? hone__space_view_head(view)
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
