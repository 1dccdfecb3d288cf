/* SPDX-License-Identifier: Apache-2.0 */
/* The charts of a report, each a figure 440 wide, so that its text can still be
 * read where a phone makes it 340. However many trials there are, a chart has
 * at most a few thousand elements: it counts and bins. */
#ifndef HONE_TOOLS_CHART_H
#define HONE_TOOLS_CHART_H

#include "tools/base/svg.h"
#include "tools/report/report.h"

enum { HONE_CHART_WIDTH = 440 };

/* Draw into the figure, with title, description and height. 0: there is nothing
 * to draw, and `why` says what is missing. `params` is NULL for charts that are
 * of a whole group. */
typedef int (*hone_chart_fn)(const hone_report_group *group,
                             const hone_report_params *params, hone_svg *svg,
                             char why[240]);

/* X(name, title, of one implementation) in the order of the report. */
#define HONE_CHART_MAP(X)                                                      \
    X(ratio, "Ours and the vendor's by shape", 0)                              \
    X(roofline, "Roofline", 0)                                                 \
    X(convergence, "Convergence of the searches", 0)                           \
    X(times, "Distribution of trial times", 0)                                 \
    X(outcomes, "Outcomes", 0)                                                 \
    X(importance, "Parameter importance", 1)                                   \
    X(heat, "Heat maps of two parameters", 1)                                  \
    X(parallel, "Parallel coordinates", 1)

typedef struct hone_chart {
    const char *name;
    const char *title;
    hone_chart_fn draw;
    int is_of_params;
} hone_chart;

#define HONE_CHART_COUNT(name, title, is_of_params) +1
enum { HONE_N_CHARTS = 0 HONE_CHART_MAP(HONE_CHART_COUNT) };
extern const hone_chart hone__charts[HONE_N_CHARTS];

#define HONE_CHART_DECLARE(name, title, is_of_params)                          \
    int hone__chart_##name(const hone_report_group *group,                     \
                           const hone_report_params *params, hone_svg *svg,    \
                           char why[240]);
HONE_CHART_MAP(HONE_CHART_DECLARE)
#undef HONE_CHART_DECLARE

/* ---- what they share (charts.c) ---------------------------------------------
 */

/* As its function; the title is that of the chart with the group's name, and
 * the description ends with how many trials were left out, if any were. */
int hone__chart_draw(const hone_chart *chart, const hone_report_group *group,
                     const hone_report_params *params, hone_svg *svg,
                     char why[240]);
/* What a problem is called, without what all problems of the group share. */
void hone__chart_label(const hone_report_group *group,
                       const hone_report_problem *problem, char *out,
                       size_t size);
/* Sort doubles, ascending. */
void hone__chart_sort(double *values, size_t n);
/* "12.34 us". */
void hone__chart_time(double time_ns, char out[40]);

/* Best of the two values: the geometric mean over problems of the best ratio,
 * by their places; 0 where nothing was tried. `n_x` times `n_y` values, freed
 * by hone__free(); NULL without memory. Neighbours share a cell where a
 * parameter has more than HONE_CHART_MOST_CELLS values. */
enum { HONE_CHART_MOST_CELLS = 20 };
typedef struct hone_chart_cells {
    size_t n_x, n_y;
    double *ratio;
    size_t x_param, y_param;
} hone_chart_cells;
int hone__chart_cells(const hone_report_params *params, size_t x_param,
                      size_t y_param, hone_chart_cells *out);
/* The values of a cell's column or row: "64", "64 to 96". */
void hone__chart_level(const hone_report_params *params, size_t param,
                       size_t cell, size_t n_cells, char *out, size_t size);
size_t hone__chart_n_cells(const hone_report_params *params, size_t param);
size_t hone__chart_cell(const hone_report_params *params, size_t param,
                        size_t level);
/* Which shade a ratio has, 0 the best. */
size_t hone__chart_shade(double ratio);
extern const double hone__chart_shades[HONE_SVG_SHADES - 1];

/* Pairs of parameters that are worth a heat map; returns how many, up to 3. */
size_t hone__chart_pairs(const hone_report_params *params, size_t out[3][2]);

#endif
