/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier runs found out: their trials are not repeated. Of a variant
 * with several the last one counts, so all are read before the search hears
 * of any: a variant that a final refuted must not be remembered as fast. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct earlier_walk {
    hone_tune_impl *impl;
    int64_t *config;  /* scratch */
    hone_text trials; /* as many hone_earlier_trial as there were */
} earlier_walk;

static hone_status keep_trial(void *user, const hone_db_trial_row *row,
                              hone_error *err)
{
    earlier_walk *walk = user;
    hone_tune_impl *impl = walk->impl;
    hone_earlier_trial trial = {.candidate = {.impl = impl,
                                              .trial_id = row->trial_id,
                                              .variant_id = row->variant_id,
                                              .time_ns = row->time_ns,
                                              .registers = -1},
                                .outcome = hone__outcome_find(row->outcome),
                                .given_s = 1e-9 * (double)row->device_time_ns,
                                .place = walk->trials.length,
                                .is_kept = row->is_kept,
                                .is_listed = row->is_listed};
    const hone_status status =
        hone__config_parse(impl->tmpl, row->config, walk->config, err);

    if (status != HONE_OK) { /* a damaged one is as if it had not been tried */
        if (status != HONE_ERR_NO_MEMORY)
            hone__error_clear(err);
        return status == HONE_ERR_NO_MEMORY ? status : HONE_OK;
    }
    trial.n_unstable = trial.outcome == HONE_OUTCOME_UNSTABLE;
    trial.candidate.index = hone__space_find(impl->space, walk->config);
    (void)snprintf(trial.candidate.cubin_sha256,
                   sizeof trial.candidate.cubin_sha256, "%s",
                   row->cubin_sha256);
    /* Else it is of another space: this device's properties were others then.
     */
    if (trial.candidate.index >= 0 && trial.outcome != HONE_N_OUTCOMES)
        hone__text_append(&walk->trials, (const char *)&trial, sizeof trial);
    return hone__text_check(&walk->trials, err);
}

static int by_place(const void *a, const void *b)
{
    const hone_earlier_trial *x = a;
    const hone_earlier_trial *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static int by_index(const void *a, const void *b)
{
    const hone_earlier_trial *x = a;
    const hone_earlier_trial *y = b;

    if (x->candidate.index != y->candidate.index)
        return x->candidate.index < y->candidate.index ? -1 : 1;
    return by_place(a, b);
}

/* One per configuration: its last trial, at the place of its first. */
static void keep_last(hone_tune_impl *impl)
{
    hone_earlier_trial *items = impl->earlier;
    size_t n = 0;

    if (!impl->n_earlier)
        return;
    qsort(items, impl->n_earlier, sizeof *items, by_index);
    for (size_t i = 0; i < impl->n_earlier; ++i) {
        const int is_same =
            n && items[n - 1].candidate.index == items[i].candidate.index;
        const size_t place = is_same ? items[n - 1].place : items[i].place;
        const int was_listed = is_same && items[n - 1].is_listed;

        n += !is_same;
        if (is_same)
            items[i].n_unstable += items[n - 1].n_unstable;
        items[n - 1] = items[i];
        items[n - 1].place = place;
        items[n - 1].is_listed &= !is_same || was_listed;
    }
    impl->n_earlier = n;
    qsort(items, n, sizeof *items, by_place);
}

/* ---- damage ------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const hone_earlier_trial *x = *(hone_earlier_trial *const *)a;
    const hone_earlier_trial *y = *(hone_earlier_trial *const *)b;

    if (x->candidate.time_ns != y->candidate.time_ns)
        return x->candidate.time_ns < y->candidate.time_ns ? -1 : 1;
    return by_index(x, y);
}

static hone_status check_stored(const hone_tune_run *run, hone_tune_impl *impl,
                                hone_earlier_trial *trial, hone_error *err)
{
    hone_db_launch launch;
    hone_error why = {0};
    const hone_status status = hone__db_launch_get(
        run->request->db, trial->candidate.variant_id, &launch, &why);

    if (status == HONE_OK) {
        hone__db_launch_free(&launch);
        return HONE_OK;
    }
    if (!hone__db_is_damage(&why)) {
        if (err)
            *err = why;
        return status;
    }
    impl->again[impl->n_again++] = trial->candidate.index;
    trial->outcome = HONE_N_OUTCOMES;
    return HONE_OK;
}

/* What may be launched of the stored variants, the default and as many of the
 * best as a ranking has, must be whole. What is not is compiled and tried
 * again before anything else, and stored in the place of what is damaged. */
static hone_status leave_out_damaged(hone_tune_run *run, hone_tune_impl *impl,
                                     hone_error *err)
{
    hone_earlier_trial **best =
        hone__alloc((impl->n_earlier + 1) * sizeof(hone_earlier_trial *));
    hone_status status = HONE_OK;
    size_t n = 0;

    if (!best)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < impl->n_earlier; ++i) {
        if (impl->earlier[i].outcome == HONE_OUTCOME_OK)
            best[n++] = &impl->earlier[i];
    }
    qsort(best, n, sizeof(hone_earlier_trial *), by_time);
    for (size_t i = 0; status == HONE_OK && i < n; ++i) {
        if (i < HONE_TUNE_RANKED ||
            best[i]->candidate.index == impl->default_index)
            status = check_stored(run, impl, best[i], err);
    }
    hone__free(best);
    if (impl->n_again)
        hone__tune_note(run, "stored variants are damaged in the database: "
                             "they are compiled and tried again");
    return status;
}

/* ---- what changed from run to run ---------------------------------------- */

/* A card that was disturbed, or memory that failed, looks like a variant that
 * is no good. Once more, and then it is what it is. */
static void try_unstable_again(hone_tune_impl *impl)
{
    size_t n = 0;

    for (size_t i = 0; i < impl->n_earlier && n < HONE_TUNE_UNSTABLE; ++i) {
        hone_earlier_trial *trial = &impl->earlier[i];

        if (trial->outcome != HONE_OUTCOME_UNSTABLE || trial->n_unstable > 1)
            continue;
        impl->again[impl->n_again++] = trial->candidate.index;
        trial->outcome = HONE_N_OUTCOMES;
        ++n;
    }
}

/* ---- what had too little time -------------------------------------------- */

/* It did not end within a limit that was less than the present one. A compiler
 * that did not end left no code, and has a limit of its own. Of what earlier
 * versions took out of a final it is not known how long that had waited. */
static int has_more_time(const hone_tune_run *run,
                         const hone_earlier_trial *trial)
{
    return trial->outcome == HONE_OUTCOME_TIMEOUT &&
           (trial->given_s > 0
                ? hone__tune_trial_timeout_s(run) > trial->given_s
                : trial->candidate.cubin_sha256[0] &&
                      run->request->trial_timeout_s > 0);
}

/* All of them, since the search may ask for any; some before it begins. */
static void try_longer(const hone_tune_run *run, hone_tune_impl *impl)
{
    size_t n = 0;

    for (size_t i = 0; i < impl->n_earlier; ++i) {
        hone_earlier_trial *trial = &impl->earlier[i];

        if (!has_more_time(run, trial))
            continue;
        if (n++ < HONE_TUNE_LONGER)
            impl->again[impl->n_again++] = trial->candidate.index;
        trial->outcome = HONE_N_OUTCOMES;
    }
}

/* What is tried again is as if it had not been tried. */
static void forget_again(hone_tune_impl *impl)
{
    size_t n = 0;

    for (size_t i = 0; i < impl->n_earlier; ++i) {
        if (impl->earlier[i].outcome != HONE_N_OUTCOMES)
            impl->earlier[n++] = impl->earlier[i];
    }
    impl->n_earlier = n;
}

/* ---- what an edit of the template left of it ---------------------------- */

static int is_earlier(const hone_tune_impl *impl, int64_t index)
{
    for (size_t i = 0; i < impl->n_earlier; ++i) {
        if (impl->earlier[i].candidate.index == index)
            return 1;
    }
    return 0;
}

static void count_carried(const hone_tune_impl *impl, hone_tune_result *result)
{
    int64_t n_stale = 0;

    for (size_t i = 0; i < impl->n_earlier; ++i)
        result->n_kept += impl->earlier[i].is_kept;
    for (size_t i = 0; i < impl->n_carried; ++i) {
        n_stale += !is_earlier(impl, impl->carried[i].index);
        result->is_edited |= impl->carried[i].is_kept;
    }
    result->n_stale += n_stale;
    result->is_edited |= n_stale > 0;
}

/* ---- what the session needs of it --------------------------------------- */

hone_status hone__tune_earlier_read(hone_tune_run *run, hone_tune_impl *impl,
                                    hone_error *err)
{
    const hone_db_trial_key key = hone__tune_trial_key(run, impl);
    earlier_walk walk = {.impl = impl};
    hone_status status;

    walk.config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *walk.config);
    status = walk.config ? hone__db_trials(run->request->db, &key, keep_trial,
                                           &walk, err)
                         : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__free(walk.config);
    impl->earlier = (hone_earlier_trial *)(void *)walk.trials.data; /* moved */
    impl->n_earlier = walk.trials.length / sizeof *impl->earlier;
    HONE_TRY(status);
    keep_last(impl);
    count_carried(impl, run->result);
    status = leave_out_damaged(run, impl, err);
    try_unstable_again(impl);
    try_longer(run, impl);
    forget_again(impl);
    return status;
}

hone_status hone__tune_earlier_tell(hone_tune_run *run, hone_tune_impl *impl,
                                    hone_error *err)
{
    hone_status status = HONE_OK;
    hone_text text = {0};
    int64_t *config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);

    if (!config)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == HONE_OK && i < impl->n_earlier; ++i) {
        const hone_candidate *candidate = &impl->earlier[i].candidate;

        ++run->progress.n_resumed;
        if (hone__tune_is_beside(run, impl) || impl->earlier[i].is_listed) {
            ++run->n_beside;
            run->progress.n_planned +=
                run->progress.n_planned < run->result->space_valid;
        }
        run->progress.n_compiled += candidate->cubin_sha256[0] != '\0';
        hone__space_get(impl->space, candidate->index, config);
        hone__text_clear(&text);
        hone__space_format(impl->space, config, &text);
        status = hone__text_check(&text, err);
        if (status == HONE_OK)
            status = hone__tune_take_outcome(run, impl, candidate,
                                             impl->earlier[i].outcome,
                                             hone__text_str(&text), err);
    }
    hone__text_free(&text);
    hone__free(config);
    return status;
}

/* ---- seeds -------------------------------------------------------------- */

/* What the database knows to be good elsewhere goes first in a tuning run,
 * after the default configuration. */

typedef struct seed_walk {
    const hone_tune_run *run;
    hone_tune_impl *impl;
    int is_type[HONE_MAX_DIMS];
    int64_t *config; /* scratch */
    hone_text seeds; /* as many hone_seed as there were */
} seed_walk;

/* Devices of one architecture are near each other, then those with as many
 * multiprocessors. The driver makes no difference. */
static double device_distance(const hone_tune_run *run,
                              const hone_db_ranked_row *row)
{
    const double sm_count =
        (double)run->device.properties.value[HONE_PROPERTY_sm_count];
    const int other_arch = strcmp(row->arch, run->device.arch) != 0;

    if (!other_arch && strcmp(row->device_name, run->device.name) == 0)
        return 0;
    return 0.01 + other_arch +
           (row->sm_count > 0 && sm_count > 0
                ? fabs(log((double)row->sm_count / sm_count))
                : 0);
}

static void place(const hone_tune_run *run, const hone_db_ranked_row *row,
                  double shape, hone_seed *out)
{
    const double device = device_distance(run, row);
    const int is_far = device > 0;
    const int is_other_mode =
        strcmp(row->mode, hone__mode_name(run->request->mode)) != 0;

    out->from = shape > 0 ? is_far ? HONE_SEED_FAR : HONE_SEED_SHAPE
                : is_far  ? HONE_SEED_DEVICE
                          : HONE_SEED_HERE;
    out->distance = shape + device + 0.01 * is_other_mode;
    out->rank = row->rank;
    (void)snprintf(out->origin, sizeof out->origin,
                   "place %lld of %.60s on %.60s%s", (long long)row->rank,
                   shape > 0 ? row->label : "this problem",
                   is_far ? row->device_name : "this device",
                   is_other_mode ? ", in the other mode" : "");
}

/* A configuration of another shape, device or version of the template may not
 * be valid here, or not even have the same parameters: then it is left out.
 * Those that it lacks take their defaults. */
static hone_status take_ranked(void *user, const hone_db_ranked_row *row,
                               hone_error *err)
{
    seed_walk *walk = user;
    const hone_tune_run *run = walk->run;
    const hone_tune_impl *impl = walk->impl;
    const hone_template *tmpl = impl->tmpl;
    int64_t dims[HONE_MAX_DIMS], mine[HONE_MAX_DIMS];
    int both[HONE_MAX_DIMS]; /* follow the others, and say nothing of their own
                              */
    double shape;
    hone_seed seed;
    hone_status status;

    if (!hone__db_dims_read(row->dims, tmpl->n_dims, dims))
        return HONE_OK;
    memcpy(mine, run->request->dims, tmpl->n_dims * sizeof *mine);
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        both[i] = hone__template_dim_follows(tmpl, i, mine) &&
                  hone__template_dim_follows(tmpl, i, dims);
    for (size_t i = 0; i < tmpl->n_dims; ++i)
        mine[i] = both[i] ? dims[i] : mine[i];
    shape = hone__seed_shape_distance(mine, dims, walk->is_type, tmpl->n_dims);
    if (shape < 0)
        return HONE_OK;
    status = hone__config_parse(tmpl, row->config, walk->config, NULL);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "out of memory");
    if (status != HONE_OK)
        return HONE_OK;
    seed.index = hone__space_find(impl->space, walk->config);
    if (seed.index < 0 || seed.index == impl->default_index)
        return HONE_OK;
    place(run, row, shape, &seed);
    hone__text_append(&walk->seeds, (const char *)&seed, sizeof seed);
    return hone__text_check(&walk->seeds, err);
}

hone_status hone__tune_seeds_find(const hone_tune_run *run,
                                  hone_tune_impl *impl, hone_error *err)
{
    const hone_tune_request *request = run->request;
    seed_walk walk = {.run = run, .impl = impl};
    hone_status status;

    if (!request->db || request->without_seeds || request->list ||
        run->only_index >= 0)
        return HONE_OK;
    for (size_t i = 0; i < impl->tmpl->n_dims; ++i)
        walk.is_type[i] = impl->tmpl->dims[i].n_types > 0;
    walk.config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *walk.config);
    status = walk.config ? hone__db_ranked_configs(
                               request->db, impl->tmpl->op,
                               impl->tmpl->contract_path ? impl->name : NULL,
                               hone__tune_kind(run)->name, HONE_SEED_RANKS,
                               take_ranked, &walk, err)
                         : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK && walk.seeds.length) {
        impl->n_seeds =
            hone__seeds_choose((hone_seed *)(void *)walk.seeds.data,
                               walk.seeds.length / sizeof(hone_seed));
        memcpy(impl->seeds, walk.seeds.data,
               impl->n_seeds * sizeof *impl->seeds);
    }
    hone__free(walk.config);
    hone__text_free(&walk.seeds);
    return status;
}

const char *hone__tune_seed_origin(const hone_tune_job *job)
{
    for (size_t i = 0; i < job->impl->n_starts; ++i) {
        if (job->impl->starts[i].index == job->index)
            return job->impl->starts[i].origin;
    }
    for (size_t i = 0; i < job->impl->n_seeds; ++i) {
        if (job->impl->seeds[i].index == job->index)
            return job->impl->seeds[i].origin;
    }
    return NULL;
}
