/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a problem in device memory: see problem.h. */
#include "tuner/trial/problem.h"

#include "runtime/base/alloc.h"
#include "tuner/compile/allowance.h"
#include "tuner/process/parallel.h"
#include "tuner/trial/expectations.h"

#include <stdio.h>
#include <string.h>

int hone__lane_type(hone_type type)
{
    return type == HONE_TYPE_C32   ? HONE_TYPE_F32
           : type == HONE_TYPE_C64 ? HONE_TYPE_F64
                                   : (int)type;
}

int64_t hone__lane_count(const hone_resolved_arg *arg)
{
    return hone__lane_type(arg->type) != (int)arg->type ? 2 * arg->count
                                                        : arg->count;
}

int64_t hone__problem_bytes(const hone_problem *problem)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        if (problem->resolved.args[i].mode != HONE_ARG_SCALAR)
            bytes += problem->resolved.args[i].size_bytes;
    }
    return bytes > 0 ? bytes : 1;
}

hone_block_kind hone__problem_kind(const hone_problem *problem, size_t arg)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];

    return !a->is_host    ? HONE_BLOCK_DEVICE
           : a->is_pinned ? HONE_BLOCK_PINNED
                          : HONE_BLOCK_PAGEABLE;
}

int hone__problem_has_host(const hone_problem *problem)
{
    return problem->resolved.pipeline.is_used;
}

hone_roofline hone__problem_roofline(const hone_problem *problem)
{
    const hone_device *device = problem->device;
    int has_bytes = 0;

    for (size_t i = 0; i < problem->resolved.n_args; ++i)
        has_bytes |= hone__type_size_bytes(problem->resolved.args[i].type) == 1;
    return hone__selfcheck_roofline(
        device->properties.value[HONE_PROPERTY_sm],
        device->properties.value[HONE_PROPERTY_sm_count], device->clock_khz,
        device->memory_clock_khz, device->bus_bits, has_bytes);
}

static hone_status find_outputs(hone_problem *problem, hone_error *err)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        if (hone__arg_is_written(&problem->resolved.args[i]))
            problem->outputs[problem->n_outputs++] = (int)i;
    }
    if (!problem->tmpl->n_checks || problem->n_outputs)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_UNSUPPORTED,
                      "%s: a check compares what is written, but no array is "
                      "marked out or inout",
                      problem->tmpl->path);
}

static hone_status add_check(hone_problem *problem,
                             const hone_template_check *from, int output,
                             hone_error *err)
{
    const hone_resolved_arg *arg = &problem->resolved.args[output];
    hone_check *check;

    if (problem->n_checks == HONE_MAX_CHECKS)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: %zu checks of %zu arrays are more than %d "
                          "comparisons",
                          problem->tmpl->path, problem->tmpl->n_checks,
                          problem->n_outputs, HONE_MAX_CHECKS);
    check = &problem->checks[problem->n_checks++];
    check->name = from->reference;
    check->magnitude = from->magnitude;
    check->output = output;
    (void)snprintf(check->label, sizeof check->label,
                   problem->n_outputs > 1 ? "%s of '%s'" : "%s",
                   from->reference, arg->name);
    return hone__check_bounds(
        problem->tmpl, from, output, problem->resolved.dims,
        &problem->device->properties, &check->bounds, err);
}

static hone_status read_checks(hone_problem *problem, hone_error *err)
{
    const hone_template *tmpl = problem->tmpl;
    int64_t *amplitude = &problem->amplitude[HONE_PASS_EXACT];

    for (size_t i = 0; i < tmpl->n_checks; ++i) {
        for (size_t k = 0; k < problem->n_outputs; ++k)
            HONE_TRY(
                add_check(problem, &tmpl->checks[i], problem->outputs[k], err));
    }
    /* Integers are as small as the strictest of the checks wants. */
    for (size_t i = 0; i < problem->n_checks; ++i) {
        const int64_t exact =
            (int64_t)problem->checks[i].bounds.number[HONE_BOUND_EXACT];

        if (exact > 0 && (!*amplitude || exact < *amplitude))
            *amplitude = exact;
    }
    return HONE_OK;
}

/* What is allocated before copies for cold mode: inputs of both passes, work
 * arrays, and two doubles per element that is compared. */
static int64_t needed_bytes(const hone_problem *problem)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];

        if (arg->mode == HONE_ARG_IN || arg->mode == HONE_ARG_INOUT)
            bytes += HONE_N_PASSES * arg->size_bytes;
        if (hone__arg_is_written(arg))
            bytes += arg->size_bytes;
    }
    for (size_t i = 0; i < problem->n_checks; ++i)
        bytes += (1 + hone__check_wants(&problem->checks[i], HONE_PASS_EXACT)) *
                 2 * (int64_t)sizeof(double) *
                 hone__lane_count(
                     &problem->resolved.args[problem->checks[i].output]);
    return bytes;
}

static hone_status explain_memory(const hone_problem *problem,
                                  hone_status status, hone_error *err)
{
    size_t free_bytes = 0;
    size_t total_bytes = 0;

    if (status != HONE_ERR_NO_MEMORY || !err || err->domain != HONE_DOMAIN_CUDA)
        return status;
    (void)problem->device->driver->memory_info(&free_bytes, &total_bytes);
    return hone__fail_native(
        err, status, HONE_DOMAIN_CUDA, HONE_CU_OUT_OF_MEMORY,
        "%s needs about %lld MiB of device memory (its arguments take %lld, "
        "and verification keeps other inputs and the expected results); %lld "
        "of %lld MiB are free. End other processes on the GPU (nvidia-smi "
        "shows them), choose another GPU with --device cuda:N, or tune a "
        "smaller problem",
        problem->tmpl->op, (long long)(needed_bytes(problem) >> 20),
        (long long)(hone__problem_bytes(problem) >> 20),
        (long long)(free_bytes >> 20), (long long)(total_bytes >> 20));
}

static void free_memory(hone_problem *problem)
{
    hone_device *device = problem->device;

    for (size_t i = 0; device && i < HONE_MAX_ARGS; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass)
            hone__block_free(device, &problem->pristine[pass][i]);
        hone__block_free(device, &problem->work[i]);
        for (size_t set = 1; set < HONE_MAX_SETS; ++set)
            hone__block_free(device, &problem->extra[set][i]);
    }
    for (size_t i = 0; device && i < problem->n_checks; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            hone_expectation *e = &problem->checks[i].expected[pass];

            hone__block_free(device, &e->index);
            hone__block_free(device, &e->value);
            hone__block_free(device, &e->magnitude);
        }
    }
}

hone_status hone__problem_open(hone_device *device,
                               const hone_problem_setup *setup,
                               hone_problem *out, hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->device = device;
    out->tmpl = setup->tmpl;
    out->setup = *setup;
    out->setup.spec = NULL;
    out->setup.dims = NULL;
    status = hone__launch_spec_resolve(
        &(hone_launch_case){setup->spec, setup->dims, setup->tmpl->n_dims,
                            &device->properties},
        &out->resolved, err);
    /* A problem may outlive the launch plan that it was opened with. */
    for (size_t i = 0; status == HONE_OK && i < out->resolved.n_args; ++i)
        out->resolved.args[i].name = setup->tmpl->args[i].name;
    if (status == HONE_OK)
        status = find_outputs(out, err);
    if (status == HONE_OK)
        status = read_checks(out, err);
    if (status == HONE_OK)
        status = hone__problem_inputs(out, err);
    if (status == HONE_OK)
        status = hone__expectations_make(out, err);
    if (status == HONE_OK)
        status = hone__problem_sets(out, err);
    if (status == HONE_OK)
        status = hone__problem_watch(out, err);
    if (status != HONE_OK) {
        /* Free first, so that the sentence says what others left. */
        free_memory(out);
        status = explain_memory(out, status, err);
        hone__problem_close(out);
    }
    return status;
}

void hone__problem_close(hone_problem *problem)
{
    free_memory(problem);
    hone__free(problem->watched);
    memset(problem, 0, sizeof *problem);
}

enum { PIECE_BYTES = 4 << 20, PAGE_BYTES = 4096, MOST_THREADS = 16 };

typedef struct fresh_pages {
    unsigned char *first;
    size_t size_bytes;
} fresh_pages;

static hone_status enter_piece(void *user, int64_t i, hone_error *err)
{
    const fresh_pages *p = user;
    const size_t end = (size_t)(i + 1) * PIECE_BYTES;

    (void)err;
    for (size_t k = (size_t)i * PIECE_BYTES; k < end && k < p->size_bytes;
         k += PAGE_BYTES)
        ((volatile unsigned char *)p->first)[k] = 0;
    return HONE_OK;
}

/* The system gives a page when it is written to for the first time, one after
 * the other while the driver copies: 278 MiB took 205 ms on an H200's host, and
 * 38 where 16 cores had entered them before (14 of these). */
static hone_status enter_pages(void *first, size_t size_bytes, hone_error *err)
{
    fresh_pages p = {first, size_bytes};
    hone_allowance allowance;

    if (size_bytes < 4 * (size_t)PIECE_BYTES)
        return HONE_OK;
    hone__allowance_read(&allowance);
    return hone__parallel_for(
        (int64_t)((size_bytes + PIECE_BYTES - 1) / PIECE_BYTES),
        allowance.n_cores < MOST_THREADS ? allowance.n_cores : MOST_THREADS,
        enter_piece, &p, err);
}

hone_status hone__problem_download(hone_problem *problem,
                                   const hone_block *block, const char *purpose,
                                   const char *what, void **out,
                                   hone_error *err)
{
    const hone_driver *driver = problem->device->driver;

    if (!block->base)
        return HONE_OK;
    if (!*out) {
        *out = hone__alloc(block->size_bytes + 1);
        if (!*out)
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of host memory for %s", purpose);
        HONE_TRY(enter_pages(*out, block->size_bytes, err));
    }
    return hone__driver_check(
        driver, driver->copy_to_host(*out, block->data, block->size_bytes),
        what, err);
}

hone_status hone__problem_prepare(hone_problem *problem, hone_pass_data pass,
                                  hone_cu_ptr *pointers, void **args,
                                  hone_error *err)
{
    hone_device *device = problem->device;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_block *block = hone__arg_is_written(arg)
                                      ? &problem->work[i]
                                      : &problem->pristine[pass][i];

        args[i] = &problem->scalar[pass][i];
        if (arg->mode == HONE_ARG_SCALAR)
            continue;
        if (arg->mode == HONE_ARG_INOUT)
            HONE_TRY(hone__block_copy(device, &problem->pristine[pass][i],
                                      block, err));
        else if (hone__arg_is_written(arg))
            HONE_TRY(hone__block_fill(device, block, 0xff, err));
        HONE_TRY(hone__block_lend(device, block, err));
        pointers[i] = hone__block_address(block);
        args[i] = &pointers[i];
    }
    return HONE_OK;
}
