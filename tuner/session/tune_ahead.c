/* SPDX-License-Identifier: Apache-2.0 */
/* A run whose device is another problem's still: what it can do without. Its
 * spaces are built and its searches open by then; the variants that it begins
 * with are compiled meanwhile, so that the compile processes have work while
 * the other run compares its finalists. */
#include "tuner/session/tune_state.h"

int hone__tune_awaits_turn(const hone_tune_run *run)
{
    return run->request->turn && !run->request->turn->is_mine;
}

/* Variants that spill registers wait for the end of a search, in memory. */
enum { MOST_DEFERRED_AHEAD = 32 };

/* What was done before is not the device's time, which the other had. */
static void count_awaited(hone_tune_run *run)
{
    const hone_tune_turn *turn = run->request->turn;

    run->result->awaited_s =
        (turn->is_mine ? turn->since_s : hone__now_s()) - run->start_s;
}

hone_status hone__tune_await_turn(hone_tune_run *run, hone_error *err)
{
    hone_status status = HONE_OK;

    while (status == HONE_OK && hone__tune_awaits_turn(run)) {
        count_awaited(run);
        if (run->deferred.n < MOST_DEFERRED_AHEAD)
            HONE_TRY(hone__tune_propose(run, err));
        status = hone__farm_turn(run->farm, NULL, 0, err);
        if (status == HONE_OK && run->pending_status != HONE_OK) {
            *err = run->pending_error;
            status = run->pending_status;
        }
    }
    count_awaited(run);
    return status;
}
