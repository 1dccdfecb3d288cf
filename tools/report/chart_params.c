/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of parameters: importance, heat maps, parallel coordinates. */
#include "tools/report/chart.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 12, RIGHT = 428 };

/* ---- importance ---------------------------------------------------------- */

enum { MOST_SHARES = 12, SHARE_HEIGHT = 30 };

int hone__chart_importance(const hone_report_group *group,
                           const hone_report_params *params, hone_svg *svg,
                           char why[240])
{
    const hone_importance *found = &params->importance;
    char seen[40] = "";
    size_t n = 0;

    (void)group;
    if (!found->n_trials || !found->n) {
        (void)snprintf(why, 240,
                       "There are %zu correct trials with %zu parameters that "
                       "vary; shares need at least %d and one.",
                       params->trials.n, params->trials.n_params,
                       HONE_IMPORTANCE_FEWEST);
        return 0;
    }
    for (size_t i = 0; i < found->n && n < MOST_SHARES; ++i) {
        const hone_importance_share *share = &found->shares[i];
        const char *one = params->trials.params[share->params[0]].name;
        const char *other = params->trials.params[share->params[1]].name;
        const double y = 6 + (double)n * SHARE_HEIGHT;

        if (share->share < 0.005)
            break;
        hone__markup(&svg->body, "<text x=\"%d\" y=\"%f\">%s%s%s</text>\n",
                     LEFT, y + 12, one, one == other ? "" : " \303\227 ",
                     one == other ? "" : other);
        hone__markup(&svg->body,
                     "<text x=\"%d\" y=\"%f\" text-anchor=\"end\">%f "
                     "%%</text>\n<rect class=\"bar c%d\" x=\"%d\" y=\"%f\" "
                     "width=\"%f\" height=\"8\"/>\n",
                     RIGHT, y + 12, round(share->share * 1000) / 10,
                     one == other ? 1 : 5, LEFT, y + 16,
                     (RIGHT - LEFT) * fmin(share->share, 1));
        ++n;
    }
    svg->height = 14 + (double)n * SHARE_HEIGHT;
    if (found->n_seen < found->n_trials)
        (void)snprintf(seen, sizeof seen, ", by %zu of them", found->n_seen);
    (void)snprintf(
        svg->description, sizeof svg->description,
        "Share of the variance of the logarithm of the time, of %zu "
        "trials of %zu problem%s%s; pairs beyond each alone. The trees "
        "explain %.2f of unseen trials' variance%s.",
        found->n_trials, params->trials.n_problems,
        params->trials.n_problems == 1 ? "" : "s", seen, found->fit,
        found->fit < 0.3 ? ": the shares say little" : "");
    return 1;
}

/* ---- heat maps ----------------------------------------------------------- */

enum { HEAT_LEFT = 92, HEAT_TOP = 34 };

static double put_shades(hone_svg *svg)
{
    const double width = (double)(RIGHT - LEFT) / HONE_SVG_SHADES;

    for (size_t i = 0; i < HONE_SVG_SHADES; ++i) {
        char text[32] = "above", number[32];

        hone__markup_number(
            hone__chart_shades[i < HONE_SVG_SHADES - 1 ? i : i - 1], number);
        if (i < HONE_SVG_SHADES - 1)
            (void)snprintf(text, sizeof text, "to %.20s", number);
        hone__markup(&svg->body,
                     "<rect class=\"h%zu\" x=\"%f\" y=\"6\" width=\"%f\" "
                     "height=\"10\"/>\n<text class=\"s\" x=\"%f\" y=\"29\" "
                     "text-anchor=\"middle\">%s</text>\n",
                     i, LEFT + (double)i * width, width,
                     LEFT + ((double)i + 0.5) * width, text);
    }
    return 36;
}

static void put_cell(const hone_chart_cells *cells, size_t x, size_t y,
                     double left, double top, double width, double height,
                     hone_svg *svg)
{
    const double ratio = cells->ratio[y * cells->n_x + x];
    const size_t shade = hone__chart_shade(ratio);
    const double cell_x = left + (double)x * width;
    const double cell_y = top + (double)y * height;
    char text[32];

    if (!(ratio > 0))
        return;
    hone__markup(&svg->body,
                 "<rect class=\"h%zu\" x=\"%f\" y=\"%f\" width=\"%f\" "
                 "height=\"%f\"/>\n",
                 shade, cell_x, cell_y, width - 1, height - 1);
    if (width < 34)
        return;
    hone__markup_number(round(ratio * 100) / 100, text);
    hone__markup(&svg->body,
                 "<text class=\"s %s\" x=\"%f\" y=\"%f\" "
                 "text-anchor=\"middle\">%s</text>\n",
                 shade < 2 ? "on" : "off", cell_x + width / 2,
                 cell_y + height / 2 + 4, text);
}

static void put_levels(const hone_report_params *params,
                       const hone_chart_cells *cells, double top, double width,
                       double height, hone_svg *svg)
{
    const double bottom = top + (double)cells->n_y * height;
    const size_t every = width < 40 ? (size_t)ceil(40 / width) : 1;
    char text[90], fit[40];

    for (size_t i = 0; i < cells->n_y; ++i) {
        hone__chart_level(params, cells->y_param, i, cells->n_y, text,
                          sizeof text);
        hone__svg_fit(text, 11, fit, sizeof fit);
        hone__markup(&svg->body,
                     "<text class=\"s\" x=\"%d\" y=\"%f\" "
                     "text-anchor=\"end\">%s</text>\n",
                     HEAT_LEFT - 6, top + ((double)i + 0.5) * height + 4, fit);
    }
    for (size_t i = 0; i < cells->n_x; i += every) {
        hone__chart_level(params, cells->x_param, i, cells->n_x, text,
                          sizeof text);
        hone__svg_fit(text, (size_t)(width * (double)every / 6.5), fit,
                      sizeof fit);
        hone__markup(&svg->body,
                     "<text class=\"s\" x=\"%f\" y=\"%f\" "
                     "text-anchor=\"middle\">%s</text>\n",
                     HEAT_LEFT + ((double)i + 0.5) * width, bottom + 14, fit);
    }
}

/* Returns where it ends. */
static double put_map(const hone_report_params *params,
                      const hone_chart_cells *cells, double y, hone_svg *svg)
{
    const double top = y + HEAT_TOP;
    const double width = (double)(RIGHT - HEAT_LEFT) / (double)cells->n_x;
    const double height = cells->n_y > 12 ? 16 : 22;
    const double bottom = top + (double)cells->n_y * height;

    hone__markup(&svg->body,
                 "<text class=\"b\" x=\"%d\" y=\"%f\">%s \342\206\223 and %s "
                 "\342\206\222</text>\n",
                 LEFT, top - 10, params->trials.params[cells->y_param].name,
                 params->trials.params[cells->x_param].name);
    for (size_t k = 0; k < cells->n_x * cells->n_y; ++k)
        put_cell(cells, k % cells->n_x, k / cells->n_x, HEAT_LEFT, top, width,
                 height, svg);
    put_levels(params, cells, top, width, height, svg);
    return bottom + 18;
}

int hone__chart_heat(const hone_report_group *group,
                     const hone_report_params *params, hone_svg *svg,
                     char why[240])
{
    size_t pairs[3][2];
    const size_t n = hone__chart_pairs(params, pairs);
    double y;

    (void)group;
    if (!n) {
        (void)snprintf(why, 240, "Fewer than two parameters vary (%zu).",
                       params->trials.n_params);
        return 0;
    }
    y = put_shades(svg);
    for (size_t i = 0; i < n; ++i) {
        hone_chart_cells cells;

        if (hone__chart_cells(params, pairs[i][0], pairs[i][1], &cells))
            y = put_map(params, &cells, y, svg);
        else
            svg->body.failed = 1;
        hone__free(cells.ratio);
    }
    svg->height = y + 4;
    (void)snprintf(
        svg->description, sizeof svg->description,
        "The fastest trial with both values over the best of its "
        "problem%s; the parameters that matter most. Empty: not "
        "tried, or not right.",
        params->trials.n_problems > 1 ? ", geometric mean over problems" : "");
    return 1;
}

/* ---- parallel coordinates ---------------------------------------------------
 */

enum {
    MOST_AXES = 7, /* of parameters; the time is one more */
    MOST_BEST = 40,
    AXES_TOP = 78,
    AXES_HEIGHT = 250,
    AXES_LEFT = 30,
    AXES_RIGHT = 404
};

typedef struct axes {
    const hone_report_params *params;
    size_t n; /* of parameters */
    hone_svg *svg;
} axes;

static double axis_x(const axes *a, size_t axis)
{
    return AXES_LEFT +
           (double)(AXES_RIGHT - AXES_LEFT) * (double)axis / (double)a->n;
}

static double level_y(const axes *a, size_t axis, size_t cell)
{
    const size_t n = hone__chart_n_cells(a->params, a->params->order[axis]);

    return AXES_TOP + AXES_HEIGHT -
           (double)AXES_HEIGHT * ((double)cell + 0.5) / (double)n;
}

static double ratio_y(double ratio)
{
    const hone_svg_scale scale = {1, 4, AXES_TOP, AXES_TOP + AXES_HEIGHT, 1};

    return hone__svg_at(&scale, ratio);
}

static size_t cell_of(const axes *a, size_t axis, const hone_trials_row *row)
{
    const size_t param = a->params->order[axis];

    return hone__chart_cell(a->params, param, row->level[param]);
}

/* All trials: between two axes a line for each pair of values, as strong as it
 * is frequent. */
static void put_density(const axes *a, size_t axis)
{
    const hone_trials *trials = &a->params->trials;
    size_t counts[HONE_CHART_MOST_CELLS][HONE_CHART_MOST_CELLS] = {{0}};
    size_t most = 1;

    for (size_t i = 0; i < trials->n; ++i) {
        size_t *count = &counts[cell_of(a, axis, &trials->rows[i])]
                               [cell_of(a, axis + 1, &trials->rows[i])];

        if (++*count > most)
            most = *count;
    }
    for (size_t k = 0;
         k < (size_t)HONE_CHART_MOST_CELLS * HONE_CHART_MOST_CELLS; ++k) {
        const size_t from = k / HONE_CHART_MOST_CELLS;
        const size_t to = k % HONE_CHART_MOST_CELLS;

        if (!counts[from][to])
            continue;
        hone__markup(&a->svg->body,
                     "<path class=\"line c10\" d=\"M%f %fL%f %f\" "
                     "stroke-opacity=\"%f\"/>\n",
                     axis_x(a, axis), level_y(a, axis, from),
                     axis_x(a, axis + 1), level_y(a, axis + 1, to),
                     0.05 + 0.35 * (double)counts[from][to] / (double)most);
    }
}

typedef struct ranked_trial {
    double ratio;
    size_t row;
} ranked_trial;

static int by_rank(const void *a, const void *b)
{
    const ranked_trial *one = a, *other = b;

    if (one->ratio != other->ratio)
        return one->ratio < other->ratio ? -1 : 1;
    return (one->row > other->row) - (one->row < other->row);
}

/* Drawn from the last to the first, which is on top; a little apart, so that
 * lines through the same values are not one. */
static size_t put_best(const axes *a)
{
    const hone_trials *trials = &a->params->trials;
    ranked_trial *ranked = hone__alloc((trials->n + 1) * sizeof *ranked);
    const size_t n = trials->n < MOST_BEST ? trials->n : MOST_BEST;

    for (size_t i = 0; ranked && i < trials->n; ++i)
        ranked[i] = (ranked_trial){a->params->ratios[i], i};
    if (ranked && trials->n)
        qsort(ranked, trials->n, sizeof *ranked, by_rank);
    for (size_t k = n; ranked && k-- > 0;) {
        const hone_trials_row *row = &trials->rows[ranked[k].row];
        const double apart = ((double)(k % 9) - 4) * 0.7;

        hone__markup(&a->svg->body, "<path class=\"line thin c%d p\" d=\"",
                     k < 5 ? 0 : 1);
        for (size_t axis = 0; axis < a->n; ++axis)
            hone__markup(&a->svg->body, "%s%f %f", axis ? "L" : "M",
                         axis_x(a, axis),
                         level_y(a, axis, cell_of(a, axis, row)) + apart);
        hone__markup(&a->svg->body,
                     "L%f %f\"><title>place %zu: %g times the best</title>"
                     "</path>\n",
                     axis_x(a, a->n), ratio_y(ranked[k].ratio), k + 1,
                     ranked[k].ratio);
    }
    a->svg->body.failed |= !ranked;
    hone__free(ranked);
    return n;
}

/* Names are wider than the space between axes: on three lines. */
static double name_y(size_t axis)
{
    return AXES_TOP - 16 - 18 * (double)(axis % 3);
}

static void put_axis(const axes *a, size_t axis)
{
    const size_t param = a->params->order[axis];
    const size_t n = hone__chart_n_cells(a->params, param);
    const size_t every = n > 12 ? (n + 11) / 12 : 1;
    char text[90], fit[40];

    hone__svg_fit(a->params->trials.params[param].name, 14, fit, sizeof fit);
    hone__svg_label(&a->svg->body, axis_x(a, axis), name_y(axis),
                    axis == 0 ? "start" : "middle", fit);
    hone__svg_line(&a->svg->body, axis_x(a, axis), AXES_TOP, axis_x(a, axis),
                   AXES_TOP + AXES_HEIGHT);
    for (size_t i = 0; i < n; i += every) {
        hone__chart_level(a->params, param, i, n, text, sizeof text);
        hone__svg_fit(text, 8, fit, sizeof fit);
        hone__markup(&a->svg->body,
                     "<text class=\"s halo\" x=\"%f\" y=\"%f\">%s</text>\n",
                     axis_x(a, axis) + 3, level_y(a, axis, i) + 4, fit);
    }
}

static void put_time_axis(const axes *a)
{
    static const double ratios[] = {1, 1.25, 1.5, 2, 3, 4};
    const double x = axis_x(a, a->n);
    char text[32];

    hone__svg_label(&a->svg->body, RIGHT, name_y(a->n), "end", "time");
    hone__svg_line(&a->svg->body, x, AXES_TOP, x, AXES_TOP + AXES_HEIGHT);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; ++i) {
        hone__markup_number(ratios[i], text);
        hone__markup(&a->svg->body,
                     "<text class=\"s halo\" x=\"%f\" y=\"%f\">%s</text>\n",
                     x + 3, ratio_y(ratios[i]) + 4, text);
    }
}

int hone__chart_parallel(const hone_report_group *group,
                         const hone_report_params *params, hone_svg *svg,
                         char why[240])
{
    const size_t n_params = params->trials.n_params;
    const axes a = {params, n_params < MOST_AXES ? n_params : MOST_AXES, svg};
    size_t n_best;

    (void)group;
    if (a.n < 2) {
        (void)snprintf(why, 240, "Fewer than two parameters vary (%zu).",
                       n_params);
        return 0;
    }
    for (size_t axis = 0; axis + 1 < a.n; ++axis)
        put_density(&a, axis);
    n_best = put_best(&a);
    for (size_t axis = 0; axis < a.n; ++axis)
        put_axis(&a, axis);
    put_time_axis(&a);
    svg->height = AXES_TOP + AXES_HEIGHT + 12;
    (void)snprintf(svg->description, sizeof svg->description,
                   "The fastest %zu of %zu correct trials as lines, the first "
                   "five in the first colour, all others as the frequency of "
                   "pairs of values; %zu of %zu parameters, what matters "
                   "most first; the time over the best of its problem, above 4 "
                   "drawn there.",
                   n_best, params->trials.n, a.n, n_params);
    return 1;
}
