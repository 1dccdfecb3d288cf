/* SPDX-License-Identifier: Apache-2.0 */
/* What a proposal costs: every strategy in a space of more than ten million
 * valid configurations. Not a test: it measures time. */
#include "tests/tuner/search_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_TRIALS = 1000, BATCH = 16, MOST_PARAMS = 32 };

/* Shaped like that of a matrix product. */
static const char lines[] =
    "#pragma hone param BM in {16, 32, 64, 128, 256}\n"
    "#pragma hone param BN in {16, 32, 64, 128, 256}\n"
    "#pragma hone param BK in {8, 16, 32, 64}\n"
    "#pragma hone param TM in {1, 2, 4, 8, 16}\n"
    "#pragma hone param TN in {1, 2, 4, 8, 16}\n"
    "#pragma hone param WM in {1, 2, 4, 8}\n"
    "#pragma hone param WN in {1, 2, 4, 8}\n"
    "#pragma hone param STAGES in 1..6\n"
    "#pragma hone param VEC in {1, 2, 4, 8}\n"
    "#pragma hone param SWIZZLE in 0..3\n"
    "#pragma hone param UNROLL in {1, 2, 4, 8}\n"
    "#pragma hone param PAD in 0..1\n"
    "#pragma hone param ORDER in 0..3\n"
    "#pragma hone param SPLIT in {1, 2, 4, 8}\n"
    "#pragma hone require BM * BN <= 1024 * TM * TN\n"
    "#pragma hone require BM * BN >= 32 * TM * TN\n"
    "#pragma hone require BM % (TM * WM) == 0\n"
    "#pragma hone require BN % (TN * WN) == 0\n"
    "#pragma hone require (BM + BN) * (BK + 4 * PAD) * STAGES <= 57344\n"
    "#pragma hone require BK % VEC == 0\n"
    "#pragma hone require SPLIT == 1 || BK <= 32\n";

static double now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* Smooth with some noise, and one in sixteen fails. */
static double answer_of(const hone_search_space *view, int64_t index)
{
    const uint64_t bits = (uint64_t)index * 0x9e3779b97f4a7c15u >> 40;
    int values[MOST_PARAMS];
    double time_ns = 1e4 + (double)(bits % 500);

    if (bits % 16 == 0)
        return 0;
    view->get(view->user, index, values);
    for (size_t i = 0; i < view->n_params; ++i) {
        const int off = values[i] - (int)(i % 4);

        time_ns += 1000.0 * off * off / (double)(i + 1);
    }
    return time_ns;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* `cost_us`: of asking for one and of telling one. */
static hone_status run(const char *name, const hone_search_space *view,
                       double *cost_us, hone_error *err)
{
    const hone_search_options options = {.seed = 1};
    hone_search *search;
    int64_t asked[N_TRIALS];
    int n_told = 0;

    HONE_TRY(hone__search_open(name, view, &options, &search, err));
    for (int i = 0; i < N_TRIALS + BATCH; ++i) {
        hone_status status = HONE_OK;
        double start_us = now_us();

        if (i < N_TRIALS) {
            status = hone__search_next(search, &asked[i], err);
            cost_us[i] = now_us() - start_us;
        }
        if (status == HONE_OK && i >= BATCH) {
            const double a = answer_of(view, asked[n_told]);

            start_us = now_us();
            status = hone__search_tell(search, asked[n_told], a, err);
            cost_us[n_told++] += now_us() - start_us;
        }
        if (status != HONE_OK) {
            hone__search_close(search);
            return status;
        }
    }
    hone__search_close(search);
    return HONE_OK;
}

int main(void)
{
    hone_search_fixture f;
    hone_error err = {.status = HONE_OK};
    const char *name, *summary;
    int code = 0;

    if (!hone__search_fixture_open(lines, &f))
        return 1;
    (void)printf("%lld valid configurations of %zu parameters; %d trials, %d "
                 "at a time; us per trial\n%-16s %10s %10s %10s\n",
                 (long long)f.view.count, f.view.n_params, N_TRIALS, BATCH,
                 "strategy", "median", "99 %", "most");
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        double cost_us[N_TRIALS];

        if (run(name, &f.view, cost_us, &err) != HONE_OK) {
            (void)fprintf(stderr, "%s: %s\n", name, err.text);
            code = 1;
            continue;
        }
        qsort(cost_us, N_TRIALS, sizeof cost_us[0], compare);
        (void)printf("%-16s %10.2f %10.2f %10.2f\n", name,
                     cost_us[N_TRIALS / 2], cost_us[N_TRIALS * 99 / 100],
                     cost_us[N_TRIALS - 1]);
    }
    hone__search_fixture_close(&f);
    return code;
}
