/* SPDX-License-Identifier: Apache-2.0 */
/* The score computed a second time, in the plainest way that follows the
 * method's sentences (docs: Willemsen et al. 2024) and shares no code with
 * tuner/replay/replay_score.c: whole arrays instead of blocks and cursors,
 * linear scans instead of bisection, and the isotonic fit by its min-max
 * formula. */
#include "tests/replay/replay_file.h"

#include "tuner/replay/replay_score.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_CONFIGS = 150, MOST_POINTS = 4000, REPEATS = 4, STEPS = 1000 };

typedef struct oracle {
    double slow_first[N_CONFIGS]; /* the valid times, descending */
    int n;
    double optimum;
    double median;
    double median_cost;
    double mean_cost; /* per valid one, failures included */
    double x[MOST_POINTS];
    double y[MOST_POINTS];
    int n_points;
} oracle;

static void sort(double *v, int n, int is_falling)
{
    for (int i = 0; i < n; ++i)
        for (int k = i + 1; k < n; ++k)
            if (is_falling ? v[k] > v[i] : v[k] < v[i]) {
                const double swap = v[i];

                v[i] = v[k];
                v[k] = swap;
            }
}

static double middle(const double *sorted, int n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* Sentence 1. */
static void learn_space(oracle *o, const hone_recording *r)
{
    double costs[N_CONFIGS];
    double sum = 0;

    o->n = 0;
    for (int i = 0; i < N_CONFIGS; ++i) {
        const hone_recorded_trial *t = &r->trials[i];

        costs[i] = 0;
        for (int k = 0; k < HONE_N_COSTS; ++k)
            costs[i] += t->cost_s[k];
        sum += costs[i];
        if (t->time_ns > 0)
            o->slow_first[o->n++] = t->time_ns;
    }
    sort(o->slow_first, o->n, 1);
    sort(costs, N_CONFIGS, 0);
    o->optimum = o->slow_first[o->n - 1];
    o->median = middle(o->slow_first, o->n);
    o->median_cost = middle(costs, N_CONFIGS);
    o->mean_cost = sum / o->n;
}

/* Sentence 2. */
static double cutoff_time(const oracle *o, double c)
{
    const double target = o->optimum + (o->median - o->optimum) * (1 - c);
    int i = 0;
    int evaluations;

    while (o->slow_first[i] > target)
        ++i;
    if (o->slow_first[i] == o->optimum)
        i -= 1;
    evaluations = (i + o->n - i) / (o->n + 1 - i); /* ceil(i / (N + 1 - i)) */
    return evaluations * o->median_cost;
}

/* Sentence 3. */
static double baseline(const oracle *o, double t)
{
    const double evaluations = fmax(1, nearbyint(t / o->mean_cost));
    const double index =
        nearbyint(evaluations * (o->n + 1) / (evaluations + 1));

    return o->slow_first[(int)fmin(o->n - 1, index)];
}

/* Sentence 4: points of all runs in the order of time, as places from the
 * slowest; equal times become one point. */
static void gather(oracle *o, const hone_replay_traces *traces, double end)
{
    o->n_points = 0;
    for (size_t i = 0; i < traces->n; ++i)
        for (size_t k = 0; k < traces->runs[i].n; ++k) {
            const hone_replay_point *p = &traces->runs[i].points[k];
            int place = o->n - 1;

            if (k && p[-1].simulated_s >= end)
                break;
            if (p->best_ns <= 0)
                continue;
            while (o->slow_first[place] < p->best_ns)
                --place;
            assert_true(o->n_points < MOST_POINTS);
            o->x[o->n_points] = p->simulated_s;
            o->y[o->n_points++] = place;
        }
}

static void order_points(oracle *o)
{
    for (int i = 1; i < o->n_points; ++i)
        for (int k = i; k && o->x[k - 1] > o->x[k]; --k) {
            const double x = o->x[k], y = o->y[k];

            o->x[k] = o->x[k - 1];
            o->y[k] = o->y[k - 1];
            o->x[k - 1] = x;
            o->y[k - 1] = y;
        }
}

/* Sentence 4, the fit: rising least squares at point i are the largest over
 * a <= i of the smallest over b >= i of the mean of points a .. b. */
static void fit(const oracle *o, double *out)
{
    for (int i = 0; i < o->n_points; ++i) {
        out[i] = -INFINITY;
        for (int a = 0; a <= i; ++a) {
            double least = INFINITY, sum = 0;

            for (int b = a; b < o->n_points; ++b) {
                sum += o->y[b];
                if (b >= i)
                    least = fmin(least, sum / (b - a + 1));
            }
            out[i] = fmax(out[i], least);
        }
    }
}

static double fitted(const oracle *o, const double *fit_of, double t)
{
    int last = o->n_points - 1;
    int i = 0;
    double place;

    if (t <= o->x[0])
        place = fit_of[0];
    else if (t >= o->x[last])
        place = fit_of[last];
    else {
        while (o->x[i + 1] <= t)
            ++i;
        place = fit_of[i] + (fit_of[i + 1] - fit_of[i]) * (t - o->x[i]) /
                                (o->x[i + 1] - o->x[i]);
    }
    return o->slow_first[o->n - 1 - (int)nearbyint(o->n - 1 - place)];
}

/* Sentence 5. */
static double oracle_score(oracle *o, const hone_recording *r,
                           const hone_replay_traces *traces)
{
    static double values[MOST_POINTS];
    double start, end, sum = 0;
    int n = 0;

    learn_space(o, r);
    start = cutoff_time(o, 0.01);
    end = cutoff_time(o, 0.95);
    gather(o, traces, end);
    order_points(o);
    fit(o, values);
    for (int i = 0; i < STEPS; ++i) {
        const double t = start + (end - start) * i / (STEPS - 1);
        const double b = baseline(o, t);

        if (b == o->optimum)
            continue;
        sum += (b - fitted(o, values, t)) / (b - o->optimum);
        ++n;
    }
    return sum / n;
}

/* ---- spaces -------------------------------------------------------------
 */

static uint64_t state;

static double chance(void) /* 0 .. 1 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state % 1000000) / 1e6;
}

/* Two parameters, times that follow them, with outliers; costs of all kinds,
 * no two alike, so that no two points of a run fall together. */
static void write_space(hone_text *text, double share_failed)
{
    hone__text_puts(text, "{\"metadata\": {\"timeunit\": \"seconds\"}, "
                          "\"results\": [");
    for (int i = 0; i < N_CONFIGS; ++i) {
        const int a = i % 15, b = i / 15;
        const double slow = 1 + (a - 4) * (a - 4) * 0.1 + abs(b - 6);
        const int failed = chance() < share_failed;

        hone__text_printf(
            text,
            "%s{\"configuration\": {\"A\": %d, \"B\": %d}, \"invalidity\": "
            "\"%s\", \"times\": {\"compilation\": %.9g, \"runtimes\": "
            "[%.9g, %.9g], \"framework\": %.9g}, \"measurements\": [{"
            "\"name\": \"time\", \"value\": %.9g}]}",
            i ? "," : "", a, b, failed ? "runtime" : "correct", 1 + chance(),
            chance(), chance(), 0.1 * chance(), slow * (1 + chance()));
    }
    hone__text_puts(text, "]}");
}

static void compare(uint64_t seed, double share_failed, const char *strategy,
                    int64_t batch)
{
    static oracle o;
    hone_text text = {0};
    hone_recordings list;
    hone_replay_traces traces;
    hone_replay_request run = {
        .strategy = strategy, .first = -1, .seed = seed, .batch = batch};
    replay_file file;
    double score, wanted;

    state = 88172645463325252u + seed;
    write_space(&text, share_failed);
    replay_file_write(&file, text.data, text.length);
    hone__text_free(&text);
    assert_int_equal(hone__recordings_read(file.path, &list, NULL), HONE_OK);
    replay_file_remove(&file);
    run.recording = list.items[0];
    run.budget.evaluations = N_CONFIGS / 2; /* longer than the score needs */
    run.is_secret = 1;
    assert_int_equal(hone__replay_traces(&run, REPEATS, 2, &traces, NULL),
                     HONE_OK);
    assert_int_equal(hone__replay_score(list.items[0], &traces, &score, NULL),
                     HONE_OK);
    wanted = oracle_score(&o, list.items[0], &traces);
    if (!(fabs(score - wanted) < 1e-9 * (1 + fabs(wanted))))
        fail_msg("seed %d, %s: %.17g, the oracle says %.17g", (int)seed,
                 strategy, score, wanted);
    hone__replay_traces_free(&traces);
    hone__recordings_free(&list);
}

static void test_against_oracle(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        compare(seed, 0.1 * (double)(seed % 4), "random", 1);
        compare(seed, 0.1 * (double)(seed % 4), "latin",
                1 + (int64_t)(seed % 3));
        compare(seed, 0.1, "exhaustive", 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_oracle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
