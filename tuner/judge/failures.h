/* SPDX-License-Identifier: Apache-2.0 */
/* Why nothing was good: what became of many variants, in one sentence. */
#ifndef HONE_TUNER_FAILURES_H
#define HONE_TUNER_FAILURES_H

#include "tuner/judge/outcome.h"

#include <stddef.h>
#include <stdint.h>

/* Different sentences that are counted; later ones are not. One that is the
 * most frequent of thousands is among the first few. */
enum { HONE_MOST_COMPLAINTS = 32 };

typedef struct hone_complaint {
    hone_outcome outcome;
    int64_t n;
    char text[320]; /* one line */
} hone_complaint;

typedef struct hone_failures {
    int64_t outcomes[HONE_N_OUTCOMES]; /* ok ones included */
    size_t n_complaints;
    hone_complaint complaints[HONE_MOST_COMPLAINTS];
} hone_failures;

/* `n` variants came to the same end. `message` may have several lines, as a
 * compiler's log: the first that says error counts, else the first of all. */
void hone__failures_add(hone_failures *failures, hone_outcome outcome,
                        const char *message, int64_t n);

/* Where that line begins, and how long it is with what the compiler quotes
 * below it. */
const char *hone__complaint_find(const char *message, size_t *out_length);

/* "336 of 336: limits; most often (200 times): ..", "" if nothing failed. */
void hone__failures_text(const hone_failures *failures, char *out, size_t size);

#endif
