/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as HTML, and those of a group: see tables.h. The end tags of rows and
 * cells are left out, as HTML allows: they would be a fifth of a large page. */
#include "tools/report/tables.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ------------------------------------------------------------------
 */

void hone__table_begin(hone_text *out, const char *id, const char *caption,
                       const char *columns)
{
    hone__markup(out,
                 "<div class=\"table\" id=\"%s\">\n<div class=\"scroll\" "
                 "tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
                 "<table><caption>%s</caption>\n<thead><tr>",
                 id, caption, caption);
    for (const char *at = columns; *at;) {
        const size_t length = strcspn(at, ",");
        const int is_number =
            length > 2 && strncmp(at + length - 2, ":n", 2) == 0;

        hone__text_puts(out, is_number ? "<th scope=\"col\" class=\"n\">"
                                       : "<th scope=\"col\">");
        hone__markup_bytes(out, at, is_number ? length - 2 : length);
        at += length + strspn(at + length, ", ");
    }
    hone__text_puts(out, "</tr></thead>\n<tbody>\n");
}

void hone__table_end(hone_text *out)
{
    hone__text_puts(out, "</tbody></table></div></div>\n");
}

void hone__table_row(hone_text *out)
{
    hone__text_puts(out, "<tr>");
}

void hone__table_text(hone_text *out, const char *text)
{
    hone__markup(out, "<td>%s", text && *text ? text : "\342\200\223");
}

void hone__table_number(hone_text *out, double value)
{
    if (value > 0)
        hone__markup(out, "<td class=n>%g", value);
    else
        hone__text_puts(out, "<td class=n>\342\200\223");
}

void hone__table_count(hone_text *out, int64_t value)
{
    if (value >= 0)
        hone__markup(out, "<td class=n>%lld", (long long)value);
    else
        hone__text_puts(out, "<td class=n>\342\200\223");
}

/* What may take several lines: configurations, reasons. */
static void put_long(hone_text *out, const char *text)
{
    hone__markup(out, "<td class=l>%s", text && *text ? text : "\342\200\223");
}

/* Rows behind the first are in a comment, which costs the browser nothing: the
 * script makes them rows when the table comes near the window, or when it has
 * nothing else to do. No text can end the comment, for a '>' of it is escaped.
 */
enum { FIRST_ROWS = 10 };

static void fold_before(size_t row, size_t n_rows,
                        const hone_table_limits *limits, hone_text *out)
{
    if (row == FIRST_ROWS && n_rows > limits->fold_above)
        hone__text_puts(out, "</tr><!--rows\n");
}

static void end_folded(size_t n_rows, const hone_table_limits *limits,
                       hone_text *out)
{
    const int is_folded = n_rows > FIRST_ROWS && n_rows > limits->fold_above;

    if (is_folded)
        hone__text_puts(out, "-->");
    hone__text_puts(out, "</tbody></table>");
    if (is_folded)
        hone__markup(out,
                     "<noscript><p>%zu more rows are in this file, and are "
                     "shown where scripts may run; 'hone show' has them "
                     "too.</p></noscript>",
                     n_rows - FIRST_ROWS);
    hone__text_puts(out, "</div></div>\n");
}

static void put_id(char out[64], const char *id, const char *what)
{
    (void)snprintf(out, 64, "%.30s-%.30s", id, what);
}

/* ---- problems ---------------------------------------------------------------
 */

/* One column each for the time of a baseline and its ratio. */
static void add_columns(const hone_report_group *group, char *out, size_t size)
{
    size_t n = strlen(out);

    for (size_t i = 0; i < group->baselines.n && n + 260 < size; ++i)
        n += (size_t)snprintf(
            out + n, size - n, ", %.80s \302\265s:n, %.80s / ours:n",
            group->baselines.items[i], group->baselines.items[i]);
    (void)snprintf(out + n, size - n,
                   ", GB/s:n, GFLOP/s:n, implementation, verdict, registers:n, "
                   "spills:n, configuration, decided by");
}

static const hone_report_baseline *other_of(const hone_report_group *group,
                                            size_t from, size_t problem,
                                            size_t name)
{
    for (size_t i = from; i < group->n_others; ++i)
        if (group->others[i].problem == problem &&
            group->others[i].name == name)
            return &group->others[i];
    return NULL;
}

static void put_problem(const hone_report_group *group, size_t index,
                        hone_text *out)
{
    const hone_report_problem *p = &group->problems[index];
    const double seconds = p->time_ns * 1e-9;
    const int is_tuned = p->time_ns > 0;

    hone__table_row(out);
    hone__table_text(out, p->label);
    hone__table_count(out, (int64_t)p->n_trials);
    hone__table_number(out, p->time_ns * 1e-3);
    hone__table_number(out, p->low_ns * 1e-3);
    hone__table_number(out, p->high_ns * 1e-3);
    hone__table_number(out, p->default_ns * 1e-3);
    hone__table_number(out, is_tuned ? p->default_ns / p->time_ns : 0);
    for (size_t i = 0; i < group->baselines.n; ++i) {
        const hone_report_baseline *other = other_of(group, 0, index, i);

        hone__table_number(out, other ? other->time_ns * 1e-3 : 0);
        hone__table_number(out, other ? hone__report_ratio(group, other) : 0);
    }
    hone__table_number(out, is_tuned ? (double)p->bytes / seconds * 1e-9 : 0);
    hone__table_number(out, is_tuned ? (double)p->flops / seconds * 1e-9 : 0);
    hone__table_text(out, p->implementation);
    hone__markup(out, "<td>%s%s", p->verdict ? p->verdict : "\342\200\223",
                 is_tuned && !p->is_latest ? " (stale)" : "");
    hone__table_count(out, p->registers);
    hone__table_count(out, p->spill_bytes);
    put_long(out, p->config);
    put_long(out, p->decided_by);
    hone__text_puts(out, "\n");
}

void hone__table_problems(const hone_report_group *group, const char *id,
                          const hone_table_limits *limits, hone_text *out)
{
    char columns[4096] = "shape, trials:n, ours \302\265s:n, from:n, to:n, "
                         "default \302\265s:n, default / ours:n";
    char of_table[64];

    put_id(of_table, id, "problems");
    add_columns(group, columns, sizeof columns);
    hone__table_begin(out, of_table, "Shapes and winners", columns);
    for (size_t i = 0; i < group->n_problems; ++i) {
        fold_before(i, group->n_problems, limits, out);
        put_problem(group, i, out);
    }
    end_folded(group->n_problems, limits, out);
}

/* ---- trials -----------------------------------------------------------------
 */

typedef struct listed_trial {
    double ratio;
    size_t index;
} listed_trial;

static int by_ratio(const void *a, const void *b)
{
    const listed_trial *one = a, *other = b;

    if (one->ratio != other->ratio)
        return one->ratio < other->ratio ? -1 : 1;
    return (one->index > other->index) - (one->index < other->index);
}

typedef struct trial_walk {
    const hone_report_group *group;
    const hone_report_trial *trial;
    hone_text *out;
} trial_walk;

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    const trial_walk *walk = user;
    const hone_report_group *group = walk->group;
    const hone_report_trial *trial = walk->trial;
    const hone_report_problem *problem = &group->problems[trial->problem];
    hone_text *out = walk->out;

    (void)err;
    hone__table_row(out);
    hone__table_count(out, trial->trial_id);
    hone__table_text(out, problem->label);
    hone__table_text(out, group->implementations.items[trial->implementation]);
    hone__table_text(out, group->outcomes.items[trial->outcome]);
    hone__table_number(out, trial->time_ns * 1e-3);
    hone__table_number(
        out, trial->time_ns > 0 ? trial->time_ns / problem->best_ns : 0);
    for (size_t i = 1; i < 5; ++i)
        hone__table_count(out, v[i].kind == HONE_DB_NULL ? -1 : v[i].integer);
    hone__table_number(out, v[5].real);
    put_long(out, v[0].text);
    put_long(out, v[6].text);
    hone__text_puts(out, "\n");
    return HONE_OK;
}

static const char trial_sql[] =
    "SELECT v.config, v.registers, v.spill_bytes, t.n_samples, t.sm_clock_mhz,"
    " t.error_ratio, t.message FROM trial t"
    " JOIN variant v ON v.variant_id = t.variant_id WHERE t.trial_id = ?1";

/* What was not right comes last, and is the first to be left out. */
hone_status hone__table_trials(hone_db *db, const hone_report_group *group,
                               const char *id, const hone_table_limits *limits,
                               hone_text *out, hone_error *err)
{
    listed_trial *list = hone__alloc((group->n_trials + 1) * sizeof *list);
    const size_t n =
        group->n_trials < limits->most ? group->n_trials : limits->most;
    trial_walk walk = {group, NULL, out};
    hone_status status = list ? HONE_OK : hone__out_of_memory(err, "");
    char of_table[64], caption[160];

    put_id(of_table, id, "trials");
    (void)snprintf(caption, sizeof caption,
                   n < group->n_trials
                       ? "Trials: the %zu fastest by shape, of %zu"
                       : "Trials: all %zu",
                   n, group->n_trials);
    hone__table_begin(out, of_table, caption,
                      "trial:n, shape, implementation, outcome, time "
                      "\302\265s:n, time / best:n, registers:n, spills:n, "
                      "samples:n, MHz:n, error / bound:n, configuration, "
                      "message");
    for (size_t i = 0; list && i < group->n_trials; ++i) {
        const hone_report_trial *trial = &group->trials[i];

        list[i].index = i;
        list[i].ratio =
            trial->time_ns > 0
                ? trial->time_ns / group->problems[trial->problem].best_ns
                : INFINITY;
    }
    if (list && group->n_trials)
        qsort(list, group->n_trials, sizeof *list, by_ratio);
    for (size_t i = 0; status == HONE_OK && i < n; ++i) {
        hone_db_value trial_id;

        fold_before(i, n, limits, out);
        walk.trial = &group->trials[list[i].index];
        trial_id = hone__db_integer(walk.trial->trial_id);
        status =
            hone__db_query(db, trial_sql, &trial_id, 1, on_trial, &walk, err);
    }
    end_folded(n, limits, out);
    hone__free(list);
    return status;
}

/* ---- sessions ---------------------------------------------------------------
 */

/* Trials until the best was within 5 % of what is known; 0: it never was. */
static size_t until_near(const hone_report_group *group,
                         const hone_report_session *session)
{
    const double limit = 1.05 * group->problems[session->problem].best_ns;

    for (size_t i = 0; i < session->n; ++i) {
        const double time = group->trials[session->first + i].time_ns;

        if (time > 0 && time <= limit)
            return i + 1;
    }
    return 0;
}

static double best_of(const hone_report_group *group,
                      const hone_report_session *session)
{
    double best = 0;

    for (size_t i = 0; i < session->n; ++i) {
        const double time = group->trials[session->first + i].time_ns;

        if (time > 0 && (!(best > 0) || time < best))
            best = time;
    }
    return best;
}

static void put_session(const hone_report_group *group,
                        const hone_report_session *s, hone_text *out)
{
    const hone_report_problem *problem = &group->problems[s->problem];
    const double best = best_of(group, s);

    hone__table_row(out);
    hone__table_count(out, s->session_id);
    hone__table_text(out, problem->label);
    hone__table_text(out, s->started);
    hone__table_text(out, s->strategy);
    hone__table_count(out, s->seed);
    hone__table_text(out, s->budget);
    hone__table_count(out, (int64_t)s->n);
    hone__table_number(out, best * 1e-3);
    hone__table_number(out, best > 0 ? best / problem->best_ns : 0);
    hone__table_number(out, (double)until_near(group, s));
    hone__table_text(out, s->verdict);
    hone__table_text(out, s->stopped);
    hone__table_number(out, s->noise_floor * 100);
    hone__table_count(out, (int64_t)s->seconds);
    hone__table_text(out, s->version);
    hone__text_puts(out, "\n");
}

void hone__table_sessions(const hone_report_group *group, const char *id,
                          const hone_table_limits *limits, hone_text *out)
{
    const size_t n =
        group->n_sessions < limits->most ? group->n_sessions : limits->most;
    char of_table[64], caption[160];

    put_id(of_table, id, "sessions");
    (void)snprintf(caption, sizeof caption,
                   n < group->n_sessions
                       ? "Searches: the last %zu sessions of %zu"
                       : "Searches: all %zu sessions",
                   n, group->n_sessions);
    hone__table_begin(
        out, of_table, caption,
        "session:n, shape, started (UTC), strategy, seed:n, "
        "budget, trials:n, best \302\265s:n, best / best known:n, "
        "trials until 5 %:n, verdict, stopped, noise %:n, "
        "seconds:n, hone");
    for (size_t i = 0; i < n; ++i) {
        fold_before(i, n, limits, out);
        put_session(group, &group->sessions[group->n_sessions - 1 - i], out);
    }
    end_folded(n, limits, out);
}

/* ---- outcomes ---------------------------------------------------------------
 */

void hone__table_outcomes(const hone_report_group *group, const char *id,
                          hone_text *out)
{
    char of_table[64];

    put_id(of_table, id, "outcomes");
    hone__table_begin(out, of_table, "Outcomes",
                      "implementation, outcome, trials:n, for example");
    for (size_t i = 0; i < group->n_ends; ++i) {
        const hone_report_outcome *end = &group->ends[i];

        hone__table_row(out);
        hone__table_text(out,
                         group->implementations.items[end->implementation]);
        hone__table_text(out, group->outcomes.items[end->outcome]);
        hone__table_count(out, (int64_t)end->n);
        put_long(out, end->example);
        hone__text_puts(out, "\n");
    }
    hone__table_end(out);
}
