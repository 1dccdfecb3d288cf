/* SPDX-License-Identifier: Apache-2.0 */
/* Iterated local search: down to a place without a faster neighbour, then
 * some kicks away from fast places, and down again from where the best of
 * them landed. Configurations by chance first: a descent that starts at one
 * of them alone loses to random search for the first few dozen trials. */
#include "tuner/search/parts.h"

/* Measured on the recorded spaces: half or twice of each does about as well;
 * with one kick before each descent the score is 0.05 less. */
enum { ATTEMPTS = 8 };
enum { TAG_KICK = 1 };

enum { KICKS, KICK_PARAMS, STARTS };
static const hone_strategy_option options[] = {
    {"kicks", 8, 1, 64, 1,
     "kicks before each descent, the best of which "
     "begins it"},
    {"params", 3, 1, 64, 1, "parameters that a kick changes"},
    {"starts", 8, 1, 64, 1, "a kick starts from the fastest of as many trials"},
};

extern const hone_strategy hone__strategy_local;

typedef struct local {
    hone_descent descent;
    int is_kicking;
    int n_kicks;     /* answered */
    int64_t landing; /* the best of them, -1 */
} local;

static int option(const hone_search *search, size_t i)
{
    return (int)hone__search_option(search, &hone__strategy_local, i);
}

static hone_status start(hone_search *search, hone_error *err)
{
    local *l = search->state;

    return hone__descent_open(search, &l->descent, err);
}

static int64_t kick(hone_search *search)
{
    for (int i = 0; i < ATTEMPTS; ++i) {
        const int64_t from = hone__search_pick(search, option(search, STARTS));
        const int64_t to = hone__move_kick(
            search, hone__search_values(search, from < 0 ? search->best : from),
            option(search, KICK_PARAMS));

        if (hone__search_is_new(search, to))
            return to;
    }
    return -1;
}

static int64_t propose(hone_search *search)
{
    local *l = search->state;

    if (search->best < 0)
        return -1;
    if (l->descent.at < 0)
        hone__descent_start(search, &l->descent, search->best);
    if (!l->is_kicking) {
        const int64_t index = hone__descent_next(search, &l->descent);

        if (index >= 0)
            return index;
        l->is_kicking = 1;
        l->n_kicks = 0;
        l->landing = -1;
    }
    search->tag = TAG_KICK;
    return kick(search);
}

static void learn_kick(hone_search *search, local *l, int64_t slot)
{
    const hone_search_trial *trials = search->trials;

    ++l->n_kicks;
    if (!isinf(trials[slot].time_ns) &&
        (l->landing < 0 || trials[slot].time_ns < trials[l->landing].time_ns))
        l->landing = slot;
    if (l->n_kicks < option(search, KICKS) || l->landing < 0)
        return;
    hone__descent_start(search, &l->descent, l->landing);
    l->is_kicking = 0;
}

/* An answer that was on its way when the descent ended may still take it
 * further. */
static void learn(hone_search *search, int64_t slot)
{
    local *l = search->state;

    if (l->descent.at < 0)
        return;
    if (l->is_kicking && search->trials[slot].tag == TAG_KICK)
        learn_kick(search, l, slot);
    else if (hone__descent_learn(search, &l->descent, slot))
        l->is_kicking = 0;
}

const hone_strategy hone__strategy_local = {
    .name = "local",
    .summary = "greedy descent by one parameter at a time, then kicks and "
               "down again",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .n_spread = 12,
    .state_bytes = sizeof(local),
    .start = start,
    .propose = propose,
    .learn = learn,
};
