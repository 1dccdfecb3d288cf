/* SPDX-License-Identifier: Apache-2.0 */
/* hone report: what a database has as one page, or one chart of it. */
#include "runtime/base/alloc.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/output_file.h"
#include "tools/inputs/dims_stored.h"
#include "tools/inputs/open_to_read.h"
#include "tools/report/page.h"

#include <stdio.h>
#include <string.h>

/* So that the page opens at once: rows of trials and sessions in a table
 * without
 * --limit, fewer where there are many operations; and above how many rows a
 * table is folded, which without the script is not unfolded. */
enum {
    DEFAULT_ROWS = 100,
    FEWEST_ROWS = 10,
    DEFAULT_ROWS_OF_ALL = 1600,
    MANY_GROUPS = DEFAULT_ROWS_OF_ALL / DEFAULT_ROWS,
    FOLD_ABOVE = 100,
    OLDEST_FORMAT = 6 /* of a database: templates and vendors' functions */
};

typedef struct report_keys {
    hone_report_key *items;
    size_t n;
} report_keys;

/* "--op gemm, --mode hot" */
static void say_filters(const hone_options *options, hone_text *out)
{
    static const struct {
        hone_option_id option;
        const char *name;
    } filters[] = {{HONE_OPT_REPORT_OP, "--op"},
                   {HONE_OPT_DIMS, "--dims"},
                   {HONE_OPT_REPORT_DEVICE, "--device"},
                   {HONE_OPT_MODE, "--mode"}};

    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; ++i)
        if (options->text[filters[i].option])
            hone__text_printf(out, "%s %s %s", out->length ? "," : " for",
                              filters[i].name,
                              options->text[filters[i].option]);
}

static hone_status fail_empty(const hone_options *options, const char *path,
                              hone_error *err)
{
    hone_text filters = {0};

    say_filters(options, &filters);
    (void)hone__fail(err, HONE_ERR_NOT_FOUND,
                     filters.length
                         ? "nothing was tuned%s in '%s'; hone show problems "
                           "says what there is"
                         : "%s'%s' has nothing yet: 'hone tune' fills it",
                     hone__text_str(&filters), path);
    hone__text_free(&filters);
    return HONE_ERR_NOT_FOUND;
}

static hone_status read_group(hone_db *db, const hone_report_filter *filter,
                              const hone_report_key *key,
                              hone_report_group *group, hone_error *err)
{
    HONE_TRY(hone__report_read(db, filter, key, group, err));
    return hone__report_params(db, filter->dims, group, err);
}

static hone_table_limits limits_of(const hone_options *options, size_t n_groups)
{
    const size_t each = DEFAULT_ROWS_OF_ALL / n_groups;
    hone_table_limits limits = {
        .most = each, .fold_above = n_groups > MANY_GROUPS ? 0 : FOLD_ABOVE};

    if (options->text[HONE_OPT_LIMIT])
        limits.most = (size_t)options->number[HONE_OPT_LIMIT];
    else if (each > DEFAULT_ROWS)
        limits.most = DEFAULT_ROWS;
    else if (each < FEWEST_ROWS)
        limits.most = FEWEST_ROWS;
    return limits;
}

/* ---- a page -----------------------------------------------------------------
 */

static hone_status make_page(const hone_options *options, hone_db *db,
                             const hone_report_filter *filter,
                             const report_keys *keys, hone_text *out,
                             hone_error *err)
{
    hone_report_page page = {.limits = limits_of(options, keys->n)};
    hone_report_group *group = hone__alloc(sizeof *group);
    hone_status status = group ? HONE_OK : hone__out_of_memory(err, "");

    for (size_t i = 0; status == HONE_OK && i < keys->n; ++i) {
        status = read_group(db, filter, &keys->items[i], group, err);
        if (status == HONE_OK)
            status = hone__report_page_add(db, group, &page, err);
        hone__report_free(group);
    }
    if (status == HONE_OK)
        hone__report_page_write(&page, out);
    hone__report_page_free(&page);
    hone__free(group);
    return status;
}

/* ---- a chart
 * ------------------------------------------------------------------
 */

static const hone_chart *chart_named(const char *name)
{
    for (size_t i = 0; i < HONE_N_CHARTS; ++i)
        if (strcmp(hone__charts[i].name, name) == 0)
            return &hone__charts[i];
    return NULL;
}

static hone_status draw_chart(const hone_report_group *group,
                              const hone_chart *chart, hone_text *out,
                              hone_error *err)
{
    const hone_report_params *params =
        chart->is_of_params && group->n_params ? group->params[0] : NULL;
    hone_svg svg = {.width = 0};
    char why[240] = "No implementation has two correct trials.";

    if ((!chart->is_of_params || params) &&
        hone__chart_draw(chart, group, params, &svg, why)) {
        hone__svg_write(&svg, out);
        return HONE_OK;
    }
    hone__text_free(&svg.body);
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "there is no chart '%s' of %s on '%s' in %s mode: %s",
                      chart->name, group->key.op, group->device,
                      group->key.mode, why);
}

/* Charts are of one operation on one device in one mode. */
static hone_status make_chart(const hone_options *options, hone_db *db,
                              const hone_report_filter *filter,
                              const report_keys *keys, hone_text *out,
                              hone_error *err)
{
    hone_report_group *group;
    hone_status status;

    if (keys->n > 1)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--chart is of one operation on one device in one "
                          "mode, and there are %zu: choose with --op, --device "
                          "and --mode",
                          keys->n);
    group = hone__alloc(sizeof *group);
    if (!group)
        return hone__out_of_memory(err, "");
    status = read_group(db, filter, &keys->items[0], group, err);
    if (status == HONE_OK)
        status = draw_chart(group, chart_named(options->text[HONE_OPT_CHART]),
                            out, err);
    hone__report_free(group);
    hone__free(group);
    return status;
}

/* ---- the command
 * ---------------------------------------------------------------
 */

static hone_status make(const hone_options *options, const char *path,
                        hone_text *out, hone_error *err)
{
    hone_text dims = {0};
    hone_db *db = NULL;
    report_keys keys = {NULL, 0};
    hone_report_filter filter = {.op = options->text[HONE_OPT_REPORT_OP],
                                 .device =
                                     options->text[HONE_OPT_REPORT_DEVICE],
                                 .mode = options->text[HONE_OPT_MODE]};
    hone_status status = hone__dims_stored(options, filter.op, &dims, err);

    filter.dims = hone__text_str(&dims);
    if (status == HONE_OK)
        status = hone__open_to_read(path, &db, err);
    if (status == HONE_OK)
        status = hone__read_needs(db, path, OLDEST_FORMAT, err);
    if (status == HONE_OK)
        status = hone__report_keys(db, &filter, &keys.items, &keys.n, err);
    if (status == HONE_OK && !keys.n)
        status = fail_empty(options, path, err);
    if (status == HONE_OK)
        status = options->text[HONE_OPT_CHART]
                     ? make_chart(options, db, &filter, &keys, out, err)
                     : make_page(options, db, &filter, &keys, out, err);
    if (status == HONE_OK)
        status = hone__text_check(out, err);
    hone__report_keys_free(keys.items, keys.n);
    hone__db_close(db);
    hone__text_free(&dims);
    return status;
}

hone_exit hone__cmd_report(const hone_options *options)
{
    const char *file = options->text[HONE_OPT_OUTPUT];
    hone_text path = {0}, out = {0};
    hone_error err = {0};
    hone_status status = file && *file
                             ? hone__locate_db(options, &path, &err)
                             : hone__fail(&err, HONE_ERR_ARGUMENT,
                                          "report needs -o FILE ('-' is "
                                          "standard output)");

    if (status == HONE_OK)
        status = make(options, hone__text_str(&path), &out, &err);
    hone__text_free(&path);
    if (status == HONE_OK && strcmp(file, "-") == 0)
        return hone__output_text(&out);
    if (status == HONE_OK)
        status = hone__output_replace(file, out.data, out.length, &err);
    if (status == HONE_OK)
        hone__message_note("%s: %zu bytes", file, out.length);
    hone__text_free(&out);
    return status == HONE_OK ? HONE_EXIT_DONE : hone__message_error(&err);
}
