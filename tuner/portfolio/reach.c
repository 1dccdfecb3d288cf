/* SPDX-License-Identifier: Apache-2.0 */
/* How far members and specialists may be launched: as far as they were right,
 * each size for itself, wherever that was. Few tuned problems are both large in
 * one size and valid for a variant that needs another one to be small; so those
 * that reach less far than the tuned ones are large are verified at further
 * problems, which nobody tunes. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/reach_cover.h"
#include "tuner/portfolio/reach_propose.h"
#include "tuner/portfolio/train.h"

#include "runtime/base/alloc.h"

#include <string.h>

enum { MOST_PROBLEMS = 48 };
/* Octaves that all variants together gain by a problem, which takes about a
 * second. */
#define LEAST_GAIN 0.2
/* And one of them, which takes some hundredths. */
#define LEAST_OF_ONE 0.05

/* At each chosen problem those that reach further by it. */
static hone_status verify_at(hone_portfolio_run *run,
                             const hone_reach_request *request,
                             const size_t *chosen, size_t n, hone_error *err)
{
    const size_t n_variants = request->n_variants, n_dims = request->n_dims;
    int64_t reach[HONE_PORTFOLIO_WITH_SPECIALISTS][HONE_MAX_DIMS];
    int64_t dims[MOST_PROBLEMS][HONE_MAX_DIMS] = {{0}};
    unsigned char *is_wanted = hone__alloc(n * n_variants + 1);
    hone_status status;

    if (!is_wanted)
        return hone__out_of_memory(err, " for a portfolio");
    memcpy(reach, run->reach, sizeof reach);
    for (size_t k = 0; k < n; ++k) {
        memcpy(dims[k], request->dims[chosen[k]], sizeof dims[k]);
        for (size_t i = 0; i < n_variants; ++i) {
            if (!request->is_valid[chosen[k] * n_variants + i] ||
                hone__reach_gain(request, reach[i], dims[k]) < LEAST_OF_ONE)
                continue;
            is_wanted[k * n_variants + i] = 1;
            hone__reach_extend(n_dims, reach[i], dims[k]);
        }
    }
    status = hone__portfolio_measure_further(
        run, (const int64_t(*)[HONE_MAX_DIMS])dims, n, is_wanted,
        HONE_LIST_FURTHER, err);
    hone__free(is_wanted);
    return status;
}

static hone_status verify(hone_portfolio_run *run,
                          const hone_reach_request *request, hone_error *err)
{
    size_t chosen[MOST_PROBLEMS], n;

    HONE_TRY(hone__reach_choose(request, chosen, &n, err));
    if (!n)
        return HONE_OK;
    HONE_TRY(verify_at(run, request, chosen, n, err));
    HONE_TRY(hone__matrix_read(&run->matrix, err)); /* some are tuned */
    return hone__portfolio_read_trials(run, err);
}

hone_status hone__portfolio_reach(hone_portfolio_run *run, hone_error *err)
{
    hone_reach_proposals proposals;
    hone_status status;

    HONE_TRY(hone__portfolio_read_trials(run, err));
    if (run->matrix.n_problems < HONE_TRAIN_LEAST_PROBLEMS ||
        run->n_members < 2)
        return HONE_OK; /* there will be no chooser */
    status = hone__reach_propose(run, &proposals, err);
    if (status == HONE_OK)
        status =
            verify(run,
                   &(hone_reach_request){
                       .n_dims = run->matrix.tune->tmpl->n_dims,
                       .n_variants = run->n_members + run->n_specialists,
                       .n_problems = proposals.n,
                       .reach = (const int64_t(*)[HONE_MAX_DIMS])run->reach,
                       .dims = (const int64_t(*)[HONE_MAX_DIMS])proposals.dims,
                       .is_valid = proposals.is_valid,
                       .most = proposals.most,
                       .n_most = MOST_PROBLEMS,
                       .gain = LEAST_GAIN},
                   err);
    hone__reach_proposals_free(&proposals);
    return status;
}
