/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and references of a problem in host memory: see cpu_problem.h. */
#include "tuner/cpu/cpu_problem.h"

#include "runtime/base/alloc.h"
#include "tuner/trial/expect_template.h"

#include <stdio.h>
#include <string.h>

enum { GUARD_BYTES = 256 };

hone_status hone__cpu_block_alloc(size_t size_bytes, int guarded,
                                  hone_cpu_block *out, hone_error *err)
{
    const size_t guard = guarded ? GUARD_BYTES : 0;

    *out = (hone_cpu_block){NULL, NULL, size_bytes, guard};
    out->base = hone__alloc(size_bytes + 2 * guard);
    if (!out->base)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for an array of %zu bytes",
                          size_bytes);
    memset(out->base, 0xff, size_bytes + 2 * guard);
    out->data = out->base + guard;
    return HONE_OK;
}

void hone__cpu_block_free(hone_cpu_block *block)
{
    hone__free(block->base);
    *block = (hone_cpu_block){NULL, NULL, 0, 0};
}

hone_watch_state hone__cpu_block_state(const hone_cpu_block *block)
{
    hone_watch_state state = {0, 0, 0};

    state.hash = hone__hash64(block->data, block->size_bytes);
    for (size_t i = 0; i < block->guard_bytes; ++i) {
        state.n_before += block->base[i] != 0xff;
        state.n_behind += block->data[block->size_bytes + i] != 0xff;
    }
    return state;
}

/* The values of one array, written (again). */
static void fill(hone_cpu_problem *problem, int pass, size_t arg)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];
    hone_cpu_block *block = &problem->pristine[pass][arg];
    const uint64_t seed = hone__inputs_seed(problem->seed, arg, pass);
    const int64_t amplitude = problem->amplitude[pass];
    const int type = hone__lane_type(a->type);
    const int64_t n = hone__lane_count(a);

    for (int64_t i = 0; i < n; ++i)
        hone__element_store(
            type, block->data, i,
            hone__inputs_value(type, seed, (uint64_t)i, amplitude));
}

static hone_status make_array(hone_cpu_problem *problem, int pass, size_t arg,
                              hone_error *err)
{
    const hone_resolved_arg *a = &problem->resolved.args[arg];

    HONE_TRY(hone__cpu_block_alloc((size_t)a->size_bytes, problem->guarded,
                                   &problem->pristine[pass][arg], err));
    fill(problem, pass, arg);
    return HONE_OK;
}

static hone_status make_inputs(hone_cpu_problem *problem, hone_error *err)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];

        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            if (arg->mode == HONE_ARG_SCALAR)
                hone__inputs_scalar(arg->type, problem->seed, i, pass,
                                    problem->amplitude[pass],
                                    &problem->scalar[pass][i]);
            else if (arg->mode != HONE_ARG_OUT)
                HONE_TRY(make_array(problem, pass, i, err));
        }
        if (hone__arg_is_written(arg)) {
            HONE_TRY(hone__cpu_block_alloc((size_t)arg->size_bytes,
                                           problem->guarded, &problem->work[i],
                                           err));
            problem->output = (int)i;
        }
    }
    return HONE_OK;
}

/* ---- what the output must be --------------------------------------------
 */

static hone_status run_reference(hone_cpu_problem *problem, int pass,
                                 const hone_reference *reference,
                                 hone_cpu_check *check, hone_error *err)
{
    const hone_resolved_arg *output = &problem->resolved.args[problem->output];
    const int64_t *dims = problem->resolved.dims;
    int64_t chosen[HONE_N_SAMPLES];
    const void *args[HONE_MAX_ARGS];
    const int64_t n_lanes = hone__lane_count(output);
    const int64_t n_chosen =
        hone__inputs_elements(n_lanes, reference->cost(dims), chosen);
    const int64_t count = n_chosen ? n_chosen : n_lanes;
    double *value, *magnitude;

    for (size_t i = 0; i < problem->resolved.n_args; ++i)
        args[i] = problem->resolved.args[i].mode == HONE_ARG_SCALAR
                      ? (const void *)&problem->scalar[pass][i]
                      : problem->pristine[pass][i].data;
    HONE_TRY(hone__cpu_block_alloc((size_t)count * sizeof(double),
                                   problem->guarded, &check->value[pass], err));
    HONE_TRY(hone__cpu_block_alloc((size_t)count * sizeof(double),
                                   problem->guarded, &check->magnitude[pass],
                                   err));
    if (n_chosen) {
        HONE_TRY(hone__cpu_block_alloc((size_t)count * sizeof(int64_t),
                                       problem->guarded, &check->index[pass],
                                       err));
        memcpy(check->index[pass].data, chosen,
               (size_t)count * sizeof(int64_t));
    }
    value = (double *)(void *)check->value[pass].data;
    magnitude = (double *)(void *)check->magnitude[pass].data;
    check->count[pass] = count;
    if (!n_chosen)
        reference->compute(dims, args, 0, count, value, magnitude);
    for (int64_t i = 0; i < n_chosen; ++i)
        reference->compute(dims, args, chosen[i], 1, &value[i], &magnitude[i]);
    return HONE_OK;
}

static hone_status make_check(hone_cpu_problem *problem,
                              const hone_problem_setup *setup,
                              hone_cpu_check *check, hone_error *err)
{
    const hone_reference *reference = NULL;

    if (strncmp(check->name, "cpu.", 4) != 0 &&
        !hone__reference_template_is(check->name)) {
        (void)snprintf(check->skipped, sizeof check->skipped,
                       "a vendor library of the GPU");
        return HONE_OK;
    }
    if (problem->output < 0)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s: a check compares the output array, but no "
                          "array is marked out or inout",
                          problem->tmpl->path);
    if (hone__reference_template_is(check->name))
        return hone__cpu_expect_template(problem, check, setup, err);
    HONE_TRY(hone__reference_find(problem->tmpl, check->name, setup->references,
                                  setup->n_references, &reference, err));
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        if (pass == HONE_PASS_EXACT && !check->exact)
            continue;
        HONE_TRY(run_reference(problem, pass, reference, check, err));
    }
    return HONE_OK;
}

static hone_status make_checks(hone_cpu_problem *problem,
                               const hone_problem_setup *setup, hone_error *err)
{
    for (size_t i = 0; i < problem->n_checks; ++i)
        HONE_TRY(make_check(problem, setup, &problem->checks[i], err));
    return HONE_OK;
}

static hone_status read_checks(hone_cpu_problem *problem, hone_error *err)
{
    const hone_template *tmpl = problem->tmpl;

    for (size_t i = 0; i < tmpl->n_checks && i < HONE_MAX_CHECKS; ++i) {
        hone_cpu_check *check = &problem->checks[problem->n_checks++];

        check->name = tmpl->checks[i].reference;
        HONE_TRY(hone__check_bounds(
            tmpl, &tmpl->checks[i], problem->resolved.dims,
            &problem->properties, &check->tolerance, &check->exact, err));
        problem->amplitude[HONE_PASS_EXACT] = hone__inputs_amplitude(
            problem->amplitude[HONE_PASS_EXACT], check->exact);
    }
    return HONE_OK;
}

/* ---- what is watched ----------------------------------------------------
 */

static void watch(hone_cpu_problem *problem, hone_cpu_block *block,
                  hone_watch what)
{
    if (!block->base)
        return;
    what.read_only = what.kind != HONE_WATCH_OUTPUT;
    what.hash = hone__cpu_block_state(block).hash;
    problem->watched[problem->n_watched++] = (hone_cpu_watched){what, block};
}

static void watch_all(hone_cpu_problem *problem)
{
    for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
        for (int i = 0; i < (int)problem->resolved.n_args; ++i) {
            const hone_resolved_arg *arg = &problem->resolved.args[i];

            watch(problem, &problem->pristine[pass][i],
                  (hone_watch){.kind = HONE_WATCH_INPUT,
                               .pass = pass,
                               .index = i,
                               .mode = arg->mode,
                               .name = arg->name});
            if (pass == 0)
                watch(problem, &problem->work[i],
                      (hone_watch){.kind = HONE_WATCH_OUTPUT,
                                   .index = i,
                                   .mode = arg->mode,
                                   .name = arg->name});
        }
        for (int i = 0; i < (int)problem->n_checks; ++i) {
            hone_cpu_check *check = &problem->checks[i];
            const hone_watch what = {.kind = HONE_WATCH_EXPECTED,
                                     .pass = pass,
                                     .index = i,
                                     .name = check->name};

            watch(problem, &check->index[pass], what);
            watch(problem, &check->value[pass], what);
            watch(problem, &check->magnitude[pass], what);
        }
    }
}

void hone__cpu_problem_restore(hone_cpu_problem *problem)
{
    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_cpu_watched *w = &problem->watched[i];

        memset(w->block->base, 0xff, w->block->guard_bytes);
        memset(w->block->data + w->block->size_bytes, 0xff,
               w->block->guard_bytes);
        if (w->what.kind == HONE_WATCH_INPUT)
            fill(problem, w->what.pass, (size_t)w->what.index);
    }
}

hone_status hone__cpu_problem_open(const hone_problem_setup *setup, int guarded,
                                   hone_cpu_problem *out, hone_error *err)
{
    hone_status status;

    memset(out, 0, sizeof *out);
    out->tmpl = setup->tmpl;
    out->seed = setup->seed;
    out->guarded = guarded;
    out->output = -1;
    hone__properties_of_host(&out->properties);
    status = hone__launch_spec_parse(setup->launch_spec, &out->spec, err);
    if (status == HONE_OK)
        status = hone__launch_spec_resolve(
            out->spec, setup->dims, setup->tmpl->n_dims, &out->properties,
            &out->resolved, err);
    if (status == HONE_OK)
        status = read_checks(out, err);
    if (status == HONE_OK)
        status = make_inputs(out, err);
    if (status == HONE_OK)
        status = make_checks(out, setup, err);
    if (status == HONE_OK)
        watch_all(out);
    else
        hone__cpu_problem_close(out);
    return status;
}

void hone__cpu_problem_close(hone_cpu_problem *problem)
{
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i) {
        hone__cpu_block_free(&problem->work[i]);
        for (int pass = 0; pass < HONE_N_PASSES; ++pass)
            hone__cpu_block_free(&problem->pristine[pass][i]);
    }
    for (size_t i = 0; i < problem->n_checks; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            hone__cpu_block_free(&problem->checks[i].index[pass]);
            hone__cpu_block_free(&problem->checks[i].value[pass]);
            hone__cpu_block_free(&problem->checks[i].magnitude[pass]);
        }
    }
    hone__launch_spec_free(problem->spec);
    memset(problem, 0, sizeof *problem);
}

void hone__cpu_problem_prepare(hone_cpu_problem *problem, int pass,
                               void **pointers, void **args)
{
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        const hone_cpu_block *from = &problem->pristine[pass][i];
        const hone_cpu_block *work = &problem->work[i];

        args[i] = &problem->scalar[pass][i];
        if (arg->mode == HONE_ARG_SCALAR)
            continue;
        pointers[i] = hone__arg_is_written(arg) ? work->data : from->data;
        args[i] = &pointers[i];
        if (arg->mode == HONE_ARG_INOUT)
            memcpy(work->data, from->data, work->size_bytes);
        else if (arg->mode == HONE_ARG_OUT)
            memset(work->data, 0xff, work->size_bytes);
    }
}
