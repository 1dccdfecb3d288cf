/* SPDX-License-Identifier: Apache-2.0 */
/* The tie rule: see tie.h. */
#include "tuner/judge/tie.h"

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
