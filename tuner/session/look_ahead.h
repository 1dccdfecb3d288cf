/* SPDX-License-Identifier: Apache-2.0 */
/* How many configurations a tuning run asks its search for before their
 * predecessors are answered: a pure rule. */
#ifndef HONE_TUNER_LOOK_AHEAD_H
#define HONE_TUNER_LOOK_AHEAD_H

/* How long things take in this run, as moving means; 0: not known yet. */
typedef struct hone_pace {
    double compile_s; /* from the farm's getting a job to its answer */
    double trial_s;   /* of the device */
} hone_pace;

/* One more value for one of the means. */
void hone__pace_add(double *mean_s, double value_s);

/* Jobs that may be with the compilers or compiled and waiting. With
 * `is_learning`, what the search proposes depends on the answers. */
int hone__look_ahead(const hone_pace *pace, int n_workers, int is_learning);

#endif
