/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a tuning run: see rules.h. */
#include "tuner/session/rules.h"

#include "tuner/judge/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how far ahead ------------------------------------------------------ */

/* A search that learns proposes the worse the more of its
 * proposals are unanswered, but with too few of them compilers or the device
 * stand idle. In the time of one compile the device does
 * `compile_s / trial_s` trials. So many jobs must be under way for one to be
 * ready whenever it has finished another (Little's law); more would only
 * wait. Twice as many, and one, absorb that neither takes equally long each
 * time. If the compilers cannot keep up, all of them work and two jobs may
 * wait. tests/tuner/test_look_ahead.c simulates it: 92 % of the throughput of
 * an endless queue where both are equally fast, more elsewhere. Rejected:
 * always filling the farm; on 16 cores, with compiles of 9 ms and trials of
 * 5 ms, 13 of 18 proposals would be made early for nothing. */
/* The last 8 values or so count: trials get shorter once most are dropped
 * after two samples. */
static const double pace_share = 1.0 / 8;

enum {
    LEAST = 2,
    BLIND_ROUNDS = 4 /* of the farm, if nothing is lost by asking early */
};

void hone__pace_add(double *mean_s, double value_s)
{
    *mean_s =
        *mean_s > 0 ? *mean_s + pace_share * (value_s - *mean_s) : value_s;
}

int hone__look_ahead(const hone_pace *pace, int n_workers, int is_learning)
{
    const int most = n_workers + 2;
    double wanted;

    if (!is_learning)
        return BLIND_ROUNDS * n_workers;
    if (!(pace->compile_s > 0 && pace->trial_s > 0))
        return most;
    wanted = ceil(2 * pace->compile_s / pace->trial_s) + 1;
    if (!(wanted < most))
        return most;
    return wanted < LEAST ? LEAST : (int)wanted;
}

/* ---- how long ----------------------------------------------------------- */

/* It waits for two thirds of all answers: a search that has
 * gained lately is given time again, and the longer it took to get where it
 * is, the longer. With at least 300 of them 2 to 6 % of the runs on recorded
 * spaces would have gained as much in four times the evaluations; with 100,
 * 9 to 20 %, with 400 only 1.5 to 4 %, for 110 evaluations more
 * (docs/results/search-stopping-2026-11-20.md). With `auto` it is 5 to 8 %
 * with 300, and with 400 no fewer (..-2026-11-25.md). Rejected: a fixed number
 * of them (500 trials of exhaustive search in a row may be one corner of the
 * space), a model of what is left (which is what tells the search, too). */
static const int64_t least_wait = 300;
static const double wait_share = 2.0 / 3;

void hone__until_add(hone_until *until, double time_ns)
{
    ++until->n_told;
    if (!(time_ns > 0))
        return;
    if (until->last_gain && time_ns >= until->anchor_ns * (1 - until->gain))
        return;
    until->anchor_ns = time_ns;
    until->last_gain = until->n_told;
}

int hone__until_is_reached(const hone_until *until)
{
    const int64_t waited = until->n_told - until->last_gain;

    return until->gain > 0 && until->last_gain && waited >= least_wait &&
           (double)waited >= wait_share * (double)until->n_told;
}

/* ---- whose turn it is --------------------------------------------------- */

/* Each begins with its default, what is good elsewhere, and a few that are
 * spread: FIRST trials, or fewer where the budget is small. Then the one goes
 * whose best will be the fastest if it gets all that is left, where each
 * doubling of its answers gains half of what the last one did, for that may
 * have been luck, and LEAST_GAIN over the root of its answers, for not gaining
 * may have been bad luck. One that is far behind and does not gain is so never
 * asked again; the leader, which others cannot reach, gets nearly all.
 *
 * On recorded spaces that it was not chosen on (docs/results/shares-*.md) it
 * ends 15 % behind the best there is with 30 trials, 5.0 % with 100 and 1.6 %
 * with 300; turns 20, 6.6 and 2.0 %, the best implementation alone 7.0, 2.3
 * and 0.3 %. Rejected: the last gain in full, or 0.08 / (1 + n / 12) (which it
 * once was; 15, 5.6 and 2.1 %), the tail of each one's times (never better),
 * a confidence bound (worse with 300 trials), successive halving (within
 * 0.4 %, both ways) and the largest expected gain (within 0.15 %, and less
 * simple). */
enum { FIRST = 12, FIRST_SHARE = 3 /* of the budget, for all */ };
static const double least_gain = 0.3;
static const double gain_kept = 0.5;

/* Where a model guesses how fast each one's best will be: the guessed leader,
 * whoever is guessed within CLOSE of it, and those that it knows nothing of
 * begin with LEADER times as many,
 * one that is guessed to be slower by more than FAR with its default alone.
 * The guess is off by 0.1 to 0.2 at a problem that it has not seen. */
enum { LEADER = 3, LEADER_LEAST = 6 };
static const double guess_close = 0.1;
static const double guess_far = 0.5;

void hone__turn_add(hone_turn *share, double time_ns)
{
    if (time_ns > 0 && (share->best_ns <= 0 || time_ns < share->best_ns))
        share->best_ns = time_ns;
    if (++share->n_told < 2 * share->doubled_at || share->best_ns <= 0)
        return;
    share->gain =
        share->doubled_ns > 0 ? log(share->doubled_ns / share->best_ns) : 0;
    share->doubled_ns = share->best_ns;
    share->doubled_at = share->n_told;
}

/* Log of its best time after `left` more trials, as far as anybody knows. */
static double promise(const hone_turn *share, double left)
{
    const double n = (double)share->n_told + 1;
    const double gain =
        gain_kept * share->gain + least_gain * sqrt(FIRST / (FIRST + n));

    return share->best_ns > 0
               ? log(share->best_ns) - gain * log2((n + left) / n)
               : INFINITY;
}

/* Trials that each begins with. */
static int64_t first_trials(hone_turn *const *shares, size_t n,
                            int64_t budget_left)
{
    int64_t fair = budget_left;

    if (budget_left <= 0)
        return FIRST;
    for (size_t i = 0; i < n; ++i)
        fair += shares[i] ? shares[i]->n_asked : 0;
    fair /= FIRST_SHARE * (int64_t)n;
    return fair < 1 ? 1 : fair < FIRST ? fair : FIRST;
}

/* Of those that one begins with. */
static int64_t first_of(const hone_turn *share, int64_t first,
                        double best_guess)
{
    const int64_t more =
        LEADER * first > LEADER_LEAST ? LEADER * first : LEADER_LEAST;

    if (share->is_unknown)
        return more;
    if (!share->has_guess)
        return first;
    if (share->guess - best_guess > guess_far)
        return 1;
    return share->guess - best_guess < guess_close ? more : first;
}

static double best_guess_of(hone_turn *const *shares, size_t n)
{
    double best = INFINITY;

    for (size_t i = 0; i < n; ++i) {
        if (shares[i] && shares[i]->has_guess && shares[i]->guess < best)
            best = shares[i]->guess;
    }
    return best;
}

int hone__turn_next(hone_turn *const *shares, size_t n, int64_t budget_left)
{
    const double left = budget_left > 0 ? (double)budget_left : 100;
    const int64_t first = first_trials(shares, n, budget_left);
    const double best_guess = best_guess_of(shares, n);
    int least = -1, best = -1;

    for (size_t i = 0; i < n; ++i) {
        if (!shares[i])
            continue;
        if (shares[i]->n_asked >= first_of(shares[i], first, best_guess))
            ; /* it has begun */
        else if (least < 0 || shares[i]->n_asked < shares[least]->n_asked)
            least = (int)i;
        if (best < 0 || promise(shares[i], left) < promise(shares[best], left))
            best = (int)i;
    }
    for (size_t i = 0; i < n; ++i) {
        if (shares[i] && shares[i]->n_asked < shares[i]->first)
            return (int)i;
    }
    return least >= 0 ? least : best;
}

int64_t hone__turn_planned(int64_t budget_trials, size_t n)
{
    return n > 1 && budget_trials > 0 ? (budget_trials + 1) / 2 : budget_trials;
}

/* ---- what goes first ---------------------------------------------------- */

/* The nearest first, but some of every kind: what is best on a
 * neighbouring shape is usually good here, yet where that shape has a special
 * case of its own (one row, a size that divides nothing) another device knows
 * better. Ten cost little and are enough to start from: more would have to be
 * tried before the search has a say. The best of one GPU reaches 60-97 % of
 * the optimum on another, its top 50 89-100 % (published, three GPUs). */
/* At most so many of each kind, and only these places of a ranking: two
 * shapes tell more than four places of one. */
static const struct {
    size_t most;
    int64_t last_rank;
} quotas[HONE_N_SEED_FROM] = {
    [HONE_SEED_HERE] = {4, 4},
    [HONE_SEED_SHAPE] = {4, 2},
    [HONE_SEED_DEVICE] = {4, 2},
    [HONE_SEED_FAR] = {2, 1},
};

double hone__seed_shape_distance(const int64_t *a, const int64_t *b,
                                 const int *is_type, size_t n_dims)
{
    double sum = 0;

    for (size_t i = 0; i < n_dims; ++i) {
        if (is_type[i] && a[i] != b[i])
            return -1;
        if (a[i] != b[i]) /* a dimension may be 0 */
            sum += fabs(log((double)(a[i] > 0 ? a[i] : 1) /
                            (double)(b[i] > 0 ? b[i] : 1)));
    }
    return sum;
}

static int nearest_first(const void *a, const void *b)
{
    const hone_seed *x = a;
    const hone_seed *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int is_chosen(const hone_seed *seeds, size_t n, int64_t index)
{
    for (size_t i = 0; i < n; ++i) {
        if (seeds[i].index == index)
            return 1;
    }
    return 0;
}

size_t hone__seeds_choose(hone_seed *seeds, size_t n)
{
    size_t n_from[HONE_N_SEED_FROM] = {0};
    size_t n_chosen = 0;

    if (!n)
        return 0;
    qsort(seeds, n, sizeof *seeds, nearest_first);
    for (size_t i = 0; i < n && n_chosen < HONE_MOST_SEEDS; ++i) {
        const hone_seed_from from = seeds[i].from;

        if (n_from[from] == quotas[from].most ||
            seeds[i].rank > quotas[from].last_rank ||
            is_chosen(seeds, n_chosen, seeds[i].index))
            continue;
        ++n_from[from];
        seeds[n_chosen++] = seeds[i];
    }
    return n_chosen;
}

/* ---- how noisy the machine is ------------------------------------------- */

/* Fewer samples say nothing about a spread; fewer trials nothing about the
 * machine. */
enum { LEAST_SAMPLES = 4, LEAST_TRIALS = 8 };

void hone__tune_noise_add(hone_tune_noise *noise, double time_ns,
                          double spread_ns, int n_samples)
{
    if (n_samples >= LEAST_SAMPLES && time_ns > 0)
        noise->relative[noise->n++ % HONE_NOISE_WINDOW] = spread_ns / time_ns;
}

double hone__tune_noise_level(const hone_tune_noise *noise)
{
    double sorted[HONE_NOISE_WINDOW];
    const size_t n =
        noise->n < HONE_NOISE_WINDOW ? noise->n : HONE_NOISE_WINDOW;

    if (n < LEAST_TRIALS)
        return 0;
    memcpy(sorted, noise->relative, n * sizeof sorted[0]);
    return hone__median(sorted, n);
}
