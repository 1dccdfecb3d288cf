/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces with one feature each: see trap_spaces.h. */
#include "tests/tuner/trap_spaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hone_trap_shape {
    const char *name;
    int n_values[TRAP_PARAMS];
    double (*time)(const int *v); /* 0: it fails */
    int (*is_valid)(const int *v);
    double noise; /* up to so much slower, by configuration */
};

static int all_valid(const int *v)
{
    (void)v;
    return 1;
}

/* 31 values that hardly matter. The two that do have a second best place
 * which looks better from most sides; out of it both must change. */
static double many_valued(const int *v)
{
    const double good = 1 + 0.06 * (10 - v[2]) + (v[3] ? 0.35 : 0);
    const double trap =
        1.15 + 0.05 * abs(v[2] - 6) + 0.15 * abs(v[3] - 2) * (v[2] > 2);

    return fmin(good, trap) + 0.05 * v[0];
}

/* Down a diagonal: one parameter alone always leads uphill. */
static double valley(const int *v)
{
    return 1 + 0.05 * abs(11 - v[0]) + 0.3 * abs(v[0] - v[1]) + 0.04 * v[2] +
           0.03 * abs(v[3] - 2) + 0.02 * v[4];
}

/* Most of it is level; a cone, one part in sixty of the space, is not. */
static double plateau(const int *v)
{
    const int off = abs(v[0] - 5) + abs(v[1] - 2) + abs(v[2] - 6);

    return off < 5 ? 1 + 0.1 * off + 0.01 * v[3] : 1.5 + 0.002 * v[4];
}

/* Two thirds fail to run, among them most neighbours of good ones. */
static double failing(const int *v)
{
    if ((v[0] + 2 * v[1] + 3 * v[2] + v[3]) % 3)
        return 0;
    return 1 + 0.05 * abs(v[0] - 6) + 0.07 * abs(v[1] - 5) +
           0.09 * abs(v[2] - 1) + 0.05 * v[3] + 0.02 * v[4];
}

/* Every slope leads to a corner that is 25 % off; the optimum is opposite. */
static double deceptive(const int *v)
{
    const int off = (7 - v[0]) + (7 - v[1]) + (3 - v[2]) + (3 - v[3]) + v[4];

    return off < 6 ? 1 + 0.06 * off
                   : 1.25 + 0.03 * (v[0] + v[1] + v[2] + v[3]) + 0.02 * v[4];
}

/* As `valley`, but the two may only move together. */
static int is_tied(const int *v)
{
    return abs(v[0] - v[1]) <= 1 && (v[0] * v[2] + v[3]) % 2 == 0;
}

static const hone_trap_shape shapes[] = {
    {"many-valued", {4, 31, 11, 3, 1, 1}, many_valued, all_valid, 0.01},
    {"valley", {12, 12, 4, 5, 3, 1}, valley, all_valid, 0.005},
    {"plateau", {8, 8, 8, 4, 4, 1}, plateau, all_valid, 0.002},
    {"failing", {8, 8, 8, 4, 3, 1}, failing, all_valid, 0.005},
    {"deceptive", {8, 8, 4, 4, 4, 1}, deceptive, all_valid, 0.005},
    {"tied", {16, 16, 5, 4, 3, 1}, valley, is_tied, 0.005},
};

static void values_of(const hone_trap_shape *shape, int64_t raw, int *v)
{
    for (size_t i = 0; i < TRAP_PARAMS; ++i) {
        v[i] = (int)(raw % shape->n_values[i]);
        raw /= shape->n_values[i];
    }
}

static void get(const void *user, int64_t index, int *out_values)
{
    const hone_trap *trap = user;

    values_of(trap->shape, trap->raw[index], out_values);
}

static int64_t find(const void *user, int *values)
{
    const hone_trap *trap = user;
    int64_t raw = 0;

    for (size_t i = TRAP_PARAMS; i-- > 0;)
        raw = raw * trap->shape->n_values[i] + values[i];
    return trap->index[raw];
}

const char *hone__trap_name(const hone_trap *trap)
{
    return trap->shape->name;
}

double hone__trap_time(const hone_trap *trap, int64_t index)
{
    const uint64_t bits =
        (uint64_t)(trap->raw[index] + 1) * 0x9e3779b97f4a7c15u >> 40;
    int v[TRAP_PARAMS];

    values_of(trap->shape, trap->raw[index], v);
    return trap->shape->time(v) *
           (1 + trap->shape->noise * (double)(bits % 1000) / 1000);
}

int hone__trap_open(size_t i, hone_trap *out)
{
    int64_t n = 1;

    if (i >= sizeof shapes / sizeof shapes[0])
        return 0;
    *out = (hone_trap){.shape = &shapes[i], .best = INFINITY};
    for (size_t k = 0; k < TRAP_PARAMS; ++k)
        n *= shapes[i].n_values[k];
    for (int64_t raw = 0; raw < n && raw < TRAP_MOST; ++raw) {
        int v[TRAP_PARAMS];
        double time;

        values_of(&shapes[i], raw, v);
        out->index[raw] = -1;
        if (!shapes[i].is_valid(v))
            continue;
        out->raw[out->view.count] = raw;
        out->index[raw] = out->view.count;
        time = hone__trap_time(out, out->view.count++);
        if (time > 0 && time < out->best)
            out->best = time;
    }
    out->view.n_params = TRAP_PARAMS;
    out->view.n_values = shapes[i].n_values;
    out->view.get = get;
    out->view.find = find;
    out->view.user = out;
    return 1;
}

hone_status hone__trap_search(const hone_trap *trap, const char *strategy,
                              uint64_t seed, int64_t budget, hone_trap_run *out,
                              hone_error *err)
{
    const hone_search_options options = {.seed = seed};
    double anchor = INFINITY;
    int64_t since = 0;
    hone_search *search;
    hone_status status =
        hone__search_open(strategy, &trap->view, &options, &search, err);

    *out = (hone_trap_run){.best = INFINITY};
    for (int64_t i = 1; status == HONE_OK && i <= budget; ++i) {
        int64_t index = -1;
        double time;

        status = hone__search_next(search, &index, err);
        if (status != HONE_OK || index < 0)
            break;
        time = hone__trap_time(trap, index);
        status = hone__search_tell(search, index, time, err);
        if (time > 0 && time < out->best)
            out->best = time;
        if (out->best <= 1.02 * trap->best) {
            out->found = i;
            break;
        }
        ++since;
        if (out->best < 0.99 * anchor) {
            anchor = out->best;
            since = 0;
        }
        if (since > out->longest)
            out->longest = since;
    }
    hone__search_close(search);
    return status;
}

int hone__trap_caught(const hone_trap_run *run)
{
    return run->longest > 100;
}
