/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that know what is in the database: opened with what goes first, told
 * what was tried. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <math.h>

int64_t hone__tune_part_of_space(const hone_tune_run *run)
{
    const int64_t n = run->result->space_valid;
    const int n_parts = run->request->n_parts;

    return n_parts > 1 ? n / n_parts + 1 : n;
}

/* How many trials there will be, with those of earlier runs. Without any
 * limit: all. */
static int64_t planned_trials(const hone_tune_run *run)
{
    const hone_tune_request *request = run->request;

    if (request->budget_trials > 0)
        return request->budget_trials;
    return request->budget_s > 0 || request->until_gain > 0
               ? 0
               : hone__tune_part_of_space(run);
}

/* With a guess, what is good at neighbours is looked at by it before it is
 * tried, but for the nearest: in a short run all of them took its budget. */
enum { SEEDS_BESIDE_GUESS = 2 };

/* The default first, so that every run knows what tuning gains. */
static hone_status open_search(hone_tune_run *run, hone_tune_impl *impl,
                               hone_error *err)
{
    const hone_tune_request *request = run->request;
    const hone_search_space view = hone__search_space_of(impl->space);
    const int64_t planned = planned_trials(run);
    /* A short list, or nothing that is asked for. */
    const int has_list = impl->tmpl->call || hone__tune_is_beside(run, impl);
    int64_t hints[HONE_MOST_SEEDS];
    int64_t *first;
    size_t n_first = 0, n_hints = 0;
    hone_search_options options;
    hone_status status;

    HONE_TRY(hone__tune_start_find(run, impl, err));
    HONE_TRY(hone__tune_seeds_find(run, impl, err));
    first = hone__alloc((1 + impl->n_again + impl->n_starts + impl->n_seeds) *
                        sizeof *first);
    if (!first)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    first[n_first++] = impl->default_index;
    for (size_t i = 0; i < impl->n_again; ++i)
        first[n_first++] = impl->again[i];
    for (size_t i = 0; i < impl->n_starts; ++i)
        first[n_first++] = impl->starts[i].index;
    for (size_t i = 0; i < impl->n_seeds; ++i) {
        if (impl->learned && i >= SEEDS_BESIDE_GUESS &&
            impl->seeds[i].from != HONE_SEED_HERE)
            hints[n_hints++] = impl->seeds[i].index;
        else
            first[n_first++] = impl->seeds[i].index;
    }
    if (impl->tmpl->call) /* a short list, what is thought best first */
        impl->share.first =
            planned && planned < 4 * view.count ? planned / 4 : view.count;
    options = (hone_search_options){
        .seed = request->seed,
        .first = first,
        .n_first = n_first,
        .budget_trials =
            request->only ? planned : hone__turn_planned(planned, run->n_impls),
        .hints = hints,
        .n_hints = n_hints,
        .answer_s = request->answer_s,
        .stop = request->farm.stop,
        .part = request->part,
        .n_parts = request->n_parts};
    hone__tune_priors(run, impl, &options);
    status = hone__search_open(has_list        ? "exhaustive"
                               : request->list ? "random" /* it is not asked */
                                               : request->strategy,
                               &view, &options, &impl->search, err);
    hone__free(first);
    HONE_TRY(status);
    /* Estimates of templates are in units of their own. */
    impl->share.guess =
        impl->learned ? hone__search_best_guess(impl->search) : NAN;
    impl->share.has_guess = !isnan(impl->share.guess);
    impl->share.is_unknown =
        run->result->n_guided && !impl->learned && !has_list;
    return HONE_OK;
}

/* Those that no earlier run tried, each once. What goes first is tried whosever
 * part of the space it is. */
static void mark_new(const hone_tune_impl *impl, hone_seed *seeds, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        seeds[i].was_new = seeds[i].index >= 0 &&
                           !hone__search_is_known(impl->search, seeds[i].index);
        for (size_t k = 0; k < i; ++k)
            seeds[i].was_new &= seeds[k].index != seeds[i].index;
    }
}

hone_status hone__tune_remember(hone_tune_run *run, hone_error *err)
{
    if (run->request->db)
        HONE_TRY(hone__tune_record_open(run, err));
    HONE_TRY(hone__tune_learned_open(run, err));
    for (size_t i = 0; i < run->n_impls; ++i) {
        hone_tune_impl *impl = &run->impls[i];

        if (run->request->db) {
            HONE_TRY(hone__tune_carry(run, impl, err));
            HONE_TRY(hone__tune_earlier_read(run, impl, err));
        }
        HONE_TRY(open_search(run, impl, err));
        HONE_TRY(hone__tune_earlier_tell(run, impl, err));
        mark_new(impl, impl->seeds, impl->n_seeds);
        mark_new(impl, impl->starts, impl->n_starts);
    }
    HONE_TRY(hone__tune_start_say(run, err));
    return run->request->list ? hone__tune_list_plan(run, err) : HONE_OK;
}
