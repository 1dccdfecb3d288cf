/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives beside the time (objective.h): what the search is told, who is in
 * the final for them, and what is stored of them. The ranking stays one by
 * time, which is what programs launch; an objective has its winner as a
 * decision, and its values as counters of the trials. */
#include "tuner/session/tune_state.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What counters of ours are of: an execution as a whole, which is no name of a
 * kernel. */
static const char whole_run[] = "(run)";

hone_status hone__tune_check_objectives(const hone_device_kind *kind,
                                        const hone_objectives *objectives,
                                        hone_error *err)
{
    if (kind->read_energy ||
        !hone__objectives_use(objectives, HONE_FACT_energy_uj))
        return HONE_OK;
    return hone__fail(
        err, HONE_ERR_NO_GPU,
        "the energy of a run is read from NVML's counter, which the device "
        "%s does not have; tune for it on a GPU, or for another objective",
        kind->name);
}

/* ---- facts --------------------------------------------------------------- */

static double known(const hone_db_value *value)
{
    return value->kind == HONE_DB_INTEGER && value->integer >= 0
               ? (double)value->integer
               : NAN;
}

static hone_status on_variant(void *user, const hone_db_row *row,
                              hone_error *err)
{
    hone_facts *facts = user;

    (void)err;
    facts->value[HONE_FACT_registers] = known(&row->values[0]);
    facts->value[HONE_FACT_spill_bytes] = known(&row->values[1]);
    facts->value[HONE_FACT_shared_bytes] = known(&row->values[2]);
    return HONE_OK;
}

static void add_plan(const hone_resolved *plan, hone_facts *facts)
{
    double *v = facts->value;
    double shared = 0, threads = 0, launches = 0, workspace = 0;

    for (size_t i = 0; i < plan->n_launches; ++i) {
        const hone_launch_shape *shape = &plan->launches[i].shape;
        const double n =
            (double)shape->block[0] * shape->block[1] * (double)shape->block[2];

        shared = fmax(shared, shape->shared_bytes);
        threads = fmax(threads, n);
        launches += plan->launches[i].repeat
                        ? (double)plan->launches[i].n_repetitions
                        : 1;
    }
    for (size_t i = 0; i < plan->n_workspaces; ++i)
        workspace += (double)plan->workspaces[i].size_bytes;
    v[HONE_FACT_shared_bytes] += shared; /* to the static ones */
    v[HONE_FACT_threads] = plan->vendor ? NAN : threads;
    v[HONE_FACT_launches] = plan->vendor ? NAN : launches;
    v[HONE_FACT_workspace_bytes] =
        workspace + (plan->vendor ? (double)plan->vendor->workspace_bytes : 0);
    v[HONE_FACT_flops] = (double)plan->flops;
    v[HONE_FACT_bytes] = (double)plan->bytes;
}

static hone_status resolve(const hone_tune_run *run, const hone_candidate *c,
                           hone_facts *facts, hone_error *err)
{
    const hone_template *tmpl = c->impl->tmpl;
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_resolved *plan = hone__alloc(sizeof *plan);
    hone_launch_spec *spec = NULL;
    hone_text text = {0};
    hone_status status =
        config && plan ? HONE_OK
                       : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");

    if (status == HONE_OK) {
        hone__space_get(c->impl->space, c->index, config);
        status = hone__expand_launch_spec(tmpl, config, &text, err);
    }
    if (status == HONE_OK)
        status = hone__launch_spec_parse(hone__text_str(&text), &spec, err);
    if (status == HONE_OK)
        status = hone__launch_spec_resolve(
            &(hone_launch_case){spec, run->request->dims, tmpl->n_dims,
                                &run->device.properties},
            plan, err);
    if (status == HONE_OK)
        add_plan(plan, facts);
    hone__launch_spec_free(spec);
    hone__text_free(&text);
    hone__free(plan);
    hone__free(config);
    return status;
}

/* Those that no measurement changes. */
static hone_status read_facts(const hone_tune_run *run, const hone_candidate *c,
                              hone_facts *out, hone_error *err)
{
    const unsigned measured =
        1u << HONE_FACT_time_ns | 1u << HONE_FACT_energy_uj;
    const hone_objectives *objectives = run->request->objectives;
    const hone_db_value id = hone__db_integer(c->variant_id);
    unsigned uses = 0;

    *out = hone__facts();
    for (size_t i = 0; i < objectives->n; ++i)
        uses |= objectives->items[i].uses;
    if (!(uses & ~measured))
        return HONE_OK;
    HONE_TRY(hone__db_query(run->request->db,
                            "SELECT registers, spill_bytes,"
                            " static_shared_bytes FROM variant"
                            " WHERE variant_id = ?1",
                            &id, 1, on_variant, out, err));
    if (isnan(out->value[HONE_FACT_shared_bytes])) /* the cpu has none static */
        out->value[HONE_FACT_shared_bytes] = 0;
    return resolve(run, c, out, err);
}

static void fill_values(const hone_objectives *objectives, hone_facts *facts,
                        double time_ns, double energy_uj, double *out)
{
    facts->value[HONE_FACT_time_ns] = time_ns > 0 ? time_ns : NAN;
    facts->value[HONE_FACT_energy_uj] = energy_uj > 0 ? energy_uj : NAN;
    for (size_t i = 0; i < objectives->n; ++i)
        out[i] = hone__objective_value(&objectives->items[i], facts);
}

/* ---- the search ---------------------------------------------------------- */

static int is_asked(const hone_tune_run *run)
{
    return run->request->objectives && run->request->objectives->n &&
           run->request->db;
}

hone_status hone__tune_objective_set(const hone_tune_run *run,
                                     hone_candidate *c, hone_error *err)
{
    hone_facts facts;

    if (!is_asked(run))
        return HONE_OK;
    HONE_TRY(read_facts(run, c, &facts, err));
    fill_values(run->request->objectives, &facts, c->time_ns, 0, c->values);
    return HONE_OK;
}

/* Place of the objective that is searched, -1: the time. */
static int searched(const hone_tune_run *run)
{
    const hone_objective *objective =
        is_asked(run) ? hone__objectives_searched(run->request->objectives)
                      : NULL;

    return objective ? (int)(objective - run->request->objectives->items) : -1;
}

double hone__tune_objective_told(const hone_tune_run *run,
                                 const hone_candidate *c)
{
    const int place = searched(run);

    if (place < 0)
        return c->time_ns;
    /* Searches take positive numbers, and 0 for what failed: what is not
     * positive is less than all that is, in its order. */
    if (c->values[place] <= 0)
        return 1e-30 / (1 - c->values[place]);
    return c->values[place] > 0 ? c->values[place] : 0;
}

/* ---- the final ----------------------------------------------------------- */

enum { MOST_BY_TIME = 16, MOST_BY_OBJECTIVE = 16 };
/* Energy is power times time, and powers of right variants differ by some
 * tenths: what is slower than this does not win by energy. */
static const double energy_reach = 1.25;

size_t hone__tune_objective_room(const hone_tune_run *run, size_t count)
{
    return is_asked(run) && count > MOST_BY_TIME ? MOST_BY_TIME : count;
}

/* The candidate behind the first `skip` by time with the least value above
 * `least`, or the same value and a later place. -1: there is none. */
static int64_t next_by_value(const hone_tune_run *run, size_t skip,
                             const int *is_taken, int place)
{
    int64_t best = -1;

    for (size_t i = skip; i < run->n_candidates; ++i) {
        const hone_candidate *c = &run->candidates[i];
        const double value = place < 0 ? c->time_ns : c->values[place];

        if (c->time_ns <= 0 || is_taken[i] || isnan(value) ||
            (place < 0 &&
             c->time_ns > energy_reach * run->candidates[0].time_ns))
            continue;
        if (best < 0 ||
            value < (place < 0 ? run->candidates[best].time_ns
                               : run->candidates[best].values[place]))
            best = (int64_t)i;
    }
    return best;
}

/* In turns: one for each objective that a trial tells, and one by time where
 * energy is asked for. Sorted by time, the first `count` are in. */
hone_status hone__tune_objective_choose(hone_tune_run *run, size_t count,
                                        size_t *out, size_t *out_n,
                                        hone_error *err)
{
    const hone_objectives *objectives = run->request->objectives;
    int *is_taken;
    int found = 1;

    *out_n = 0;
    if (!is_asked(run))
        return HONE_OK;
    is_taken = hone__alloc((run->n_candidates + 1) * sizeof *is_taken);
    if (!is_taken)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < run->n_candidates; ++i)
        is_taken[i] = hone__tune_is_default(run, &run->candidates[i]);
    while (found) {
        found = 0;
        for (size_t k = 0; k < objectives->n && *out_n < MOST_BY_OBJECTIVE;
             ++k) {
            const int has_energy = hone__objective_uses(&objectives->items[k],
                                                        HONE_FACT_energy_uj);
            const int64_t next =
                next_by_value(run, count, is_taken, has_energy ? -1 : (int)k);

            if (next < 0)
                continue;
            is_taken[next] = 1;
            out[(*out_n)++] = (size_t)next;
            found = 1;
        }
    }
    hone__free(is_taken);
    return HONE_OK;
}

/* ---- what came of it ----------------------------------------------------- */

typedef struct outcome {
    hone_tune_run *run;
    const hone_objectives *objectives;
    double *rows;  /* n_candidates x n */
    int *is_final; /* was right in it */
    int *is_on_front;
} outcome;

static hone_status fill_rows(outcome *o, const hone_tune_final_state *f,
                             hone_error *err)
{
    const size_t n = o->objectives->n;
    hone_tune_run *run = o->run;

    for (size_t i = 0; i < run->n_candidates; ++i)
        for (size_t k = 0; k < n; ++k)
            o->rows[i * n + k] = run->candidates[i].time_ns > 0
                                     ? run->candidates[i].values[k]
                                     : NAN;
    for (int i = 0; i < f->n; ++i) {
        const hone_finalist *item = &f->report.items[i];
        const size_t place = f->finalists[i].candidate;
        hone_candidate *c = &run->candidates[place];
        hone_facts facts;

        if (item->outcome != HONE_OUTCOME_OK || item->ratio <= 0)
            continue;
        o->is_final[place] = 1;
        HONE_TRY(read_facts(run, c, &facts, err));
        c->time_ns = item->time_ns > 0 ? item->time_ns : c->time_ns;
        c->energy_uj = item->energy_uj;
        fill_values(o->objectives, &facts, c->time_ns, c->energy_uj, c->values);
        memcpy(o->rows + place * n, c->values, n * sizeof *o->rows);
    }
    return HONE_OK;
}

/* Of a trial, for whoever asks the database. */
static hone_status put_counters(const outcome *o, size_t i, hone_error *err)
{
    const hone_candidate *c = &o->run->candidates[i];
    hone_db *db = o->run->request->db;

    HONE_TRY(hone__db_counter_put(db, c->trial_id, whole_run, "time_ns", "ns",
                                  c->time_ns, err));
    if (c->energy_uj > 0)
        HONE_TRY(hone__db_counter_put(db, c->trial_id, whole_run, "energy_uj",
                                      "uJ", c->energy_uj, err));
    for (size_t k = 0; k < o->objectives->n; ++k)
        if (!isnan(c->values[k]))
            HONE_TRY(hone__db_counter_put(db, c->trial_id, whole_run,
                                          o->objectives->items[k].name, "",
                                          c->values[k], err));
    return HONE_OK;
}

static hone_status write_config(const hone_candidate *c, char *out, size_t size,
                                hone_error *err)
{
    const hone_tune_impl *impl = c->impl;
    int64_t *config = hone__alloc((impl->tmpl->n_params + 1) * sizeof *config);
    hone_text text = {0};
    hone_status status;

    if (!config)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__space_get(impl->space, c->index, config);
    hone__space_format(impl->space, config, &text);
    (void)snprintf(out, size, "%s", hone__text_str(&text));
    status = hone__text_check(&text, err);
    hone__text_free(&text);
    hone__free(config);
    return status;
}

static hone_status fill_best(const outcome *o, const hone_candidate *c,
                             hone_tune_best *out, hone_error *err)
{
    out->time_ns = c->time_ns;
    out->energy_uj = c->energy_uj;
    for (size_t k = 0; k < o->objectives->n; ++k)
        out->values[k] = c->values[k];
    (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                   c->impl->name);
    return write_config(c, out->config, sizeof out->config, err);
}

/* Decisions of all implementations belong to one session, that of the first:
 * they compare them. */
static hone_status decide(const outcome *o, const hone_candidate *c,
                          const char *kind, const char *text, hone_error *err)
{
    return hone__tune_decide(o->run, &o->run->impls[0],
                             &(hone_db_decision){.trial_id = c->trial_id,
                                                 .variant_id = c->variant_id,
                                                 .kind = kind,
                                                 .text = text},
                             err);
}

static hone_status put_winner(const outcome *o, size_t k, hone_error *err)
{
    const size_t n = o->objectives->n;
    const hone_objective *objective = &o->objectives->items[k];
    hone_tune_result *result = o->run->result;
    hone_tune_best *best = &result->bests[result->n_bests];
    double default_value = NAN;
    int64_t winner = -1;
    int n_known = 0;
    char text[400];

    for (size_t i = 0; i < o->run->n_candidates; ++i) {
        const double value = o->rows[i * n + k];

        if (!o->is_final[i] || isnan(value))
            continue;
        ++n_known;
        if (hone__tune_is_default(o->run, &o->run->candidates[i]))
            default_value = value;
        if (winner < 0 || value < o->rows[(size_t)winner * n + k])
            winner = (int64_t)i;
    }
    (void)snprintf(best->objective, sizeof best->objective, "%s",
                   objective->name);
    best->value = best->default_value = NAN;
    ++result->n_bests;
    if (winner < 0) {
        (void)snprintf(text, sizeof text,
                       "the objective '%s' has no value for any finalist: "
                       "something that it uses is not known here",
                       objective->name);
        hone__tune_note(o->run, text);
        return HONE_OK;
    }
    best->value = o->rows[(size_t)winner * n + k];
    best->default_value = default_value;
    HONE_TRY(fill_best(o, &o->run->candidates[winner], best, err));
    (void)snprintf(text, sizeof text,
                   "least %s of %d finalists: %.6g; the default has %.6g",
                   objective->name, n_known, best->value, default_value);
    return decide(o, &o->run->candidates[winner], "objective", text, err);
}

static hone_status put_front(const outcome *o, hone_error *err)
{
    const size_t n = o->objectives->n;
    hone_tune_result *result = o->run->result;

    for (size_t i = 0; i < o->run->n_candidates; ++i) {
        char text[400];
        size_t at = 0;

        if (!o->is_on_front[i])
            continue;
        at = (size_t)snprintf(text, sizeof text, "on the front%s:",
                              o->is_final[i] ? "" : ", by its trial alone");
        for (size_t k = 0; k < n && at < sizeof text; ++k)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s %s %.6g",
                                   k ? "," : "", o->objectives->items[k].name,
                                   o->rows[i * n + k]);
        if (result->n_front < HONE_TUNE_MOST_FRONT)
            HONE_TRY(fill_best(o, &o->run->candidates[i],
                               &result->front[result->n_front], err));
        ++result->n_front;
        HONE_TRY(decide(o, &o->run->candidates[i], "pareto", text, err));
    }
    return HONE_OK;
}

static hone_status put_all(outcome *o, const hone_tune_final_state *f,
                           hone_error *err)
{
    const size_t n = o->objectives->n;

    HONE_TRY(fill_rows(o, f, err));
    if (n > 1)
        hone__pareto_front(o->rows, o->run->n_candidates, n, o->is_on_front);
    for (size_t i = 0; i < o->run->n_candidates; ++i)
        if (o->is_final[i] || o->is_on_front[i])
            HONE_TRY(put_counters(o, i, err));
    for (size_t k = 0; k < n; ++k)
        HONE_TRY(put_winner(o, k, err));
    return n > 1 ? put_front(o, err) : HONE_OK;
}

hone_status hone__tune_objective_store(hone_tune_run *run,
                                       const hone_tune_final_state *f,
                                       hone_error *err)
{
    const size_t n = run->n_candidates + 1;
    outcome o = {.run = run, .objectives = run->request->objectives};
    hone_status status;

    if (!is_asked(run) || !f->n || f->report.winner < 0)
        return HONE_OK;
    o.rows = hone__alloc(n * o.objectives->n * sizeof *o.rows);
    o.is_final = hone__alloc(n * sizeof *o.is_final);
    o.is_on_front = hone__alloc(n * sizeof *o.is_on_front);
    status = o.rows && o.is_final && o.is_on_front
                 ? put_all(&o, f, err)
                 : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__free(o.rows);
    hone__free(o.is_final);
    hone__free(o.is_on_front);
    return status;
}

/* What the session was asked for, as its first decision. */
hone_status hone__tune_objective_ask(hone_tune_run *run, hone_error *err)
{
    char text[HONE_MOST_OBJECTIVES * 128] = "least";
    size_t at = strlen(text);

    if (!is_asked(run))
        return HONE_OK;
    for (size_t k = 0; k < run->request->objectives->n; ++k)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "%s %s", k ? "," : "",
                             run->request->objectives->items[k].name);
    return hone__tune_record_decision(run, "asked", text, err);
}
