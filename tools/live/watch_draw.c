/* SPDX-License-Identifier: Apache-2.0 */
/* A tune as a page, a line and JSON: see watch.h. */
#include "tools/live/watch.h"

#include "tools/base/option_value.h"
#include "tools/base/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR_CELLS = 30, NAME_CELLS = 16, HEAD_CELLS = 11 };

/* ---- figures ------------------------------------------------------------- */

static double elapsed_s(const hone_watch *tune, int64_t now_unix_s)
{
    const int64_t end = tune->ended_unix_s ? tune->ended_unix_s
                        : tune->is_running
                            ? now_unix_s
                            : tune->last_trial_unix_ns / 1000000000;

    return end > tune->started_unix_s ? (double)(end - tune->started_unix_s)
                                      : 0;
}

double hone__watch_rate(const hone_watch *tune, int64_t now_unix_s)
{
    const double all_s = elapsed_s(tune, now_unix_s);

    if (tune->is_running && all_s >= HONE_WATCH_RECENT_S)
        return (double)tune->n_recent / HONE_WATCH_RECENT_S;
    return all_s > 0 ? (double)tune->n_own / all_s : 0;
}

/* What is stored behind a budget, which shard of a list it is, is none of it.
 */
static int read_budget(const hone_watch *tune, int64_t *out_trials,
                       double *out_s)
{
    char budget[sizeof tune->budget];

    (void)snprintf(budget, sizeof budget, "%s", tune->budget);
    budget[strcspn(budget, ",")] = '\0';
    return hone__budget_read(budget, out_trials, out_s);
}

double hone__watch_left_s(const hone_watch *tune, int64_t now_unix_s)
{
    const double rate = hone__watch_rate(tune, now_unix_s);
    int64_t n_trials = 0;
    double budget_s = 0, left_s = -1;

    if (!tune->is_running)
        return 0;
    if (!read_budget(tune, &n_trials, &budget_s))
        return -1;
    if (budget_s > 0)
        left_s = budget_s - elapsed_s(tune, now_unix_s);
    else if (n_trials <= tune->n_trials)
        left_s = 0;
    else if (rate > 0)
        return (double)(n_trials - tune->n_trials) / rate;
    else
        return -1;
    return left_s > 0 ? left_s : 0;
}

/* Of the budget that is spent; negative: there is none. */
static double spent(const hone_watch *tune, int64_t now_unix_s)
{
    int64_t n_trials = 0;
    double budget_s = 0, part;

    if (!tune->is_running)
        return 1;
    if (!read_budget(tune, &n_trials, &budget_s))
        return -1;
    part = budget_s > 0 ? elapsed_s(tune, now_unix_s) / budget_s
                        : (double)tune->n_trials / (double)n_trials;
    return part < 1 ? part : 1;
}

static double best_ns(const hone_watch *tune)
{
    return tune->n_best ? tune->best_ns[tune->n_best - 1] : 0;
}

/* "running", "ended: decided", "ended without a word: process 123 is gone". */
static void state_text(const hone_watch *tune, int64_t now_unix_s, char *out,
                       size_t size)
{
    const int64_t still_s = now_unix_s - tune->last_trial_unix_ns / 1000000000;

    if (!tune->is_running && tune->is_lost && !tune->lost_pid)
        (void)snprintf(out, size, "ended without a word: nothing for a day");
    else if (!tune->is_running && tune->is_lost)
        (void)snprintf(out, size, "ended without a word: process %ld is gone",
                       tune->lost_pid);
    else if (!tune->is_running)
        (void)snprintf(out, size, "ended: %s",
                       tune->verdict[0] ? tune->verdict : "no verdict");
    else if (tune->n_trials && still_s > 6 * HONE_WATCH_RECENT_S)
        (void)snprintf(out, size, "no trial for %lld s: killed?",
                       (long long)still_s);
    else
        (void)snprintf(out, size, "running");
}

/* Behind the last trial comes the final, which has no budget. */
static void left_text(double left_s, char *out, size_t size)
{
    if (left_s < 0)
        (void)snprintf(out, size, "left ?");
    else if (left_s <= 0)
        (void)snprintf(out, size, "final");
    else if (left_s < 90)
        (void)snprintf(out, size, "left %.0f s", left_s);
    else if (left_s < 5400)
        (void)snprintf(out, size, "left %.0f min", left_s / 60);
    else
        (void)snprintf(out, size, "left %.1f h", left_s / 3600);
}

/* ---- the curve ----------------------------------------------------------- */

void hone__watch_curve(const double *values, size_t n, size_t n_cells,
                       int is_unicode, hone_text *out)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583",
                                         "\u2584", "\u2585", "\u2586",
                                         "\u2587", "\u2588"};
    static const char *const ascii[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    const size_t cells = n < n_cells ? n : n_cells;
    double low = 0, high = 0;

    for (size_t i = 0; i < n; ++i) {
        if (!(values[i] > 0))
            continue;
        low = low > 0 && low < values[i] ? low : values[i];
        high = high > values[i] ? high : values[i];
    }
    for (size_t cell = 0; cell < cells; ++cell) {
        const double value = values[(cell + 1) * n / cells - 1];
        double level;

        if (!(value > 0)) {
            hone__text_puts(out, " ");
            continue;
        }
        level = high > low ? log(value / low) / log(high / low) * 7 : 0;
        hone__text_puts(out,
                        (is_unicode ? blocks : ascii)[(size_t)(level + 0.5)]);
    }
}

/* ---- lines that fit ------------------------------------------------------ */

/* Append a line, cut after n_columns characters (UTF-8). */
static void put_line(const hone_watch_page *page, int is_head, hone_text *line,
                     hone_text *out)
{
    const char *text = hone__text_str(line);
    size_t length = 0;
    int column = 0;

    while (text[length]) {
        if (((unsigned char)text[length] & 0xC0) != 0x80 &&
            ++column > page->n_columns)
            break;
        ++length;
    }
    if (is_head && page->is_bold)
        hone__text_puts(out, "\033[1m");
    hone__text_append(out, text, length);
    if (is_head && page->is_bold)
        hone__text_puts(out, "\033[0m");
    hone__text_puts(out, "\n");
    out->failed |= line->failed;
    hone__text_clear(line);
}

static void draw_head(const hone_watch *tune, const hone_watch_page *page,
                      int64_t now_unix_s, hone_text *line, hone_text *out)
{
    char state[64];

    state_text(tune, now_unix_s, state, sizeof state);
    hone__text_printf(line, "%s  %s", tune->op, tune->label);
    put_line(page, 1, line, out);
    hone__text_printf(line, "%s, %s, %s%s%s, seed %lld", tune->device,
                      tune->mode, tune->strategy,
                      tune->budget[0] ? ", budget " : "", tune->budget,
                      (long long)tune->seed);
    put_line(page, 0, line, out);
    hone__text_printf(line, "%s, after %.0f s", state,
                      elapsed_s(tune, now_unix_s));
    put_line(page, 0, line, out);
}

static void draw_bar(const hone_watch *tune, const hone_watch_page *page,
                     int64_t now_unix_s, hone_text *line, hone_text *out)
{
    const double part = spent(tune, now_unix_s);
    char left[32];

    left_text(hone__watch_left_s(tune, now_unix_s), left, sizeof left);
    if (part >= 0 && page->n_columns >= 2 * BAR_CELLS) {
        hone__text_puts(line, "[");
        for (int i = 0; i < BAR_CELLS; ++i)
            hone__text_puts(line, i < (int)(part * BAR_CELLS) ? "#" : ".");
        hone__text_puts(line, "]  ");
    }
    hone__text_printf(line, "%lld trials  %.1f/s", (long long)tune->n_trials,
                      hone__watch_rate(tune, now_unix_s));
    if (tune->is_running)
        hone__text_printf(line, "  %s", left);
    put_line(page, 0, line, out);
}

static void draw_best(const hone_watch *tune, const hone_watch_page *page,
                      hone_text *line, hone_text *out)
{
    const hone_watch_implementation *by = &tune->implementations[tune->best_of];
    char time[32], other[32];

    if (!(best_ns(tune) > 0)) {
        hone__text_puts(line, "best       none is right yet");
        put_line(page, 0, line, out);
        return;
    }
    hone__time_text(best_ns(tune), time);
    hone__text_printf(line, "%-*s%s", HEAD_CELLS, "best", time);
    if (!(by->default_ns > best_ns(tune))) {
        hone__text_puts(line, by->default_ns > 0 ? ", the default" : "");
    } else {
        hone__time_text(by->default_ns, other);
        hone__text_printf(line, ", %.2f times as fast as the default's %s",
                          by->default_ns / best_ns(tune), other);
    }
    put_line(page, 1, line, out);
    hone__text_printf(line, "%-*s%s %s", HEAD_CELLS, "", by->name,
                      tune->config);
    put_line(page, 0, line, out);
}

static void draw_curve(const hone_watch *tune, const hone_watch_page *page,
                       hone_text *line, hone_text *out)
{
    if (tune->n_best < 2 || page->n_columns < HEAD_CELLS + 10)
        return;
    hone__text_printf(line, "%-*s", HEAD_CELLS, "by trial");
    hone__watch_curve(tune->best_ns, tune->n_best,
                      (size_t)(page->n_columns - HEAD_CELLS - 1),
                      page->is_unicode, line);
    put_line(page, 0, line, out);
}

static void draw_outcomes(const hone_watch *tune, const hone_watch_page *page,
                          hone_text *line, hone_text *out)
{
    const char *comma = "";

    hone__text_printf(line, "%-*s", HEAD_CELLS, "outcomes");
    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        if (!tune->counts[i])
            continue;
        hone__text_printf(line, "%s%s %lld", comma,
                          hone__outcome_name((hone_outcome)i),
                          (long long)tune->counts[i]);
        comma = ", ";
    }
    put_line(page, 0, line, out);
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void draw_implementations(const hone_watch *tune,
                                 const hone_watch_page *page, hone_text *line,
                                 hone_text *out)
{
    int64_t device_time_ns = 0;

    for (size_t i = 0; i < tune->n_implementations; ++i)
        device_time_ns += tune->implementations[i].device_time_ns;
    hone__text_printf(line, "%-*s%8s%8s%8s%8s%12s", NAME_CELLS, "by", "trials",
                      "ok", "share", "time", "best");
    put_line(page, 1, line, out);
    for (size_t i = 0; i < tune->n_implementations; ++i) {
        const hone_watch_implementation *item = &tune->implementations[i];
        char time[32] = "-";

        if (item->best_ns > 0)
            hone__time_text(item->best_ns, time);
        hone__text_printf(line, "%-*.*s%8lld%8lld%6.0f %%%6.0f %%%12s",
                          NAME_CELLS, NAME_CELLS - 1, item->name,
                          (long long)item->n_trials, (long long)item->n_ok,
                          share(item->n_trials, tune->n_trials),
                          share(item->device_time_ns, device_time_ns), time);
        put_line(page, 0, line, out);
    }
}

/* On other devices. */
static void draw_others(const hone_watch *tune, const hone_watch_page *page,
                        hone_text *line, hone_text *out)
{
    for (size_t i = 0; i < tune->n_others; ++i) {
        const hone_watch_other *other = &tune->others[i];
        char time[32] = "-";

        if (other->best_ns > 0)
            hone__time_text(other->best_ns, time);
        hone__text_printf(line, "%-*s%s %s: %lld trials  best %s  %s",
                          HEAD_CELLS, i ? "" : "also", other->op, other->label,
                          (long long)other->n_trials, time, other->device);
        put_line(page, 0, line, out);
    }
}

/* What does not fit into the lines is left out at the end. */
static void cut_lines(int n_lines, hone_text *out)
{
    int n = 0;

    for (size_t i = 0; n_lines && !out->failed && i < out->length; ++i) {
        if (out->data[i] == '\n' && ++n == n_lines) {
            out->length = i + 1;
            out->data[out->length] = '\0';
        }
    }
}

void hone__watch_draw(const hone_watch *tune, const hone_watch_page *page,
                      int64_t now_unix_s, hone_text *out)
{
    hone_text line = {0}, empty = {0};

    draw_head(tune, page, now_unix_s, &line, out);
    put_line(page, 0, &empty, out);
    draw_bar(tune, page, now_unix_s, &line, out);
    draw_best(tune, page, &line, out);
    draw_curve(tune, page, &line, out);
    draw_outcomes(tune, page, &line, out);
    draw_others(tune, page, &line, out);
    put_line(page, 0, &empty, out);
    draw_implementations(tune, page, &line, out);
    cut_lines(page->n_lines, out);
    hone__text_free(&line);
    hone__text_free(&empty);
}

/* ---- elsewhere ----------------------------------------------------------- */

void hone__watch_line(const hone_watch *tune, int64_t now_unix_s,
                      hone_text *out)
{
    char state[64], left[32], time[32];

    state_text(tune, now_unix_s, state, sizeof state);
    left_text(hone__watch_left_s(tune, now_unix_s), left, sizeof left);
    hone__text_printf(out, "%s %s: %s  %lld trials  %.1f/s", tune->op,
                      tune->label, state, (long long)tune->n_trials,
                      hone__watch_rate(tune, now_unix_s));
    if (tune->is_running)
        hone__text_printf(out, "  %s", left);
    if (best_ns(tune) > 0) {
        hone__time_text(best_ns(tune), time);
        hone__text_printf(out, "  best %s %s %s", time,
                          tune->implementations[tune->best_of].name,
                          tune->config);
    }
    if (tune->n_others)
        hone__text_printf(out, "  and %zu other problems", tune->n_others);
    hone__text_puts(out, "\n");
}

json_t *hone__watch_json(const hone_watch *tune, int64_t now_unix_s)
{
    const hone_watch_implementation *by = &tune->implementations[tune->best_of];
    const double left_s = hone__watch_left_s(tune, now_unix_s);
    json_t *outcomes = json_object();
    json_t *best;

    for (int i = 0; i < HONE_N_OUTCOMES; ++i) {
        char member[32];

        if (!tune->counts[i])
            continue;
        (void)snprintf(member, sizeof member, "%s:I",
                       hone__outcome_name((hone_outcome)i));
        outcomes = hone__json_add(outcomes, member, tune->counts[i]);
    }
    best = best_ns(tune) > 0 ? hone__json("implementation:s config:s time_ns:f "
                                          "default_time_ns:p",
                                          by->name, tune->config, best_ns(tune),
                                          by->default_ns)
                             : json_null();
    return hone__json(
        "op:s label:s device_name:s mode:s strategy:s budget:s seed:I "
        "running:b lost:b verdict:s elapsed_s:f left_s:F trials:I rate_per_s:f "
        "outcomes:o best:o others:o",
        tune->op, tune->label, tune->device, tune->mode, tune->strategy,
        tune->budget, tune->seed, tune->is_running,
        !tune->is_running && tune->is_lost,
        tune->verdict[0] ? tune->verdict : NULL, elapsed_s(tune, now_unix_s),
        left_s >= 0, left_s, tune->n_trials, hone__watch_rate(tune, now_unix_s),
        outcomes, best, hone__watch_others_json(tune));
}

json_t *hone__watch_implementation_json(const hone_watch *tune, size_t i)
{
    const hone_watch_implementation *item = &tune->implementations[i];

    return hone__json("name:s trials:I ok:I device_time_ns:I best_ns:p "
                      "default_ns:p",
                      item->name, item->n_trials, item->n_ok,
                      item->device_time_ns, item->best_ns, item->default_ns);
}
