/* SPDX-License-Identifier: Apache-2.0 */
/* Templates and T1 files behind one face: see space_view.h. */
#include "tools/space_view.h"

#include "tools/clock.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/waiting.h"

#include <string.h>

static int is_t1(const char *name)
{
    const size_t n = strlen(name);

    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

static hone_status read_t1(hone_space_view *view, const char *path,
                           hone_error *err)
{
    hone_diagnostics diagnostics = {0};
    hone_text source = {0};
    hone_text text = {0};
    hone_status status = hone__text_read_file(&source, path, err);
    double start_s;

    if (status == HONE_OK) {
        start_s = hone__clock_s();
        status = hone__t1_read(path, hone__text_str(&source), source.length,
                               &view->t1, &diagnostics, err);
        view->time_ms = (hone__clock_s() - start_s) * 1e3;
    }
    if (diagnostics.n) {
        hone__diagnostics_format(&diagnostics, path, hone__text_str(&source),
                                 &text);
        hone__message_raw(hone__text_str(&text));
    }
    hone__diagnostics_free(&diagnostics);
    hone__text_free(&source);
    hone__text_free(&text);
    return status;
}

static hone_status open_t1(hone_space_view *view, const char *path,
                           hone_error *err)
{
    hone_waiting waiting;
    double start_s;
    hone_status status;

    if (hone__options_dims(view->options))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%s' is a T1 definition, which has no dimensions; "
                          "leave --dims out",
                          path);
    HONE_TRY(read_t1(view, path, err));
    start_s = hone__clock_s();
    hone__waiting_begin(&waiting, "building the search space of", path);
    status = hone__space_create_t1(view->t1, &view->space, err);
    hone__waiting_end(&waiting);
    view->time_ms += (hone__clock_s() - start_s) * 1e3;
    return status;
}

hone_status hone__space_view_open(const hone_options *options,
                                  hone_space_view *out, hone_error *err)
{
    const char *name = hone__options_arg(options, 0);
    double start_s;
    hone_status status;

    *out = (hone_space_view){.options = options};
    if (is_t1(name))
        return open_t1(out, name, err);
    HONE_TRY(hone__load_template(options, name, &out->tmpl, err));
    start_s = hone__clock_s();
    status = hone__load_space(options, out->tmpl, &out->space, err);
    out->time_ms = (hone__clock_s() - start_s) * 1e3;
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
    const int64_t raw = hone__space_raw_count(space);
    double product = 1;

    if (raw < INT64_MAX)
        return json_integer(raw);
    for (size_t i = 0; i < hone__space_n_params(space); ++i)
        product *= hone__space_n_values(space)[i];
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
    json_t *json;

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
    json = hone__json_text(&text);
    hone__text_free(&text);
    return json;
}

json_t *hone__space_view_head(const hone_space_view *view)
{
    const int64_t valid = hone__space_count(view->space);

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
                      hone__options_dims(view->options), problem(view),
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

void hone__space_view_json(const hone_space_view *view, size_t param, int value,
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
