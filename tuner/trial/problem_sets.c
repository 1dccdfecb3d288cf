/* SPDX-License-Identifier: Apache-2.0 */
/* Cold mode: how many copies of the arguments executions go round over, and
 * the copies. */
#include "tuner/trial/problem.h"

#include <stdio.h>

static int64_t cover(int64_t caches, int64_t cache_bytes, int64_t bytes)
{
    return (caches * cache_bytes + bytes - 1) / bytes;
}

/* Cold mode: as many copies as cover so many level 2 caches, within half of
 * the memory that is free (beyond what is needed, an eighth): the rest is for
 * workspaces. */
static void choose_n_sets(hone_problem *problem)
{
    const int64_t bytes = hone__problem_bytes(problem);
    const int64_t l2 = problem->device->properties.value[HONE_PROPERTY_l2];
    const int64_t needed = cover(HONE_ROTATION_TRIAL, l2, bytes);
    int64_t n = cover(problem->setup.rotation, l2, bytes);
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    problem->n_sets = problem->n_sets_wanted = 1;
    if (!problem->setup.rotation || problem->setup.mode == HONE_MODE_HOT ||
        !problem->device->kind->has_caches || n <= 1 ||
        hone__problem_has_host(problem)) /* no run finds it in a cache */
        return;
    problem->n_sets_wanted = (size_t)(needed > 1 ? needed : 1);
    if (problem->device->driver->memory_info(&free_bytes, &total_bytes) == 0) {
        const int64_t room = 1 + (int64_t)(free_bytes / 2) / bytes;
        const int64_t spare = 1 + (int64_t)(free_bytes / 8) / bytes;

        if (n > needed && n > spare)
            n = needed > spare ? needed : spare;
        n = n > room ? room : n;
    }
    problem->n_sets = n > HONE_MAX_SETS ? HONE_MAX_SETS : (size_t)n;
}

int hone__problem_in_cache(const hone_problem *problem)
{
    return problem->setup.mode == HONE_MODE_HOT ||
           problem->n_sets < problem->n_sets_wanted;
}

void hone__problem_note(const hone_problem *problem, char *out, size_t size)
{
    const double mib = (double)hone__problem_bytes(problem) / (1 << 20);

    out[0] = '\0';
    if (problem->n_sets >= problem->n_sets_wanted)
        return;
    if (problem->n_sets == HONE_MAX_SETS)
        (void)snprintf(out, size,
                       "the arguments are small: %zu copies of %.3g MiB stay "
                       "in the level 2 cache, so that cold times are almost "
                       "hot ones",
                       problem->n_sets, mib);
    else
        (void)snprintf(out, size,
                       "device memory is short: cold mode rotates over %zu "
                       "copies of the arguments (%.3g MiB each) instead of "
                       "%zu, so that part of them may stay in the level 2 "
                       "cache and times are too good; end other processes on "
                       "the device and tune again",
                       problem->n_sets, mib, problem->n_sets_wanted);
}

/* What variants keep in constant memory is at one place, as in a program that
 * uses it many times: copies of it would have to be copied there for every
 * execution. In cold mode it is as cold as the rest when it is read: the
 * other arrays' copies have gone through the cache. */
static int fills_constant(const hone_template *tmpl, size_t arg)
{
    for (size_t i = 0; i < tmpl->n_constants; ++i) {
        if ((size_t)tmpl->constants[i].arg == arg)
            return 1;
    }
    return 0;
}

/* One copy of all arrays; set 0 are the reals and the work arrays. */
static hone_status make_set(hone_problem *problem, size_t set, hone_error *err)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_block *reals = &problem->pristine[HONE_PASS_REALS][i];
        const hone_block *block =
            hone__arg_is_written(arg) ? &problem->work[i] : reals;

        problem->args[set][i] = &problem->scalar[HONE_PASS_REALS][i];
        if (arg->mode == HONE_ARG_SCALAR)
            continue;
        if (set > 0 && !arg->is_absent && !fills_constant(problem->tmpl, i)) {
            block = &problem->extra[set][i];
            HONE_TRY(hone__block_alloc_in(
                problem->device, hone__problem_kind(problem, i),
                (size_t)arg->size_bytes, &problem->extra[set][i], err));
            if (reals->base)
                HONE_TRY(hone__block_copy(problem->device, reals, block, err));
        }
        HONE_TRY(hone__block_lend(problem->device, block, err));
        problem->pointer[set][i] = hone__block_address(block);
        problem->args[set][i] = &problem->pointer[set][i];
    }
    return HONE_OK;
}

static void drop_set(hone_problem *problem, size_t set)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i)
        hone__block_free(problem->device, &problem->extra[set][i]);
}

/* Memory that was free a moment ago may be another process's by now: then
 * there are fewer copies, and one less still, as room for workspaces. */
hone_status hone__problem_sets(hone_problem *problem, hone_error *err)
{
    choose_n_sets(problem);
    for (size_t set = 0; set < problem->n_sets; ++set) {
        const hone_status status = make_set(problem, set, err);

        if (status == HONE_OK)
            continue;
        if (status != HONE_ERR_NO_MEMORY || set == 0)
            return status;
        hone__error_clear(err);
        drop_set(problem, set);
        if (set > 1)
            drop_set(problem, --set);
        problem->n_sets = set;
    }
    return HONE_OK;
}
