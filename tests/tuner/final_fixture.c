/* SPDX-License-Identifier: Apache-2.0 */
/* See final_fixture.h. */
#include "tests/tuner/final_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static double jitter(stage *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return 1 + s->noise * (2 * ((double)(z >> 11) * 0x1p-53) - 1);
}

static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
    (void)raise(SIGSEGV);
}

static void misbehave(const stage *s, int i, hone_final_stage at)
{
    if (s->runners[i].crashes_in == (int)at + 1)
        crash();
    while (s->runners[i].hangs_in == (int)at + 1)
        (void)sleep(1);
}

static hone_status enter(void *user, int i, hone_finalist *item,
                         hone_error *err)
{
    stage *s = user;
    const truth *t = &s->runners[i];

    ++s->n_entered;
    misbehave(s, i, HONE_FINAL_ENTER);
    item->features.registers = t->registers;
    item->is_left_out = t->no_room;
    if (t->ruins)
        return hone__fail(err, HONE_ERR_KERNEL, "wrote everywhere");
    if (t->wrong) {
        item->outcome = HONE_OUTCOME_WRONG;
        (void)snprintf(item->message, sizeof item->message, "at N=1: wrong");
    }
    return HONE_OK;
}

static hone_status open_runner(void *user, int i, hone_finalist *item,
                               hone_error *err)
{
    stage *s = user;

    (void)item;
    (void)err;
    if (!s->n_opened++)
        s->first_opened = i;
    return HONE_OK;
}

static hone_status load_control(void *user, int of, int *out, hone_error *err)
{
    stage *s = user;

    (void)err;
    s->control_of = of;
    ++s->n_controls;
    *out = 1;
    return HONE_OK;
}

static hone_status sample(void *user, int i, double *out_ns, hone_error *err)
{
    stage *s = user;

    (void)err;
    ++s->n_samples;
    if (s->control_crashes && i == s->n)
        crash();
    misbehave(s, i == s->n ? s->control_of : i, HONE_FINAL_RACE);
    *out_ns = s->runners[i == s->n ? s->control_of : i].ns * jitter(s);
    return HONE_OK;
}

static hone_status recheck(void *user, int i, hone_finalist *item,
                           hone_error *err)
{
    stage *s = user;

    (void)err;
    ++s->n_rechecked;
    misbehave(s, i, HONE_FINAL_RECHECK);
    if (s->runners[i].wrong_later) {
        item->outcome = HONE_OUTCOME_WRONG;
        (void)snprintf(item->message, sizeof item->message, "wrong now");
    }
    return HONE_OK;
}

static hone_status series(void *user, int i, hone_finalist *item,
                          hone_error *err)
{
    stage *s = user;
    double ns[HONE_SERIES_SAMPLES];

    (void)err;
    ++s->n_series;
    for (int k = 0; k < HONE_SERIES_SAMPLES; ++k)
        ns[k] = s->runners[i].alone * s->runners[i].ns * jitter(s);
    hone__final_set_time(item, ns, HONE_SERIES_SAMPLES);
    return HONE_OK;
}

static void at(void *user, int i, hone_final_stage where)
{
    const stage *s = user;

    if (s->to_parent >= 0)
        hone__final_say_at(s->to_parent, i, where);
}

const hone_final_ops final_ops = {enter,   open_runner, load_control, sample,
                                  recheck, series,      at,           NULL};

stage scene;
hone_final_request request;
hone_final_report report;

void final_set_up(int n, int n_baselines, const double *ns)
{
    memset(&scene, 0, sizeof scene);
    memset(&request, 0, sizeof request);
    scene.n = n + n_baselines;
    scene.noise = 0.001;
    scene.to_parent = -1;
    for (int i = 0; i < n + n_baselines; ++i) {
        scene.runners[i].ns = ns[i];
        scene.runners[i].alone = 0.9;
        scene.runners[i].registers = 64;
    }
    request.n_entries = n;
    request.n_baselines = n_baselines;
    for (int i = 0; i < n; ++i) {
        request.entries[i].job.id = 100 + i;
        request.entries[i].features = (hone_tie_features){-1, 0, 1, i};
    }
}
