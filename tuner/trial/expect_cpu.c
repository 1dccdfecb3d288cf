/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references: see expect_cpu.h. They read the inputs of a pass on the host
 * and compute in double, all elements or some thousands of them. */
#include "tuner/trial/expect_cpu.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"
#include "runtime/expr/expr.h"
#include "tuner/judge/check_data.h"

#include <string.h>

/* Host copies of all arguments of one pass. */
typedef struct host_args {
    void *array[HONE_MAX_ARGS];
    const void *pointer[HONE_MAX_ARGS];
} host_args;

static void free_host_args(host_args *host)
{
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__free(host->array[i]);
}

static hone_status download_args(hone_problem *problem, int pass,
                                 host_args *host, hone_error *err)
{
    const hone_driver *driver = problem->device->driver;

    memset(host, 0, sizeof *host);
    HONE_TRY(hone__device_synchronize(problem->device, "making inputs", err));
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_block *block = &problem->pristine[pass][i];

        host->pointer[i] = &problem->scalar[pass][i];
        if (problem->resolved.args[i].mode == HONE_ARG_SCALAR)
            continue;
        if (!block->base) { /* an output: nothing there to read */
            host->pointer[i] = NULL;
            continue;
        }
        host->array[i] = hone__alloc(block->size_bytes);
        if (!host->array[i])
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of host memory for a reference");
        HONE_TRY(
            hone__driver_check(driver,
                               driver->copy_to_host(host->array[i], block->data,
                                                    block->size_bytes),
                               "copying inputs to the host", err));
        host->pointer[i] = host->array[i];
    }
    return HONE_OK;
}

/* Elements of one output: in host memory, before they are uploaded. */
typedef struct computed {
    int64_t n_chosen; /* 0: all elements */
    int64_t index[HONE_N_SAMPLES];
    int64_t count;
    double *value;
    double *magnitude;
} computed;

static hone_status compute(const hone_problem *problem, int output,
                           const hone_reference *reference,
                           hone_reference_compute *run, const host_args *host,
                           computed *out, hone_error *err)
{
    const int64_t *dims = problem->resolved.dims;
    const int64_t n = hone__lane_count(&problem->resolved.args[output]);

    out->n_chosen = hone__inputs_elements(n, reference->cost(dims), out->index);
    out->count = out->n_chosen ? out->n_chosen : n;
    out->value = hone__alloc((size_t)out->count * sizeof *out->value);
    out->magnitude = hone__alloc((size_t)out->count * sizeof *out->magnitude);
    if (!out->value || !out->magnitude)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of host memory for a reference");
    if (!out->n_chosen)
        run(dims, host->pointer, 0, out->count, out->value, out->magnitude);
    for (int64_t i = 0; i < out->n_chosen; ++i)
        run(dims, host->pointer, out->index[i], 1, &out->value[i],
            &out->magnitude[i]);
    return HONE_OK;
}

/* 64-bit integers are compared as such (hone_compare). */
static void make_long(int type, double *values, int64_t n)
{
    for (int64_t i = 0; hone__type_is_long(type) && i < n; ++i)
        hone__element_store(type, values, i, values[i]);
}

static hone_status upload(hone_problem *problem, int output, computed *from,
                          hone_expectation *out, hone_error *err)
{
    hone_device *device = problem->device;
    const size_t n = (size_t)from->count;

    make_long((int)problem->resolved.args[output].type, from->value,
              from->count);
    if (from->n_chosen)
        HONE_TRY(hone__block_upload(
            device, from->index, n * sizeof from->index[0], &out->index, err));
    HONE_TRY(hone__block_upload(device, from->value, n * sizeof *from->value,
                                &out->value, err));
    HONE_TRY(hone__block_upload(device, from->magnitude,
                                n * sizeof *from->magnitude, &out->magnitude,
                                err));
    out->count = from->count;
    return HONE_OK;
}

static hone_status expect_output(hone_problem *problem, int pass,
                                 const hone_reference *reference, size_t i,
                                 const host_args *host, hone_check *check,
                                 hone_error *err)
{
    computed *c = hone__alloc(sizeof *c);
    hone_status status;

    if (!c)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    status = compute(problem, check->output, reference, reference->compute[i],
                     host, c, err);
    if (status == HONE_OK)
        status = upload(problem, check->output, c, &check->expected[pass], err);
    hone__free(c->value);
    hone__free(c->magnitude);
    hone__free(c);
    return status;
}

static hone_status expect_pass(hone_problem *problem, int pass,
                               const hone_reference *reference,
                               hone_check *checks, hone_error *err)
{
    host_args host = {{0}, {0}};
    hone_status status = download_args(problem, pass, &host, err);

    for (size_t i = 0; status == HONE_OK && i < problem->n_outputs; ++i) {
        if (hone__check_wants(&checks[i], pass))
            status = expect_output(problem, pass, reference, i, &host,
                                   &checks[i], err);
    }
    free_host_args(&host);
    return status;
}

static hone_status check_outputs(const hone_problem *problem,
                                 const hone_reference *reference,
                                 hone_error *err)
{
    size_t n = 0;

    while (n < HONE_MAX_REFERENCE_OUTPUTS && reference->compute[n])
        ++n;
    if (n >= problem->n_outputs)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_INPUT,
                      "%s: the reference cpu.%s computes %zu of the %zu arrays "
                      "that are written; check them with template.NAME",
                      problem->tmpl->path, reference->name, n,
                      problem->n_outputs);
}

/* It would read arrays of other types as what they are not, and beyond their
 * ends. */
static hone_status check_types(const hone_problem *problem,
                               const hone_reference *reference, hone_error *err)
{
    const hone_resolved *resolved = &problem->resolved;
    const char *at = reference->types;
    hone_text own = {0};
    hone_status status;
    int fits = !at;

    for (size_t i = 0; i < resolved->n_args; ++i)
        hone__text_printf(&own, "%s%s", i ? " " : "",
                          hone__type_name((hone_type)resolved->args[i].type));
    while (!fits && *at) {
        const size_t length = strcspn(at, "|");

        fits = length == own.length && memcmp(at, own.data, length) == 0;
        at += length + (at[length] == '|');
    }
    status = hone__text_check(&own, err);
    if (status == HONE_OK && !fits)
        status = hone__fail(err, HONE_ERR_UNSUPPORTED,
                            "takes arguments of the types %s, not %s",
                            reference->types, own.data);
    hone__text_free(&own);
    return status;
}

hone_status hone__expect_cpu(hone_problem *problem, hone_check *checks,
                             const hone_problem_setup *setup, hone_error *err)
{
    const hone_reference *reference = NULL;

    HONE_TRY(hone__reference_find(problem->tmpl, checks->name,
                                  setup->references, setup->n_references,
                                  &reference, err));
    HONE_TRY(check_outputs(problem, reference, err));
    HONE_TRY(check_types(problem, reference, err));
    for (int pass = 0; pass < HONE_N_PASSES; ++pass)
        HONE_TRY(expect_pass(problem, pass, reference, checks, err));
    return HONE_OK;
}
