/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers behind charts as tables: see tables.h. */
#include "runtime/base/alloc.h"
#include "tools/report/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void (*chart_table_fn)(const hone_report_group *group,
                               const hone_report_params *params, const char *id,
                               hone_text *out);

static void put_importance(const hone_report_group *group,
                           const hone_report_params *params, const char *id,
                           hone_text *out)
{
    const hone_importance *found = &params->importance;

    (void)group;
    hone__table_begin(out, id, "Parameter importance",
                      "parameter, share %:n, fastest value in the mean");
    for (size_t i = 0; i < found->n && found->shares[i].share >= 0.005; ++i) {
        const hone_importance_share *share = &found->shares[i];
        const hone_trials_param *one = &params->trials.params[share->params[0]];
        const hone_trials_param *other =
            &params->trials.params[share->params[1]];

        hone__table_row(out);
        hone__markup(out, "<td>%s%s%s", one->name,
                     one == other ? "" : " \303\227 ",
                     one == other ? "" : other->name);
        hone__table_number(out, round(share->share * 1000) / 10);
        hone__table_text(out, one == other ? one->levels[share->best] : NULL);
        hone__text_puts(out, "\n");
    }
    hone__table_end(out);
}

static void put_pair(const hone_report_params *params,
                     const hone_chart_cells *cells, const char *id,
                     hone_text *out)
{
    const char *x_name = params->trials.params[cells->x_param].name;
    const char *y_name = params->trials.params[cells->y_param].name;
    char caption[200], columns[200], level[90];

    (void)snprintf(caption, sizeof caption, "%s and %s", y_name, x_name);
    (void)snprintf(columns, sizeof columns, "%s, %s, time / best:n", y_name,
                   x_name);
    hone__table_begin(out, id, caption, columns);
    for (size_t i = 0; i < cells->n_x * cells->n_y; ++i) {
        if (!(cells->ratio[i] > 0))
            continue;
        hone__table_row(out);
        hone__chart_level(params, cells->y_param, i / cells->n_x, cells->n_y,
                          level, sizeof level);
        hone__table_text(out, level);
        hone__chart_level(params, cells->x_param, i % cells->n_x, cells->n_x,
                          level, sizeof level);
        hone__table_text(out, level);
        hone__table_number(out, cells->ratio[i]);
        hone__text_puts(out, "\n");
    }
    hone__table_end(out);
}

static void put_heat(const hone_report_group *group,
                     const hone_report_params *params, const char *id,
                     hone_text *out)
{
    size_t pairs[3][2];
    const size_t n = hone__chart_pairs(params, pairs);

    (void)group;
    for (size_t i = 0; i < n; ++i) {
        hone_chart_cells cells;
        char of_pair[96];

        (void)snprintf(of_pair, sizeof of_pair, "%.60s-%zu", id, i + 1);
        if (hone__chart_cells(params, pairs[i][0], pairs[i][1], &cells))
            put_pair(params, &cells, of_pair, out);
        else
            out->failed = 1;
        hone__free(cells.ratio);
    }
}

/* Quantiles of each implementation. */
static void put_times(const hone_report_group *group,
                      const hone_report_params *params, const char *id,
                      hone_text *out)
{
    static const double shares[] = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
    double *values = hone__alloc((group->n_trials + 1) * sizeof *values);

    (void)params;
    hone__table_begin(out, id, "Time over the best of its problem",
                      "implementation, correct trials:n, least:n, 5 %:n, 25 "
                      "%:n, median:n, 75 %:n, 95 %:n, most:n");
    for (size_t k = 0; values && k < group->implementations.n; ++k) {
        size_t n = 0;

        for (size_t i = 0; i < group->n_trials; ++i)
            if (group->trials[i].implementation == k &&
                group->trials[i].time_ns > 0)
                values[n++] = group->trials[i].time_ns /
                              group->problems[group->trials[i].problem].best_ns;
        if (!n)
            continue;
        hone__chart_sort(values, n);
        hone__table_row(out);
        hone__table_text(out, group->implementations.items[k]);
        hone__table_count(out, (int64_t)n);
        for (size_t i = 0; i < sizeof shares / sizeof shares[0]; ++i)
            hone__table_number(out,
                               values[(size_t)(shares[i] * (double)(n - 1))]);
        hone__text_puts(out, "\n");
    }
    hone__table_end(out);
    out->failed |= !values;
    hone__free(values);
}

void hone__table_of_chart(const hone_report_group *group,
                          const hone_report_params *params, const char *chart,
                          const char *id, hone_text *out)
{
    static const struct {
        const char *chart;
        chart_table_fn put;
    } tables[] = {{"importance", put_importance},
                  {"heat", put_heat},
                  {"times", put_times}};
    char of_table[80];

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; ++i) {
        if (strcmp(tables[i].chart, chart) != 0)
            continue;
        (void)snprintf(of_table, sizeof of_table, "%.60s-table", id);
        hone__text_puts(out, "<details><summary>The numbers as a "
                             "table</summary>\n");
        tables[i].put(group, params, of_table, out);
        hone__text_puts(out, "</details>\n");
    }
}
