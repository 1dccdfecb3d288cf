/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes that the process called, and what is counted of each. Entries
 * stay where they are for ever. */
#ifndef HONE_BLAS_ENTRIES_H
#define HONE_BLAS_ENTRIES_H

#include "blas/call.h"

#include <stdatomic.h>

enum { HONE_ENTRIES_MOST = 4096 };

/* Times of some of its calls. Under the lock of sample.c. */
typedef struct hone_times {
    double first_ns; /* of the first one, which may have loaded code; 0: none */
    double sum_ns;   /* of later ones */
    uint64_t n;
} hone_times;

typedef struct hone_entry {
    hone_blas_shape shape;
    hone_met met; /* of the first call; others may have come by others */
    _Atomic uint64_t n_calls;
    _Atomic uint64_t n_answered;
    _Atomic unsigned addresses; /* bits that any array's address has */
    hone_times library, ours;
    uint64_t n_written;             /* under the lock of blas_report.c */
    struct hone_deal *_Atomic deal; /* of answer.c; NULL: not looked at yet */
} hone_entry;

/* The entry of a shape, made if it is new. NULL: there is no room or memory. */
hone_entry *hone__entry_of(const hone_blas_shape *shape, hone_met met);
/* Call `visit` for each entry. */
void hone__entries_each(void (*visit)(hone_entry *entry, void *user),
                        void *user);
/* Calls of shapes that there was no room for. */
uint64_t hone__entries_n_lost(void);
/* A child of fork() counts its own. */
void hone__entries_forget(void);

/* Time of a call on the device, as far as it is known: 0 if not at all. */
static inline double hone__times_mean(const hone_times *t)
{
    return t->n ? t->sum_ns / (double)t->n : t->first_ns;
}

#endif
