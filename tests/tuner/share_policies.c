/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to share a budget between implementations: the rule of hone and those
 * that it was chosen from. */
#include "tests/tuner/share_policies.h"

#include <math.h>

static void keep(share_arm *arm, double value)
{
    int at = arm->n_kept < SHARE_MOST_KEPT ? arm->n_kept++ : SHARE_MOST_KEPT;

    if (at == SHARE_MOST_KEPT && value >= arm->kept[--at])
        return;
    for (; at > 0 && arm->kept[at - 1] > value; --at)
        arm->kept[at] = arm->kept[at - 1];
    arm->kept[at] = value;
}

void share_arm_tell(share_arm *arm, double time_ns)
{
    hone__turn_add(&arm->share, time_ns);
    if (time_ns > 0)
        keep(arm, log(time_ns));
    if (++arm->n_told < 2 * arm->doubled_at || !arm->n_kept)
        return;
    arm->gain = arm->doubled_at ? arm->doubled_log - arm->kept[0] : 0;
    arm->doubled_log = arm->kept[0];
    arm->doubled_at = arm->n_told;
}

/* ---- what several have -------------------------------------------------- */

static int least_asked(const share_arm *arms, size_t n)
{
    int least = -1;

    for (size_t i = 0; i < n; ++i) {
        if (!arms[i].is_exhausted &&
            (least < 0 || arms[i].n_asked < arms[least].n_asked))
            least = (int)i;
    }
    return least;
}

static int64_t total(const share_arm *arms, size_t n)
{
    int64_t sum = 0;

    for (size_t i = 0; i < n; ++i)
        sum += arms[i].n_asked;
    return sum;
}

/* Log of the best time of all. */
static double fastest(const share_arm *arms, size_t n)
{
    double best = INFINITY;

    for (size_t i = 0; i < n; ++i) {
        if (!arms[i].is_exhausted && arms[i].n_kept)
            best = fmin(best, arms[i].kept[0]);
    }
    return best;
}

/* The one that is still due its first trials; -1: none. */
static int beginner(const share_policy *p, const share_arm *arms, size_t n,
                    int64_t left)
{
    const double fair = p->share * (double)(total(arms, n) + left) / (double)n;
    const double first = fmax(1, fmin(p->first, floor(fair)));
    const int least = least_asked(arms, n);

    return (double)arms[least].n_asked < first ? least : -1;
}

typedef double promise_fn(const share_policy *p, const share_arm *arm,
                          double left, double n_all);

/* The least of `promise` after the first trials. */
static int by_promise(const share_policy *p, const share_arm *arms, size_t n,
                      int64_t left, promise_fn *promise)
{
    const double n_all = (double)total(arms, n);
    int best = beginner(p, arms, n, left);
    double least = INFINITY;

    if (best >= 0)
        return best;
    for (size_t i = 0; i < n; ++i) {
        double value;

        if (arms[i].is_exhausted)
            continue;
        value = arms[i].n_kept ? promise(p, &arms[i], (double)left, n_all)
                               : INFINITY;
        if (best < 0 || value < least) {
            best = (int)i;
            least = value;
        }
    }
    return best;
}

/* ---- the policies ------------------------------------------------------- */

/* `a`: it does not know the budget. */
static int next_rule(const share_policy *p, const share_arm *arms, size_t n,
                     int64_t left)
{
    hone_turn shares[SHARE_MOST_ARMS];
    hone_turn *pointers[SHARE_MOST_ARMS];

    for (size_t i = 0; i < n; ++i) {
        shares[i] = arms[i].share;
        pointers[i] = arms[i].is_exhausted ? NULL : &shares[i];
    }
    return hone__turn_next(pointers, n, p->a > 0 ? 0 : left);
}

static int next_even(const share_policy *p, const share_arm *arms, size_t n,
                     int64_t left)
{
    (void)p;
    (void)left;
    return least_asked(arms, n);
}

/* Each doubling gains what the last one did, at least `a` at first. */
static double doubling(const share_policy *p, const share_arm *arm, double left,
                       double n_all)
{
    const double n = (double)arm->n_told + 1;
    const double gain = fmax(arm->gain, p->a * 12 / (12 + n));

    (void)n_all;
    return arm->kept[0] - gain * log2((n + left) / n);
}

static int next_doubling(const share_policy *p, const share_arm *arms, size_t n,
                         int64_t left)
{
    return by_promise(p, arms, n, left, doubling);
}

/* The one that is expected to beat the fastest by most. */
static int next_expected(const share_policy *p, const share_arm *arms, size_t n,
                         int64_t left)
{
    const double leader = fastest(arms, n);
    int best = beginner(p, arms, n, left);
    double most = 0;

    if (best >= 0)
        return best;
    for (size_t i = 0; i < n; ++i) {
        const double m = (double)arms[i].n_told + 1;
        const double least = p->a * pow(12 / (12 + m), p->b);
        const double gain =
            (p->c * arms[i].gain + least) * log2((m + (double)left) / m);
        double value;

        if (arms[i].is_exhausted || !arms[i].n_kept)
            continue;
        value = gain * exp(-(arms[i].kept[0] - leader) / gain);
        if (best < 0 || value > most) {
            best = (int)i;
            most = value;
        }
    }
    return best < 0 ? least_asked(arms, n) : best;
}

/* Mean distance of the fastest `b` from the very fastest: the scale of a tail
 * that falls exponentially. */
static double tail_scale(const share_arm *arm, int k)
{
    double sum = 0;

    if (k > arm->n_kept)
        k = arm->n_kept;
    for (int i = 1; i < k; ++i)
        sum += arm->kept[i] - arm->kept[0];
    return k > 1 ? sum / (k - 1) : 0;
}

/* The best of n + left draws from that tail, `a` times as far; at least `c`
 * over n. */
static double tail(const share_policy *p, const share_arm *arm, double left,
                   double n_all)
{
    const double n = (double)arm->n_told + 1;
    const double scale = p->a * tail_scale(arm, (int)p->b) + p->c / n;

    (void)n_all;
    return arm->kept[0] - scale * log((n + left) / n);
}

static int next_tail(const share_policy *p, const share_arm *arms, size_t n,
                     int64_t left)
{
    return by_promise(p, arms, n, left, tail);
}

/* An upper confidence bound on the best. */
static double bound(const share_policy *p, const share_arm *arm, double left,
                    double n_all)
{
    (void)left;
    return arm->kept[0] -
           p->a * pow(log(n_all) / ((double)arm->n_told + 1), p->b);
}

static int next_bound(const share_policy *p, const share_arm *arms, size_t n,
                      int64_t left)
{
    return by_promise(p, arms, n, left, bound);
}

/* Evenly between those that are at most `a` * (12 / trials)^`b` behind. */
static int next_reach(const share_policy *p, const share_arm *arms, size_t n,
                      int64_t left)
{
    const double leader = fastest(arms, n);
    int best = beginner(p, arms, n, left);

    if (best >= 0)
        return best;
    for (size_t i = 0; i < n; ++i) {
        const double reach =
            p->a * pow(12 / ((double)arms[i].n_told + 1), p->b);

        if (arms[i].is_exhausted || !arms[i].n_kept ||
            arms[i].kept[0] > leader + reach)
            continue;
        if (best < 0 || arms[i].n_asked < arms[best].n_asked)
            best = (int)i;
    }
    return best < 0 ? least_asked(arms, n) : best;
}

/* Successive halving: ceil(log2 n) rounds of as many trials each, evenly
 * between those that are left; the slower half of them leaves. */
static int next_halving(const share_policy *p, const share_arm *arms, size_t n,
                        int64_t left)
{
    const double done = (double)total(arms, n);
    const double n_rounds = ceil(log2((double)n)) + p->a;
    const double per_round = (done + (double)left) / n_rounds;
    const int round = (int)floor(done / per_round);
    size_t n_in = n;
    int best = -1;

    for (int r = 0; r < round; ++r)
        n_in = (n_in + 1) / 2;
    for (size_t i = 0; i < n; ++i) {
        size_t n_faster = 0;

        for (size_t j = 0; j < n; ++j) {
            const double x = arms[i].n_kept ? arms[i].kept[0] : INFINITY;
            const double y = arms[j].n_kept ? arms[j].kept[0] : INFINITY;

            n_faster += y < x || (!(x < y) && j < i);
        }
        if (arms[i].is_exhausted || n_faster >= n_in)
            continue;
        if (best < 0 || arms[i].n_asked < arms[best].n_asked)
            best = (int)i;
    }
    return best < 0 ? least_asked(arms, n) : best;
}

const share_policy share_policies[] = {
    {"rule", next_rule, 0, 0, 0, 0, 0},
    {"rule, budget unknown", next_rule, 0, 0, 1, 0, 0},
    {"doubling 0.08", next_doubling, 12, 1.0 / 3, 0.08, 0, 0},
    {"doubling 0.3", next_doubling, 12, 1.0 / 3, 0.3, 0, 0},
    {"expected", next_expected, 12, 1.0 / 3, 0.2, 0.5, 0.25},
    {"bound", next_bound, 12, 1.0 / 3, 0.8, 0.5, 0},
    {"tail", next_tail, 12, 1.0 / 3, 1, 12, 0.5},
    {"reach", next_reach, 12, 1.0 / 3, 0.1, 0.5, 0},
    {"halving", next_halving, 0, 0, 1, 0, 0},
    {"even", next_even, 0, 0, 0, 0, 0},
    {NULL, NULL, 0, 0, 0, 0, 0},
};
