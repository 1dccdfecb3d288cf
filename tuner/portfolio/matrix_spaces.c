/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates are configurations of which problem. */
#include "tuner/portfolio/matrix.h"

#include "gen/space.h"
#include "tuner/compile/compiler_kind.h"

/* It has no variant for this problem on this device. */
static int does_not_apply(hone_status status)
{
    return status == HONE_ERR_CONSTRAINT || status == HONE_ERR_NOT_FOUND ||
           status == HONE_ERR_UNSUPPORTED;
}

/* NULL space: nothing of it is valid there. */
static hone_status open_space(const hone_matrix *matrix, size_t impl,
                              size_t problem, hone_space **out, hone_error *err)
{
    const hone_template *tmpl = matrix->impls[impl];
    int64_t dims[HONE_MAX_DIMS];
    hone_error why = {0};
    hone_status status =
        hone__backend_takes(matrix->tune->farm.backend, tmpl, &why);

    *out = NULL;
    hone__template_known_dims(tmpl, matrix->problems[problem].dims, 1, dims);
    if (status == HONE_OK)
        status = hone__space_create_unsolved(tmpl, dims, matrix->properties, 1,
                                             out, &why);
    if (status == HONE_OK || does_not_apply(status))
        return HONE_OK;
    *err = why;
    return status;
}

/* A constraint that cannot be evaluated for it makes it not valid here, and
 * says nothing of the others. */
static hone_status is_valid(const hone_space *space, const hone_template *tmpl,
                            const char *text, int *out, hone_error *err)
{
    int64_t *config = hone__alloc((tmpl->n_params + 1) * sizeof *config);
    hone_status status;

    *out = 0;
    if (!config)
        return hone__out_of_memory(err, " for a portfolio");
    status = hone__config_parse(tmpl, text, config, NULL);
    if (status == HONE_OK)
        status = hone__space_check(space, config, NULL);
    *out = status == HONE_OK;
    hone__free(config);
    return status == HONE_ERR_NO_MEMORY
               ? hone__out_of_memory(err, " for a portfolio")
               : HONE_OK;
}

static hone_status check_pair(hone_matrix *matrix, size_t impl, size_t problem,
                              hone_error *err)
{
    double *row = &matrix->time_ns[problem * matrix->n_candidates];
    hone_space *space;
    hone_status status = open_space(matrix, impl, problem, &space, err);

    for (size_t i = 0; i < matrix->n_candidates && status == HONE_OK; ++i) {
        int valid = 0;

        if (matrix->candidates[i].impl != impl || row[i] != HONE_CELL_UNKNOWN)
            continue;
        if (space)
            status = is_valid(space, matrix->impls[impl],
                              matrix->candidates[i].config, &valid, err);
        if (!valid)
            row[i] = HONE_CELL_INVALID;
    }
    hone__space_free(space);
    return status;
}

hone_status hone__matrix_check(hone_matrix *matrix, hone_error *err)
{
    for (size_t p = 0; p < matrix->n_problems; ++p)
        for (size_t i = 0; i < matrix->n_impls; ++i)
            HONE_TRY(check_pair(matrix, i, p, err));
    return HONE_OK;
}
