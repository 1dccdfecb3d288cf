/* SPDX-License-Identifier: Apache-2.0 */
/* Not a test: how well ways to share a budget between the implementations of
 * one operation do (tuner/session/rules.h, "whose turn it is").
 *
 * Recordings play implementations: N_IMPLS of them are drawn, half of them
 * whole, half with some parameters fixed, so that sizes differ. A mix is 2 to
 * 5 of those, whose optima are 1, 1.02, 1.1, 1.5 or 3 times the best. What a
 * search asks next depends on its own answers alone: each is run once for
 * every seed, and a policy only says which of the runs goes on. Answers come
 * BATCH - 1 proposals late, in the searches and for the policies.
 *
 *   bench_shares SEED N_MIXES N_IMPLS BATCH FILE.. */
#include "tests/tuner/share_policies.h"

#include "runtime/base/alloc.h"
#include "tuner/process/parallel.h"
#include "tuner/replay/replay_run.h"
#include "tuner/search/chance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_SEEDS = 4, MOST_FILES = 64, N_BUDGETS = 3 };
static const int64_t budgets[N_BUDGETS] = {30, 100, 300};
static const double factors[SHARE_MOST_ARMS] = {1, 1.02, 1.1, 1.5, 3};
static const double nothing = 100; /* the ratio of a run without any answer */

/* The times that a search found, over the optimum; 0: failed. */
typedef struct trace {
    double times[SHARE_MOST_TRIALS];
    int64_t n;
} trace;

typedef struct impl {
    const hone_recording *recording;
    trace learning[N_SEEDS];
    trace in_order[N_SEEDS]; /* of a space that fits what is planned */
} impl;

typedef struct mix {
    size_t n;
    const impl *impls[SHARE_MOST_ARMS];
    double factor[SHARE_MOST_ARMS];
    size_t seed[SHARE_MOST_ARMS];
} mix;

typedef struct bench {
    hone_recordings recordings[MOST_FILES];
    hone_recordings parts; /* with parameters fixed */
    size_t n_files;
    impl *impls;
    size_t n_impls;
    mix *mixes;
    size_t n_mixes;
    int64_t batch;
    uint64_t seed;
} bench;

/* ---- implementations ---------------------------------------------------- */

static const uint32_t *values_of(const hone_recording *r, int64_t i)
{
    return r->values + (size_t)i * r->n_params;
}

static int is_like(const hone_recording *r, int64_t i, const uint32_t *like,
                   const char *is_fixed)
{
    for (size_t p = 0; p < r->n_params; ++p) {
        if (is_fixed[p] && values_of(r, i)[p] != like[p])
            return 0;
    }
    return 1;
}

static int64_t count_like(const hone_recording *r, const uint32_t *like,
                          const char *is_fixed, int64_t *out_valid)
{
    int64_t n = 0;

    *out_valid = 0;
    for (int64_t i = 0; i < r->n_configs; ++i) {
        if (!is_like(r, i, like, is_fixed))
            continue;
        ++n;
        *out_valid += r->trials[i].outcome == HONE_OUTCOME_OK;
    }
    return n;
}

/* Fix parameters in a random order until no more than `most` are left. */
static void choose_fixed(const hone_recording *r, hone_chance *chance,
                         double most, const uint32_t *like, char *is_fixed)
{
    const hone_permutation order =
        hone__permutation((int64_t)r->n_params, hone__chance_bits(chance));
    int64_t n_valid;

    for (size_t k = 0; k < r->n_params; ++k) {
        const size_t p = (size_t)hone__permutation_at(&order, (int64_t)k);

        if ((double)count_like(r, like, is_fixed, &n_valid) <= most)
            return;
        is_fixed[p] = 1;
        if (count_like(r, like, is_fixed, &n_valid) < 8 || n_valid < 2)
            is_fixed[p] = 0;
    }
}

static hone_status copy_like(const hone_recording *r, const uint32_t *like,
                             const char *is_fixed, hone_recording *out,
                             hone_error *err)
{
    uint32_t values[HONE_MAX_RECORDED_PARAMS];
    int64_t index;

    for (size_t p = 0; p < r->n_params; ++p)
        HONE_TRY(hone__recording_add_param(out, r->params[p].name, err));
    for (int64_t i = 0; i < r->n_configs; ++i) {
        if (!is_like(r, i, like, is_fixed))
            continue;
        for (size_t p = 0; p < r->n_params; ++p)
            HONE_TRY(hone__recording_value(
                out, p, r->params[p].values[values_of(r, i)[p]], &values[p],
                err));
        HONE_TRY(hone__recording_put(out, values, &r->trials[i], &index, err));
    }
    return hone__recording_finish(out, 1e-9, err);
}

static hone_status draw_impl(bench *b, hone_chance *chance, impl *out,
                             hone_error *err)
{
    const hone_recording *r =
        b->recordings[hone__chance_below(chance, (int64_t)b->n_files)].items[0];
    const int is_whole = hone__chance_below(chance, 2) == 0;
    const double most =
        16 * pow(4000.0 / 16, hone__chance_unit(chance)); /* even in log */
    const uint32_t *like =
        values_of(r, hone__chance_below(chance, r->n_configs));
    char is_fixed[HONE_MAX_RECORDED_PARAMS] = {0};
    hone_recording *part;

    out->recording = r;
    if (is_whole)
        return HONE_OK;
    choose_fixed(r, chance, most, like, is_fixed);
    HONE_TRY(hone__recording_add(&b->parts, r->path, r->format, &part, err));
    HONE_TRY(copy_like(r, like, is_fixed, part, err));
    out->recording = part;
    return HONE_OK;
}

/* ---- what their searches find ------------------------------------------- */

typedef struct keeper {
    const hone_recording *recording;
    trace *out;
} keeper;

static hone_status keep(void *user, const hone_replay_step *step,
                        hone_error *err)
{
    const keeper *k = user;

    (void)err;
    k->out->times[k->out->n++] =
        step->trial->outcome == HONE_OUTCOME_OK
            ? step->trial->time_ns / k->recording->best_ns
            : 0;
    return HONE_OK;
}

static hone_status run_search(void *user, int64_t i, hone_error *err)
{
    bench *b = user;
    impl *of = &b->impls[i / N_SEEDS];
    const int64_t count = of->recording->n_configs;
    keeper k = {of->recording, &of->learning[i % N_SEEDS]};
    hone_replay_step last;
    hone_replay_request request = {.recording = of->recording,
                                   .strategy = "auto",
                                   .first = -1,
                                   .seed = hone__replay_seed(b->seed, i),
                                   .budget = {SHARE_MOST_TRIALS, 0},
                                   .batch = b->batch,
                                   .is_secret = 1};

    HONE_TRY(hone__replay_run(&request, keep, &k, &last, err));
    if (count > SHARE_MOST_TRIALS)
        return HONE_OK;
    k.out = &of->in_order[i % N_SEEDS];
    request.budget.evaluations = count;
    request.is_secret = 0;
    return hone__replay_run(&request, keep, &k, &last, err);
}

static const trace *trace_of(const mix *m, size_t i, int64_t planned)
{
    const impl *of = m->impls[i];

    return planned >= of->recording->n_configs ? &of->in_order[m->seed[i]]
                                               : &of->learning[m->seed[i]];
}

/* ---- mixes -------------------------------------------------------------- */

static void draw_mix(const bench *b, hone_chance *chance, mix *out)
{
    const hone_permutation which =
        hone__permutation((int64_t)b->n_impls, hone__chance_bits(chance));
    const hone_permutation factor =
        hone__permutation(SHARE_MOST_ARMS - 1, hone__chance_bits(chance));
    size_t best;

    out->n = 2 + (size_t)hone__chance_below(chance, SHARE_MOST_ARMS - 1);
    best = (size_t)hone__chance_below(chance, (int64_t)out->n);
    for (size_t i = 0; i < out->n; ++i) {
        const size_t at = (i + out->n - best) % out->n;

        out->impls[i] = &b->impls[hone__permutation_at(&which, (int64_t)i)];
        out->seed[i] = (size_t)hone__chance_below(chance, N_SEEDS);
        out->factor[i] =
            at ? factors[1 + hone__permutation_at(&factor, (int64_t)at - 1)]
               : factors[0];
    }
}

/* ---- policies on mixes -------------------------------------------------- */

static double play(const share_policy *policy, const mix *m, int64_t budget,
                   int64_t late)
{
    const int64_t planned = hone__turn_planned(budget, m->n);
    share_arm arms[SHARE_MOST_ARMS] = {0};
    int asked[SHARE_MOST_TRIALS];
    double times[SHARE_MOST_TRIALS];
    double best = nothing;

    for (int64_t t = 0; t < budget; ++t) {
        size_t n_left = 0;
        int who;

        for (size_t i = 0; i < m->n; ++i) {
            arms[i].is_exhausted =
                arms[i].n_asked == trace_of(m, i, planned)->n;
            n_left += !arms[i].is_exhausted;
        }
        if (!n_left)
            break;
        who = asked[t] = policy->next(policy, arms, m->n, budget - t);
        ++arms[who].share.n_asked;
        times[t] =
            m->factor[who] *
            trace_of(m, (size_t)who, planned)->times[arms[who].n_asked++];
        if (times[t] > 0)
            best = fmin(best, times[t]);
        if (t >= late)
            share_arm_tell(&arms[asked[t - late]], times[t - late]);
    }
    return best;
}

/* The best that implementation `i` finds with the whole budget. */
static double play_alone(const mix *m, size_t i, int64_t budget)
{
    const trace *of = trace_of(m, i, budget);
    double best = nothing;

    for (int64_t t = 0; t < budget && t < of->n; ++t) {
        if (of->times[t] > 0)
            best = fmin(best, m->factor[i] * of->times[t]);
    }
    return best;
}

/* ---- figures ------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_row(const char *name, int64_t budget, double *ratios,
                      size_t n)
{
    double sum = 0;
    size_t n_1 = 0, n_5 = 0;

    for (size_t i = 0; i < n; ++i) {
        sum += log(ratios[i]);
        n_1 += ratios[i] <= 1.01;
        n_5 += ratios[i] <= 1.05;
    }
    qsort(ratios, n, sizeof *ratios, ascending);
    (void)printf("%s;%lld;%.4f;%.4f;%.3f;%.3f\n", name, (long long)budget,
                 exp(sum / (double)n), ratios[n * 9 / 10],
                 (double)n_1 / (double)n, (double)n_5 / (double)n);
}

static void report_alone(const bench *b, int64_t budget, double *ratios)
{
    for (size_t k = 0; k < b->n_mixes; ++k) {
        ratios[k] = nothing;
        for (size_t i = 0; i < b->mixes[k].n; ++i)
            ratios[k] = fmin(ratios[k], play_alone(&b->mixes[k], i, budget));
    }
    print_row("best alone", budget, ratios, b->n_mixes);
    for (size_t k = 0; k < b->n_mixes; ++k) {
        double sum = 0;

        for (size_t i = 0; i < b->mixes[k].n; ++i)
            sum += log(play_alone(&b->mixes[k], i, budget));
        ratios[k] = exp(sum / (double)b->mixes[k].n);
    }
    print_row("mean alone", budget, ratios, b->n_mixes);
}

static hone_status report(const bench *b, hone_error *err)
{
    double *ratios = hone__alloc(b->n_mixes * sizeof *ratios);

    if (!ratios)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    (void)printf("policy;budget;mean;p90;within 1 %%;within 5 %%\n");
    for (size_t k = 0; k < N_BUDGETS; ++k) {
        for (const share_policy *p = share_policies; p->name; ++p) {
            for (size_t i = 0; i < b->n_mixes; ++i)
                ratios[i] = play(p, &b->mixes[i], budgets[k], b->batch - 1);
            print_row(p->name, budgets[k], ratios, b->n_mixes);
        }
        report_alone(b, budgets[k], ratios);
    }
    hone__free(ratios);
    return HONE_OK;
}

/* ---- all of it ---------------------------------------------------------- */

static hone_status measure(bench *b, char **files, hone_error *err)
{
    hone_chance chance = hone__chance(b->seed);

    b->impls = hone__alloc(b->n_impls * sizeof *b->impls);
    b->mixes = hone__alloc(b->n_mixes * sizeof *b->mixes);
    if (!b->impls || !b->mixes)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < b->n_files; ++i)
        HONE_TRY(hone__recordings_read(files[i], &b->recordings[i], err));
    for (size_t i = 0; i < b->n_impls; ++i)
        HONE_TRY(draw_impl(b, &chance, &b->impls[i], err));
    HONE_TRY(hone__parallel_for((int64_t)b->n_impls * N_SEEDS, 2, run_search, b,
                                err));
    for (size_t i = 0; i < b->n_mixes; ++i)
        draw_mix(b, &chance, &b->mixes[i]);
    return report(b, err);
}

int main(int argc, char **argv)
{
    static bench b;
    hone_error err = {0};
    hone_status status;

    if (argc < 6 || argc > 5 + MOST_FILES) {
        (void)fprintf(stderr, "usage: bench_shares SEED N_MIXES N_IMPLS BATCH "
                              "FILE..\n");
        return 2;
    }
    b.seed = strtoull(argv[1], NULL, 10);
    b.n_mixes = strtoull(argv[2], NULL, 10);
    b.n_impls = strtoull(argv[3], NULL, 10);
    b.batch = strtoll(argv[4], NULL, 10);
    b.n_files = (size_t)argc - 5;
    if (!b.n_mixes || b.n_impls < SHARE_MOST_ARMS || b.batch < 1) {
        (void)fprintf(stderr,
                      "bench_shares: at least 1 mix, %d "
                      "implementations, a batch of 1\n",
                      SHARE_MOST_ARMS);
        return 2;
    }
    status = measure(&b, argv + 5, &err);
    if (status != HONE_OK)
        (void)fprintf(stderr, "%s\n", err.text);
    for (size_t i = 0; i < b.n_files; ++i)
        hone__recordings_free(&b.recordings[i]);
    hone__recordings_free(&b.parts);
    hone__free(b.impls);
    hone__free(b.mixes);
    return status != HONE_OK;
}
