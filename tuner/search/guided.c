/* SPDX-License-Identifier: Apache-2.0 */
/* A search that somebody tells in front how fast configurations will be: a
 * model of earlier problems (tuner/model), a template's own estimate, or both.
 * Each such guess leads (lead.h) in some of the turns. Where there are two, the
 * one whose favourites among the trials are the faster ones gets more of them,
 * and never all: a guess that is never followed could not be seen to be right.
 * Every other turn belongs to the strategy that would have searched without a
 * guess, which learns from all trials: where both mislead, little is lost. */
#include "tuner/search/lead.h"

#include <stdlib.h>

enum {
    OWN_FIRST = 48, /* answers until which five of six turns are of a guess */
    FEW = 8         /* until which two guesses have as many turns each */
};
/* Of the trials those that a guess is judged by. */
static const double favourites = 0.25;
/* The share of turns that a guess keeps, however bad it is. */
static const double least_share = 0.1;

typedef struct guided {
    const hone_strategy *inner;
    void *inner_state;
    int64_t n_turns;
    hone_lead *leads[HONE_SEARCH_PRIORS];
    double owed; /* turns, to the first of two */
} guided;

/* ---- whose turn it is ---------------------------------------------------- */

typedef struct judged {
    double guess;
    double time; /* its logarithm */
} judged;

static int by_guess(const void *a, const void *b)
{
    const judged *x = a;
    const judged *y = b;

    return (x->guess > y->guess) - (x->guess < y->guess);
}

/* The last `n` trials by a guess, its favourites first; what failed is as slow
 * as the slowest. */
static void judge(const hone_search *search, size_t number, size_t n,
                  judged *out)
{
    for (size_t i = 0; i < n; ++i) {
        const hone_search_trial *trial =
            &search->trials[search->told[search->n_told - 1 - (int64_t)i]];

        out[i].guess = trial->guesses[number];
        out[i].time =
            log(isinf(trial->time_ns) ? search->worst_ns : trial->time_ns);
    }
    qsort(out, n, sizeof *out, by_guess);
}

/* The mean of log(time) of its `n_taken` favourites of them. Of those that it
 * cannot tell apart each counts in part: the fast ones are no merit of it. */
static double favoured(const hone_search *search, size_t number, size_t n,
                       size_t n_taken)
{
    judged list[HONE_LEAD_POINTS];
    double sum = 0;
    size_t next;

    judge(search, number, n, list);
    for (size_t i = 0; i < n_taken; i = next) {
        double of_alike = 0;

        for (next = i; next < n && list[next].guess <= list[i].guess; ++next)
            of_alike += list[next].time;
        sum += of_alike / (double)(next - i) *
               (double)((next < n_taken ? next : n_taken) - i);
    }
    return sum / (double)n_taken;
}

/* Of the first guess: a half, and more as its favourites are faster than the
 * other's by more than chance makes of so few. */
static double share_of_first(const hone_search *search)
{
    const size_t n = search->n_told < HONE_LEAD_POINTS
                         ? (size_t)search->n_told
                         : (size_t)HONE_LEAD_POINTS;
    const size_t n_taken = (size_t)(favourites * (double)n);
    double chance, gain, share;

    if (n < FEW)
        return 0.5;
    chance = hone__search_scatter(search) / sqrt((double)n_taken);
    gain = favoured(search, 1, n, n_taken) - favoured(search, 0, n, n_taken);
    share = 1 / (1 + exp(-2 * gain / chance));
    share = share < least_share ? least_share : share;
    return share > 1 - least_share ? 1 - least_share : share;
}

static hone_lead *whose(const hone_search *search, guided *g)
{
    if (search->n_priors < 2)
        return g->leads[0];
    g->owed += share_of_first(search);
    if (g->owed < 0.5)
        return g->leads[1];
    g->owed -= 1;
    return g->leads[0];
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
    const int64_t every = search->n_told < OWN_FIRST ? 6 : 2;
    int64_t index = -1;

    if (++g->n_turns % every != 0 || search->n_told < HONE_LEAD_FIRST / 2)
        index = hone__lead_choose(search, whose(search, g));
    /* A guess may know nothing of what is left. */
    return index >= 0 ? index : propose_inner(search, g);
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
    for (size_t i = 0; i < search->n_priors; ++i)
        HONE_TRY(hone__lead_create(search, i, &g->leads[i], err));
    return HONE_OK;
}

const hone_strategy hone__strategy_guided = {
    .name = "guided",
    .summary = "'auto' with a guess at times",
    .asks_at_once = 1,
    .state_bytes = sizeof(guided),
    .start = start,
    .propose = propose,
    .learn = learn,
};

double hone__search_best_guess(hone_search *search)
{
    const guided *g = search->state;

    if (search->strategy != &hone__strategy_guided)
        return NAN;
    return hone__lead_best(search, g->leads[0]) -
           (search->n_priors > 1 ? hone__lead_best(search, g->leads[1]) : 0);
}
