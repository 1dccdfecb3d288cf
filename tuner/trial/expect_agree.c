/* SPDX-License-Identifier: Apache-2.0 */
/* Is a library's result what the CPU references say? See expectations.h. */
#include "tuner/trial/expectations.h"

#include <stdio.h>
#include <string.h>

/* Each is copied alone; a library that is wrong is so at more than one of them
 * (decision 218). */
enum { LOOKED_AT = 256 };

typedef struct agreement {
    hone_problem *problem;
    int type;                 /* of the output's lanes */
    const hone_block *values; /* values of all elements */
    int n, n_other;
} agreement;

/* Element `i` of an array of 8 bytes each. */
static hone_status read(const agreement *a, const hone_block *from, int64_t i,
                        void *out, hone_error *err)
{
    const hone_driver *driver = a->problem->device->driver;

    return hone__driver_check(
        driver,
        driver->copy_to_host(out, from->data + (hone_cu_ptr)i * sizeof(double),
                             sizeof(double)),
        "comparing references", err);
}

/* As the output has it: it may have fewer bits. */
static double rounded(int type, double value)
{
    uint64_t cell[2] = {0, 0};

    hone__element_store(type, cell, 0, value);
    return hone__element_load(type, cell, 0);
}

static hone_status compare(agreement *a, const hone_expectation *cpu,
                           hone_error *err)
{
    const int64_t step = (cpu->count + LOOKED_AT - 1) / LOOKED_AT;

    for (int64_t i = 0; i < cpu->count; i += step) {
        int64_t at = i;
        double want = 0, found = 0;

        if (cpu->index.base)
            HONE_TRY(read(a, &cpu->index, i, &at, err));
        HONE_TRY(read(a, &cpu->value, i, &want, err));
        HONE_TRY(read(a, a->values, at, &found, err));
        a->n_other += rounded(a->type, want) != found;
        ++a->n;
    }
    return HONE_OK;
}

static void forget(const hone_problem *problem, hone_check *check)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        hone__block_free(problem->device, &check->expected[pass].value);
        hone__block_free(problem->device, &check->expected[pass].magnitude);
        check->expected[pass].count = 0;
    }
}

hone_status hone__expectations_agree(hone_problem *problem, hone_check *check,
                                     hone_error *err)
{
    agreement a = {
        .problem = problem,
        .type = hone__lane_type(problem->resolved.args[check->output].type),
        .values = &check->expected[HONE_PASS_EXACT].value};

    if (!check->expected[HONE_PASS_EXACT].count || !hone__type_is_real(a.type))
        return HONE_OK;
    HONE_TRY(
        hone__device_synchronize(problem->device, "comparing references", err));
    for (size_t i = 0; i < problem->n_checks; ++i) {
        const hone_check *other = &problem->checks[i];
        const hone_expectation *cpu = &other->expected[HONE_PASS_EXACT];

        if (strncmp(other->name, "cpu.", 4) != 0 ||
            other->output != check->output || !cpu->count)
            continue;
        HONE_TRY(compare(&a, cpu, err));
        if (!a.n_other)
            continue;
        (void)snprintf(check->skipped, sizeof check->skipped,
                       "on integers it has another result than %.100s at %d "
                       "of %d elements, where both are exact",
                       other->name, a.n_other, a.n);
        forget(problem, check);
        return HONE_OK;
    }
    return HONE_OK;
}
