/* SPDX-License-Identifier: Apache-2.0 */
/* See problem_cost.h. */
#include "tuner/dispatch/problem_cost.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEAREST = 4, MOST_READ = 2000 };
/* Of a tune of usual length set-up and final take about so much, however many
 * trials there are. */
static const double fixed_part = 0.3;
static const double unknown_s = 10;

/* ---- what is known ------------------------------------------------------- */

hone_status hone__problem_costs_add(hone_problem_costs *costs,
                                    const hone_problem_sample *sample,
                                    hone_error *err)
{
    if (!HONE_GROW(costs->items, costs->n))
        return hone__out_of_memory(err, " for what problems took");
    costs->items[costs->n++] = *sample;
    return HONE_OK;
}

void hone__problem_costs_free(hone_problem_costs *costs)
{
    hone__free(costs->items);
    *costs = (hone_problem_costs){NULL, 0};
}

static hone_status on_tune(void *user, const hone_db_row *row, hone_error *err)
{
    hone_problem_sample sample = {.seconds = row->values[2].real,
                                  .n_trials = row->values[3].integer};
    const char *at = row->values[1].text;

    (void)snprintf(sample.op, sizeof sample.op, "%s", row->values[0].text);
    while (*at && sample.n_dims < HONE_MAX_DIMS) {
        char *end;

        sample.dims[sample.n_dims++] = strtoll(at, &end, 10);
        if (end == at)
            return HONE_OK; /* not as we write them: says nothing */
        at = *end == ',' ? end + 1 : end;
    }
    return hone__problem_costs_add(user, &sample, err);
}

/* The sessions of one tune begin together, one for each implementation. A run
 * that went on with another's trials has few of its own: it says little. */
hone_status hone__problem_costs_read(hone_db *db, const char *kind,
                                     hone_problem_costs *out, hone_error *err)
{
    static const char sql[] =
        "SELECT p.op, p.dims,"
        " max(s.finished_unix_s - s.started_unix_s) + 0.5,"
        " sum((SELECT count(*) FROM trial t"
        "      WHERE t.session_id = s.session_id)) AS n"
        " FROM session s JOIN problem p ON p.problem_id = s.problem_id"
        " JOIN device d ON d.device_id = s.device_id"
        " WHERE s.session_id > (SELECT max(session_id) FROM session) - ?2"
        " AND s.status = 'done' AND d.kind = ?1"
        " GROUP BY s.problem_id, s.device_id, s.mode, s.started_unix_s"
        " HAVING n >= 4 ORDER BY min(s.session_id)";
    const hone_db_value params[] = {hone__db_text(kind),
                                    hone__db_integer(MOST_READ)};

    return hone__db_query(db, sql, params, 2, on_tune, out, err);
}

/* ---- what is expected ---------------------------------------------------- */

/* A size of 0 is one of 1 here. */
static double log_of(int64_t size)
{
    return log2((double)(size > 1 ? size : 1));
}

static double size_of(const hone_problem_size *problem)
{
    double sum = 0;

    for (size_t i = 0; i < problem->n_dims; ++i)
        sum += log_of(problem->dims[i]);
    return sum;
}

/* Negative: of another operation. */
static double distance(const hone_problem_sample *sample,
                       const hone_problem_size *problem)
{
    double sum = 0;

    if (strcmp(sample->op, problem->op) != 0 ||
        sample->n_dims != problem->n_dims)
        return -1;
    for (size_t i = 0; i < problem->n_dims; ++i)
        sum += fabs(log_of(sample->dims[i]) - log_of(problem->dims[i]));
    return sum;
}

/* With this problem's budget instead of its own. */
static double seconds_with(const hone_problem_sample *sample,
                           const hone_problem_size *problem)
{
    const double ratio =
        problem->budget_trials > 0 && sample->n_trials > 0
            ? (double)problem->budget_trials / (double)sample->n_trials
            : 1;
    const double fixed_s = fixed_part * sample->seconds;
    double rest_s = (1 - fixed_part) * sample->seconds * ratio;

    if (problem->budget_s > 0 &&
        (problem->budget_trials <= 0 || rest_s > problem->budget_s))
        rest_s = problem->budget_s;
    return fixed_s + rest_s;
}

typedef struct neighbour {
    double distance;
    double seconds;
} neighbour;

/* Keep the nearest, in their order; of equally near ones the latest. */
static void keep(neighbour *nearest, int *n, neighbour one)
{
    int at = *n;

    while (at > 0 && nearest[at - 1].distance >= one.distance)
        --at;
    if (at == NEAREST)
        return;
    if (*n < NEAREST)
        ++*n;
    memmove(nearest + at + 1, nearest + at,
            (size_t)(*n - at - 1) * sizeof *nearest);
    nearest[at] = one;
}

double hone__problem_cost_s(const hone_problem_costs *costs,
                            const hone_problem_size *problem)
{
    neighbour nearest[NEAREST + 1];
    double sum = 0, weights = 0, all_s = 0;
    int n = 0;

    for (size_t i = 0; i < costs->n; ++i) {
        const double d = distance(&costs->items[i], problem);
        const double seconds = seconds_with(&costs->items[i], problem);

        all_s += seconds;
        if (d >= 0)
            keep(nearest, &n, (neighbour){d, seconds});
    }
    for (int i = 0; i < n; ++i) {
        const double weight = 1 / (0.25 + nearest[i].distance);

        sum += weight * nearest[i].seconds;
        weights += weight;
    }
    if (n)
        return sum / weights;
    return (costs->n                ? all_s / (double)costs->n
            : problem->budget_s > 0 ? unknown_s + problem->budget_s
                                    : unknown_s) *
           (1 + size_of(problem) / 64);
}
