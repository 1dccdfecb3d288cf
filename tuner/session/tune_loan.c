/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that are lent to a run: a second process and a third try variants of
 * the same searches, each on a device of the same model. The final is not
 * theirs: it compares on one device. */
#include "tuner/session/tune_state.h"

#include "tuner/trial/device_worker.h"

#include <stdio.h>

static void give_back(hone_tune_run *run, const hone_tune_loan *loan,
                      const char *why)
{
    run->request->loans->give_back(run->request->loans->user, loan->number,
                                   why);
}

/* ---- the beginning ------------------------------------------------------- */

/* A lent device is not waited for: whoever has it does not help. */
static hone_status lock(hone_tune_run *run, hone_tune_worker *w,
                        hone_error *err)
{
    static const volatile sig_atomic_t at_once = 1;
    char name[64];

    w->lock.fd = w->lock.socket = -1;
    if (run->request->is_locked)
        return HONE_OK;
    hone__tune_lock_name(hone__tune_kind(run), &w->loan.report, name,
                         sizeof name);
    return hone__device_lock_take(name, &at_once, NULL, NULL, &w->lock, err);
}

/* `why` it could not be: it is given back, as it was. */
static hone_status begin(hone_tune_run *run, const hone_tune_loan *loan,
                         hone_error *why)
{
    hone_tune_worker *w = &run->workers[run->n_workers];

    *w = (hone_tune_worker){.loan = *loan, .setup = run->workers[0].setup};
    w->setup.device = loan->ordinal;
    HONE_TRY(lock(run, w, why));
    if (hone__tune_worker_start(run, w, why) != HONE_OK) {
        hone__device_lock_drop(&w->lock);
        return why->status;
    }
    ++run->n_workers;
    return HONE_OK;
}

/* Once the first has our kernels, which others inherit. */
hone_status hone__tune_loans_take(hone_tune_run *run, hone_error *err)
{
    hone_tune_loans *loans = run->request->loans;

    (void)err;
    if (!loans || !run->workers[0].is_ready)
        return HONE_OK;
    while (loans->n) {
        const hone_tune_loan loan = loans->offered[--loans->n];
        hone_error why = {0};

        if (run->n_workers == HONE_TUNE_MOST_WORKERS ||
            begin(run, &loan, &why) != HONE_OK)
            give_back(run, &loan, NULL);
    }
    return HONE_OK;
}

/* ---- the end ------------------------------------------------------------- */

/* `why` NULL: it did not fall off. */
static void end(hone_tune_run *run, size_t i, const char *why)
{
    hone_tune_worker *w = &run->workers[i];
    const hone_tune_loan loan = w->loan;

    hone__tune_worker_put_back(run, w);
    (void)hone__worker_stop(&w->process, why ? 0 : 1.0, NULL, 0);
    hone__device_lock_drop(&w->lock);
    *w = run->workers[--run->n_workers];
    give_back(run, &loan, why);
}

/* In a run that ends because a person wants it, or because it failed, they
 * may be at something still. */
void hone__tune_loans_end(hone_tune_run *run)
{
    hone_tune_loans *loans = run->request->loans;

    while (run->n_workers > 1) {
        hone_tune_worker *w = &run->workers[run->n_workers - 1];

        if (w->trying.n || hone__tune_stopped(run))
            hone__worker_kill(&w->process);
        end(run, run->n_workers - 1, NULL);
    }
    if (!loans)
        return;
    loans->is_over = 1;
    while (loans->n)
        give_back(run, &loans->offered[--loans->n], NULL);
}

/* What is the device's failure, and not the database's, say. */
static int is_of_the_device(hone_status status)
{
    return status == HONE_ERR_CUDA || status == HONE_ERR_NO_GPU ||
           status == HONE_ERR_NO_MEMORY || status == HONE_ERR_INPUT;
}

hone_status hone__tune_workers_pump(hone_tune_run *run, hone_error *err)
{
    HONE_TRY(hone__tune_worker_pump(run, &run->workers[0], err));
    for (size_t i = run->n_workers; i-- > 1;) {
        hone_error why = {0};
        const hone_status status =
            hone__tune_worker_pump(run, &run->workers[i], &why);

        if (status != HONE_OK && !is_of_the_device(status)) {
            *err = why;
            return status;
        }
        if (status != HONE_OK)
            end(run, i, why.text);
    }
    return HONE_OK;
}
