/* SPDX-License-Identifier: Apache-2.0 */
/* Not a test: how the rule of --until would do with other numbers. For each
 * way to wait (at least K answers without a gain, and a share of all
 * answers): the share of runs that would have gained more than GAIN in four
 * times the evaluations, the mean of what they would have gained, and what
 * was spent.
 *
 *   bench_until STRATEGY GAIN,.. REPEATS FILE.. */
#include "tuner/replay/replay_run.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, LATER = 4, MOST_GAINS = 4 };

/* The best time after each evaluation; 0: none yet. */
typedef struct run {
    double best_ns[MOST];
    int64_t n;
} run;

typedef struct tally {
    double n_runs;
    double n_early;
    double missed; /* sum of what four times as many would have gained */
    double n_stopped_at;
    double spent; /* as a share of the evaluations there are */
    double found; /* of the optimum */
} tally;

static const int64_t least[] = {50, 100, 200, 300, 400};
static const double shares[] = {0, 0.5, 0.67, 0.75};
enum {
    N_LEAST = sizeof least / sizeof least[0],
    N_SHARES = sizeof shares / sizeof shares[0]
};

static hone_status keep(void *user, const hone_replay_step *step,
                        hone_error *err)
{
    run *r = user;

    (void)err;
    r->best_ns[r->n++] = step->best_ns;
    return HONE_OK;
}

static int64_t stop_of(const run *r, double gain, int64_t k, double share)
{
    double anchor_ns = 0;
    int64_t last = 0;

    for (int64_t i = 0; i < r->n; ++i) {
        const double best_ns = r->best_ns[i];

        if (best_ns > 0 &&
            (anchor_ns <= 0 || best_ns < anchor_ns * (1 - gain))) {
            anchor_ns = best_ns;
            last = i + 1;
        }
        if (last && i + 1 - last >= k &&
            (double)(i + 1 - last) >= share * (double)(i + 1))
            return i + 1;
    }
    return r->n;
}

static void add(const run *r, double gain, const hone_recording *recording,
                tally tallies[N_LEAST][N_SHARES])
{
    for (size_t i = 0; i < N_LEAST; ++i) {
        for (size_t j = 0; j < N_SHARES; ++j) {
            const int64_t at = stop_of(r, gain, least[i], shares[j]);
            const int64_t later = LATER * at < r->n ? LATER * at : r->n;
            const double then_ns = r->best_ns[at - 1];
            const double later_ns = r->best_ns[later - 1];
            tally *t = &tallies[i][j];

            if (then_ns <= 0)
                continue;
            ++t->n_runs;
            t->n_early += later_ns < then_ns * (1 - gain);
            t->missed += 1 - later_ns / then_ns;
            t->n_stopped_at += (double)at;
            t->spent += (double)at / (double)recording->n_configs;
            t->found += recording->best_ns / then_ns;
        }
    }
}

static double gains[MOST_GAINS];
static int n_gains;

static int on_file(const char *path, const char *strategy, int64_t repeats,
                   tally tallies[MOST_GAINS][N_LEAST][N_SHARES])
{
    static run r;
    hone_recordings recordings;
    hone_error err = {0};
    hone_replay_step last;

    if (hone__recordings_read(path, &recordings, &err) != HONE_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (int64_t i = 0; i < repeats; ++i) {
        const hone_replay_request request = {.recording = recordings.items[0],
                                             .strategy = strategy,
                                             .first = -1,
                                             .seed = hone__replay_seed(1, i),
                                             .budget = {MOST, 0},
                                             .is_secret = 1};

        r.n = 0;
        if (hone__replay_run(&request, keep, &r, &last, &err) != HONE_OK) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        for (int k = 0; k < n_gains; ++k)
            add(&r, gains[k], recordings.items[0], tallies[k]);
    }
    hone__recordings_free(&recordings);
    return 0;
}

static void print_tallies(const char *strategy, double gain,
                          tally tallies[N_LEAST][N_SHARES])
{
    for (size_t i = 0; i < N_LEAST; ++i) {
        for (size_t j = 0; j < N_SHARES; ++j) {
            const tally *t = &tallies[i][j];

            (void)printf("%s,%g,%lld,%.2f,%.3f,%.4f,%.0f,%.3f,%.4f\n", strategy,
                         gain, (long long)least[i], shares[j],
                         t->n_early / t->n_runs, t->missed / t->n_runs,
                         t->n_stopped_at / t->n_runs, t->spent / t->n_runs,
                         t->found / t->n_runs);
        }
    }
}

int main(int argc, char **argv)
{
    static tally tallies[MOST_GAINS][N_LEAST][N_SHARES];
    int failed = 0;

    if (argc < 5) {
        (void)fprintf(stderr,
                      "usage: bench_until STRATEGY GAIN,.. REPEATS FILE..\n");
        return 2;
    }
    for (const char *at = argv[2]; *at && n_gains < MOST_GAINS;) {
        char *end;

        gains[n_gains++] = strtod(at, &end);
        at = *end == ',' ? end + 1 : "";
    }
    for (int i = 4; i < argc; ++i)
        failed |=
            on_file(argv[i], argv[1], strtoll(argv[3], NULL, 10), tallies);
    (void)printf("strategy,gain,least,share,early,missed,evaluations,spent,"
                 "fraction\n");
    for (int k = 0; k < n_gains; ++k)
        print_tallies(argv[1], gains[k], tallies[k]);
    return failed;
}
