/* SPDX-License-Identifier: Apache-2.0 */
/* The tie rule: which of several variants that no clock can tell apart wins.
 * It reads nothing that changes from run to run, so that independent tunings
 * of one problem agree. Of those that are tied (hone__race_is_tied()):
 *
 *   1. the fewest registers per thread, the most of its kernels counted,
 *   2. then the least shared memory per block, static and dynamic,
 *   3. then the configuration in which the fewest parameters differ from the
 *      template's default,
 *   4. then the first in the order of the space.
 *
 * 1 and 2 leave the most room for whatever runs beside it. What is not known
 * (-1) counts as more than anything known. */
#ifndef HONE_TUNER_TIE_H
#define HONE_TUNER_TIE_H

#include <stdint.h>

typedef struct hone_tie_features {
    int64_t registers;    /* -1: unknown, like on the cpu device */
    int64_t shared_bytes; /* -1: unknown */
    int64_t n_changed;    /* parameters that are not the default's */
    int64_t index;        /* in the space */
} hone_tie_features;

/* The rules by number, 0: none. */
typedef enum hone_tie_rule {
    HONE_TIE_NONE,
    HONE_TIE_REGISTERS,
    HONE_TIE_SHARED,
    HONE_TIE_CHANGED,
    HONE_TIE_ORDER
} hone_tie_rule;

/* "fewest registers", .. */
const char *hone__tie_rule_name(hone_tie_rule rule);

/* Negative: `a` comes before `b`. `out_rule` is the rule that says so, NONE
 * if nothing does. */
int hone__tie_compare(const hone_tie_features *a, const hone_tie_features *b,
                      hone_tie_rule *out_rule);

/* The winner among `n` of them for which `is_tied` is not 0; -1: none.
 * `out_rule` is the rule that it needed against the one that came nearest:
 * NONE if it was alone. */
int hone__tie_choose(const hone_tie_features *features, const int *is_tied,
                     int n, hone_tie_rule *out_rule);

#endif
