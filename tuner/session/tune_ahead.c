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

hone_status hone__tune_await_turn(hone_tune_run *run, hone_error *err)
{
    const double since_s = hone__now_s();

    while (hone__tune_awaits_turn(run)) {
        HONE_TRY(hone__tune_propose(run, err));
        HONE_TRY(hone__farm_turn(run->farm, NULL, 0, err));
        run->result->awaited_s = hone__now_s() - since_s;
        if (run->pending_status != HONE_OK) {
            *err = run->pending_error;
            return run->pending_status;
        }
    }
    return HONE_OK;
}
