/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between those of a --shapes file, which are tuned as well, with
 * less: see tune_parts.h. */
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/base/message.h"
#include "tools/tune_parts.h"
#include "tuner/portfolio/between.h"

#include <string.h>

enum { MOST = 64, LEAST_TRIALS = 24, SHARE = 4 };

/* Not given (negative): as many as are listed, or as it takes until there is a
 * chooser for each kind. */
static hone_status find_n_wanted(hone_between_request *request, int64_t given,
                                 hone_error *err)
{
    size_t n = (size_t)given, lacking;

    if (given < 0) {
        HONE_TRY(hone__between_lacking(request, &lacking, err));
        n = lacking > request->n_problems ? lacking : request->n_problems;
        n = n < MOST ? n : MOST;
    }
    request->n_wanted = n;
    return HONE_OK;
}

/* The problems of one operation. */
static hone_status add_of_op(hone_shapes *shapes, size_t op, size_t n_listed,
                             int64_t n_wanted, uint64_t seed, hone_error *err)
{
    int64_t(*dims)[HONE_MAX_DIMS] = hone__alloc((n_listed + 1) * sizeof *dims);
    int64_t(*drawn)[HONE_MAX_DIMS] = NULL;
    hone_between_request request = {.tmpl = shapes->ops[op].impls.items[0],
                                    .dims =
                                        (const int64_t(*)[HONE_MAX_DIMS])dims,
                                    .is_beyond = 1,
                                    .seed = seed};
    size_t n_drawn = 0;
    hone_status status;

    for (size_t i = 0; dims && i < n_listed; ++i)
        if (shapes->items[i].op == op)
            memcpy(dims[request.n_problems++], shapes->items[i].dims,
                   sizeof *dims);
    status = dims ? find_n_wanted(&request, n_wanted, err)
                  : hone__out_of_memory(err, " for the shapes");
    if (status == HONE_OK) {
        drawn = hone__alloc((request.n_wanted + 1) * sizeof *drawn);
        status = drawn ? hone__between_draw(&request, drawn, &n_drawn, err)
                       : hone__out_of_memory(err, " for the shapes");
    }
    for (size_t i = 0; i < n_drawn && status == HONE_OK; ++i) {
        if (!HONE_GROW(shapes->items, shapes->n)) {
            status = hone__out_of_memory(err, " for the shapes");
            break;
        }
        shapes->items[shapes->n] =
            (hone_shape){.tmpl = shapes->ops[op].impls.items[0], .op = op};
        memcpy(shapes->items[shapes->n++].dims, drawn[i], sizeof *drawn);
    }
    hone__free(dims);
    hone__free(drawn);
    return status;
}

hone_status hone__shapes_add_between(hone_shapes *shapes, int64_t n_each,
                                     uint64_t seed, hone_error *err)
{
    const size_t n_listed = shapes->n;

    for (size_t op = 0; op < shapes->n_ops; ++op)
        HONE_TRY(add_of_op(shapes, op, n_listed, n_each, seed, err));
    if (shapes->n > n_listed)
        hone__message_note(
            "%zu problems between those of the file, and some that are larger, "
            "are tuned as well, with a quarter of the budget, for shapes that "
            "nobody tunes (--between 0 "
            "leaves them out)",
            shapes->n - n_listed);
    else if (n_each > 0)
        hone__message_note("nothing lies between the problems of the file: "
                           "that takes %d of an operation, of different sizes, "
                           "whose other dimensions follow",
                           (int)HONE_BETWEEN_LEAST_PROBLEMS);
    return HONE_OK;
}

hone_tune_budget hone__tune_between_budget(const hone_tune_budget *listed)
{
    hone_tune_budget out = {.seconds = listed->seconds / SHARE};

    if (listed->trials)
        out.trials = listed->trials / SHARE;
    if (out.trials < LEAST_TRIALS && out.seconds <= 0)
        out.trials = listed->trials && listed->trials < LEAST_TRIALS
                         ? listed->trials
                         : LEAST_TRIALS;
    return out;
}
