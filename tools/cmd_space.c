/* SPDX-License-Identifier: Apache-2.0 */
/* hone space: count, list and explain the configurations of a template or of
 * a T1 definition. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/output.h"
#include "tools/space_view.h"

#include "runtime/base/alloc.h"

#include <stdio.h>

/* "BLOCK=256" of every value that the constraint takes away; `pruned` is
 * what hone__space_explain() says. */
static json_t *pruned_values(const hone_space_view *view, size_t constraint,
                             const int *pruned)
{
    json_t *list = json_array();
    hone_text text = {0};

    for (size_t i = 0; i < view->space->n_params; ++i) {
        const int n = view->space->n_values[i];

        for (int v = 0; v < n; ++v) {
            if (pruned[v] != (int)constraint)
                continue;
            hone__text_printf(&text, "%s=", hone__space_view_param(view, i));
            hone__space_view_value(view, i, v, &text);
            list = hone__json_append(list, hone__json_text(&text));
        }
        pruned += n;
    }
    return list;
}

static void explain_rows(const hone_space_view *view, hone_output *output,
                         const hone_space_reason *reasons, const int *pruned)
{
    const size_t n = view->space->n_constraints;

    for (size_t i = 0; i < n; ++i)
        hone__output_row(
            output,
            hone__json("line:i rejected:I alone:I condition:s message:s "
                       "pruned:o",
                       hone__space_view_line(view, i), reasons[i].rejected,
                       reasons[i].alone, hone__space_view_condition(view, i),
                       hone__space_view_message(view, i),
                       pruned_values(view, i, pruned)));
}

static hone_exit explain(const hone_space_view *view)
{
    static const char columns[] =
        "line:n, rejected:n, alone:n, condition, message, "
        "pruned=values that no configuration is left with";
    const size_t n = view->space->n_constraints;
    size_t n_values = 0;
    hone_space_reason *reasons;
    int *pruned;
    hone_error err = {0};
    hone_exit code;

    for (size_t i = 0; i < view->space->n_params; ++i)
        n_values += (size_t)view->space->n_values[i];
    reasons = hone__alloc((n + 1) * sizeof *reasons);
    pruned = hone__alloc((n_values + 1) * sizeof *pruned);
    if (!reasons || !pruned)
        (void)hone__fail(&err, HONE_ERR_NO_MEMORY, "out of memory");
    else
        (void)hone__space_explain(view->space, reasons, pruned, &err);
    if (err.status == HONE_OK) {
        hone_output *output = hone__output_begin(
            view->options, "requires", columns, hone__space_view_head(view));

        explain_rows(view, output, reasons, pruned);
        code = hone__output_end(output, hone__json(""));
    } else {
        code = hone__message_error(&err);
    }
    hone__free(reasons);
    hone__free(pruned);
    return code;
}

/* The values alone. */
static hone_exit head(const hone_space_view *view)
{
    return hone__output_end(hone__output_begin(view->options, NULL, "",
                                               hone__space_view_head(view)),
                            hone__json(""));
}

static hone_exit count(const hone_space_view *view)
{
    hone_text text = {0};

    if (!hone__output_is_text(view->options))
        return head(view);
    hone__text_printf(&text, "%lld\n", (long long)view->space->count);
    return hone__output_text(&text);
}

static hone_exit show(const hone_space_view *view)
{
    const hone_options *options = view->options;

    if (options->text[HONE_OPT_LIST])
        return hone__space_view_list(view);
    if (options->text[HONE_OPT_EXPLAIN])
        return explain(view);
    if (options->text[HONE_OPT_COUNT])
        return count(view);
    return head(view);
}

hone_exit hone__cmd_space(const hone_options *options)
{
    hone_space_view view;
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;

    if (hone__space_view_open(options, &view, &err) == HONE_OK)
        code = show(&view);
    if (err.status == HONE_OK && code == HONE_EXIT_DONE &&
        view.space->count == 0)
        (void)hone__space_fail_empty(view.space, &err);
    if (err.status != HONE_OK)
        code = hone__message_error(&err);
    hone__space_view_close(&view);
    return code;
}
