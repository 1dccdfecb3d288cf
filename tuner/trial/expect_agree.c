/* SPDX-License-Identifier: Apache-2.0 */
/* Is a library's result what the CPU references say? See expectations.h. */
#include "tuner/trial/expectations.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Of so many elements: a library that is wrong is so at more than one of them
 * (decision 218). Copies take microseconds, however short they are: what is not
 * large is copied once, as edge shapes are, of which a final has dozens. */
enum { LOOKED_AT = 256, WHOLE_BYTES = 1 << 20 };

/* 8 bytes for each element; no block: none. */
typedef struct array {
    const hone_block *block;
    unsigned char *copy; /* NULL: each is copied when it is read */
} array;

typedef struct agreement {
    hone_problem *problem;
    int type; /* of the output's lanes */
    int n, n_other;
} agreement;

static hone_status copy(const agreement *a, const hone_block *from,
                        size_t offset, size_t bytes, void *out, hone_error *err)
{
    const hone_driver *driver = a->problem->device->driver;

    return hone__driver_check(
        driver, driver->copy_to_host(out, from->data + offset, bytes),
        "comparing references", err);
}

static hone_status take(const agreement *a, const hone_block *block, array *out,
                        hone_error *err)
{
    *out = (array){.block = block};
    if (!block->base || block->size_bytes > WHOLE_BYTES)
        return HONE_OK;
    out->copy = hone__alloc(block->size_bytes + 1);
    return out->copy ? copy(a, block, 0, block->size_bytes, out->copy, err)
                     : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

/* Element `i`. */
static hone_status read(const agreement *a, const array *from, int64_t i,
                        void *out, hone_error *err)
{
    const size_t bytes = sizeof(double), offset = (size_t)i * bytes;

    if (!from->copy)
        return copy(a, from->block, offset, bytes, out, err);
    memcpy(out, from->copy + offset, bytes);
    return HONE_OK;
}

/* As the output has it: it may have fewer bits. */
static double rounded(int type, double value)
{
    uint64_t cell[2] = {0, 0};

    hone__element_store(type, cell, 0, value);
    return hone__element_load(type, cell, 0);
}

static hone_status compare(agreement *a, const array *values,
                           const array *index, const array *cpu, int64_t count,
                           hone_error *err)
{
    const int64_t step = (count + LOOKED_AT - 1) / LOOKED_AT;

    for (int64_t i = 0; i < count; i += step) {
        int64_t at = i;
        double want = 0, found = 0;

        if (index->block->base)
            HONE_TRY(read(a, index, i, &at, err));
        HONE_TRY(read(a, cpu, i, &want, err));
        HONE_TRY(read(a, values, at, &found, err));
        a->n_other += rounded(a->type, want) != found;
        ++a->n;
    }
    return HONE_OK;
}

/* With the values of all elements. */
static hone_status compare_with(agreement *a, const hone_block *values,
                                const hone_expectation *cpu, hone_error *err)
{
    array all = {NULL, NULL}, index = {NULL, NULL}, some = {NULL, NULL};
    hone_status status = take(a, values, &all, err);

    if (status == HONE_OK)
        status = take(a, &cpu->index, &index, err);
    if (status == HONE_OK)
        status = take(a, &cpu->value, &some, err);
    if (status == HONE_OK)
        status = compare(a, &all, &index, &some, cpu->count, err);
    hone__free(all.copy);
    hone__free(index.copy);
    hone__free(some.copy);
    return status;
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
        .type = hone__lane_type(problem->resolved.args[check->output].type)};

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
        HONE_TRY(compare_with(&a, &check->expected[HONE_PASS_EXACT].value, cpu,
                              err));
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
