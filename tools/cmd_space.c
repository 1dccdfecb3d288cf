/* SPDX-License-Identifier: Apache-2.0 */
/* hone space: count, list and explain the configurations of a template. */
#include "tools/clock.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/message.h"
#include "tools/output.h"

#include "runtime/alloc.h"

#include <stdio.h>

typedef struct space_view {
    const hone_options *options;
    hone_template *tmpl;
    hone_space *space;
    double time_ms;
} space_view;

static json_t *head_of(const space_view *view)
{
    const char *dims = hone__options_dims(view->options);

    return json_pack(
        "{s:s, s:s, s:s, s:s?, s:I, s:I, s:f}", "template", view->tmpl->path,
        "op", view->tmpl->op, "arch", hone__load_arch(view->options), "dims",
        dims, "raw", (json_int_t)hone__space_raw_count(view->space), "valid",
        (json_int_t)hone__space_count(view->space), "time_ms", view->time_ms);
}

static int is_text(const space_view *view)
{
    return !hone__options_is(view->options, HONE_OPT_FORMAT, "json") &&
           !hone__options_is(view->options, HONE_OPT_FORMAT, "csv");
}

/* How many configurations --limit lets through. */
static int64_t n_listed(const space_view *view)
{
    const int64_t n = hone__space_count(view->space);

    if (view->options->text[HONE_OPT_LIMIT] &&
        view->options->number[HONE_OPT_LIMIT] < n)
        return view->options->number[HONE_OPT_LIMIT];
    return n;
}

static hone_exit list(const space_view *view)
{
    static const hone_column column = {"config", "configuration",
                                       HONE_CELL_TEXT};
    const int64_t n = n_listed(view);
    int64_t *config =
        hone__alloc((view->tmpl->n_params + 1) * sizeof *config);
    /* In text the list is for pipes: no head. */
    hone_output *output =
        hone__output_begin(view->options, "configs", &column, 1,
                           is_text(view) ? NULL : head_of(view));
    hone_text text = {0};

    for (int64_t i = 0; config && i < n; ++i) {
        hone__space_get(view->space, i, config);
        hone__text_clear(&text);
        hone__config_format(view->tmpl, config, &text);
        hone__output_row(output,
                         json_pack("{s:s, s:o}", "config",
                                   hone__text_str(&text), "params",
                                   hone__config_json(view->tmpl, config)));
    }
    hone__free(config);
    hone__text_free(&text);
    return hone__output_end(output, NULL);
}

static hone_exit explain(const space_view *view)
{
    static const hone_column columns[] = {
        {"line", "line", HONE_CELL_NUMBER},
        {"rejected", "rejected", HONE_CELL_NUMBER},
        {"condition", "condition", HONE_CELL_TEXT},
        {"message", "message", HONE_CELL_TEXT},
    };
    const size_t n = view->tmpl->n_requires;
    int64_t *rejected = hone__alloc((n + 1) * sizeof *rejected);
    hone_error err = {0};
    hone_output *output;
    hone_status status =
        rejected ? hone__space_explain(view->space, rejected, &err)
                 : hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");

    if (status != HONE_OK) {
        hone__free(rejected);
        return hone__message_error(&err);
    }
    output = hone__output_begin(view->options, "requires", columns, 4,
                                head_of(view));
    for (size_t i = 0; i < n; ++i) {
        const hone_template_require *require = &view->tmpl->requires_[i];

        hone__output_row(output,
                         json_pack("{s:i, s:I, s:s, s:s}", "line",
                                   require->condition.line, "rejected",
                                   (json_int_t)rejected[i], "condition",
                                   hone__expr_text(require->condition.expr),
                                   "message", require->message));
    }
    hone__free(rejected);
    return hone__output_end(output, NULL);
}

static hone_exit count(const space_view *view)
{
    hone_text text = {0};
    hone_exit code;

    if (!is_text(view))
        return hone__output_end(
            hone__output_begin(view->options, NULL, NULL, 0, head_of(view)),
            NULL);
    hone__text_printf(&text, "%lld\n",
                      (long long)hone__space_count(view->space));
    code = hone__output_text(&text);
    hone__text_free(&text);
    return code;
}

static hone_exit show(const space_view *view)
{
    const hone_options *options = view->options;

    if (options->text[HONE_OPT_LIST])
        return list(view);
    if (options->text[HONE_OPT_EXPLAIN])
        return explain(view);
    if (options->text[HONE_OPT_COUNT])
        return count(view);
    return hone__output_end(
        hone__output_begin(options, NULL, NULL, 0, head_of(view)), NULL);
}

hone_exit hone__cmd_space(const hone_options *options)
{
    space_view view = {.options = options};
    hone_error err = {0};
    hone_exit code;
    double start_s;
    hone_status status = hone__load_template(
        options, hone__options_arg(options, 0), &view.tmpl, &err);

    if (status != HONE_OK)
        return hone__message_error(&err);
    start_s = hone__clock_s();
    status = hone__load_space(options, view.tmpl, &view.space, &err);
    view.time_ms = (hone__clock_s() - start_s) * 1e3;
    code = status == HONE_OK ? show(&view) : hone__message_error(&err);
    if (status == HONE_OK && code == HONE_EXIT_DONE &&
        hone__space_count(view.space) == 0) {
        hone__message_note("no configuration is valid here; "
                           "'hone space %s --explain' says which constraint "
                           "rejects them",
                           hone__options_arg(options, 0));
        code = HONE_EXIT_NEGATIVE;
    }
    hone__space_free(view.space);
    hone__template_free(view.tmpl);
    return code;
}
