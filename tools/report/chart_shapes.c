/* SPDX-License-Identifier: Apache-2.0 */
/* Charts by shape: ours beside the vendor's, and the roofline. */
#include "tools/report/chart.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 12, RIGHT = 428, MOST_ROWS = 24, ROW_HEIGHT = 32 };

/* ---- ratios -------------------------------------------------------------- */

typedef struct ratio_row {
    size_t problem;
    double least; /* ratio to the fastest competitor; of none, to the default */
} ratio_row;

static int by_ratio(const void *a, const void *b)
{
    const ratio_row *one = a, *other = b;

    if (one->least != other->least)
        return one->least < other->least ? -1 : 1;
    return (one->problem > other->problem) - (one->problem < other->problem);
}

static double default_ratio(const hone_report_problem *problem)
{
    return problem->default_ns > 0 && problem->time_ns > 0
               ? problem->default_ns / problem->time_ns
               : 0;
}

/* Problems that have something to be compared with, by how they compare. */
static ratio_row *rows_of(const hone_report_group *group, size_t *out_n)
{
    ratio_row *rows = hone__alloc((group->n_problems + 1) * sizeof *rows);
    size_t n = 0;

    for (size_t i = 0; rows && i < group->n_problems; ++i)
        rows[i] = (ratio_row){i, 0};
    for (size_t i = 0; rows && i < group->n_others; ++i) {
        const hone_report_baseline *other = &group->others[i];
        const double ratio = hone__report_ratio(group, other);
        ratio_row *row = &rows[other->problem];

        if (!other->is_copy && ratio > 0 &&
            (!(row->least > 0) || ratio < row->least))
            row->least = ratio;
    }
    for (size_t i = 0; rows && i < group->n_problems; ++i) {
        if (!(rows[i].least > 0))
            rows[i].least = default_ratio(&group->problems[i]);
        if (rows[i].least > 0)
            rows[n++] = rows[i];
    }
    if (n)
        qsort(rows, n, sizeof *rows, by_ratio);
    *out_n = n;
    return rows;
}

/* So many of the sorted rows, evenly, the first and the last among them. */
static size_t row_at(size_t shown, size_t n_shown, size_t n)
{
    return n_shown < 2 ? 0 : shown * (n - 1) / (n_shown - 1);
}

static void put_mark(hone_svg *svg, const hone_svg_scale *scale, double y,
                     double ratio, const char *mark, size_t color,
                     const char *name)
{
    hone__markup(&svg->body,
                 "<circle class=\"%s c%zu p\" cx=\"%f\" cy=\"%f\" r=\"4.5\">"
                 "<title>%s: %g times our time</title></circle>\n",
                 mark, color % HONE_SVG_COLORS, hone__svg_at(scale, ratio), y,
                 name, ratio);
}

static void put_row(const hone_report_group *group, const ratio_row *row,
                    const hone_svg_scale *scale, double y, hone_svg *svg)
{
    const hone_report_problem *problem = &group->problems[row->problem];
    char label[160], text[120];

    hone__chart_label(group, problem, label, sizeof label);
    hone__svg_fit(label, 58, text, sizeof text);
    hone__markup(&svg->body,
                 "<text class=\"s\" x=\"%d\" y=\"%f\">%s</text>\n"
                 "<path class=\"g\" d=\"M%d %fH%d\"/>\n",
                 LEFT, y + 10, text, LEFT, y + 20, RIGHT);
    if (default_ratio(problem) > 0)
        put_mark(svg, scale, y + 20, default_ratio(problem), "open", 10,
                 "default configuration");
    for (size_t i = 0; i < group->n_others; ++i)
        if (group->others[i].problem == row->problem &&
            !group->others[i].is_copy &&
            hone__report_ratio(group, &group->others[i]) > 0)
            put_mark(svg, scale, y + 20,
                     hone__report_ratio(group, &group->others[i]), "dot",
                     group->others[i].name,
                     group->baselines.items[group->others[i].name]);
}

static void widen(hone_svg_scale *scale, double value)
{
    if (!(value > 0))
        return;
    scale->low = fmin(scale->low, value / 1.08);
    scale->high = fmax(scale->high, value * 1.08);
}

static hone_svg_scale ratio_scale(const hone_report_group *group)
{
    hone_svg_scale scale = {0.9, 1.2, LEFT, RIGHT, 1};

    for (size_t i = 0; i < group->n_others; ++i)
        if (!group->others[i].is_copy)
            widen(&scale, hone__report_ratio(group, &group->others[i]));
    for (size_t i = 0; i < group->n_problems; ++i)
        widen(&scale, default_ratio(&group->problems[i]));
    return scale;
}

static double put_ratio_legend(const hone_report_group *group, hone_svg *svg)
{
    hone_svg_legend legend = {LEFT, 16, LEFT, RIGHT - LEFT};

    for (size_t i = 0; i < group->baselines.n; ++i)
        if (strcmp(group->baselines.items[i], "memcpy") != 0)
            hone__svg_legend_add(&svg->body, &legend, "dot", i,
                                 group->baselines.items[i]);
    for (size_t i = 0; i < group->n_problems; ++i)
        if (default_ratio(&group->problems[i]) > 0) {
            hone__svg_legend_add(&svg->body, &legend, "open", 10,
                                 "default configuration");
            break;
        }
    return legend.y;
}

/* The line of 1, and which side is whose. */
static void put_one(hone_svg *svg, const hone_svg_scale *scale, double top,
                    double bottom)
{
    const double x = hone__svg_at(scale, 1);

    hone__markup(&svg->body, "<path class=\"one\" d=\"M%f %fV%f\"/>\n", x, top,
                 bottom);
    hone__svg_label(&svg->body, (LEFT + RIGHT) / 2., bottom + 34, "middle",
                    "their time / our time; right of 1 ours is faster");
}

int hone__chart_ratio(const hone_report_group *group,
                      const hone_report_params *params, hone_svg *svg,
                      char why[240])
{
    size_t n, n_shown;
    ratio_row *rows = rows_of(group, &n);
    const hone_svg_scale scale = ratio_scale(group);
    double top;

    (void)params;
    if (!n) {
        (void)snprintf(why, 240, "%s",
                       "No winner has a baseline or a default configuration "
                       "that was timed.");
        hone__free(rows);
        return 0;
    }
    n_shown = n < MOST_ROWS ? n : MOST_ROWS;
    top = put_ratio_legend(group, svg) + 10;
    svg->height = top + (double)n_shown * ROW_HEIGHT + 44;
    hone__svg_axis_x(&svg->body, &scale, top, svg->height - 44);
    for (size_t i = 0; i < n_shown; ++i)
        put_row(group, &rows[row_at(i, n_shown, n)], &scale,
                top + (double)i * ROW_HEIGHT, svg);
    put_one(svg, &scale, top, svg->height - 44);
    (void)snprintf(svg->description, sizeof svg->description,
                   "%zu of %zu shape%s%s, the least ratio on top: time of each "
                   "baseline over the winner's.",
                   n_shown, n, n == 1 ? "" : "s",
                   n_shown < n ? ", evenly of all" : "");
    hone__free(rows);
    return 1;
}

/* ---- roofline ------------------------------------------------------------ */

enum { ROOF_LEFT = 48, ROOF_RIGHT = 428, ROOF_HEIGHT = 250, GRID = 6 };

/* Points at places where there is one already are left out. */
typedef struct roof_plot {
    hone_svg *svg;
    hone_svg_scale x, y;
    unsigned char taken[(ROOF_RIGHT / GRID + 2) * (ROOF_HEIGHT * 2 / GRID)];
    size_t n;
} roof_plot;

static void put_point(roof_plot *plot, const hone_report_problem *problem,
                      const char *label, const char *mark, size_t color,
                      const char *name, double time_ns)
{
    const double intensity = (double)problem->flops / (double)problem->bytes;
    const double rate = (double)problem->flops / time_ns * 1e9;
    const double x = hone__svg_at(&plot->x, intensity);
    const double y = hone__svg_at(&plot->y, rate);
    const size_t place =
        (size_t)(y / GRID) * (ROOF_RIGHT / GRID + 2) + (size_t)(x / GRID);
    char time[40];

    if (!(time_ns > 0) || place >= sizeof plot->taken || plot->taken[place]++)
        return;
    hone__chart_time(time_ns, time);
    ++plot->n;
    hone__markup(&plot->svg->body,
                 "<circle class=\"%s c%zu p\" cx=\"%f\" cy=\"%f\" r=\"4\">"
                 "<title>%s, %s: %s, %g GFLOP/s, %g operations a byte</title>"
                 "</circle>\n",
                 mark, color % HONE_SVG_COLORS, x, y, label, name, time,
                 rate * 1e-9, intensity);
}

static int has_work(const hone_report_problem *problem)
{
    return problem->flops > 0 && problem->bytes > 0 && problem->time_ns > 0;
}

static void set_scales(const hone_report_group *group,
                       const hone_report_roof *roof, roof_plot *plot)
{
    plot->x = (hone_svg_scale){1e30, 0, ROOF_LEFT, ROOF_RIGHT, 1};
    plot->y = (hone_svg_scale){1e30, 0, 0, 0, 1};
    for (size_t i = 0; i < group->n_problems; ++i) {
        const hone_report_problem *problem = &group->problems[i];
        double intensity, rate;

        if (!has_work(problem))
            continue;
        intensity = (double)problem->flops / (double)problem->bytes;
        rate = (double)problem->flops / problem->time_ns * 1e9;
        plot->x.low = fmin(plot->x.low, intensity / 3);
        plot->x.high = fmax(plot->x.high, intensity * 3);
        plot->y.low = fmin(plot->y.low, rate / 3);
        plot->y.high = fmax(plot->y.high, rate * 2);
    }
    for (size_t i = 0; i < group->n_others; ++i) {
        const hone_report_baseline *other = &group->others[i];
        const hone_report_problem *problem = &group->problems[other->problem];

        if (!other->is_copy && other->time_ns > 0 && has_work(problem))
            plot->y.low = fmin(plot->y.low, (double)problem->flops /
                                                other->time_ns * 1e9 / 2);
    }
    if (roof->copy_bytes_per_s > 0 && roof->flops_per_s > 0 &&
        plot->x.high > 0) /* the ridge, where both meet, is in the chart */
        plot->x.high =
            fmax(plot->x.high, 2 * roof->flops_per_s / roof->copy_bytes_per_s);
    if (roof->copy_bytes_per_s > 0)
        plot->y.high =
            fmax(plot->y.high,
                 fmin(roof->copy_bytes_per_s * plot->x.high,
                      roof->flops_per_s > 0 ? roof->flops_per_s : INFINITY) *
                     1.5);
}

/* From the left up to the ridge or to an edge; then level. */
static void put_roofs(roof_plot *plot, const hone_report_roof *roof)
{
    const double peak =
        roof->flops_per_s > 0 ? roof->flops_per_s : plot->y.high;
    const double bytes = roof->copy_bytes_per_s;
    double from, to;

    if (bytes > 0) {
        from = fmax(plot->x.low, plot->y.low / bytes);
        to = fmin(plot->x.high, fmin(peak, plot->y.high) / bytes);
        if (from < to)
            hone__markup(&plot->svg->body,
                         "<path class=\"line c5\" d=\"M%f %fL%f %f\"/>\n",
                         hone__svg_at(&plot->x, from),
                         hone__svg_at(&plot->y, from * bytes),
                         hone__svg_at(&plot->x, to),
                         hone__svg_at(&plot->y, to * bytes));
    }
    if (roof->flops_per_s > 0 && roof->flops_per_s <= plot->y.high) {
        from = bytes > 0 ? fmax(plot->x.low, roof->flops_per_s / bytes)
                         : plot->x.low;
        if (from < plot->x.high)
            hone__markup(&plot->svg->body,
                         "<path class=\"line c3\" d=\"M%f %fH%f\"/>\n",
                         hone__svg_at(&plot->x, from),
                         hone__svg_at(&plot->y, roof->flops_per_s),
                         hone__svg_at(&plot->x, plot->x.high));
    }
}

static double put_roof_legend(const hone_report_group *group,
                              const hone_report_roof *roof, hone_svg *svg)
{
    hone_svg_legend legend = {LEFT, 16, LEFT, RIGHT - LEFT};
    char text[120], number[32];

    hone__svg_legend_add(&svg->body, &legend, "dot", 1, "ours");
    for (size_t i = 0; i < group->baselines.n; ++i)
        if (strcmp(group->baselines.items[i], "memcpy") != 0)
            hone__svg_legend_add(&svg->body, &legend, "open", i + 2,
                                 group->baselines.items[i]);
    if (roof->copy_bytes_per_s > 0) {
        hone__markup_number(roof->copy_bytes_per_s * 1e-9, number);
        (void)snprintf(text, sizeof text, "measured copy, %s GB/s", number);
        hone__svg_legend_add(&svg->body, &legend, "line", 5, text);
    }
    if (roof->flops_per_s > 0) {
        hone__markup_number(roof->flops_per_s * 1e-12, number);
        (void)snprintf(text, sizeof text, "tensor cores, %s TFLOP/s", number);
        hone__svg_legend_add(&svg->body, &legend, "line", 3, text);
    }
    return legend.y;
}

static void describe_roofs(const hone_report_roof *roof, size_t n,
                           hone_svg *svg)
{
    char memory[140], arithmetic[240];

    (void)snprintf(memory, sizeof memory, "%s",
                   roof->copy_bytes_per_s > 0
                       ? "Memory: the fastest copy that was measured here."
                       : "No copy was measured, so there is no roof of "
                         "memory.");
    if (roof->flops_per_s > 0)
        (void)snprintf(arithmetic, sizeof arithmetic,
                       "Arithmetic: not measured; dense 16-bit (8-bit where "
                       "arrays are) tensor rate of the architecture by its "
                       "papers, at %.0f MHz, the highest clock of the trials.",
                       roof->clock_mhz);
    else
        (void)snprintf(arithmetic, sizeof arithmetic,
                       "No peak of arithmetic is known for this device.");
    (void)snprintf(svg->description, sizeof svg->description,
                   "%zu points: declared operations a second by operations a "
                   "byte. %s %s",
                   n, memory, arithmetic);
}

int hone__chart_roofline(const hone_report_group *group,
                         const hone_report_params *params, hone_svg *svg,
                         char why[240])
{
    const hone_report_roof roof = hone__report_roof(group);
    roof_plot *plot = hone__alloc(sizeof *plot);
    double top;

    (void)params;
    if (plot) {
        plot->svg = svg;
        set_scales(group, &roof, plot);
    }
    if (!plot || !(plot->x.high > 0)) {
        (void)snprintf(why, 240, "%s",
                       "No winner has declared work, operations and bytes, in "
                       "its stored launch plan.");
        hone__free(plot);
        return 0;
    }
    top = put_roof_legend(group, &roof, svg) + 36;
    plot->y.from = top + ROOF_HEIGHT;
    plot->y.to = top;
    svg->height = top + ROOF_HEIGHT + 40;
    hone__markup(&svg->body, "<text x=\"%d\" y=\"%f\">FLOP/s</text>\n", LEFT,
                 top - 10);
    hone__svg_axis_x(&svg->body, &plot->x, top, top + ROOF_HEIGHT);
    hone__svg_axis_y(&svg->body, &plot->y, ROOF_LEFT, ROOF_RIGHT);
    put_roofs(plot, &roof);
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; pass && i < group->n_problems; ++i)
            if (has_work(&group->problems[i]))
                put_point(plot, &group->problems[i], group->problems[i].label,
                          "dot", 1, "ours", group->problems[i].time_ns);
        for (size_t i = 0; !pass && i < group->n_others; ++i) {
            const hone_report_baseline *other = &group->others[i];

            if (!other->is_copy && has_work(&group->problems[other->problem]))
                put_point(plot, &group->problems[other->problem],
                          group->problems[other->problem].label, "open",
                          other->name + 2, group->baselines.items[other->name],
                          other->time_ns);
        }
        memset(plot->taken, 0, sizeof plot->taken);
    }
    hone__svg_label(&svg->body, (ROOF_LEFT + ROOF_RIGHT) / 2., svg->height - 6,
                    "middle", "operations a byte");
    describe_roofs(&roof, plot->n, svg);
    hone__free(plot);
    return 1;
}
