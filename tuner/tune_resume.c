/* SPDX-License-Identifier: Apache-2.0 */
/* What earlier runs found out: their trials are not repeated. Of a variant
 * with several the last one counts, so all are read before the search hears
 * of any: a variant that a final refuted must not be remembered as fast. */
#include "tuner/tune_state.h"

#include "runtime/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct earlier_trial {
    hone_candidate candidate;
    hone_outcome outcome;
    size_t place; /* in the order of the trials */
} earlier_trial;

typedef struct earlier_trials {
    hone_tune_run *run;
    int64_t *config; /* scratch */
    earlier_trial *items;
    size_t n;
    size_t capacity;
} earlier_trials;

static hone_status make_room(earlier_trials *all, hone_error *err)
{
    const size_t capacity = all->capacity ? 2 * all->capacity : 256;
    earlier_trial *grown;

    if (all->n < all->capacity)
        return HONE_OK;
    grown = hone__realloc(all->items, capacity * sizeof *grown);
    if (!grown)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    all->items = grown;
    all->capacity = capacity;
    return HONE_OK;
}

static hone_status keep_trial(void *user, const hone_db_trial_row *row,
                              hone_error *err)
{
    earlier_trials *all = user;
    const hone_outcome outcome = hone__outcome_find(row->outcome);
    earlier_trial *trial;

    HONE_TRY(make_room(all, err));
    HONE_TRY(hone__config_parse(all->run->request->tmpl, row->config,
                                all->config, err));
    trial = &all->items[all->n];
    *trial = (earlier_trial){
        .candidate = {.index = hone__space_find(all->run->space, all->config),
                      .trial_id = row->trial_id,
                      .variant_id = row->variant_id,
                      .time_ns = row->time_ns,
                      .registers = -1},
        .outcome = outcome,
        .place = all->n};
    (void)snprintf(trial->candidate.cubin_sha256,
                   sizeof trial->candidate.cubin_sha256, "%s",
                   row->cubin_sha256);
    /* Else it is of another space: this device's facts were others then. */
    all->n += trial->candidate.index >= 0 && outcome != HONE_N_OUTCOMES;
    return HONE_OK;
}

static int by_place(const void *a, const void *b)
{
    const earlier_trial *x = a;
    const earlier_trial *y = b;

    return (x->place > y->place) - (x->place < y->place);
}

static int by_index(const void *a, const void *b)
{
    const earlier_trial *x = a;
    const earlier_trial *y = b;

    if (x->candidate.index != y->candidate.index)
        return x->candidate.index < y->candidate.index ? -1 : 1;
    return by_place(a, b);
}

/* One per configuration: its last trial, at the place of its first. */
static void keep_last(earlier_trials *all)
{
    size_t n = 0;

    if (!all->n)
        return;
    qsort(all->items, all->n, sizeof *all->items, by_index);
    for (size_t i = 0; i < all->n; ++i) {
        const int is_same = n && all->items[n - 1].candidate.index ==
                                     all->items[i].candidate.index;
        const size_t place =
            is_same ? all->items[n - 1].place : all->items[i].place;

        n += !is_same;
        all->items[n - 1] = all->items[i];
        all->items[n - 1].place = place;
    }
    all->n = n;
    qsort(all->items, all->n, sizeof *all->items, by_place);
}

static hone_status take(earlier_trials *all, const earlier_trial *trial,
                        hone_error *err)
{
    hone_tune_run *run = all->run;
    hone_text config = {0};
    hone_status status;

    ++run->progress.n_resumed;
    run->progress.n_compiled += trial->candidate.cubin_sha256[0] != '\0';
    hone__space_get(run->space, trial->candidate.index, all->config);
    hone__config_format(run->request->tmpl, all->config, &config);
    status = hone__tune_take_outcome(run, &trial->candidate, trial->outcome,
                                     hone__text_str(&config), 0, err);
    hone__text_free(&config);
    return status;
}

hone_status hone__tune_resume(hone_tune_run *run, hone_error *err)
{
    const hone_db_trial_key key = {.device_id = run->device_id,
                                   .problem_id = run->problem_id,
                                   .template_id = run->template_id,
                                   .toolchain_id = run->toolchain_id,
                                   .mode =
                                       hone__mode_name(run->request->mode)};
    earlier_trials all = {.run = run};
    hone_status status;

    all.config =
        hone__alloc((run->request->tmpl->n_params + 1) * sizeof *all.config);
    status =
        all.config
            ? hone__db_trials(run->request->db, &key, keep_trial, &all, err)
            : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK)
        keep_last(&all);
    for (size_t i = 0; status == HONE_OK && i < all.n; ++i)
        status = take(&all, &all.items[i], err);
    hone__free(all.config);
    hone__free(all.items);
    return status;
}
