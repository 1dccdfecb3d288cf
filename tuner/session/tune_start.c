/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that the caller wants tried first (--start), found in the
 * space of each implementation. One that is in none is named, with the reason
 * that comes closest: a constraint that rejects it before a parameter that is
 * not there. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <stdio.h>

static int is_wanted(const hone_tune_run *run, const hone_tune_impl *impl)
{
    return run->request->start && run->only_index < 0 &&
           !hone__tune_is_beside(run, impl);
}

/* Parameters that do not exist at the configuration may have any value. */
static hone_status settle(const hone_tune_impl *impl, const int64_t *config,
                          int64_t *out, hone_error *err)
{
    int values[64]; /* a template has at most 64 parameters */

    for (size_t i = 0; i < impl->tmpl->n_params; ++i) {
        const hone_param *param = &impl->tmpl->params[i];

        values[i] = 0;
        while ((size_t)values[i] + 1 < param->n_values &&
               param->values[values[i]] != config[i])
            ++values[i];
    }
    HONE_TRY(hone__space_settle_indexes(impl->space, values, NULL, err));
    *out = hone__space_find_indexes(impl->space, values);
    return HONE_OK;
}

/* *out -1: it is not valid there, `why` says why. */
static hone_status find(const hone_tune_impl *impl, const char *text,
                        int64_t *config, int64_t *out, hone_error *why)
{
    hone_status status = hone__config_parse(impl->tmpl, text, config, why);

    *out = -1;
    if (status == HONE_OK)
        status = settle(impl, config, out, why);
    if (status == HONE_OK && *out < 0)
        status = hone__space_check(impl->space, config, why);
    return status == HONE_ERR_NO_MEMORY ? status : HONE_OK;
}

static hone_status find_all(const hone_tune_run *run, hone_tune_impl *impl,
                            int64_t *config, hone_error *err)
{
    const hone_start *start = run->request->start;

    for (size_t i = 0; i < start->n; ++i) {
        hone_seed *seed = &impl->starts[impl->n_starts];
        hone_error why = {0};

        if (find(impl, start->items[i].text, config, &seed->index, &why) !=
            HONE_OK)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        if (seed->index < 0)
            continue;
        (void)snprintf(seed->origin, sizeof seed->origin, "line %d of %.130s",
                       start->items[i].line, start->path);
        ++impl->n_starts;
    }
    return HONE_OK;
}

hone_status hone__tune_start_find(const hone_tune_run *run,
                                  hone_tune_impl *impl, hone_error *err)
{
    int64_t *config;
    hone_status status;

    if (!is_wanted(run, impl))
        return HONE_OK;
    config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);
    impl->starts =
        hone__alloc((run->request->start->n + 1) * sizeof *impl->starts);
    status = config && impl->starts
                 ? find_all(run, impl, config, err)
                 : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__free(config);
    return status;
}

/* Why no implementation has it; HONE_OK: one has. */
static hone_status refused(const hone_tune_run *run, const char *text,
                           hone_error *out)
{
    hone_status last = HONE_OK;

    for (size_t i = 0; i < run->n_impls; ++i) {
        const hone_tune_impl *impl = &run->impls[i];
        hone_error why = {0};
        int64_t index = -1;
        int64_t *config;
        hone_status status;

        if (!is_wanted(run, impl))
            continue;
        config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);
        status = config ? find(impl, text, config, &index, &why)
                        : HONE_ERR_NO_MEMORY;
        hone__free(config);
        if (status != HONE_OK || index >= 0)
            return status;
        if (last == HONE_OK || why.status == HONE_ERR_CONSTRAINT)
            *out = why;
        last = HONE_ERR_CONSTRAINT;
    }
    return last;
}

hone_status hone__tune_start_say(const hone_tune_run *run, hone_error *err)
{
    const hone_start *start = run->request->start;

    for (size_t i = 0; start && start->on_left_out && i < start->n; ++i) {
        hone_error why = {0};
        const hone_status status = refused(run, start->items[i].text, &why);

        if (status == HONE_ERR_NO_MEMORY)
            return hone__fail(err, status, "out of memory");
        if (status != HONE_OK)
            start->on_left_out(start->user, &start->items[i], why.text);
    }
    return HONE_OK;
}
