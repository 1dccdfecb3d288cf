/* SPDX-License-Identifier: Apache-2.0 */
/* A run without a search: it has a list of configurations, mostly of other
 * problems, and measures here what is valid here and was not measured before;
 * or it verifies them on edge shapes, where only those that came into a final
 * were. Cubins of those that were tuned lie in the database; others are
 * compiled. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* A time is better than all that were known by so much more than the noise
 * before a final is worth its while. */
#define LEAST_BETTER 0.01

/* ---- the space ------------------------------------------------------------
 */

typedef struct listed {
    const hone_template *tmpl;
    int64_t *config;   /* scratch */
    hone_text configs; /* n_params numbers each */
} listed;

/* What is none of this text is left out, as it is later on. */
static hone_status add_config(listed *list, const char *text, hone_error *err)
{
    const hone_status status =
        hone__config_parse(list->tmpl, text, list->config, NULL);

    if (status == HONE_ERR_NO_MEMORY)
        return hone__out_of_memory(err, "");
    if (status == HONE_OK)
        hone__text_append(&list->configs, (const char *)list->config,
                          list->tmpl->n_params * sizeof *list->config);
    return hone__text_check(&list->configs, err);
}

static hone_status add_tried(void *user, const hone_db_row *row,
                             hone_error *err)
{
    return add_config(user, row->values[0].text, err);
}

/* Whatever was tried of the implementation at this problem, on any device, by
 * any of its texts: more than will be asked for does not matter. */
static hone_status list_tried(const hone_tune_run *run, listed *list,
                              hone_error *err)
{
    static const char sql[] =
        "SELECT DISTINCT v.config FROM problem p"
        " JOIN session s ON s.problem_id = p.problem_id"
        " JOIN trial t ON t.session_id = s.session_id"
        " JOIN variant v ON v.variant_id = t.variant_id"
        " JOIN template m ON m.template_id = v.template_id"
        " WHERE p.op = ?1 AND p.dims = ?2 AND m.name = ?3";
    hone_text dims = {0};
    hone_status status;

    hone__db_dims_text(run->request->dims, list->tmpl->n_dims, &dims);
    status = hone__text_check(&dims, err);
    if (status == HONE_OK) {
        const hone_db_value values[] = {
            hone__db_text(list->tmpl->op), hone__db_text(hone__text_str(&dims)),
            hone__db_text(hone__template_name(list->tmpl))};

        status = hone__db_query(run->request->db, sql, values,
                                sizeof values / sizeof *values, add_tried, list,
                                err);
    }
    hone__text_free(&dims);
    return status;
}

static hone_status list_configs(const hone_tune_run *run, listed *list,
                                hone_error *err)
{
    const hone_tune_request *request = run->request;
    const int is_ranked = !request->list_edges && !request->list_unranked;

    for (size_t i = 0; i < request->n_list; ++i)
        if (request->list[i].tmpl == list->tmpl)
            HONE_TRY(add_config(list, request->list[i].config, err));
    return is_ranked && request->db ? list_tried(run, list, err) : HONE_OK;
}

static hone_status create_space(const hone_tune_run *run, listed *list,
                                const int64_t *dims, hone_space **out,
                                hone_error *err)
{
    const size_t n_params = list->tmpl->n_params;
    hone_status status;

    HONE_TRY(list_configs(run, list, err));
    HONE_TRY(hone__space_create_listed(
        list->tmpl, dims, &run->device.properties,
        (const int64_t *)(const void *)list->configs.data,
        n_params ? list->configs.length / (n_params * sizeof *list->config) : 0,
        out, err));
    /* Is the default in it? */
    status = hone__config_parse(list->tmpl, "", list->config, err);
    if (status == HONE_OK && hone__space_find(*out, list->config) >= 0)
        return HONE_OK;
    hone__space_free(*out);
    *out = NULL;
    return status;
}

hone_status hone__tune_list_space(const hone_tune_run *run,
                                  const hone_template *tmpl,
                                  const int64_t *dims, hone_space **out,
                                  hone_error *err)
{
    listed list = {.tmpl = tmpl};
    hone_status status;

    *out = NULL;
    list.config = hone__alloc((tmpl->n_params + 1) * sizeof *list.config);
    status = list.config ? create_space(run, &list, dims, out, err)
                         : hone__out_of_memory(err, "");
    hone__text_free(&list.configs);
    hone__free(list.config);
    return status;
}

/* ---- what is done ---------------------------------------------------------
 */

static hone_tune_impl *impl_of(hone_tune_run *run, const hone_template *tmpl)
{
    for (size_t i = 0; i < run->n_impls; ++i) {
        if (run->impls[i].tmpl == tmpl)
            return &run->impls[i];
    }
    return NULL;
}

/* Negative: it is no configuration of this problem and device. */
static hone_status place_of(const hone_tune_impl *impl, const char *text,
                            int64_t *out, hone_error *err)
{
    int64_t *config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);
    hone_status status;

    *out = -1;
    if (!config)
        return hone__out_of_memory(err, "");
    status = hone__config_parse(impl->tmpl, text, config, NULL);
    if (status == HONE_OK)
        *out = hone__space_find(impl->space, config);
    hone__free(config);
    return status == HONE_ERR_NO_MEMORY ? hone__out_of_memory(err, "")
                                        : HONE_OK;
}

/* Is there something to do with it here? */
static int is_wanted(const hone_tune_run *run, const hone_tune_impl *impl,
                     int64_t index)
{
    return index >= 0 && (run->request->list_edges ||
                          hone__search_is_new(impl->search, index));
}

hone_status hone__tune_list_plan(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;

    run->known_best_ns = run->progress.best_ns;
    run->progress.n_planned = request->list_edges ? 0 : run->progress.n_done;
    for (size_t i = 0; i < request->n_list; ++i) {
        hone_tune_impl *impl = impl_of(run, request->list[i].tmpl);
        int64_t index = -1;

        if (impl)
            HONE_TRY(place_of(impl, request->list[i].config, &index, err));
        run->progress.n_planned += impl && is_wanted(run, impl, index);
    }
    return HONE_OK;
}

hone_status hone__tune_list_next(hone_tune_run *run, hone_tune_impl **out_impl,
                                 int64_t *out_index, hone_error *err)
{
    const hone_tune_request *request = run->request;

    while (run->list_next < request->n_list) {
        const hone_tune_entry *entry = &request->list[run->list_next++];

        *out_impl = impl_of(run, entry->tmpl);
        if (!*out_impl)
            continue;
        HONE_TRY(place_of(*out_impl, entry->config, out_index, err));
        if (is_wanted(run, *out_impl, *out_index))
            return HONE_OK;
    }
    *out_impl = NULL;
    run->exhausted = 1;
    return HONE_OK;
}

/* ---- cubins ---------------------------------------------------------------
 */

static hone_status take_stored(void *user, const hone_db_row *row,
                               hone_error *err)
{
    hone_tune_job *job = user;
    const hone_db_value *v = row->values;

    (void)err;
    job->variant_id = v[0].integer;
    (void)snprintf(job->cubin_sha256, sizeof job->cubin_sha256, "%s",
                   v[1].text);
    job->compiled.registers =
        v[2].kind == HONE_DB_NULL ? -1 : (int)v[2].integer;
    job->compiled.spill_bytes = (int)v[3].integer;
    job->compiled.static_shared_bytes = (int)v[4].integer;
    return HONE_OK;
}

/* As it was stored by this compiler from this text. */
static hone_status find_stored(hone_tune_run *run, hone_tune_job *job,
                               hone_error *err)
{
    static const char sql[] =
        "SELECT variant_id, cubin_sha256, registers, spill_bytes,"
        " static_shared_bytes FROM variant"
        " WHERE template_id = ?1 AND toolchain_id = ?2 AND config = ?3"
        " AND types = ?4 AND arch = ?5 AND options = ?6 AND compile_key = ?7"
        " AND outcome = 'ok' AND cubin_sha256 IS NOT NULL";
    hone_text types = {0};
    hone_status status;

    hone__tune_types(job->impl->tmpl, run->request->dims, &types);
    status = hone__text_check(&types, err);
    if (status == HONE_OK) {
        const hone_db_value values[] = {
            hone__db_integer(job->impl->template_id),
            hone__db_integer(run->toolchain_id),
            hone__db_text(hone__text_str(&job->config)),
            hone__db_text(hone__text_str(&types)),
            hone__db_text(job->impl->compile_arch),
            hone__db_text(hone__text_str(&job->options)),
            hone__db_text(job->key)};

        status = hone__db_query(run->request->db, sql, values,
                                sizeof values / sizeof *values, take_stored,
                                job, err);
    }
    hone__text_free(&types);
    return status;
}

hone_status hone__tune_list_stored(hone_tune_run *run, hone_tune_job *job,
                                   int *out_found, hone_error *err)
{
    hone_db_launch launch;
    hone_error why = {0};
    hone_status status;

    *out_found = 0;
    HONE_TRY(find_stored(run, job, err));
    if (!job->variant_id)
        return HONE_OK;
    status =
        hone__db_launch_get(run->request->db, job->variant_id, &launch, &why);
    if (status == HONE_OK) {
        job->compiled.ok = job->compiled.cached = 1;
        job->compiled.cubin = launch.cubin; /* moved */
        launch.cubin = (hone_text){0};
        hone__db_launch_free(&launch);
        *out_found = 1;
        return HONE_OK;
    }
    /* Then it is compiled, and stored in the place of what is damaged. */
    job->variant_id = 0;
    job->cubin_sha256[0] = '\0';
    job->compiled.registers = -1;
    if (hone__db_is_damage(&why))
        return HONE_OK;
    *err = why;
    return status;
}

/* ---- edge shapes ----------------------------------------------------------
 */

/* Wrong on an edge shape is wrong: a trial, which counts from now on. */
static hone_status put_refuted(hone_tune_run *run, hone_tune_job *job,
                               const hone_trial_report *report, hone_error *err)
{
    if (!hone__search_is_new(job->impl->search, job->index)) {
        --run->progress.outcomes[HONE_OUTCOME_OK];
        --run->progress.n_done;
    }
    return hone__tune_record_trial(run, job, report, err);
}

/* One that no shape takes is neither right nor wrong. */
static int says_nothing(hone_outcome outcome)
{
    return outcome == HONE_OUTCOME_CONSTRAINT || outcome == HONE_OUTCOME_LIMITS;
}

hone_status hone__tune_list_proved(hone_tune_run *run, hone_tune_job *job,
                                   const hone_trial_report *report,
                                   hone_error *err)
{
    if (report->outcome != HONE_OUTCOME_OK && !says_nothing(report->outcome))
        return put_refuted(run, job, report, err);
    if (!job->variant_id) /* of this problem alone: a function of a library */
        return HONE_OK;
    return hone__tune_decide(
        run, job->impl,
        &(hone_db_decision){.variant_id = job->variant_id,
                            .kind = "proved",
                            .text = report->outcome == HONE_OUTCOME_OK
                                        ? "right on edge shapes, too"
                                        : "no edge shape is one of its own"},
        err);
}

/* ---- the end --------------------------------------------------------------
 */

int hone__tune_list_is_better(const hone_tune_run *run)
{
    const double noise = hone__tune_noise_level(&run->noise);
    const double least = noise > LEAST_BETTER ? noise : LEAST_BETTER;

    return run->progress.best_ns > 0 &&
           (run->known_best_ns <= 0 ||
            run->progress.best_ns < run->known_best_ns * (1 - least));
}
