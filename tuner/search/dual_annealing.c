/* SPDX-License-Identifier: Apache-2.0 */
/* Generalised annealing (Tsallis, Stariolo 1996; Xiang et al. 1997): steps
 * whose lengths have so heavy a tail that a cold walk still jumps now and
 * then, and a descent from the best of every cycle. */
#include "tuner/search/parts.h"

#include <string.h>

/* The first is the usual choice. The others were measured on the recorded
 * spaces: half or twice of each does about as well. */
static const double shape = 2.62; /* of the steps; 1 < shape < 3 */
enum { STEP, ALL, ACCEPTANCE, CYCLE };
static const hone_strategy_option options[] = {
    {"step", 0.5, 0.01, 1, 0,
     "length of the first steps, as a fraction of a parameter's values"},
    {"all", 0.3, 0, 1, 0,
     "share of the steps that move along every parameter, not one"},
    {"acceptance", 0.1, 0, 10, 0,
     "temperature, as a fraction of the scatter of the times"},
    {"cycle", 0.5, 0.01, 100, 0, "trials until a descent, in neighbourhoods"},
};
extern const hone_strategy hone__strategy_dual_annealing;

static double option(const hone_search *search, size_t i)
{
    return hone__search_option(search, &hone__strategy_dual_annealing, i);
}

enum {
    ATTEMPTS = 8, /* at a step that is new */
    STARTS = 4    /* of as many trials at random, the fastest begins a cycle
                   */
};

typedef struct dual_annealing {
    hone_descent descent;
    int is_descending;
    int64_t at;         /* trial; -1: none is valid yet */
    int64_t cycle_best; /* trial; -1 */
    int64_t n_cycle;    /* trials since it began */
    int *row;
} dual_annealing;

static hone_status start(hone_search *search, hone_error *err)
{
    dual_annealing *d = search->state;

    d->at = -1;
    d->cycle_best = -1;
    HONE_TRY(hone__descent_open(search, &d->descent, err));
    d->row = hone__search_alloc(search, search->space.n_params * sizeof *d->row,
                                err);
    return d->row ? HONE_OK : HONE_ERR_NO_MEMORY;
}

/* ---- the walk ----------------------------------------------------------- */

/* From 1 towards 0. */
static double temperature(const dual_annealing *d)
{
    const double power = shape - 1;

    return (pow(2, power) - 1) / (pow(2 + (double)d->n_cycle, power) - 1);
}

/* A normal number over a power of another one: the quotient has the tail of
 * the visiting distribution, and needs no gamma functions. */
static double step_of(hone_search *search, double heat)
{
    const double above = hone__chance_normal(&search->chance);
    const double below = fabs(hone__chance_normal(&search->chance)) + 1e-9;

    return option(search, STEP) * pow(heat, 1 / (3 - shape)) * above /
           pow(below, (shape - 1) / (3 - shape));
}

/* Beyond the last value comes the first: without walls the long steps do not
 * all end at them. */
static int moved(hone_search *search, int value, int n, double heat)
{
    double to = fmod(value + 0.5 + n * step_of(search, heat), n);

    if (to < 0)
        to += n;
    return to < n - 1 ? (int)to : n - 1;
}

static void walk(hone_search *search, dual_annealing *d, const int *values,
                 double heat)
{
    const size_t one =
        (size_t)hone__chance_below(&search->chance, (int64_t)search->n_free);
    const int all = hone__chance_unit(&search->chance) < option(search, ALL);

    memcpy(d->row, values, search->space.n_params * sizeof *values);
    for (size_t i = 0; i < search->n_free; ++i) {
        const size_t p = search->free[i];

        if (all || i == one)
            d->row[p] =
                moved(search, values[p], search->space.n_values[p], heat);
    }
}

static void begin_cycle(hone_search *search, dual_annealing *d)
{
    const int64_t slot = hone__search_pick(search, STARTS);

    d->is_descending = 0;
    d->n_cycle = 0;
    d->cycle_best = -1;
    if (slot >= 0)
        d->at = slot;
}

static int64_t propose(hone_search *search)
{
    dual_annealing *d = search->state;
    const int *values;
    double heat;
    int64_t index;

    if (d->at < 0 || search->n_free == 0)
        return -1;
    if (d->is_descending) {
        index = hone__descent_next(search, &d->descent);
        if (index >= 0)
            return index;
        begin_cycle(search, d);
    }
    values = hone__search_values(search, d->at);
    heat = temperature(d);
    for (int i = 0; i < ATTEMPTS; ++i) {
        walk(search, d, values, heat);
        index = hone__move_repair(search, d->row, values);
        if (hone__search_is_new(search, index))
            return index;
    }
    return hone__move_near(search, values);
}

/* ---- learning ----------------------------------------------------------- */

static void learn_walk(hone_search *search, dual_annealing *d, int64_t slot)
{
    const hone_search_trial *trials = search->trials;
    const double time_ns = trials[slot].time_ns;

    ++d->n_cycle;
    if (!isinf(time_ns)) {
        if (d->at < 0 || hone__search_accepts(
                             search, trials[d->at].time_ns, time_ns,
                             option(search, ACCEPTANCE) *
                                 hone__search_scatter(search) * temperature(d)))
            d->at = slot;
        if (d->cycle_best < 0 || time_ns < trials[d->cycle_best].time_ns)
            d->cycle_best = slot;
    }
    if (search->n_spread > 0 || d->cycle_best < 0 ||
        (double)d->n_cycle <
            option(search, CYCLE) * (double)search->neighbourhood)
        return;
    d->is_descending = 1;
    hone__descent_start(search, &d->descent, d->cycle_best);
}

static void learn(hone_search *search, int64_t slot)
{
    dual_annealing *d = search->state;

    if (!d->is_descending)
        learn_walk(search, d, slot);
    else if (hone__descent_learn(search, &d->descent, slot))
        d->at = slot;
}

const hone_strategy hone__strategy_dual_annealing = {
    .name = "dual_annealing",
    .summary = "generalised annealing with heavy-tailed steps, and a descent "
               "after each cycle",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .n_spread = 12,
    .state_bytes = sizeof(dual_annealing),
    .start = start,
    .propose = propose,
    .learn = learn,
};
