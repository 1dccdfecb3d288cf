/* SPDX-License-Identifier: Apache-2.0 */
/* What a decision costs: 32 members, 100 problems, 14 dims of which 8 have
 * features. A program, not a test. */
#include "runtime/base/device_properties.h"
#include "runtime/choose/chooser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

int main(int argc, char **argv)
{
    const size_t n_members = argc > 1 ? (size_t)atoi(argv[1]) : 32;
    const size_t n_problems = argc > 2 ? (size_t)atoi(argv[2]) : 100;
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
    start = now_ns();
    if (hone__chooser_prepare(
            chooser, &(hone_launch_case){spec, NULL, DIMS, &properties},
            &err) != HONE_OK)
        die(&err);
    (void)printf("%zu members, %zu problems: prepared in %.2f ms\n", n_members,
                 n_problems, (now_ns() - start) / 1e6);
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
