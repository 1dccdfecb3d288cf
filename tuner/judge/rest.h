/* SPDX-License-Identifier: Apache-2.0 */
/* How long a card rests before a series. Under load its power limit lowers its
 * clock, for longer than the load lasts: after 30 ms a kernel that multiplies
 * took up to a tenth longer than after 300, by what had run before (decisions
 * 215, 233). So those that take longer under load than alone get the long rest,
 * which is too long for everybody; where it is not known who does, executions
 * of HONE_LONG_EXECUTION_NS. */
#ifndef HONE_TUNER_REST_H
#define HONE_TUNER_REST_H

#include "tuner/judge/final.h"

#define HONE_LONG_EXECUTION_NS 100e3

typedef enum hone_rest {
    HONE_REST_UNKNOWN,
    HONE_REST_SHORT,
    HONE_REST_LONG
} hone_rest;

/* Whether what takes `alone_ns` takes clearly longer under load: by more than
 * times differ by. 0: unknown. */
int hone__time_follows_load(double alone_ns, double loaded_ns);
/* Median of an item's rounds in the race, which is under load; 0: it had none.
 */
double hone__rounds_median(const hone_finalist *item);
/* The same for all series of a final, by those that have been in a race and
 * have a time from before. Unknown without a trial, which has a card that is
 * mostly idle: a time that is stored may be one under load. */
hone_rest hone__rest_choose(const hone_final_request *request,
                            const hone_final_report *report);

#endif
