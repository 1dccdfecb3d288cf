/* SPDX-License-Identifier: Apache-2.0 */
/* A search that somebody tells in front how fast configurations will be: by a
 * model of earlier problems (tuner/model). It ranks a pool of configurations
 * by that guess, tries the best of them, each unlike those before it as long as
 * nothing is known, and learns by trees what the guess is wrong by here. Every
 * other turn belongs to the strategy that would have searched without a guess,
 * which learns from all trials: where the guess misleads, little is lost. */
#include "tuner/search/strategy.h"
#include "tuner/search/trees.h"

#include <stdlib.h>
#include <string.h>

enum {
    POOL = 4096,       /* configurations with a guess */
    DRAWN = 3000,      /* of them by chance, or all of a smaller space */
    DESCENTS = 5,      /* rounds of neighbours of the best by the guess */
    PARENTS = 48,      /* in a round */
    CHILDREN = 5,      /* of each */
    FRONT = 192,       /* the best by guess, among which the next is chosen */
    ALIKE = 6,         /* of those that the guess cannot tell apart */
    UNLIKE_FIRST = 12, /* answers until which it is to be unlike the others */
    OWN_FIRST = 48,    /* until which two of three turns are its own */
    AROUND = 6,        /* neighbours of the fastest, at each proposal */
    TREES = 12,
    POINTS = 512, /* of a tree at most */
    FEW = 64      /* answers: until then every tree is grown anew */
};
/* What failed here counts as so much slower than its guess. */
static const double failed = 0.7;
/* How much a likeness of 1 costs, of the guess' own error: what differs in one
 * parameter of ten from a trial has to be guessed 5 % of that error faster than
 * what differs in two. With 2 in its place the first forty trials went far from
 * what was guessed to be fast. */
static const double likeness_cost = 0.5;

typedef struct guess {
    int64_t index;
    double value; /* log of a time, up to what all have in common */
} guess;

typedef struct guided {
    const hone_strategy *inner;
    void *inner_state;
    int64_t n_turns;
    guess *pool; /* by value */
    int n_pool;
    hone_trees *trees;
    int64_t n_grown_at; /* answers that the trees know */
    int64_t points[POINTS];
    double y[POINTS];
    /* a proposal's candidates */
    int *rows;
    double mean[FRONT + AROUND];
    double deviation[FRONT + AROUND];
} guided;

/* ---- guesses ------------------------------------------------------------- */

static void guess_all(const hone_search *search, guess *list, int n)
{
    const hone_search_prior *prior = &search->prior;

    for (int i = 0; i < n; ++i)
        list[i].value = prior->guess(prior->user, list[i].index);
}

static int by_index(const void *a, const void *b)
{
    const guess *x = a;
    const guess *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static int by_guess(const void *a, const void *b)
{
    const guess *x = a;
    const guess *y = b;

    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return by_index(a, b);
}

/* Each once, the best first, no more than there is room for. */
static void sort_pool(guided *g)
{
    int n = 0;

    qsort(g->pool, (size_t)g->n_pool, sizeof *g->pool, by_index);
    for (int i = 0; i < g->n_pool; ++i) {
        if (!n || g->pool[n - 1].index != g->pool[i].index)
            g->pool[n++] = g->pool[i];
    }
    qsort(g->pool, (size_t)n, sizeof *g->pool, by_guess);
    g->n_pool = n;
}

static void draw_pool(hone_search *search, guided *g)
{
    const int is_whole = search->space.count <= POOL;

    g->n_pool = is_whole ? (int)search->space.count : DRAWN;
    for (int i = 0; i < g->n_pool; ++i)
        g->pool[i].index = is_whole ? i : hone__search_any(search);
    for (size_t i = 0; i < search->n_hints && g->n_pool < POOL; ++i) {
        if (search->hints[i] >= 0)
            g->pool[g->n_pool++].index = search->hints[i];
    }
    guess_all(search, g->pool, g->n_pool);
    sort_pool(g);
}

/* Neighbours of the best take the places of the worst. */
static void descend(hone_search *search, guided *g)
{
    const int n_parents = g->n_pool < PARENTS ? g->n_pool : PARENTS;
    int *const row = g->rows; /* nobody else needs it now */

    if (g->n_pool + PARENTS * CHILDREN > POOL)
        g->n_pool = POOL - PARENTS * CHILDREN;
    for (int i = 0, n = g->n_pool; i < n_parents; ++i) {
        for (int k = 0; k < CHILDREN; ++k) {
            int64_t index;

            search->space.get(search->space.user, g->pool[i].index, row);
            index = hone__move_random(
                search, row, k % 2 ? HONE_MOVE_PAIR : HONE_MOVE_HAMMING, 0);
            if (index >= 0)
                g->pool[n++].index = index;
        }
        guess_all(search, g->pool + g->n_pool, n - g->n_pool);
        g->n_pool = n;
    }
    sort_pool(g);
}

static void make_pool(hone_search *search, guided *g)
{
    draw_pool(search, g);
    for (int i = 0; i < DESCENTS && search->space.count > POOL; ++i)
        descend(search, g);
}

/* ---- what the guess is wrong by ------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* What a trial was off by; NAN: it failed. */
static double off_by(const hone_search_trial *trial)
{
    return isinf(trial->time_ns) ? NAN : log(trial->time_ns) - trial->guess;
}

/* The median of the last trials' that did not fail. */
static double level_of(const hone_search *search, double *scratch)
{
    size_t n = 0;

    for (int64_t i = search->n_told - 1; i >= 0 && n < POINTS; --i) {
        scratch[n] = off_by(&search->trials[search->told[i]]);
        n += isnan(scratch[n]) ? 0 : 1;
    }
    if (!n)
        return 0;
    qsort(scratch, n, sizeof *scratch, by_number);
    return scratch[n / 2];
}

static void grow_trees(hone_search *search, guided *g)
{
    const double level = level_of(search, g->y);
    const int n_trees = search->n_told < FEW ? TREES : 2;
    size_t n = 0;

    for (int64_t i = search->n_told - 1; i >= 0 && n < POINTS; --i, ++n) {
        const double off = off_by(&search->trials[search->told[i]]);

        g->points[n] = search->told[i];
        g->y[n] = isnan(off) ? failed : off - level;
    }
    for (int i = 0; i < n_trees && n; ++i)
        hone__trees_grow(g->trees, search->values, g->points, g->y, n,
                         &search->chance);
    g->n_grown_at = search->n_told;
}

/* ---- proposals ----------------------------------------------------------- */

/* The largest share of parameters that it has in common with a trial. */
static double likeness(const hone_search *search, const int *row)
{
    const size_t n = search->space.n_params;
    double most = 0;

    for (int64_t t = 0; t < search->n_trials; ++t) {
        const int *const other = hone__search_values(search, t);
        size_t n_same = 0, n_free = 0;

        for (size_t i = 0; i < n; ++i) {
            n_free += search->space.n_values[i] > 1;
            n_same += search->space.n_values[i] > 1 && row[i] == other[i];
        }
        if (n_free && (double)n_same / (double)n_free > most)
            most = (double)n_same / (double)n_free;
    }
    return most;
}

/* New ones: the best of the pool, then neighbours of the fastest. */
static int gather(hone_search *search, guided *g, guess *out)
{
    int n = 0, n_alike = 0, n_front;

    for (int i = 0; i < g->n_pool && n < FRONT; ++i) {
        const guess *of = &g->pool[i];

        if (i && of->value > of[-1].value)
            n_alike = 0;
        if (n_alike < ALIKE && hone__search_is_new(search, of->index)) {
            out[n++] = *of;
            ++n_alike;
        }
    }
    n_front = n;
    for (int i = 0; search->best >= 0 && i < AROUND; ++i) {
        const int64_t index =
            hone__move_random(search, hone__search_values(search, search->best),
                              i % 2 ? HONE_MOVE_PAIR : HONE_MOVE_HAMMING, 1);

        if (index >= 0)
            out[n++].index = index;
    }
    guess_all(search, out + n_front, n - n_front);
    return n;
}

static int64_t choose(hone_search *search, guided *g)
{
    guess list[FRONT + AROUND];
    const size_t width = search->space.n_params;
    const int n = gather(search, g, list);
    const int is_early = search->n_told < UNLIKE_FIRST;
    const double cost = likeness_cost * search->prior.error;
    double best = INFINITY;
    int64_t chosen = -1;

    for (int i = 0; i < n; ++i)
        search->space.get(search->space.user, list[i].index,
                          g->rows + (size_t)i * width);
    if (n && g->n_grown_at)
        hone__trees_predict(g->trees, g->rows, (size_t)n, g->mean,
                            g->deviation);
    for (int i = 0; i < n; ++i) {
        double value = list[i].value;

        if (g->n_grown_at)
            value += g->mean[i] - 0.5 * g->deviation[i];
        if (is_early)
            value += cost * likeness(search, g->rows + (size_t)i * width);
        if (value < best) {
            best = value;
            chosen = list[i].index;
        }
    }
    return chosen;
}

/* ---- the strategy -------------------------------------------------------- */

static int64_t propose_inner(hone_search *search, guided *g)
{
    int64_t index;

    search->state = g->inner_state;
    index = g->inner->propose(search);
    search->state = g;
    return index;
}

static int64_t propose(hone_search *search)
{
    guided *g = search->state;
    const int64_t every = search->n_told < OWN_FIRST ? 3 : 2;

    if (!g->n_pool)
        make_pool(search, g);
    if (++g->n_turns % every == 0 && search->n_told >= UNLIKE_FIRST / 2)
        return propose_inner(search, g);
    if (search->n_told > g->n_grown_at && search->n_told >= 4)
        grow_trees(search, g);
    return choose(search, g);
}

static void learn(hone_search *search, int64_t slot)
{
    guided *g = search->state;

    search->state = g->inner_state;
    g->inner->learn(search, slot);
    search->state = g;
}

static hone_status start_inner(hone_search *search, const hone_strategy *inner,
                               hone_error *err)
{
    search->state = hone__search_alloc(search, inner->state_bytes, err);
    return search->state ? inner->start(search, err) : HONE_ERR_NO_MEMORY;
}

static hone_status start(hone_search *search, hone_error *err)
{
    const hone_strategy *inner = hone__strategy_find("auto");
    guided *g = search->state;

    if (search->budget_trials >= search->space.count) {
        search->strategy = inner; /* all are tried: in its order */
        return start_inner(search, inner, err);
    }
    HONE_TRY(start_inner(search, inner, err));
    g->inner = inner;
    g->inner_state = search->state;
    search->state = g;
    g->pool = hone__search_alloc(search, POOL * sizeof *g->pool, err);
    g->rows = g->pool ? hone__search_alloc(search,
                                           (FRONT + AROUND) *
                                               (search->space.n_params + 1) *
                                               sizeof *g->rows,
                                           err)
                      : NULL;
    if (!g->rows)
        return HONE_ERR_NO_MEMORY;
    return hone__trees_create(&search->arena, search->space.n_params, TREES,
                              POINTS, &g->trees, err);
}

const hone_strategy hone__strategy_guided = {
    .name = "guided",
    .summary = "'auto' with a model of earlier problems",
    .asks_at_once = 1,
    .state_bytes = sizeof(guided),
    .start = start,
    .propose = propose,
    .learn = learn,
};

double hone__search_best_guess(hone_search *search)
{
    guided *g = search->state;

    if (search->strategy != &hone__strategy_guided)
        return NAN;
    if (!g->n_pool)
        make_pool(search, g);
    return g->n_pool ? g->pool[0].value : NAN;
}
