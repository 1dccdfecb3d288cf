/* SPDX-License-Identifier: Apache-2.0 */
/* Model-based search: regression trees choose the steps of a walk, and now
 * and then a leap. The walk and not the model decides where it stands, so a
 * model that is wrong costs trials and never the way. */
#include "tuner/search/parts.h"
#include "tuner/search/trees.h"

/* Measured on the recorded spaces: half or twice of each does about as well;
 * a pool of 16 does worse, because the model then decides too much. Shares of
 * leaps of 0.35 to 0.7 do as well, since a share of all trials explores. */
enum {
    TREES = 16,
    POINTS = 1024,   /* of a tree at most */
    STEP_POOL = 4,   /* neighbours of where the walk stands */
    LEAP_ANY = 40,   /* configurations from anywhere */
    LEAP_ELITE = 60, /* neighbours of the fastest */
    LEAP_POOL = LEAP_ANY + LEAP_ELITE,
    ELITE = 12,
    FEW = 40 /* answers: until then every tree is grown anew */
};
static const double leap_share = 0.35;
/* Moves in two parameters at once: of the steps, and of the leaps around the
 * fastest. Half of them take one step in each. */
static const double step_pairs = 0.25;
static const double leap_pairs = 0.66;

typedef struct forest {
    hone_walk walk;
    hone_elite elite;
    hone_trees *trees;
    int64_t n_fresh;        /* answers that no tree was grown for */
    double first_ns;        /* the unit of the logarithms */
    int64_t points[POINTS]; /* trials that a tree is grown from */
    double y[POINTS];       /* their logarithms */
    /* the candidates of a proposal */
    size_t n;
    int64_t index[LEAP_POOL];
    int *values;
    double mean[LEAP_POOL];
    double deviation[LEAP_POOL];
} forest;

static hone_status start(hone_search *search, hone_error *err)
{
    forest *f = search->state;

    HONE_TRY(hone__walk_start(search, err));
    f->elite.capacity = ELITE;
    f->values = hone__search_alloc(
        search, LEAP_POOL * search->space.n_params * sizeof *f->values, err);
    return f->values
               ? hone__trees_create(&search->arena, search->space.n_params,
                                    TREES, POINTS, &f->trees, err)
               : HONE_ERR_NO_MEMORY;
}

/* ---- the model ---------------------------------------------------------- */

/* Logarithms: trees then minimise relative errors. A configuration that
 * failed counts as the slowest known one, so that its surroundings are left
 * alone and not forbidden. */
static void grow_tree(hone_search *search, forest *f)
{
    const int64_t n_told = search->n_told;
    const size_t n = n_told < POINTS ? (size_t)n_told : POINTS;

    for (size_t i = 0; i < n; ++i) {
        const int64_t at = n_told <= POINTS
                               ? (int64_t)i
                               : hone__chance_below(&search->chance, n_told);
        const int64_t slot = i < f->elite.n && n_told > POINTS
                                 ? f->elite.slots[i]
                                 : search->told[at];

        f->points[i] = slot;
        f->y[i] = log(fmin(search->trials[slot].time_ns, search->worst_ns) /
                      f->first_ns);
    }
    hone__trees_grow(f->trees, search->values, f->points, f->y, n,
                     &search->chance);
}

/* One for each answer, but one at a time: what answers that came together are
 * owed, the next proposals pay. */
static void grow_trees(hone_search *search, forest *f)
{
    const int is_early = search->n_told <= FEW;

    for (int n = is_early ? TREES : 1; n > 0; --n)
        grow_tree(search, f);
    f->n_fresh = is_early || f->n_fresh <= 1 ? 0 : f->n_fresh - 1;
    if (f->n_fresh > TREES)
        f->n_fresh = TREES;
}

/* ---- proposing ---------------------------------------------------------- */

static void add_candidate(hone_search *search, forest *f, int64_t index)
{
    if (!hone__search_is_new(search, index))
        return;
    f->index[f->n] = index;
    search->space.get(search->space.user, index,
                      f->values + f->n * search->space.n_params);
    ++f->n;
}

static hone_move pick_pair(hone_search *search)
{
    return (hone__chance_bits(&search->chance) & 1) ? HONE_MOVE_DIAGONAL
                                                    : HONE_MOVE_PAIR;
}

static int64_t step_from(hone_search *search, const int *values)
{
    return hone__chance_unit(&search->chance) < step_pairs
               ? hone__move_random(search, values, pick_pair(search), 1)
               : hone__move_near(search, values);
}

static int64_t leap_from(hone_search *search, const int *values)
{
    const hone_move move = hone__chance_unit(&search->chance) < leap_pairs
                               ? pick_pair(search)
                               : HONE_MOVE_HAMMING;

    return hone__move_random(search, values, move, 1);
}

static void add_candidates(hone_search *search, forest *f)
{
    f->n = 0;
    if (hone__chance_unit(&search->chance) >= leap_share) {
        const int *values = hone__search_values(search, f->walk.at);

        for (int i = 0; i < STEP_POOL; ++i)
            add_candidate(search, f, step_from(search, values));
        return;
    }
    for (int i = 0; i < LEAP_ANY; ++i)
        add_candidate(search, f, hone__search_any(search));
    for (int i = 0; i < LEAP_ELITE; ++i) {
        const int64_t slot = hone__elite_pick(search, &f->elite, 1);

        add_candidate(search, f,
                      leap_from(search, hone__search_values(search, slot)));
    }
}

/* The lower end of what the trees expect: the unknown is worth a look. */
static int64_t propose(hone_search *search)
{
    forest *f = search->state;
    double best = INFINITY;
    int64_t index = hone__stall_propose(search, &f->walk.stall);

    if (index >= 0 || f->walk.at < 0)
        return index;
    if (f->n_fresh)
        grow_trees(search, f);
    add_candidates(search, f);
    hone__trees_predict(f->trees, f->values, f->n, f->mean, f->deviation);
    for (size_t i = 0; i < f->n; ++i) {
        if (f->mean[i] - f->deviation[i] >= best)
            continue;
        best = f->mean[i] - f->deviation[i];
        index = f->index[i];
    }
    return index;
}

static void learn(hone_search *search, int64_t slot)
{
    forest *f = search->state;
    const double time_ns = search->trials[slot].time_ns;

    ++f->n_fresh;
    hone__walk_learn(search, slot);
    (void)hone__elite_learn(search, &f->elite, slot);
    if (f->first_ns <= 0 && !isinf(time_ns))
        f->first_ns = time_ns;
}

const hone_strategy hone__strategy_forest = {
    .name = "forest",
    .summary = "a walk whose steps and leaps are chosen by regression trees",
    .n_spread = 12,
    .state_bytes = sizeof(forest),
    .start = start,
    .propose = propose,
    .learn = learn,
};
