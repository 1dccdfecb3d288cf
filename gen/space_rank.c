/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a template's parameters in ascending order, for whoever goes
 * from one to the next; the space itself has them as they are declared. */
#include "gen/space_parts.h"

#include <stdlib.h>

typedef struct ranked {
    double real;
    int64_t number;
    int index;
} ranked;

static int ascending(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->real != y->real)
        return x->real < y->real ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Of a parameter whose numbers do not ascend as they are; others stay. */
static hone_status rank(hone_space *space, size_t i, ranked *scratch,
                        hone_error *err)
{
    const hone_param *param = &space->tmpl->params[i];
    const int is_real = param->kind == HONE_PARAM_REAL;
    int is_sorted = 1;
    int *both;

    if (!is_real && param->kind != HONE_PARAM_INT)
        return HONE_OK;
    for (size_t k = 0; k < param->n_values; ++k) {
        scratch[k] =
            (ranked){is_real ? hone__real_of_bits(param->values[k]) : 0,
                     is_real ? 0 : param->values[k], (int)k};
        is_sorted &= !k || ascending(&scratch[k - 1], &scratch[k]) < 0;
    }
    if (is_sorted)
        return HONE_OK;
    qsort(scratch, param->n_values, sizeof *scratch, ascending);
    both = hone__arena_alloc(&space->arena, 2 * param->n_values * sizeof *both);
    if (!both)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    space->by_rank[i] = both;
    space->ranks[i] = both + param->n_values;
    for (size_t k = 0; k < param->n_values; ++k) {
        space->by_rank[i][k] = scratch[k].index;
        space->ranks[i][scratch[k].index] = (int)k;
    }
    return HONE_OK;
}

hone_status hone__space_rank(hone_space *space, hone_error *err)
{
    const size_t n = space->tmpl->n_params;
    hone_status status = HONE_OK;
    ranked *scratch;
    size_t most = 1;

    for (size_t i = 0; i < n; ++i) {
        if (space->tmpl->params[i].n_values > most)
            most = space->tmpl->params[i].n_values;
    }
    space->by_rank =
        hone__arena_alloc(&space->arena, (n + 1) * sizeof *space->by_rank);
    space->ranks =
        hone__arena_alloc(&space->arena, (n + 1) * sizeof *space->ranks);
    scratch = hone__alloc(most * sizeof *scratch);
    if (!space->by_rank || !space->ranks || !scratch)
        status = hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == HONE_OK && i < n; ++i)
        status = rank(space, i, scratch, err);
    hone__free(scratch);
    return status;
}

int hone__space_value_at(const hone_space *space, size_t param, int rank)
{
    return space->by_rank && space->by_rank[param] ? space->by_rank[param][rank]
                                                   : rank;
}

static void put_ranks(const hone_space *space, int *values)
{
    for (size_t i = 0; space->ranks && i < space->n_params; ++i) {
        if (space->ranks[i])
            values[i] = space->ranks[i][values[i]];
    }
}

void hone__space_get_ranks(const hone_space *space, int64_t index, int *out)
{
    hone__space_get_indexes(space, index, out);
    put_ranks(space, out);
}

int64_t hone__space_find_ranks(const hone_space *space, int *ranks)
{
    int64_t found = -1;

    for (size_t i = 0; i < space->n_params; ++i)
        ranks[i] = hone__space_value_at(space, i, ranks[i]);
    if (!hone__space_settle_indexes(space, ranks, NULL, NULL))
        found = hone__space_find_indexes(space, ranks);
    put_ranks(space, ranks);
    return found;
}
