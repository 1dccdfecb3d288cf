/* SPDX-License-Identifier: Apache-2.0 */
/* Not a test: how often strategies are held up in spaces that are made to do
 * so (trap_spaces.c). For each space and strategy: the share of runs that
 * went more than 100 evaluations without a gain of 1 % before they came
 * within 2 % of the optimum, the share that never came there, and the median
 * of the evaluations that it took.
 *
 *   bench_traps [RUNS [SEED [STRATEGY..]]]      default: 200 1 auto */
#include "tests/tuner/trap_spaces.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 400, MOST_RUNS = 10000 };

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int on_space(const hone_trap *trap, const char *strategy, int64_t runs,
                    uint64_t seed)
{
    static int64_t took[MOST_RUNS];
    hone_error err = {.status = HONE_OK};
    int64_t caught = 0;
    int64_t missed = 0;

    for (int64_t i = 0; i < runs; ++i) {
        hone_trap_run run;

        if (hone__trap_search(trap, strategy, seed * MOST_RUNS + (uint64_t)i,
                              BUDGET, &run, &err) != HONE_OK) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        caught += hone__trap_caught(&run);
        missed += run.found == 0;
        took[i] = run.found ? run.found : BUDGET;
    }
    qsort(took, (size_t)runs, sizeof took[0], compare);
    (void)printf("%-12s %6lld %-16s %7.3f %7.3f %7lld %7lld\n",
                 hone__trap_name(trap), (long long)trap->view.count, strategy,
                 (double)caught / (double)runs, (double)missed / (double)runs,
                 (long long)took[runs / 2], (long long)took[runs * 9 / 10]);
    return 0;
}

int main(int argc, char **argv)
{
    static hone_trap trap;
    const int64_t runs = argc > 1 ? strtoll(argv[1], NULL, 10) : 200;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int failed = 0;

    if (runs < 1 || runs > MOST_RUNS) {
        (void)fprintf(stderr, "bench_traps: 1 to %d runs\n", MOST_RUNS);
        return 2;
    }
    (void)printf("%-12s %6s %-16s %7s %7s %7s %7s\n", "space", "size",
                 "strategy", "caught", "missed", "median", "90 %");
    for (size_t i = 0; hone__trap_open(i, &trap); ++i) {
        if (argc <= 3)
            failed |= on_space(&trap, "auto", runs, seed);
        for (int k = 3; k < argc; ++k)
            failed |= on_space(&trap, argv[k], runs, seed);
    }
    return failed;
}
