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

enum { ANSWER_S = 60 };

/* ---- seconds of steps -------------------------------------------------------
 */

const char *hone__portfolio_step_name(hone_portfolio_step step)
{
    static const char *const names[] = {
#define HONE_PORTFOLIO_STEP(name, what) #name,
        HONE_PORTFOLIO_STEP_MAP(HONE_PORTFOLIO_STEP)
#undef HONE_PORTFOLIO_STEP
    };

    return names[step];
}

void hone__portfolio_begin_step(hone_portfolio_run *run,
                                hone_portfolio_step step)
{
    const double now_s = hone__now_s();

    if (run->step_start_s > 0)
        run->result.step_s[run->step] += now_s - run->step_start_s;
    run->step_start_s = now_s;
    run->step = step;
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
    hone__portfolio_begin_step(run, HONE_STEP_spaces);
    HONE_TRY(hone__matrix_check(m, err));
    hone__portfolio_begin_step(run, HONE_STEP_candidates);
    HONE_TRY(hone__portfolio_choose_candidates(run, err));
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
    HONE_TRY(hone__matrix_learn_likely(m, err)); /* of what was just timed */
    HONE_TRY(hone__portfolio_settle(run, err));
    for (size_t i = 0; i < m->n_candidates; ++i)
        run->result.n_out += m->candidates[i].is_wrong != 0;
    hone__portfolio_begin_step(run, HONE_STEP_learning);
    hone__portfolio_conclude(run);
    return hone__portfolio_learn(run, err);
}

static void say_left_out(const hone_portfolio_run *run)
{
    const hone_portfolio_request *request = run->request;
    char text[256];

    if (!run->matrix.n_left_out || !request->on_note)
        return;
    (void)snprintf(text, sizeof text,
                   "%s: a portfolio takes %d problems, those of its types that "
                   "were tuned last; %zu are left out",
                   request->tune->tmpl->op, (int)HONE_CHOOSER_PROBLEMS,
                   run->matrix.n_left_out);
    request->on_note(request->user, text);
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
    hone__portfolio_begin_step(run, HONE_STEP_likely);
    status = hone__matrix_open(request->tune, device_id, properties, types,
                               &run->matrix, err);
    if (status == HONE_OK &&
        run->matrix.n_problems >= HONE_PORTFOLIO_LEAST_PROBLEMS &&
        run->matrix.n_candidates) {
        say_left_out(run);
        run->result.types = types;
        run->result.n_problems = run->matrix.n_problems;
        status = run_steps(run, err);
        hone__portfolio_begin_step(run, run->step); /* the last one ends */
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
