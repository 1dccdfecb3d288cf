/* SPDX-License-Identifier: Apache-2.0 */
/* The table of charts, and what they share: see chart.h. */
#include "tools/report/chart.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHART_ROW(name, title, is_of_params)                                   \
    {#name, title, hone__chart_##name, is_of_params},
const hone_chart hone__charts[HONE_N_CHARTS] = {HONE_CHART_MAP(CHART_ROW)};
#undef CHART_ROW

static void begin(const hone_report_group *group,
                  const hone_report_params *params, const char *title,
                  hone_svg *svg)
{
    const char *implementation =
        params ? group->implementations.items[params->implementation] : NULL;

    svg->width = HONE_CHART_WIDTH;
    (void)snprintf(svg->title, sizeof svg->title, "%s: %s%s%s, %s, %s", title,
                   group->key.op, implementation ? "/" : "",
                   implementation ? implementation : "", group->device,
                   group->key.mode);
}

int hone__chart_draw(const hone_chart *chart, const hone_report_group *group,
                     const hone_report_params *params, hone_svg *svg,
                     char why[240])
{
    size_t n;

    begin(group, params, chart->title, svg);
    if (!chart->draw(group, params, svg, why))
        return 0;
    n = strlen(svg->description);
    if (params && params->trials.n < params->n_right)
        (void)snprintf(svg->description + n, sizeof svg->description - n,
                       " Of its %zu correct trials the first %zu, in the order "
                       "of shapes; --dims chooses others.",
                       params->n_right, params->trials.n);
    return 1;
}

/* Is the word in the labels of all problems? */
static int is_shared(const hone_report_group *group, const char *word,
                     size_t length)
{
    const size_t most = group->n_problems < 50 ? group->n_problems : 50;

    for (size_t i = 0; i < most; ++i) {
        const char *at = group->problems[i].label;

        while (at && *at && strncmp(at, word, length) != 0)
            at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
        if (!at || !*at || (at[length] && at[length] != ' '))
            return 0;
    }
    return group->n_problems > 1;
}

void hone__chart_label(const hone_report_group *group,
                       const hone_report_problem *problem, char *out,
                       size_t size)
{
    const char *label = problem->label ? problem->label : "";
    size_t n = 0;

    out[0] = '\0';
    for (const char *at = label; *at;) {
        const size_t length = strcspn(at, " ");

        if (length && !is_shared(group, at, length) && n + length + 2 < size)
            n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? " " : "",
                                  (int)length, at);
        at += length + (at[length] == ' ');
    }
    if (!n)
        (void)snprintf(out, size, "%s", *label ? label : problem->dims);
}

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;

    return (one > other) - (one < other);
}

void hone__chart_sort(double *values, size_t n)
{
    if (n)
        qsort(values, n, sizeof *values, by_value);
}

void hone__chart_time(double time_ns, char out[40])
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\302\265s"}, {1, "ns"}};
    size_t i = 0;
    char number[32];

    while (i < 3 && time_ns < units[i].ns)
        ++i;
    hone__markup_number(time_ns / units[i].ns, number);
    (void)snprintf(out, 40, "%s %s", number, units[i].unit);
}

/* ---- cells of two parameters ----------------------------------------------
 */

const double hone__chart_shades[HONE_SVG_SHADES - 1] = {1.02, 1.1, 1.25,
                                                        1.5,  2,   4};

size_t hone__chart_shade(double ratio)
{
    size_t i = 0;

    while (i < HONE_SVG_SHADES - 1 && ratio > hone__chart_shades[i])
        ++i;
    return i;
}

size_t hone__chart_n_cells(const hone_report_params *params, size_t param)
{
    const size_t n = params->trials.params[param].n_levels;

    return n < HONE_CHART_MOST_CELLS ? n : HONE_CHART_MOST_CELLS;
}

size_t hone__chart_cell(const hone_report_params *params, size_t param,
                        size_t level)
{
    return params->level_place[param][level] *
           hone__chart_n_cells(params, param) /
           params->trials.params[param].n_levels;
}

void hone__chart_level(const hone_report_params *params, size_t param,
                       size_t cell, size_t n_cells, char *out, size_t size)
{
    const hone_trials_param *p = &params->trials.params[param];
    const size_t first = (cell * p->n_levels + n_cells - 1) / n_cells;
    const size_t last = ((cell + 1) * p->n_levels + n_cells - 1) / n_cells - 1;
    const char *from = p->levels[params->level_order[param][first]];
    const char *to = p->levels[params->level_order[param][last]];

    if (first == last)
        (void)snprintf(out, size, "%s", *from ? from : "-");
    else
        (void)snprintf(out, size, "%s to %s", from, to);
}

/* Rows are in the order of problems. */
int hone__chart_cells(const hone_report_params *params, size_t x_param,
                      size_t y_param, hone_chart_cells *out)
{
    const hone_trials *trials = &params->trials;
    const size_t n_x = hone__chart_n_cells(params, x_param);
    const size_t n_y = hone__chart_n_cells(params, y_param);
    double *best = hone__alloc(3 * n_x * n_y * sizeof *best);
    double *sum = best ? best + n_x * n_y : NULL;
    double *count = best ? best + 2 * n_x * n_y : NULL;

    *out = (hone_chart_cells){n_x, n_y, best, x_param, y_param};
    for (size_t from = 0, to; best && from < trials->n; from = to) {
        memset(best, 0, n_x * n_y * sizeof *best);
        for (to = from; to < trials->n && trials->rows[to].problem_id ==
                                              trials->rows[from].problem_id;
             ++to) {
            const hone_trials_row *row = &trials->rows[to];
            double *cell =
                &best[hone__chart_cell(params, y_param, row->level[y_param]) *
                          n_x +
                      hone__chart_cell(params, x_param, row->level[x_param])];

            if (!(*cell > 0) || params->ratios[to] < *cell)
                *cell = params->ratios[to];
        }
        for (size_t i = 0; i < n_x * n_y; ++i)
            if (best[i] > 0) {
                sum[i] += log(best[i]);
                ++count[i];
            }
    }
    for (size_t i = 0; best && i < n_x * n_y; ++i)
        best[i] = count[i] > 0 ? exp(sum[i] / count[i]) : 0;
    return best != NULL;
}

size_t hone__chart_pairs(const hone_report_params *params, size_t out[3][2])
{
    const size_t n = params->trials.n_params;
    static const size_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    const size_t n_pairs = n < 2 ? 0 : n == 2 ? 1 : 3;

    for (size_t i = 0; i < n_pairs; ++i) {
        out[i][0] = params->order[pairs[i][0]];
        out[i][1] = params->order[pairs[i][1]];
    }
    return n_pairs;
}
