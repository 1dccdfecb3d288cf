/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/solver.h"
hone_status hone__solver_order(hone_solver *solver, int attempt,
                               hone_error *err)
{
    (void)err; (void)attempt;
    for (uint32_t i = 0; i < solver->csp->n_vars; ++i)
        solver->order[i] = i;
    return HONE_OK;
}
