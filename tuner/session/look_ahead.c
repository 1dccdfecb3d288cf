/* SPDX-License-Identifier: Apache-2.0 */
/* See look_ahead.h. A search that learns proposes the worse the more of its
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
#include "tuner/session/look_ahead.h"

#include <math.h>

/* The last 8 values or so count: trials get shorter once most are dropped
 * after two samples. */
static const double share = 1.0 / 8;

enum {
    LEAST = 2,
    BLIND_ROUNDS = 4 /* of the farm, if nothing is lost by asking early */
};

void hone__pace_add(double *mean_s, double value_s)
{
    *mean_s = *mean_s > 0 ? *mean_s + share * (value_s - *mean_s) : value_s;
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
