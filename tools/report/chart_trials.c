/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of all trials: how searches converge, how times are distributed, how
 * trials end. */
#include "tools/report/chart.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 48, RIGHT = 428, HEIGHT = 230 };

/* ---- convergence -----------------------------------------------------------
 */

enum { MOST_CURVES = 24, N_MARKS = 25 };
static const double HIGHEST = 10; /* ratios above are drawn there */

typedef struct curves_plot {
    const hone_report_group *group;
    hone_svg *svg;
    hone_svg_scale x, y;
} curves_plot;

static size_t longest_session(const hone_report_group *group)
{
    size_t most = 0;

    for (size_t i = 0; i < group->n_sessions; ++i)
        if (group->sessions[i].n > most)
            most = group->sessions[i].n;
    return most;
}

/* The best of the first `n` trials of a session over the best that was ever
 * found of its problem; 0: none was right yet. */
static double best_after(const hone_report_group *group,
                         const hone_report_session *session, size_t n)
{
    double best = 0;

    for (size_t i = session->first; i < session->first + n; ++i)
        if (group->trials[i].time_ns > 0 &&
            (!(best > 0) || group->trials[i].time_ns < best))
            best = group->trials[i].time_ns;
    return best / group->problems[session->problem].best_ns;
}

/* Steps where it improves. */
static void put_session(const curves_plot *plot,
                        const hone_report_session *session)
{
    const hone_report_group *group = plot->group;
    const double optimum = group->problems[session->problem].best_ns;
    double best = 0;

    hone__text_puts(&plot->svg->body, "<path class=\"line thin c10\" d=\"");
    for (size_t i = 0; i < session->n; ++i) {
        const double time = group->trials[session->first + i].time_ns;

        if (!(time > 0) || (best > 0 && time >= best))
            continue;
        hone__markup(&plot->svg->body, best > 0 ? "H%fV%f" : "M%f %f",
                     hone__svg_at(&plot->x, (double)(i + 1)),
                     hone__svg_at(&plot->y, time / optimum));
        best = time;
    }
    if (best > 0)
        hone__markup(&plot->svg->body, "H%f",
                     hone__svg_at(&plot->x, (double)session->n));
    hone__text_puts(&plot->svg->body, "\"/>\n");
}

/* Trial counts that are about evenly spaced on a logarithmic axis. */
static size_t marks_of(size_t longest, size_t out[N_MARKS])
{
    size_t n = 0;

    for (int i = 0; i < N_MARKS; ++i) {
        const size_t mark =
            (size_t)llround(exp(log((double)longest) * i / (N_MARKS - 1)));

        if (!n || mark > out[n - 1])
            out[n++] = mark;
    }
    return n;
}

/* The median over all sessions; one that ended has what it had. */
static void put_median(const curves_plot *plot, size_t longest)
{
    const hone_report_group *group = plot->group;
    double *values = hone__alloc((group->n_sessions + 1) * sizeof *values);
    size_t marks[N_MARKS];
    const size_t n_marks = marks_of(longest, marks);
    const char *step = "M";

    hone__text_puts(&plot->svg->body, "<path class=\"line c1\" d=\"");
    for (size_t m = 0; values && m < n_marks; ++m) {
        size_t n = 0, n_found = 0;

        for (size_t i = 0; i < group->n_sessions; ++i) {
            const hone_report_session *session = &group->sessions[i];
            const size_t most = session->n < marks[m] ? session->n : marks[m];
            const double value =
                session->n > 1 && group->problems[session->problem].best_ns > 0
                    ? best_after(group, session, most)
                    : -1;

            if (value < 0)
                continue;
            n_found += value > 0;
            values[n++] = value > 0 ? value : HIGHEST;
        }
        if (!n_found)
            continue;
        hone__chart_sort(values, n);
        hone__markup(&plot->svg->body, "%s%f %f", step,
                     hone__svg_at(&plot->x, (double)marks[m]),
                     hone__svg_at(&plot->y, values[n / 2]));
        step = "L";
    }
    hone__text_puts(&plot->svg->body, "\"/>\n");
    plot->svg->body.failed |= !values;
    hone__free(values);
}

static double worst_start(const hone_report_group *group)
{
    double worst = 1.2;

    for (size_t i = 0; i < group->n_sessions; ++i) {
        const hone_report_session *session = &group->sessions[i];

        for (size_t k = 0; k < session->n; ++k) {
            const double time = group->trials[session->first + k].time_ns;

            if (time > 0) {
                worst = fmax(worst,
                             time / group->problems[session->problem].best_ns);
                break;
            }
        }
    }
    return fmin(worst, HIGHEST);
}

int hone__chart_convergence(const hone_report_group *group,
                            const hone_report_params *params, hone_svg *svg,
                            char why[240])
{
    const size_t longest = longest_session(group);
    hone_svg_legend legend = {12, 16, 12, RIGHT - 12};
    curves_plot plot = {.group = group, .svg = svg};
    size_t n_curves = 0, n_long = 0, step;
    double top;

    (void)params;
    for (size_t i = 0; i < group->n_sessions; ++i)
        n_long += group->sessions[i].n > 1 &&
                  group->problems[group->sessions[i].problem].best_ns > 0;
    if (!n_long) {
        (void)snprintf(why, 240, "%s", "No session has two trials.");
        return 0;
    }
    hone__svg_legend_add(&svg->body, &legend, "line", 1, "median of sessions");
    hone__svg_legend_add(&svg->body, &legend, "line thin", 10, "a session");
    top = legend.y + 34;
    plot.x = (hone_svg_scale){1, (double)longest, LEFT, RIGHT, 1};
    plot.y = (hone_svg_scale){1, worst_start(group), top + HEIGHT, top, 1};
    hone__markup(&svg->body,
                 "<text x=\"12\" y=\"%f\">best so far / best known</text>\n",
                 top - 10);
    hone__svg_axis_x(&svg->body, &plot.x, top, top + HEIGHT);
    hone__svg_axis_y(&svg->body, &plot.y, LEFT, RIGHT);
    step = (n_long + MOST_CURVES - 1) / MOST_CURVES;
    for (size_t i = 0, k = 0; i < group->n_sessions; ++i) {
        const hone_report_session *session = &group->sessions[i];

        if (session->n < 2 ||
            !(group->problems[session->problem].best_ns > 0) || k++ % step)
            continue;
        put_session(&plot, session);
        ++n_curves;
    }
    put_median(&plot, longest);
    svg->height = top + HEIGHT + 42;
    hone__svg_label(&svg->body, (LEFT + RIGHT) / 2., svg->height - 6, "middle",
                    "trials");
    (void)snprintf(svg->description, sizeof svg->description,
                   "%zu of %zu session%s, and the median of all: the best time "
                   "after so many trials over the best that any session found "
                   "of that problem. Ratios above %.0f are drawn there.",
                   n_curves, n_long, n_long == 1 ? "" : "s", HIGHEST);
    return 1;
}

/* ---- times ------------------------------------------------------------------
 */

enum { N_BINS = 40, MOST_STACKED = 6 };

typedef struct times_bins {
    size_t count[MOST_STACKED][N_BINS];
    size_t n, n_above;
    size_t most; /* of a bin */
    double high;
} times_bins;

/* Up to what 99 % of the ratios are, and at least 2. */
static double highest_ratio(const hone_report_group *group, size_t *out_n)
{
    double *ratios = hone__alloc((group->n_trials + 1) * sizeof *ratios);
    double high = 2;
    size_t n = 0;

    for (size_t i = 0; ratios && i < group->n_trials; ++i)
        if (group->trials[i].time_ns > 0)
            ratios[n++] = group->trials[i].time_ns /
                          group->problems[group->trials[i].problem].best_ns;
    if (n) {
        hone__chart_sort(ratios, n);
        high = fmax(high, ratios[(n - 1) - (n - 1) / 100]);
    }
    hone__free(ratios);
    *out_n = n;
    return high;
}

static size_t stack_of(size_t implementation)
{
    return implementation < MOST_STACKED ? implementation : MOST_STACKED - 1;
}

static void fill_bins(const hone_report_group *group, times_bins *bins)
{
    size_t totals[N_BINS] = {0};

    bins->high = highest_ratio(group, &bins->n);
    for (size_t i = 0; i < group->n_trials; ++i) {
        const hone_report_trial *trial = &group->trials[i];
        double place;
        size_t bin;

        if (!(trial->time_ns > 0))
            continue;
        place = log(trial->time_ns / group->problems[trial->problem].best_ns) /
                log(bins->high) * N_BINS;
        bins->n_above += place > N_BINS;
        bin = place < N_BINS - 1 ? (size_t)place : N_BINS - 1;
        ++bins->count[stack_of(trial->implementation)][bin];
        if (++totals[bin] > bins->most)
            bins->most = totals[bin];
    }
}

static void put_bars(const times_bins *bins, const hone_svg_scale *y,
                     hone_svg *svg)
{
    const double width = (double)(RIGHT - LEFT) / N_BINS;

    for (size_t b = 0; b < N_BINS; ++b) {
        size_t below = 0;

        for (size_t s = 0; s < MOST_STACKED; ++s) {
            const size_t count = bins->count[s][b];
            const double top = hone__svg_at(y, (double)(below + count));

            if (!count)
                continue;
            hone__markup(&svg->body,
                         "<rect class=\"bar c%zu p\" x=\"%f\" y=\"%f\" "
                         "width=\"%f\" height=\"%f\"><title>%zu trials, %g to "
                         "%g times the best</title></rect>\n",
                         s + 1, LEFT + (double)b * width + 0.5, top, width - 1,
                         hone__svg_at(y, (double)below) - top, count,
                         pow(bins->high, (double)b / N_BINS),
                         pow(bins->high, (double)(b + 1) / N_BINS));
            below += count;
        }
    }
}

int hone__chart_times(const hone_report_group *group,
                      const hone_report_params *params, hone_svg *svg,
                      char why[240])
{
    times_bins bins = {.n = 0};
    hone_svg_legend legend = {12, 16, 12, RIGHT - 12};
    hone_svg_scale x, y;
    double top;

    (void)params;
    fill_bins(group, &bins);
    if (!bins.n) {
        (void)snprintf(why, 240, "%s", "No trial was right.");
        return 0;
    }
    for (size_t i = 0; i < group->implementations.n && i < MOST_STACKED; ++i)
        hone__svg_legend_add(&svg->body, &legend, "bar", i + 1,
                             i == MOST_STACKED - 1 &&
                                     group->implementations.n > MOST_STACKED
                                 ? "others"
                                 : group->implementations.items[i]);
    top = legend.y + 34;
    x = (hone_svg_scale){1, bins.high, LEFT, RIGHT, 1};
    y = (hone_svg_scale){0, (double)bins.most, top + HEIGHT, top, 0};
    hone__markup(&svg->body, "<text x=\"12\" y=\"%f\">trials</text>\n",
                 top - 10);
    hone__svg_axis_x(&svg->body, &x, top, top + HEIGHT);
    hone__svg_axis_y(&svg->body, &y, LEFT, RIGHT);
    put_bars(&bins, &y, svg);
    svg->height = top + HEIGHT + 42;
    hone__svg_label(&svg->body, (LEFT + RIGHT) / 2., svg->height - 6, "middle",
                    "time / best time of its problem");
    (void)snprintf(svg->description, sizeof svg->description,
                   "%zu correct trials%s; %zu that took longer than the axis "
                   "has are in the last bar.",
                   bins.n, group->n_problems > 1 ? " of all problems" : "",
                   bins.n_above);
    return 1;
}

/* ---- outcomes ---------------------------------------------------------------
 */

enum { MOST_BARS = 10, BAR_LEFT = 12, BAR_HEIGHT = 40 };

/* "ok" is green wherever it comes. */
static size_t color_of(const hone_report_group *group, size_t outcome)
{
    static const size_t others[] = {0, 3, 4, 5, 6, 7, 8, 9, 10, 11};

    return strcmp(group->outcomes.items[outcome], "ok") == 0
               ? 2
               : others[outcome % (sizeof others / sizeof others[0])];
}

static void put_ends(const hone_report_group *group, size_t implementation,
                     double y, hone_svg *svg)
{
    size_t total = 0, before = 0;

    for (size_t i = 0; i < group->n_ends; ++i)
        if (group->ends[i].implementation == implementation)
            total += group->ends[i].n;
    hone__markup(&svg->body, "<text x=\"%d\" y=\"%f\">%s: %zu</text>\n",
                 BAR_LEFT, y + 12, group->implementations.items[implementation],
                 total);
    for (size_t i = 0; i < group->n_ends; ++i) {
        const hone_report_outcome *end = &group->ends[i];
        const double width = RIGHT - BAR_LEFT;

        if (end->implementation != implementation)
            continue;
        hone__markup(&svg->body,
                     "<rect class=\"bar c%zu p\" x=\"%f\" y=\"%f\" "
                     "width=\"%f\" height=\"14\"><title>%s: %zu of "
                     "%zu</title></rect>\n",
                     color_of(group, end->outcome),
                     BAR_LEFT + width * (double)before / (double)total, y + 18,
                     width * (double)end->n / (double)total,
                     group->outcomes.items[end->outcome], end->n, total);
        before += end->n;
    }
}

int hone__chart_outcomes(const hone_report_group *group,
                         const hone_report_params *params, hone_svg *svg,
                         char why[240])
{
    hone_svg_legend legend = {12, 16, 12, RIGHT - 12};
    const size_t n = group->implementations.n < MOST_BARS
                         ? group->implementations.n
                         : MOST_BARS;
    double top;

    (void)params;
    if (!group->n_trials) {
        (void)snprintf(why, 240, "%s", "There is no trial.");
        return 0;
    }
    for (size_t i = 0; i < group->outcomes.n; ++i)
        hone__svg_legend_add(&svg->body, &legend, "bar", color_of(group, i),
                             group->outcomes.items[i]);
    top = legend.y + 12;
    for (size_t i = 0; i < n; ++i)
        put_ends(group, i, top + (double)i * BAR_HEIGHT, svg);
    svg->height = top + (double)n * BAR_HEIGHT;
    (void)snprintf(svg->description, sizeof svg->description,
                   "How the %zu trials of %zu implementation%s ended%s.",
                   group->n_trials, group->implementations.n,
                   group->implementations.n == 1 ? "" : "s",
                   n < group->implementations.n ? "; the table has all" : "");
    return 1;
}
