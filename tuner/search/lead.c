/* SPDX-License-Identifier: Apache-2.0 */
#include "tuner/search/lead.h"
#include "tuner/search/trees.h"

#include <stdlib.h>
#include <string.h>

enum {
    POOL = 4096,  /* configurations with a guess */
    DRAWN = 3000, /* of them by chance, or all of a smaller space */
    DESCENTS = 5, /* rounds of neighbours of the best by the guess */
    PARENTS = 48, /* in a round */
    CHILDREN = 5, /* of each */
    FRONT = 192,  /* the best by guess, among which the next is chosen */
    ALIKE = 6,    /* of those that the guess cannot tell apart */
    AROUND = 6,   /* neighbours of the fastest, at each proposal */
    TREES = 12,
    FEW = 64 /* answers: until then every tree is grown anew */
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

struct hone_lead {
    size_t number; /* of its guess */
    guess *pool;   /* by value */
    int n_pool;
    hone_trees *trees;
    int64_t n_grown_at; /* answers that the trees know */
    int64_t points[HONE_LEAD_POINTS];
    double y[HONE_LEAD_POINTS];
    /* a proposal's candidates */
    int *rows;
    double mean[FRONT + AROUND];
    double deviation[FRONT + AROUND];
};

/* ---- guesses ------------------------------------------------------------- */

static void guess_all(const hone_search *search, const hone_lead *lead,
                      guess *list, int n)
{
    const hone_search_prior *prior = &search->priors[lead->number];

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
static void sort_pool(hone_lead *lead)
{
    int n = 0;

    qsort(lead->pool, (size_t)lead->n_pool, sizeof *lead->pool, by_index);
    for (int i = 0; i < lead->n_pool; ++i) {
        if (!n || lead->pool[n - 1].index != lead->pool[i].index)
            lead->pool[n++] = lead->pool[i];
    }
    qsort(lead->pool, (size_t)n, sizeof *lead->pool, by_guess);
    lead->n_pool = n;
}

static void draw_pool(hone_search *search, hone_lead *lead)
{
    const int is_whole = search->space.count <= POOL;

    lead->n_pool = is_whole ? (int)search->space.count : DRAWN;
    for (int i = 0; i < lead->n_pool; ++i)
        lead->pool[i].index = is_whole ? i : hone__search_any(search);
    for (size_t i = 0; i < search->n_hints && lead->n_pool < POOL; ++i) {
        if (search->hints[i] >= 0)
            lead->pool[lead->n_pool++].index = search->hints[i];
    }
    guess_all(search, lead, lead->pool, lead->n_pool);
    sort_pool(lead);
}

/* Neighbours of the best take the places of the worst. */
static void descend(hone_search *search, hone_lead *lead)
{
    const int n_parents = lead->n_pool < PARENTS ? lead->n_pool : PARENTS;
    int *const row = lead->rows; /* nobody else needs it now */

    if (lead->n_pool + PARENTS * CHILDREN > POOL)
        lead->n_pool = POOL - PARENTS * CHILDREN;
    for (int i = 0, n = lead->n_pool; i < n_parents; ++i) {
        for (int k = 0; k < CHILDREN; ++k) {
            int64_t index;

            search->space.get(search->space.user, lead->pool[i].index, row);
            index = hone__move_random(
                search, row, k % 2 ? HONE_MOVE_PAIR : HONE_MOVE_HAMMING, 0);
            if (index >= 0)
                lead->pool[n++].index = index;
        }
        guess_all(search, lead, lead->pool + lead->n_pool, n - lead->n_pool);
        lead->n_pool = n;
    }
    sort_pool(lead);
}

static void make_pool(hone_search *search, hone_lead *lead)
{
    draw_pool(search, lead);
    for (int i = 0; i < DESCENTS && search->space.count > POOL; ++i)
        descend(search, lead);
}

/* ---- what the guess is wrong by ------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Is there nothing that the guess could be wrong by? */
static int is_unknown(const hone_lead *lead, const hone_search_trial *trial)
{
    return isinf(trial->guesses[lead->number]);
}

/* What a trial was off by; NAN: it failed, or nothing was known of it. */
static double off_by(const hone_lead *lead, const hone_search_trial *trial)
{
    return isinf(trial->time_ns) || is_unknown(lead, trial)
               ? NAN
               : log(trial->time_ns) - trial->guesses[lead->number];
}

/* The median of the last trials' that did not fail. */
static double level_of(const hone_search *search, hone_lead *lead)
{
    double *const scratch = lead->y;
    size_t n = 0;

    for (int64_t i = search->n_told - 1; i >= 0 && n < HONE_LEAD_POINTS; --i) {
        scratch[n] = off_by(lead, &search->trials[search->told[i]]);
        n += isnan(scratch[n]) ? 0 : 1;
    }
    if (!n)
        return 0;
    qsort(scratch, n, sizeof *scratch, by_number);
    return scratch[n / 2];
}

static void grow_trees(hone_search *search, hone_lead *lead)
{
    const double level = level_of(search, lead);
    const int n_trees = search->n_told < FEW ? TREES : 2;
    size_t n = 0;

    for (int64_t i = search->n_told - 1; i >= 0 && n < HONE_LEAD_POINTS; --i) {
        const hone_search_trial *trial = &search->trials[search->told[i]];
        const double off = off_by(lead, trial);

        lead->points[n] = search->told[i];
        lead->y[n] = isnan(off) ? failed : off - level;
        n += is_unknown(lead, trial) ? 0 : 1;
    }
    for (int i = 0; i < n_trees && n; ++i)
        hone__trees_grow(lead->trees, search->values, lead->points, lead->y, n,
                         &search->chance);
    lead->n_grown_at = search->n_told;
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
static int gather(hone_search *search, hone_lead *lead, guess *out)
{
    int n = 0, n_alike = 0, n_front;

    for (int i = 0; i < lead->n_pool && n < FRONT; ++i) {
        const guess *of = &lead->pool[i];

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
    guess_all(search, lead, out + n_front, n - n_front);
    return n;
}

static int64_t choose(hone_search *search, hone_lead *lead)
{
    guess list[FRONT + AROUND];
    const size_t width = search->space.n_params;
    const int n = gather(search, lead, list);
    const int is_early = search->n_told < HONE_LEAD_FIRST;
    const double cost = likeness_cost * search->priors[lead->number].error;
    double best = INFINITY;
    int64_t chosen = -1;

    for (int i = 0; i < n; ++i)
        search->space.get(search->space.user, list[i].index,
                          lead->rows + (size_t)i * width);
    if (n && lead->n_grown_at)
        hone__trees_predict(lead->trees, lead->rows, (size_t)n, lead->mean,
                            lead->deviation);
    for (int i = 0; i < n; ++i) {
        double value = list[i].value;

        if (lead->n_grown_at)
            value += lead->mean[i] - 0.5 * lead->deviation[i];
        if (is_early)
            value += cost * likeness(search, lead->rows + (size_t)i * width);
        if (value < best) {
            best = value;
            chosen = list[i].index;
        }
    }
    return chosen;
}

/* ---- life ---------------------------------------------------------------- */

hone_status hone__lead_create(hone_search *search, size_t number,
                              hone_lead **out, hone_error *err)
{
    const size_t n_rows = FRONT + AROUND;
    hone_lead *lead = hone__search_alloc(search, sizeof *lead, err);

    if (!lead)
        return HONE_ERR_NO_MEMORY;
    lead->number = number;
    lead->pool = hone__search_alloc(search, POOL * sizeof *lead->pool, err);
    lead->rows =
        lead->pool ? hone__search_alloc(search,
                                        n_rows * (search->space.n_params + 1) *
                                            sizeof *lead->rows,
                                        err)
                   : NULL;
    if (!lead->rows)
        return HONE_ERR_NO_MEMORY;
    *out = lead;
    return hone__trees_create(&search->arena, search->space.n_params, TREES,
                              HONE_LEAD_POINTS, &lead->trees, err);
}

int64_t hone__lead_choose(hone_search *search, hone_lead *lead)
{
    if (!lead->n_pool)
        make_pool(search, lead);
    if (search->n_told > lead->n_grown_at && search->n_told >= 4)
        grow_trees(search, lead);
    return choose(search, lead);
}

double hone__lead_best(hone_search *search, hone_lead *lead)
{
    if (!lead->n_pool)
        make_pool(search, lead);
    return lead->n_pool ? lead->pool[0].value : NAN;
}
