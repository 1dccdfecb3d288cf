/* SPDX-License-Identifier: Apache-2.0 */
/* Not a test: how well a template's own estimate (`feature COST`) orders
 * trials, and how deep in its order of the whole space the fast ones lie, where
 * a search with an empty database would have to find them.
 *
 *   db_ask FILE "select dims || char(9) || time_ns || char(9) || config
 *       from trial_v1 where outcome = 'ok' and template_name = 'sm90'
 *       order by dims"
 *
 * (tests/gpu/db_ask.c) gives the trials of a database as they are read: lines
 * `dims TAB time_ns TAB config`, those of a problem beside each other.
 *
 *   bench_cost TEMPLATE ARCH < TRIALS
 *
 * A line for each problem: valid configurations; trials; how many
 * configurations COST puts before the first trial within 3 % of the fastest;
 * where there are more than 50 trials, the fastest of the first 5, 10 and 20 of
 * them by COST over the fastest of all, and the standard deviation of log(time
 * / COST) of those up to twice as slow. Then the means (of ranks, of log2(1 +
 * rank)), and how many problems have a rank below 40 and below 150. */
#include "gen/space.h"
#include "runtime/base/alloc.h"
#include "tuner/model/features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIALS = 4096, MOST_PARAMS = 64, ENOUGH = 50, N_FIRST = 3 };
static const int firsts[N_FIRST] = {5, 10, 20};
static const double alike = 1.03, slow = 2;

typedef struct trial {
    double time_ns;
    double cost; /* log */
} trial;

typedef struct sums {
    int n, n_enough, in_40, in_150;
    double ranks, first[N_FIRST], deviation;
} sums;

typedef struct bench {
    hone_template *tmpl;
    hone_properties properties;
    hone_space *space;
    hone_features *features;
    float *row;
    char dims[4096];
    trial trials[MOST_TRIALS];
    int n;
    sums all;
} bench;

static void refuse(const char *why)
{
    (void)fprintf(stderr, "bench_cost: %s\n", why);
    exit(3);
}

static void must(hone_status status, const hone_error *err)
{
    if (status != HONE_OK)
        refuse(err->text);
}

static int by_cost(const void *a, const void *b)
{
    const double x = ((const trial *)a)->cost;
    const double y = ((const trial *)b)->cost;

    return (x > y) - (x < y);
}

static double fastest(const bench *b, int n)
{
    double best = INFINITY;

    for (int i = 0; i < n && i < b->n; ++i)
        best = b->trials[i].time_ns < best ? b->trials[i].time_ns : best;
    return best;
}

/* Configurations that COST puts before the first of the fast trials. */
static int64_t rank_of_fast(const bench *b, double best)
{
    int64_t config[MOST_PARAMS];
    double first = INFINITY;
    int64_t rank = 0;

    for (int i = 0; i < b->n; ++i)
        if (b->trials[i].time_ns <= alike * best && b->trials[i].cost < first)
            first = b->trials[i].cost;
    for (int64_t i = 0; i < b->space->count; ++i) {
        hone__space_get(b->space, i, config);
        rank += hone__features_cost(b->features, config, b->row) < first - 1e-6;
    }
    return rank;
}

/* Of log(time / COST), trials up to twice as slow as the fastest. */
static double deviation(const bench *b, double best)
{
    double sum = 0, squares = 0;
    int n = 0;

    for (int i = 0; i < b->n; ++i) {
        const double off = log(b->trials[i].time_ns) - b->trials[i].cost;

        if (b->trials[i].time_ns > slow * best)
            continue;
        sum += off;
        squares += off * off;
        ++n;
    }
    return sqrt(fmax(0, squares / n - sum / n * sum / n));
}

static void finish_problem(bench *b)
{
    const double best = fastest(b, b->n);
    int64_t rank;

    if (!b->n)
        return;
    rank = rank_of_fast(b, best);
    qsort(b->trials, (size_t)b->n, sizeof *b->trials, by_cost);
    (void)printf("%-40.40s %8lld valid %5d trials, rank %6lld", b->dims,
                 (long long)b->space->count, b->n, (long long)rank);
    ++b->all.n;
    b->all.ranks += log2(1 + (double)rank);
    b->all.in_40 += rank < 40;
    b->all.in_150 += rank < 150;
    if (b->n > ENOUGH) {
        const double off = deviation(b, best);

        ++b->all.n_enough;
        b->all.deviation += off;
        for (int i = 0; i < N_FIRST; ++i) {
            const double ratio = fastest(b, firsts[i]) / best;

            (void)printf(", of %d %.3f", firsts[i], ratio);
            b->all.first[i] += log(ratio);
        }
        (void)printf(", deviation %.3f", off);
    }
    (void)printf("\n");
    hone__space_free(b->space);
    hone__features_free(b->features);
    b->n = 0;
}

static void begin_problem(bench *b, const char *dims)
{
    int64_t sizes[HONE_MAX_DIMS];
    hone_error err = {0};

    (void)snprintf(b->dims, sizeof b->dims, "%s", dims);
    must(hone__template_parse_dims(b->tmpl, dims, sizes, &err), &err);
    must(hone__space_create(b->tmpl, sizes, &b->properties, &b->space, &err),
         &err);
    must(hone__features_create(b->tmpl, sizes, &b->properties, &b->features,
                               &err),
         &err);
    if (!hone__features_have_cost(b->features))
        refuse("the template has no feature COST");
    if (!b->row)
        b->row =
            hone__alloc(hone__features_count(b->features) * sizeof *b->row);
    if (!b->row)
        refuse("out of memory");
}

static void add_trial(bench *b, const char *time_ns, const char *text)
{
    int64_t config[MOST_PARAMS];
    hone_error err = {0};

    if (b->n == MOST_TRIALS)
        refuse("a problem has more than 4096 trials");
    must(hone__config_parse(b->tmpl, text, config, &err), &err);
    b->trials[b->n].time_ns = strtod(time_ns, NULL);
    b->trials[b->n++].cost = hone__features_cost(b->features, config, b->row);
}

static void print_all(const sums *s)
{
    (void)printf("%d problems: log2(1 + rank) %.2f, below 40 %d, below 150 %d",
                 s->n, s->ranks / s->n, s->in_40, s->in_150);
    for (int i = 0; i < N_FIRST && s->n_enough; ++i)
        (void)printf(", of %d %.4f", firsts[i], exp(s->first[i] / s->n_enough));
    if (s->n_enough)
        (void)printf(", deviation %.3f", s->deviation / s->n_enough);
    (void)printf("\n");
}

int main(int argc, char **argv)
{
    static bench b;
    static char line[65536];
    const char *path = getenv("HONE_TEMPLATE_PATH");
    hone_diagnostics diagnostics = {0};
    hone_error err = {0};

    if (argc != 3)
        return 2;
    must(hone__template_load(argv[1], path ? path : "templates", &b.tmpl,
                             &diagnostics, &err),
         &err);
    must(hone__properties_of_arch(argv[2], &b.properties, &err), &err);
    while (fgets(line, sizeof line, stdin)) {
        const char *const dims = strtok(line, "\t\n");
        const char *const time_ns = strtok(NULL, "\t\n");
        const char *const config = strtok(NULL, "\t\n");

        if (!config)
            refuse("a line is not 'dims TAB time_ns TAB config'");
        if (strcmp(dims, b.dims) != 0) {
            finish_problem(&b);
            begin_problem(&b, dims);
        }
        add_trial(&b, time_ns, config);
    }
    finish_problem(&b);
    if (!b.all.n)
        refuse("there are no trials");
    print_all(&b.all);
    return 0;
}
