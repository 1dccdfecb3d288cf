/* SPDX-License-Identifier: Apache-2.0 */
/* Iterated local search: down to a place without a faster neighbour, then a
 * kick away from the best and down again. Configurations by chance first: a
 * descent that starts at one of them alone loses to random search for the
 * first few dozen trials. */
#include "tuner/search/descent.h"

typedef struct local {
    hone_descent descent;
    int is_kicking; /* until a kick has landed */
} local;

enum { TAG_KICK = 1, KICK_ATTEMPTS = 16 };

/* Measured on the recorded spaces: 2 does as well; from 4 on, kicks end where
 * nothing is gained. */
enum { KICK_PARAMS = 3 };

static hone_status start(hone_search *search, hone_error *err)
{
    local *l = search->state;

    return hone__descent_open(search, &l->descent, err);
}

static void stop(hone_search *search)
{
    local *l = search->state;

    hone__descent_close(&l->descent);
}

/* Some parameters of the best one, at random values. */
static int64_t kick(hone_search *search)
{
    for (int i = 0; i < KICK_ATTEMPTS; ++i) {
        const int64_t far = hone__move_kick(
            search, hone__search_values(search, search->best), KICK_PARAMS);

        if (hone__search_is_new(search, far))
            return far;
    }
    return -1;
}

static hone_status propose(hone_search *search, int64_t *out_index,
                           hone_error *err)
{
    local *l = search->state;

    (void)err;
    if (search->best < 0)
        return HONE_OK;
    if (l->descent.at < 0)
        hone__descent_start(search, &l->descent, search->best);
    if (!l->is_kicking) {
        *out_index = hone__descent_next(search, &l->descent);
        if (*out_index >= 0)
            return HONE_OK;
        l->is_kicking = 1;
    }
    *out_index = kick(search);
    search->tag = TAG_KICK;
    return HONE_OK;
}

static void learn(hone_search *search, int64_t slot)
{
    local *l = search->state;
    const hone_search_trial *trial = &search->trials[slot];

    if (l->descent.at < 0 || isinf(trial->time_ns))
        return;
    if (l->is_kicking && trial->tag == TAG_KICK) {
        hone__descent_start(search, &l->descent, slot);
        l->is_kicking = 0;
    } else if (hone__descent_learn(search, &l->descent, slot))
        l->is_kicking = 0;
}

const hone_strategy hone__strategy_local = {
    .name = "local",
    .summary = "greedy descent by one parameter at a time, restarted near "
               "the best",
    .n_spread = 12,
    .state_bytes = sizeof(local),
    .start = start,
    .stop = stop,
    .propose = propose,
    .learn = learn,
};
