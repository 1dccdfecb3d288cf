/* SPDX-License-Identifier: Apache-2.0 */
/* See race_fixture.h. */
#include "tests/tuner/race_fixture.h"

#include <math.h>
#include <string.h>

static double uniform(machine *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(machine *m)
{
    const double radius = sqrt(-2 * log(1 - uniform(m)));

    return radius * cos(6.283185307179586 * uniform(m));
}

hone_status race_sample(void *user, int runner, double *out_ns, hone_error *err)
{
    machine *m = user;
    const double noise = m->wild && m->wild == runner ? 0.1 : m->noise;
    double ns = m->true_ns[runner] * exp(noise * normal(m));

    if (m->heavy && m->last == m->heavy)
        ns *= 1.02;
    m->last = runner;
    if (m->late && m->late == runner)
        ns *= m->n_of[runner] < 8 && m->n_of[runner] % 2 ? 1.3 : 1;
    if (m->n_samples < 64)
        m->order[m->n_samples] = runner;
    ++m->n_of[runner];
    ns *= 1 + m->drift * m->n_samples;
    ++m->n_samples;
    if (m->n_samples == m->fail_at)
        return hone__fail(err, HONE_ERR_CUDA, "the card is gone");
    *out_ns = uniform(m) < m->outliers ? 1.5 * ns : ns;
    return HONE_OK;
}

double race_clock_s;

static double now_s(void)
{
    return race_clock_s += 1;
}

void race_set_up(machine *m, hone_race *race, int n, const double *true_ns,
                 double noise, uint64_t seed)
{
    *m = (machine){.state = seed * 7919, .noise = noise};
    memset(race, 0, sizeof *race);
    for (int i = 0; i < n; ++i) {
        m->true_ns[i] = true_ns[i];
        race->runners[i].contends = 1;
    }
    m->true_ns[n] = true_ns[0];
    race->n = n + 1;
    race->control = n;
    race->sample = race_sample;
    race->user = m;
    race->now_s = now_s;
}

void race_run(hone_race *race)
{
    hone_error err = {.status = HONE_OK};

    assert_int_equal(hone__race_run(race, &err), HONE_OK);
    assert_in_range(race->n_rounds, 0, HONE_RACE_MOST);
}
