/* SPDX-License-Identifier: Apache-2.0 */
/* See energy.h. The counter is read after each burst of some milliseconds:
 * what is not known is in which part of a burst it moved, which is half a
 * percent of a second at each end. */
#include "tuner/trial/energy.h"

#include "tuner/process/worker.h"

#include <string.h>

static const double settle_s = 0.3;
static const double measure_s = 1;
static const double most_s = 3; /* without a move: the counter stands still */
static const double burst_ns = 5e6;

typedef struct meter {
    hone_timer *timer;
    int n_samples; /* of a burst */
    int64_t n_runs;
    int64_t last_mj;
} meter;

/* Until the counter moves, and at least `least_s`. */
static hone_status run_until_step(meter *m, double least_s, int *out_moved,
                                  hone_error *err)
{
    const double start_s = hone__now_s();
    hone_device *device = m->timer->device;
    double still_since_s = start_s;
    int64_t mj = m->last_mj;

    *out_moved = 0;
    for (;;) {
        double now_s;

        HONE_TRY(hone__timer_burst(m->timer, m->n_samples, err));
        m->n_runs += (int64_t)m->n_samples * m->timer->n_launches;
        if (!hone__device_energy(device, &mj))
            return HONE_OK;
        now_s = hone__now_s();
        if (mj != m->last_mj) {
            m->last_mj = mj;
            still_since_s = now_s;
            *out_moved = now_s - start_s >= least_s;
        }
        if (*out_moved || now_s - still_since_s > most_s)
            return HONE_OK;
    }
}

hone_status hone__energy_measure(hone_timer *timer, hone_energy *out,
                                 hone_error *err)
{
    const double sample_ns = timer->estimate_ns * timer->n_launches;
    meter m = {.timer = timer,
               .n_samples = sample_ns > 0 && sample_ns < burst_ns
                                ? (int)(burst_ns / sample_ns)
                                : 1};
    int64_t first_mj, first_runs;
    double first_s;
    int moved = 0;

    memset(out, 0, sizeof *out);
    if (m.n_samples > 1000)
        m.n_samples = 1000; /* launches in the queue */
    if (!hone__device_energy(timer->device, &m.last_mj))
        return HONE_OK;
    HONE_TRY(run_until_step(&m, settle_s, &moved, err));
    if (!moved)
        return HONE_OK;
    first_mj = m.last_mj;
    first_runs = m.n_runs;
    first_s = hone__now_s();
    HONE_TRY(run_until_step(&m, measure_s, &moved, err));
    if (!moved)
        return HONE_OK;
    out->n_runs = m.n_runs - first_runs;
    out->seconds = hone__now_s() - first_s;
    out->energy_uj = 1e3 * (double)(m.last_mj - first_mj) / (double)out->n_runs;
    return HONE_OK;
}
