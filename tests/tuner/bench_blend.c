/* SPDX-License-Identifier: Apache-2.0 */
/* Not a test: what a model of earlier problems and a template's own estimate
 * are worth to a search, alone and together, where the model is right and where
 * it is not. docs/results/search-blend-2026-11-27.md is its protocol and has
 * its figures.
 *
 * The spaces and the estimate (COST) are a template's, an implementation of
 * gemm. Times are made up: COST times factors of values and of pairs of values
 * that are drawn by a seed. A list of N_EARLIER problems is tuned, each search
 * guided by a model of those before it. Then N_LATER others, whose factors are
 * alike (in logarithms RHO times the former ones, the rest their own: 1 the
 * same ones, 0 unrelated, -1 as wrong as can be).
 *
 *   bench_blend TEMPLATE FIRST_SEED N_SEEDS KAPPA */
#include "gen/space.h"
#include "runtime/base/alloc.h"
#include "tuner/model/model.h"
#include "tuner/search/chance.h"
#include "tuner/search/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_EARLIER = 12,
    N_LATER = 3, /* for each RHO */
    TRIALS = 150,
    FEW = 40,
    MOST_PARAMS = 32,
    MOST_VALUES = 32,
    PAIRS = 8,
    SEEDS_OF_OTHERS = 2
};
static const double rhos[] = {1, 0.5, 0, -1};
enum { N_RHOS = 4 };
enum mode { COST, MODEL, BOTH, N_MODES };
static const char *const mode_names[N_MODES] = {"COST", "model", "both"};

typedef struct factors {
    double of[MOST_PARAMS][MOST_VALUES];
    size_t pair[PAIRS][2];
    double of_pair[PAIRS][MOST_VALUES][MOST_VALUES];
} factors;

typedef struct problem {
    int64_t dims[HONE_MAX_DIMS];
    hone_space *space;
    hone_features *features;
    int64_t best[MOST_PARAMS]; /* configuration, as values */
} problem;

typedef struct bench {
    hone_template *tmpl;
    hone_properties properties;
    hone_chance chance;
    double kappa; /* what COST counts in what is true */
    factors *early, *late, *own;
    hone_model_rows rows;
    hone_model model;
    float *row;
    int64_t config[MOST_PARAMS];
    problem *at;
    const factors *truth;
    problem earlier[N_EARLIER];
    size_t n_earlier;
} bench;

static void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)fprintf(stderr, "bench_blend: %s\n", err->text);
    exit(3);
}

/* ---- made up times ------------------------------------------------------- */

static void draw_factors(bench *b, factors *f)
{
    const double usual = 0.08, of_pairs = 0.05;

    for (size_t i = 0; i < b->tmpl->n_params; ++i) {
        const double size = -usual * log(1e-9 + hone__chance_unit(&b->chance));

        for (size_t v = 0; v < MOST_VALUES; ++v)
            f->of[i][v] = size * hone__chance_normal(&b->chance);
    }
    for (size_t k = 0; k < PAIRS; ++k)
        for (size_t v = 0; v < MOST_VALUES; ++v)
            for (size_t w = 0; w < MOST_VALUES; ++w)
                f->of_pair[k][v][w] =
                    of_pairs * hone__chance_normal(&b->chance);
}

/* Between `a` and `b`. */
static void mix(const factors *a, const factors *b, double rho, factors *out)
{
    const double other = sqrt(1 - rho * rho);

    for (size_t i = 0; i < MOST_PARAMS; ++i)
        for (size_t v = 0; v < MOST_VALUES; ++v)
            out->of[i][v] = rho * a->of[i][v] + other * b->of[i][v];
    for (size_t k = 0; k < PAIRS; ++k)
        for (size_t v = 0; v < MOST_VALUES; ++v)
            for (size_t w = 0; w < MOST_VALUES; ++w)
                out->of_pair[k][v][w] =
                    rho * a->of_pair[k][v][w] + other * b->of_pair[k][v][w];
}

static size_t value_index(const bench *b, size_t p)
{
    for (size_t v = 0; v < b->tmpl->params[p].n_values; ++v)
        if (b->tmpl->params[p].values[v] == b->config[p])
            return v < MOST_VALUES ? v : MOST_VALUES - 1;
    return 0;
}

/* log of the time of b->config. */
static double truth_of(bench *b)
{
    double sum =
        b->kappa * hone__features_cost(b->at->features, b->config, b->row);

    for (size_t p = 0; p < b->tmpl->n_params; ++p)
        sum += b->truth->of[p][value_index(b, p)];
    for (size_t k = 0; k < PAIRS; ++k)
        sum += b->truth->of_pair[k][value_index(b, b->early->pair[k][0])]
                                [value_index(b, b->early->pair[k][1])];
    return sum;
}

/* ---- guesses ------------------------------------------------------------- */

static double guess_truth(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->at->space, index, b->config);
    return truth_of(b);
}

static double guess_cost(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->at->space, index, b->config);
    return hone__features_cost(b->at->features, b->config, b->row);
}

static double guess_model(void *user, int64_t index)
{
    bench *b = user;

    hone__space_get(b->at->space, index, b->config);
    return hone__model_guess(&b->model.parts[0], b->at->features, b->config,
                             b->row);
}

/* ---- searches ------------------------------------------------------------ */

typedef struct trial {
    int64_t index;
    double log_time;
} trial;

static void priors_of(bench *b, enum mode mode, hone_search_options *o)
{
    const hone_search_prior cost = {guess_cost, b, 0.3};
    const hone_search_prior model = {guess_model, b, 0.15};

    o->prior = mode == COST ? cost : model;
    if (mode == BOTH)
        o->second = cost;
}

/* Winners of the nearest problems before, nearest first. */
static size_t seeds_at(bench *b, const problem *p, int64_t *out)
{
    double far[N_EARLIER];
    int taken[N_EARLIER] = {0};

    for (size_t i = 0; i < b->n_earlier; ++i) {
        far[i] = 0;
        for (int d = 0; d < 3; ++d) {
            const double x =
                log((double)p->dims[d] / (double)b->earlier[i].dims[d]);

            far[i] += x * x;
        }
    }
    for (size_t n = 0; n < b->n_earlier; ++n) {
        size_t nearest = N_EARLIER;

        for (size_t i = 0; i < b->n_earlier; ++i)
            if (!taken[i] && (nearest == N_EARLIER || far[i] < far[nearest]))
                nearest = i;
        taken[nearest] = 1;
        out[n] = hone__space_find(p->space, b->earlier[nearest].best);
    }
    return b->n_earlier;
}

static void search(bench *b, enum mode mode, int is_taught, uint64_t seed,
                   trial *out)
{
    const hone_search_space view = hone__search_space_of(b->at->space);
    hone_search_options o = {.seed = seed, .budget_trials = TRIALS};
    hone_search *s = NULL;
    hone_error err = {0};
    int64_t seeds[1 + N_EARLIER];
    size_t n;

    must(hone__space_default(b->at->space, b->config, &err), &err);
    seeds[0] = hone__space_find(b->at->space, b->config);
    n = is_taught ? 1 + seeds_at(b, b->at, seeds + 1) : 1;
    o.first = seeds;
    o.n_first = mode == COST              ? n
                : n > 1 + SEEDS_OF_OTHERS ? 1 + SEEDS_OF_OTHERS
                                          : n;
    o.hints = seeds + o.n_first;
    o.n_hints = n - o.n_first;
    priors_of(b, mode, &o);
    must(hone__search_open("auto", &view, &o, &s, &err), &err);
    for (int i = 0; i < TRIALS; ++i) {
        must(hone__search_next(s, &out[i].index, &err), &err);
        if (out[i].index < 0) {
            out[i] = out[0];
            continue;
        }
        out[i].log_time = guess_truth(b, out[i].index);
        must(hone__search_tell(s, out[i].index, exp(out[i].log_time), &err),
             &err);
    }
    hone__search_close(s);
}

static double best_of(const trial *list, int n, int64_t *out_index)
{
    double best = INFINITY;

    for (int i = 0; i < n; ++i)
        if (list[i].log_time < best) {
            best = list[i].log_time;
            if (out_index)
                *out_index = list[i].index;
        }
    return best;
}

/* The least that a search finds which is told the truth. */
static double least_at(bench *b, uint64_t seed)
{
    const hone_search_space view = hone__search_space_of(b->at->space);
    const hone_search_options o = {
        .seed = seed, .budget_trials = 400, .prior = {guess_truth, b, 0.01}};
    hone_search *s = NULL;
    hone_error err = {0};
    double least = INFINITY;

    must(hone__search_open("auto", &view, &o, &s, &err), &err);
    for (int i = 0; i < 400; ++i) {
        int64_t index;
        double t;

        must(hone__search_next(s, &index, &err), &err);
        if (index < 0)
            break;
        t = guess_truth(b, index);
        must(hone__search_tell(s, index, exp(t), &err), &err);
        least = t < least ? t : least;
    }
    hone__search_close(s);
    return least;
}

/* ---- problems ------------------------------------------------------------ */

static int64_t size_of(bench *b, double low, double high)
{
    const double e = low + (high - low) * hone__chance_unit(&b->chance);
    const int64_t n = (int64_t)pow(2, e);

    return (n + 7) / 8 * 8;
}

/* Small, thin, long along K; or, later, skewed and plain. */
static void draw_problem(bench *b, problem *p, int is_late, int i)
{
    int64_t m, n, k;
    char text[128];
    hone_error err = {0};

    if (is_late) {
        m = size_of(b, 8, i % 2 ? 12.5 : 14);
        n = size_of(b, 7, 12);
        k = size_of(b, i % 2 ? 9 : 5, i % 2 ? 12.5 : 9);
    } else {
        m = size_of(b, i % 3 == 0 ? 5 : 3, i % 3 == 2 ? 9 : 10);
        n = size_of(b, i % 3 == 1 ? 9 : 5, i % 3 == 1 ? 14 : 10);
        k = size_of(b, i % 3 == 2 ? 12 : 5, i % 3 == 2 ? 17 : 12);
    }
    *p = (problem){0};
    (void)snprintf(text, sizeof text, "%lld,%lld,%lld,f16,f16,%d,%d,ADD=0",
                   (long long)m, (long long)n, (long long)k, i % 2, i / 2 % 2);
    must(hone__template_parse_dims(b->tmpl, text, p->dims, &err), &err);
    must(hone__space_create(b->tmpl, p->dims, &b->properties, &p->space, &err),
         &err);
    must(hone__features_create(b->tmpl, p->dims, &b->properties, &p->features,
                               &err),
         &err);
}

static void free_problem(problem *p)
{
    hone__space_free(p->space);
    hone__features_free(p->features);
}

/* ---- learning ------------------------------------------------------------ */

static void add_rows(bench *b, const trial *list, size_t number)
{
    const double best = best_of(list, TRIALS, NULL);
    hone_error err = {0};

    for (int i = 0; i < TRIALS; ++i) {
        hone__space_get(b->at->space, list[i].index, b->config);
        hone__features_get(b->at->features, b->config, b->row);
        must(hone__model_add(&b->rows, number, list[i].log_time - best, b->row,
                             &err),
             &err);
    }
}

static void learn(bench *b)
{
    const hone_model_subject subject = {"one", b->at->features, &b->rows};
    hone_error err = {0};

    hone__model_free(&b->model);
    must(hone__model_train(&subject, 1, 0, &b->model, &err), &err);
}

/* The list that comes first. */
static void tune_earlier(bench *b, uint64_t seed)
{
    trial list[TRIALS];

    b->truth = b->early;
    b->n_earlier = 0;
    for (int i = 0; i < N_EARLIER; ++i) {
        problem *p = &b->earlier[i];
        int64_t index = 0;

        draw_problem(b, p, 0, i);
        b->at = p;
        if (!b->rows.n_features)
            b->rows.n_features = hone__features_count(p->features);
        if (i >= 2)
            learn(b);
        search(b, i >= 2 ? MODEL : COST, 1, seed + (uint64_t)i, list);
        add_rows(b, list, (size_t)i);
        (void)best_of(list, TRIALS, &index);
        hone__space_get(p->space, index, p->best);
        ++b->n_earlier;
    }
    learn(b);
}

/* ---- all ----------------------------------------------------------------- */

typedef struct sums {
    double few[N_RHOS][N_MODES], many[N_RHOS][N_MODES];
    double squares_few[N_RHOS][N_MODES], squares_many[N_RHOS][N_MODES];
    int n;
} sums;

static void tune_later(bench *b, uint64_t seed, sums *s)
{
    for (int i = 0; i < N_LATER; ++i) {
        problem p;

        draw_problem(b, &p, 1, i);
        b->at = &p;
        for (int r = 0; r < N_RHOS; ++r) {
            trial list[N_MODES][TRIALS];
            double least;

            mix(b->early, b->own, rhos[r], b->late);
            b->truth = b->late;
            least = least_at(b, seed);
            for (enum mode m = 0; m < N_MODES; ++m) {
                double t;

                search(b, m, m != COST, seed + 77, list[m]);
                t = best_of(list[m], TRIALS, NULL);
                least = t < least ? t : least;
            }
            for (enum mode m = 0; m < N_MODES; ++m) {
                const double few = best_of(list[m], FEW, NULL) - least;
                const double many = best_of(list[m], TRIALS, NULL) - least;

                s->few[r][m] += few;
                s->squares_few[r][m] += few * few;
                s->many[r][m] += many;
                s->squares_many[r][m] += many * many;
            }
        }
        ++s->n;
        free_problem(&p);
    }
}

static void print(const sums *s)
{
    const double n = s->n;

    for (int few = 1; few >= 0; --few) {
        (void)printf("%d trials, %% above the least (rms)\n",
                     few ? FEW : TRIALS);
        for (int r = 0; r < N_RHOS; ++r) {
            (void)printf("rho %4.1f", rhos[r]);
            for (int m = 0; m < N_MODES; ++m)
                (void)printf(
                    "  %s %5.1f (%5.1f)", mode_names[m],
                    100 * (few ? s->few : s->many)[r][m] / n,
                    100 * sqrt((few ? s->squares_few : s->squares_many)[r][m] /
                               n));
            (void)printf("\n");
        }
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    static bench b;
    static sums s;
    hone_diagnostics diagnostics = {0};
    hone_error err = {0};
    const char *path = getenv("HONE_TEMPLATE_PATH");
    const uint64_t first = argc > 3 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t n = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;

    if (argc != 5)
        return 2;
    b.kappa = strtod(argv[4], NULL);
    must(hone__template_load(argv[1], path ? path : "templates", &b.tmpl,
                             &diagnostics, &err),
         &err);
    must(hone__properties_of_arch("sm_90", &b.properties, &err), &err);
    b.early = hone__alloc(sizeof *b.early);
    b.late = hone__alloc(sizeof *b.late);
    b.own = hone__alloc(sizeof *b.own);
    b.row = hone__alloc(1000 * sizeof *b.row);
    for (uint64_t seed = first; seed < first + n; ++seed) {
        b.chance = hone__chance(seed * 1000);
        draw_factors(&b, b.early);
        draw_factors(&b, b.own);
        for (size_t k = 0; k < PAIRS; ++k)
            for (int i = 0; i < 2; ++i)
                b.early->pair[k][i] = (size_t)(hone__chance_unit(&b.chance) *
                                               (double)b.tmpl->n_params);
        hone__text_clear(&b.rows.trials);
        hone__text_clear(&b.rows.features);
        tune_earlier(&b, seed * 1000);
        tune_later(&b, seed * 1000, &s);
        for (int i = 0; i < N_EARLIER; ++i)
            free_problem(&b.earlier[i]);
        (void)printf("seed %llu\n", (unsigned long long)seed);
        print(&s);
    }
    return 0;
}
