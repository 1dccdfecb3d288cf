/* SPDX-License-Identifier: Apache-2.0 */
/* Descent along one parameter at a time. */
#include "tuner/search/descent.h"

#include <stdlib.h>
#include <string.h>

hone_status hone__descent_open(hone_search *search, hone_descent *descent,
                               hone_error *err)
{
    size_t n = 0;

    *descent = (hone_descent){.at = -1};
    for (size_t i = 0; i < search->n_free; ++i)
        n += (size_t)search->space.n_values[search->free[i]];
    descent->steps =
        hone__search_alloc(search, n * sizeof *descent->steps, err);
    if (!descent->steps)
        return HONE_ERR_NO_MEMORY;
    for (size_t i = 0; i < search->n_free; ++i) {
        const int param = (int)search->free[i];

        for (int v = 0; v < search->space.n_values[param]; ++v)
            descent->steps[descent->n++] = (hone_descent_step){param, v, 0};
    }
    return HONE_OK;
}

static int compare_turns(const void *a, const void *b)
{
    const hone_descent_step *const x = a;
    const hone_descent_step *const y = b;

    return (x->turn > y->turn) - (x->turn < y->turn);
}

/* By chance, but values far away come later: each delays its turn by so much
 * of all turns. Without this, a parameter with many values gets most of the
 * first trials. */
static const double delay = 0.125;

void hone__descent_start(hone_search *search, hone_descent *descent,
                         int64_t slot)
{
    const int *values = hone__search_values(search, slot);

    for (size_t i = 0; i < descent->n; ++i) {
        hone_descent_step *step = &descent->steps[i];

        step->turn = hone__chance_unit(&search->chance) +
                     delay * abs(step->value - values[step->param]);
    }
    qsort(descent->steps, descent->n, sizeof *descent->steps, compare_turns);
    descent->at = slot;
    descent->next = 0;
    descent->n_tried = 0;
}

int64_t hone__descent_next(hone_search *search, hone_descent *descent)
{
    const int *own;
    size_t bytes;

    if (descent->at < 0)
        return -1;
    own = hone__search_values(search, descent->at);
    bytes = search->space.n_params * sizeof *search->row;
    memcpy(search->row, own, bytes);
    while (descent->n_tried < descent->n) {
        const hone_descent_step step = descent->steps[descent->next];
        int64_t index;

        ++descent->n_tried;
        if (++descent->next == descent->n)
            descent->next = 0;
        if (step.value == own[step.param])
            continue;
        search->row[step.param] = step.value;
        index = search->space.find(search->space.user, search->row);
        if (hone__search_is_new(search, index))
            return index;
        memcpy(search->row, own, bytes);
    }
    return -1;
}

int hone__descent_learn(const hone_search *search, hone_descent *descent,
                        int64_t slot)
{
    const hone_search_trial *trials = search->trials;

    if (isinf(trials[slot].time_ns))
        return 0;
    if (descent->at >= 0 &&
        (trials[slot].time_ns >= trials[descent->at].time_ns ||
         (slot != search->best &&
          hone__search_distance(search, slot, descent->at) > 1)))
        return 0;
    descent->at = slot;
    descent->n_tried = 0;
    return 1;
}
