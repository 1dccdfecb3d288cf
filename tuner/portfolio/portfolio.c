/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a portfolio: see portfolio.h. */
#include "tuner/portfolio/portfolio.h"

#include "runtime/base/alloc.h"
#include "tuner/portfolio/matrix.h"
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/process/ask.h"
#include "tuner/trial/devices.h"

#include <stdio.h>
#include <string.h>

/* Measured everywhere are so many for each member that is wanted: times at
 * problems where nobody tried them are guesses, and some turn out wrong. */
enum { CANDIDATES_FOR_ONE = 2, ANSWER_S = 60 };

/* ---- choosing ---------------------------------------------------------------
 */

/* The default variant of an implementation that is right at most problems;
 * SIZE_MAX: none is right anywhere. */
static size_t default_of(const hone_matrix *m, size_t impl)
{
    size_t best = SIZE_MAX, most = 0;

    for (size_t i = 0; i < m->n_candidates; ++i) {
        size_t n = 0;

        if (m->candidates[i].impl != impl || !m->candidates[i].is_default ||
            m->candidates[i].is_wrong)
            continue;
        for (size_t p = 0; p < m->n_problems; ++p)
            n += m->time_ns[p * m->n_candidates + i] > 0;
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

/* What is launched where nothing was tuned is always there: vendors'
 * functions, and the default variant of our first implementation that has
 * one. */
static void mark(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    int is_found = 0;

    memset(run->always, 0, m->n_candidates);
    for (size_t i = 0; i < m->n_impls; ++i) {
        const size_t usual = default_of(m, i);
        const int is_vendor = m->impls[i]->call != NULL;
        const int is_reference =
            strcmp(hone__template_kind(m->impls[i]), "reference") == 0;

        if (usual == SIZE_MAX || is_reference || (!is_vendor && is_found))
            continue;
        run->always[usual] = 1;
        is_found |= !is_vendor;
    }
    for (size_t i = 0; i < m->n_candidates; ++i)
        run->never[i] = (unsigned char)m->candidates[i].is_wrong;
}

/* At how many problems it has a time, or might. */
static size_t count_cells(const hone_matrix *m, const double *time_ns,
                          size_t candidate, int is_measured)
{
    size_t n = 0;

    for (size_t p = 0; p < m->n_problems; ++p) {
        const double cell = time_ns[p * m->n_candidates + candidate];

        n += is_measured ? cell > 0 : cell >= HONE_CELL_UNKNOWN;
    }
    return n;
}

/* Costs at likely problems: of those alone that a chooser can predict. */
static void add_likely(const hone_portfolio_run *run, const double *time_ns,
                       int is_measured)
{
    const hone_matrix *m = &run->matrix;
    double *costs = run->cover_ns + m->n_problems * m->n_candidates;

    for (size_t c = 0; c < m->n_candidates; ++c) {
        const int counts =
            count_cells(m, time_ns, c, is_measured) >= HONE_CHOOSER_LEAST_TIMES;

        for (size_t p = 0; p < m->n_likely; ++p) {
            const size_t at = p * m->n_candidates + c;

            costs[at] = counts ? m->likely_cost[at] : HONE_CELL_INVALID;
        }
    }
}

/* Times at the problems, and costs at likely ones, which count as much
 * together as the others do, and each at most as much as one of these. */
static hone_cover_request cover_of(const hone_portfolio_run *run,
                                   const double *time_ns, int is_measured,
                                   size_t most)
{
    const hone_matrix *m = &run->matrix;
    const size_t n_rows = m->n_problems + m->n_likely;
    const double weight = m->n_likely > m->n_problems
                              ? (double)m->n_problems / (double)m->n_likely
                              : 1;

    memcpy(run->cover_ns, time_ns,
           m->n_problems * m->n_candidates * sizeof *time_ns);
    add_likely(run, time_ns, is_measured);
    for (size_t p = 0; p < n_rows; ++p) {
        const int is_likely = p >= m->n_problems;

        run->cover_weight[p] = is_likely ? weight : 1;
        run->cover_best_ns[p] =
            is_likely ? m->likely_best[p - m->n_problems] : m->best_ns[p];
    }
    return (hone_cover_request){.n_problems = n_rows,
                                .n_candidates = m->n_candidates,
                                .time_ns = run->cover_ns,
                                .best_ns = run->cover_best_ns,
                                .weight = run->cover_weight,
                                .always = run->always,
                                .never = run->never,
                                .least =
                                    is_measured ? HONE_PORTFOLIO_LEAST : most,
                                .most = most,
                                .gain = is_measured ? HONE_PORTFOLIO_GAIN : 0};
}

/* By what is known so far, twice as many as are wanted. */
static hone_status choose_candidates(hone_portfolio_run *run, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const size_t most = CANDIDATES_FOR_ONE * HONE_PORTFOLIO_MOST;
    const size_t bytes = (m->n_problems * m->n_candidates + 1) * sizeof(double);
    double *times = hone__alloc(bytes);
    hone_status status = HONE_OK;

    if (!times)
        return hone__out_of_memory(err, " for a portfolio");
    memcpy(times, m->time_ns, bytes - sizeof(double));
    hone__cover_estimate(m->n_problems, m->n_candidates, m->distance,
                         m->best_ns, times);
    mark(run);
    for (size_t i = 0; i < m->n_candidates; ++i) /* it could not be measured */
        run->never[i] |= !count_cells(m, m->time_ns, i, 0);
    {
        const hone_cover_request cover = cover_of(run, times, 0, most);

        status = hone__cover_choose(&cover, run->set, &run->n_set, err);
    }
    hone__free(times);
    return status;
}

/* By what was measured. */
static hone_status choose_members(hone_portfolio_run *run, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_cover_request cover =
        cover_of(run, m->time_ns, 1, HONE_PORTFOLIO_MOST);

    mark(run);
    for (size_t i = 0; i < m->n_candidates; ++i) {
        const hone_matrix_candidate *c = &m->candidates[i];

        /* Nor what could not be launched, since its code is not there any more,
         * or was right nowhere. */
        run->never[i] |= !run->is_measured[i] ||
                         !count_cells(m, m->time_ns, i, 1) ||
                         (!c->is_vendor && !c->variant_id);
    }
    return hone__cover_choose(&cover, run->members, &run->n_members, err);
}

/* Members, all of them right on edge shapes: whoever is not is replaced. */
static hone_status settle_members(hone_portfolio_run *run, hone_error *err)
{
    enum { MOST_ROUNDS = 6 };

    for (int round = 0; round < MOST_ROUNDS; ++round) {
        size_t n_wrong = 0;

        HONE_TRY(choose_members(run, err));
        HONE_TRY(hone__portfolio_measure(run, run->members, run->n_members,
                                         NULL, 1, err));
        for (size_t i = 0; i < run->n_members; ++i)
            n_wrong += run->matrix.candidates[run->members[i]].is_wrong != 0;
        if (!n_wrong)
            return HONE_OK;
    }
    return choose_members(run, err);
}

/* ---- one set of types -------------------------------------------------------
 */

static hone_status make_room(hone_portfolio_run *run, hone_error *err)
{
    const size_t n = run->matrix.n_candidates + 1;
    const size_t n_rows = run->matrix.n_problems + run->matrix.n_likely;

    run->always = hone__arena_alloc(&run->matrix.arena, n);
    run->never = hone__arena_alloc(&run->matrix.arena, n);
    run->is_measured = hone__arena_alloc(&run->matrix.arena, n);
    run->cover_ns = hone__arena_alloc(&run->matrix.arena,
                                      (n_rows * n + 1) * sizeof(double));
    run->cover_best_ns =
        hone__arena_alloc(&run->matrix.arena, (n_rows + 1) * sizeof(double));
    run->cover_weight =
        hone__arena_alloc(&run->matrix.arena, (n_rows + 1) * sizeof(double));
    return run->always && run->never && run->is_measured && run->cover_ns &&
                   run->cover_best_ns && run->cover_weight
               ? HONE_OK
               : hone__out_of_memory(err, " for a portfolio");
}

static void count_known(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    int64_t n = 0;

    run->result.n_failed = 0;
    for (size_t p = 0; p < m->n_problems; ++p)
        for (size_t i = 0; i < run->n_set; ++i) {
            const double cell = m->time_ns[p * m->n_candidates + run->set[i]];

            n += cell > 0 || cell == HONE_CELL_FAILED;
            run->result.n_failed += cell == HONE_CELL_FAILED;
        }
    run->result.n_known = n;
}

static hone_status run_steps(hone_portfolio_run *run, hone_error *err)
{
    hone_matrix *m = &run->matrix;

    HONE_TRY(make_room(run, err));
    HONE_TRY(hone__matrix_read(m, err));
    HONE_TRY(hone__matrix_check(m, err));
    HONE_TRY(choose_candidates(run, err));
    for (size_t i = 0; i < run->n_set; ++i)
        run->is_measured[run->set[i]] = 1;
    count_known(run);
    {
        const int64_t n_known = run->result.n_known;

        HONE_TRY(
            hone__portfolio_measure(run, run->set, run->n_set, NULL, 0, err));
        count_known(run);
        run->result.n_known = n_known;
    }
    run->result.n_candidates = run->n_set;
    HONE_TRY(settle_members(run, err));
    HONE_TRY(hone__portfolio_add_specialists(run, err));
    for (size_t i = 0; i < m->n_candidates; ++i)
        run->result.n_out += m->candidates[i].is_wrong != 0;
    hone__portfolio_conclude(run);
    return hone__portfolio_learn(run, err);
}

static hone_status portfolio_of(const hone_portfolio_request *request,
                                int64_t device_id,
                                const hone_properties *properties,
                                const char *types, hone_error *err)
{
    hone_portfolio_run *run = hone__alloc(sizeof *run);
    const double start_s = hone__now_s();
    hone_status status;

    if (!run)
        return hone__out_of_memory(err, " for a portfolio");
    run->request = request;
    run->n_devices = request->n_devices;
    if (run->n_devices)
        memcpy(run->ordinals, request->ordinals,
               run->n_devices * sizeof *run->ordinals);
    status = hone__matrix_open(request->tune, device_id, properties, types,
                               &run->matrix, err);
    if (status == HONE_OK &&
        run->matrix.n_problems >= HONE_PORTFOLIO_LEAST_PROBLEMS &&
        run->matrix.n_candidates) {
        run->result.types = types;
        run->result.n_problems = run->matrix.n_problems;
        status = run_steps(run, err);
        run->result.seconds = hone__now_s() - start_s;
        if (status == HONE_OK && request->on_result)
            request->on_result(request->user, &run->result);
    }
    hone__matrix_free(&run->matrix);
    hone__free(run);
    return status;
}

/* ---- all of them ------------------------------------------------------------
 */

static int is_wanted(const hone_portfolio_request *request, const char *types)
{
    for (size_t i = 0; i < request->n_types; ++i)
        if (strcmp(request->types[i], types) == 0)
            return 1;
    return request->n_types == 0;
}

static hone_status on_device(void *user, const hone_db_row *row,
                             hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

/* The row of this device and driver; 0: nothing was tuned on it. */
static hone_status find_device(const hone_tune_request *tune,
                               const hone_device_report *report, int64_t *out,
                               hone_error *err)
{
    char driver[16] = "";

    if (report->driver_version > 0)
        (void)snprintf(driver, sizeof driver, "%d", report->driver_version);
    {
        const hone_db_value key[] = {
            hone__db_text(hone__device_kind(tune->farm.backend)->name),
            hone__db_text(report->name), hone__db_text(report->arch),
            hone__db_text(driver)}; /* has its length: once it is written */

        *out = 0;
        return hone__db_query(tune->db,
                              "SELECT device_id FROM device WHERE kind = ?1"
                              " AND name = ?2 AND arch = ?3"
                              " AND driver_version = ?4"
                              " ORDER BY device_id DESC LIMIT 1",
                              key, 4, on_device, out, err);
    }
}

hone_status hone__portfolio(const hone_portfolio_request *request,
                            hone_error *err)
{
    hone_tune_request *const tune = request->tune;
    hone_device_report device;
    hone_text types = {0};
    int64_t device_id = 0;
    hone_status status;

    if (request->n_devices)
        tune->device = request->ordinals[0];
    status = hone__device_describe(tune->farm.backend, tune->device, ANSWER_S,
                                   tune->farm.stop, &device, err);
    if (status == HONE_OK)
        status = find_device(tune, &device, &device_id, err);
    if (status == HONE_OK && device_id)
        status = hone__matrix_types(tune, device_id, &types, err);
    for (char *at = types.data; status == HONE_OK && at && *at;) {
        char *end = strchr(at, '\n');

        *end = '\0';
        if (is_wanted(request, at))
            status =
                portfolio_of(request, device_id, &device.properties, at, err);
        at = end + 1;
    }
    hone__text_free(&types);
    return status;
}
