/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision costs: 32 members, 100 problems, 8 dims, how many of the
 * members say what they cost, and at how many places two of these are each. A
 * program, not a test:
 *
 *   bench_choose [MEMBERS [PROBLEMS [WITH_COSTS [PLACES]]]] */
#include "runtime/base/device_properties.h"
#include "runtime/choose/chooser.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DIMS = 8, REPEATS = 200000 };

static const char plan_text[] =
    "hone-launch 6\nop gemm\n"
    "dim M int\ndim N int\ndim K int\n"
    "dim LDA int K\ndim LDB int N\ndim LDC int N\n"
    "dim BATCH int 1\ndim STRIDE int M*LDC\n"
    "param BM 64\n"
    "arg A in 4 M*LDA\narg C out 4 M*LDC\n"
    "launch gemm\ngrid ceildiv(M,BM) ; ceildiv(N,BM)\nblock 128\n"
    "pass A\npass C\n"
    "work flops 2*BATCH*M*N*K\nwork bytes 4*BATCH*(M*K + K*N + M*N)\n";

static double now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static void die(const hone_error *err)
{
    (void)fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void shape_of(uint64_t i, int64_t *dims)
{
    for (size_t d = 0; d < 3; ++d) {
        i = i * 6364136223846793005u + 1442695040888963407u;
        dims[d] = 1 + (int64_t)(i >> 33) % 8192;
    }
    dims[3] = dims[2];
    dims[4] = dims[5] = dims[1];
    dims[6] = 1;
    dims[7] = dims[0] * dims[5];
}

static hone_chooser *make(size_t n_members, size_t n_problems)
{
    static const int64_t reach[DIMS] = {8192, 8192, 8192,         8192,
                                        8192, 8192, (int64_t)1e9, (int64_t)1e9};
    hone_chooser *c = NULL;
    hone_error err = {0};

    if (hone__chooser_create("gemm", DIMS, n_members, n_problems, &c, &err) !=
        HONE_OK)
        die(&err);
    for (size_t i = 0; i < n_problems; ++i) {
        const int64_t *dims = &c->dims[i * DIMS];

        shape_of(i + 1, &c->dims[i * DIMS]);
        for (size_t j = 0; j < n_members; ++j) /* some at some problems only */
            if (j % 2 == 0 || dims[0] > 500 * (int64_t)(j % 8))
                c->time_ns[i * n_members + j] =
                    2000 + (double)dims[0] * (double)dims[1] * (double)dims[2] /
                               (1e5 + 1e4 * (double)j);
    }
    for (size_t j = 0; j < n_members; ++j)
        if (hone__chooser_set_reach(c, j, reach, &err) != HONE_OK)
            die(&err);
    return c;
}

static size_t add(hone_chooser *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static size_t add(hone_chooser *c, const char *format, ...)
{
    char text[256];
    hone_error err = {0};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (hone__chooser_add_estimate(c, text, strlen(text), &err) != HONE_OK)
        die(&err);
    return c->n_estimates - 1;
}

/* As COST of gemm/sm90 is for one member: tiles, rounds, steps, what each
 * takes; of 13 expressions four are the same for all. */
static void add_costs(hone_chooser *c, size_t n_members)
{
    const size_t row_a = add(c, "d3*2"), row_b = add(c, "d4*2");
    const size_t ask_a =
        add(c, "100+(e%zu%%128?20:0)+(e%zu%%32?125:0)", row_a, row_a);
    const size_t ask_b =
        add(c, "100+(e%zu%%128?20:0)+(e%zu%%32?125:0)", row_b, row_b);
    const size_t bytes = add(c, "d6*((d0*d2+d2*d1)*2+2*d0*d1*2)/2112");

    for (size_t j = 0; j < n_members; ++j) {
        const size_t bm = (size_t)64 << j % 3, bn = 32 + 8 * j;
        const size_t tiles =
            add(c, "ceildiv(d0,%zu)*ceildiv(d1,%zu)*d6", bm, bn);
        const size_t rounds =
            add(c, "max(ceildiv(e%zu,132)*80+e%zu*20/132,100)", tiles, tiles);
        const size_t steps = add(c, "align(d2,64)/64");
        const size_t multiply = add(c, "e%zu*%zu", steps, bm * bn / 32 + 18);
        const size_t fetch = add(c, "e%zu*((e%zu*%zu+e%zu*%zu)/7600)", steps,
                                 ask_a, bm * 128, ask_b, bn * 128);
        const size_t wait = add(c, "max(e%zu,4)*1200/4", steps);
        const size_t busy =
            add(c, "max(max(e%zu,e%zu),e%zu)", multiply, fetch, wait);
        const size_t tile = add(c, "e%zu+(e%zu+e%zu+e%zu-e%zu)/4+%zu", busy,
                                multiply, fetch, wait, busy, bm * bn / 10);

        c->members[j].cost = 1 + add(c, "max(e%zu*e%zu/100*105/100,e%zu)+4000",
                                     rounds, tile, bytes);
    }
}

/* Members as they come, so that the nearest places have hardly any in common:
 * more are looked at than at real ones. */
static void add_places(hone_chooser *c, size_t n_places, size_t n_costs)
{
    hone_error err = {0};

    for (size_t i = 0; i < n_places; ++i) {
        const float beside[2] = {0.1F, -0.1F};
        int64_t dims[DIMS];
        size_t members[2];

        shape_of(i + 5000, dims);
        for (size_t j = 0; j < 2; ++j)
            members[j] = (i * 7 + j * 3) % n_costs;
        if (hone__chooser_add_place(c, dims, members, beside, 2, &err) !=
            HONE_OK)
            die(&err);
    }
}

int main(int argc, char **argv)
{
    const size_t n_members = argc > 1 ? (size_t)atoi(argv[1]) : 32;
    const size_t n_problems = argc > 2 ? (size_t)atoi(argv[2]) : 100;
    const size_t n_costs = argc > 3 ? (size_t)atoi(argv[3]) : 0;
    const size_t n_places = argc > 4 && n_costs ? (size_t)atoi(argv[4]) : 0;
    static double times[REPEATS];
    hone_chooser *chooser = make(n_members, n_problems);
    hone_launch_spec *spec = NULL;
    hone_properties properties;
    unsigned char safe[HONE_CHOOSER_MEMBERS] = {1};
    hone_error err = {0};
    long chosen = 0;
    double start;

    if (hone__launch_spec_parse(plan_text, &spec, &err) != HONE_OK ||
        hone__properties_of_arch("sm_90", &properties, &err) != HONE_OK)
        die(&err);
    add_costs(chooser, n_costs < n_members ? n_costs : n_members);
    add_places(chooser, n_places, n_costs);
    start = now_ns();
    if (hone__chooser_prepare(
            chooser, &(hone_launch_case){spec, NULL, DIMS, &properties},
            &err) != HONE_OK)
        die(&err);
    (void)printf("%zu members, %zu with costs, %zu problems, %zu places: "
                 "prepared in %.2f ms\n",
                 n_members, n_costs, n_problems, n_places,
                 (now_ns() - start) / 1e6);
    hone__chooser_measure_errors(chooser);
    for (int i = 0; i < REPEATS; ++i) {
        int64_t dims[DIMS];
        hone_chooser_guesses guesses;
        hone_chooser_decision decision;

        shape_of((uint64_t)i * 7 + 1000, dims);
        start = now_ns();
        hone__chooser_predict(
            chooser, &(hone_launch_case){spec, dims, DIMS, &properties},
            &guesses);
        hone__chooser_decide(&guesses, NULL, safe, &decision);
        times[i] = now_ns() - start;
        chosen += decision.member;
    }
    qsort(times, REPEATS, sizeof *times, compare);
    (void)printf("a decision: median %.2f us, 99 of 100 below %.2f us, "
                 "shortest %.2f us (checksum %ld)\n",
                 times[REPEATS / 2] / 1e3, times[REPEATS / 100 * 99] / 1e3,
                 times[0] / 1e3, chosen);
    hone__chooser_free(chooser);
    hone__launch_spec_free(spec);
    return 0;
}
