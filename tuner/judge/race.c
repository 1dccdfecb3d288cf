/* SPDX-License-Identifier: Apache-2.0 */
/* The race: see race.h. */
#include "tuner/judge/race.h"

#include "tuner/judge/statistics.h"

#include <math.h>

const char *hone__race_verdict_name(hone_race_verdict verdict)
{
    static const char *const names[HONE_N_VERDICTS] = {
#define VERDICT_NAME(name, spelling) spelling,
        HONE_VERDICT_MAP(VERDICT_NAME)
#undef VERDICT_NAME
    };

    return verdict < HONE_N_VERDICTS ? names[verdict] : "?";
}

void hone__race_compare(const double *a_ns, const double *b_ns, int n,
                        double *out_ratio, double *out_low, double *out_high)
{
    double ratios[HONE_RACE_MOST];

    for (int i = 0; i < n; ++i)
        ratios[i] = a_ns[i] / b_ns[i];
    *out_ratio = hone__median(ratios, (size_t)n);
    hone__median_interval(ratios, (size_t)n, out_low, out_high);
}

/* ---- rounds -------------------------------------------------------------- */

/* Fisher and Yates' shuffle with numbers of splitmix64. */
static void draw_order(hone_race *race)
{
    for (int i = race->n - 1; i > 0; --i) {
        uint64_t z = race->dice += 0x9e3779b97f4a7c15u;
        int other, taken;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        other = (int)((z ^ (z >> 31)) % (uint64_t)(i + 1));
        taken = race->order[i];
        race->order[i] = race->order[other];
        race->order[other] = taken;
    }
}

static hone_status run_round(hone_race *race, hone_error *err)
{
    const int round = race->n_rounds;

    if (round % 2 == 0)
        draw_order(race);
    for (int k = 0; k < race->n; ++k) {
        const int i = race->order[round % 2 ? race->n - 1 - k : k];
        hone_race_runner *r = &race->runners[i];

        if (r->resting)
            continue;
        HONE_TRY(race->sample(race->user, i, &r->rounds_ns[round], err));
        r->n_rounds = round + 1;
    }
    ++race->n_rounds;
    return HONE_OK;
}

static int is_late(const hone_race *race)
{
    return race->deadline_s > 0 && race->n_rounds >= 2 &&
           race->now_s() > race->deadline_s;
}

/* ---- looking ------------------------------------------------------------- */

/* Over the rounds that both ran in; nobody comes back from resting. */
static void compare(const hone_race *race, int i, int with, double *out_ratio,
                    double *out_low, double *out_high)
{
    const hone_race_runner *a = &race->runners[i];
    const hone_race_runner *b = &race->runners[with];

    hone__race_compare(a->rounds_ns, b->rounds_ns,
                       a->n_rounds < b->n_rounds ? a->n_rounds : b->n_rounds,
                       out_ratio, out_low, out_high);
}

/* From the leader so far to whoever is fastest against it, until nobody is
 * faster. Medians of ratios may go in a circle: the steps are counted. */
static void find_leader(hone_race *race)
{
    for (int step = 0; step < race->n; ++step) {
        int best = race->leader;
        double best_ratio = 1;

        for (int i = 0; i < race->n; ++i) {
            double ratio, low, high;

            if (!race->runners[i].contends || race->runners[i].resting)
                continue;
            compare(race, i, race->leader, &ratio, &low, &high);
            if (ratio < best_ratio) {
                best = i;
                best_ratio = ratio;
            }
        }
        if (best == race->leader)
            break;
        race->leader = best;
    }
}

static void measure_noise(hone_race *race)
{
    double ratio, low, high;

    race->margin = HONE_RACE_LEAST_MARGIN;
    race->noise_floor = -1;
    if (race->control < 0)
        return;
    compare(race, race->control, race->control_of, &ratio, &low, &high);
    race->noise_bias = ratio - 1;
    race->noise_floor = fmax(fabs(low - 1), fabs(high - 1));
    race->margin = fmax(race->margin, race->noise_floor);
}

static void look(hone_race *race)
{
    find_leader(race);
    measure_noise(race);
    for (int i = 0; i < race->n; ++i) {
        hone_race_runner *r = &race->runners[i];

        compare(race, i, race->leader, &r->ratio, &r->ratio_low,
                &r->ratio_high);
    }
}

int hone__race_is_slower(const hone_race *race, int runner)
{
    const hone_race_runner *r = &race->runners[runner];

    return r->dropped_round || (r->n_rounds >= HONE_RACE_INTERVAL &&
                                r->ratio_low > 1 + race->margin);
}

/* A baseline may also be clearly faster. */
static int is_known(const hone_race *race, int i)
{
    const hone_race_runner *r = &race->runners[i];

    return hone__race_is_slower(race, i) ||
           (!r->contends && r->n_rounds >= HONE_RACE_INTERVAL &&
            r->ratio_high < 1 - race->margin);
}

int hone__race_is_tied(const hone_race *race, int runner)
{
    const hone_race_runner *r = &race->runners[runner];

    return runner == race->leader || (r->contends && r->n_rounds > 0 &&
                                      !hone__race_is_slower(race, runner) &&
                                      r->ratio <= 1 + HONE_RACE_BAND);
}

static void leave_out(hone_race *race)
{
    for (int i = 0; i < race->n; ++i) {
        hone_race_runner *r = &race->runners[i];

        if (r->resting || i == race->leader ||
            (race->control >= 0 &&
             (i == race->control || i == race->control_of)) ||
            !is_known(race, i) || (r->keep && r->n_rounds < HONE_RACE_KEPT))
            continue;
        r->resting = 1;
        if (!r->keep)
            r->dropped_round = race->n_rounds;
    }
}

/* ---- when to stop -------------------------------------------------------- */

/* The best of those that contend and are not clearly slower; -1: none. */
static int find_second(const hone_race *race)
{
    int second = -1;

    for (int i = 0; i < race->n; ++i) {
        if (race->runners[i].contends && i != race->leader &&
            !hone__race_is_slower(race, i) &&
            (second < 0 ||
             race->runners[i].ratio < race->runners[second].ratio))
            second = i;
    }
    return second;
}

/* Is there still something to learn? Of a baseline only up to HONE_RACE_KEPT
 * rounds; of one that contends until it is clearly slower, and beyond
 * HONE_RACE_ROUNDS only if it could be out of the band: within it, more
 * rounds would tell apart what counts as equal. */
static int goes_on(const hone_race *race)
{
    if (race->n_rounds < HONE_RACE_LEAST)
        return 1;
    for (int i = 0; i < race->n; ++i) {
        const hone_race_runner *r = &race->runners[i];

        if (r->keep && r->n_rounds < HONE_RACE_KEPT)
            return 1;
        if (!r->contends || i == race->leader || hone__race_is_slower(race, i))
            continue;
        if (race->n_rounds < HONE_RACE_ROUNDS ||
            (race->n_rounds < HONE_RACE_MOST &&
             r->ratio_high > 1 + HONE_RACE_BAND))
            return 1;
    }
    return 0;
}

static hone_race_verdict judge(const hone_race *race)
{
    const int second = find_second(race);
    int n_contend = 0;

    for (int i = 0; i < race->n; ++i)
        n_contend += race->runners[i].contends;
    if (n_contend < 2)
        return HONE_RACE_ONLY_ONE;
    if (second < 0)
        return HONE_RACE_DECIDED;
    return race->n_rounds < HONE_RACE_INTERVAL ||
                   race->noise_floor > HONE_RACE_NOISE_LIMIT ||
                   0.5 * (race->runners[second].ratio_high -
                          race->runners[second].ratio_low) >
                       HONE_RACE_NOISE_LIMIT
               ? HONE_RACE_TOO_NOISY
               : HONE_RACE_TIED;
}

hone_status hone__race_run(hone_race *race, hone_error *err)
{
    race->leader = -1;
    race->n_rounds = 0;
    race->verdict = HONE_RACE_ONLY_ONE;
    race->noise_floor = -1;
    race->dice = 0;
    for (int i = race->n - 1; i >= 0; --i) {
        race->order[i] = i;
        if (race->runners[i].contends)
            race->leader = i;
    }
    if (race->leader < 0)
        return HONE_OK;
    while (goes_on(race) && !is_late(race)) {
        for (int i = 0; i < HONE_RACE_BLOCK && !is_late(race); ++i)
            HONE_TRY(run_round(race, err));
        look(race);
        leave_out(race); /* nobody before HONE_RACE_INTERVAL rounds */
    }
    race->verdict = judge(race);
    return HONE_OK;
}

/* ---- the tie rule -------------------------------------------------------- */

const char *hone__tie_rule_name(hone_tie_rule rule)
{
    switch (rule) {
    case HONE_TIE_NONE:
        break;
    case HONE_TIE_REGISTERS:
        return "fewest registers";
    case HONE_TIE_SHARED:
        return "least shared memory";
    case HONE_TIE_CHANGED:
        return "closest to the default";
    case HONE_TIE_ORDER:
        return "first in the space";
    }
    return "alone";
}

/* -1 or 1; 0: equal. Unknown is more than known. */
static int less(int64_t a, int64_t b)
{
    if ((a < 0) != (b < 0))
        return a < 0 ? 1 : -1;
    return a < 0 ? 0 : (a > b) - (a < b);
}

int hone__tie_compare(const hone_tie_features *a, const hone_tie_features *b,
                      hone_tie_rule *out_rule)
{
    const int by_rule[] = {
        [HONE_TIE_REGISTERS] = less(a->registers, b->registers),
        [HONE_TIE_SHARED] = less(a->shared_bytes, b->shared_bytes),
        [HONE_TIE_CHANGED] = less(a->n_changed, b->n_changed),
        [HONE_TIE_ORDER] = less(a->index, b->index)};

    for (int rule = HONE_TIE_REGISTERS; rule <= HONE_TIE_ORDER; ++rule) {
        if (by_rule[rule]) {
            *out_rule = (hone_tie_rule)rule;
            return by_rule[rule];
        }
    }
    *out_rule = HONE_TIE_NONE;
    return 0;
}

int hone__tie_choose(const hone_tie_features *features, const int *is_tied,
                     int n, hone_tie_rule *out_rule)
{
    hone_tie_rule rule;
    int best = -1;

    *out_rule = HONE_TIE_NONE;
    for (int i = 0; i < n; ++i) {
        if (is_tied[i] &&
            (best < 0 ||
             hone__tie_compare(&features[i], &features[best], &rule) < 0))
            best = i;
    }
    for (int i = 0; i < n; ++i) {
        if (!is_tied[i])
            continue;
        (void)hone__tie_compare(&features[best], &features[i], &rule);
        if (rule > *out_rule)
            *out_rule = rule;
    }
    return best;
}
