/* SPDX-License-Identifier: Apache-2.0 */
/* How long some calls are on the device: a pair of events around each. */
#ifndef HONE_BLAS_SAMPLE_H
#define HONE_BLAS_SAMPLE_H

#include "blas/entries.h"

typedef struct hone_sample hone_sample;

/* Is the call with this number (1: the first) one of those? */
static inline int hone__sample_is_due(uint64_t number)
{
    return (number & (number - 1)) == 0 || number % 1024 == 0;
}

/* Begin one on a stream; NULL: not this time. What was measured before is
 * added up on the way. The second call ends it. */
hone_sample *hone__sample_begin(hone_entry *entry, uint64_t number,
                                hone_stream stream);
void hone__sample_end(hone_sample *sample, hone_stream stream, int is_ours);
/* In place of its end: nothing was done. */
void hone__sample_drop(hone_sample *sample);
/* Add up what has ended meanwhile. */
void hone__sample_collect(void);
/* In a child of fork(). */
void hone__sample_forget(void);

/* For who reads an entry's times. */
void hone__sample_lock(void);
void hone__sample_unlock(void);

#endif
