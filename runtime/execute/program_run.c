/* SPDX-License-Identifier: Apache-2.0 */
/* Running programs that need more than launches, and what went wrong in a run:
 * see program.h. */
#include "runtime/execute/pipeline.h"

#include <stdio.h>

hone_status hone__program_explain(const hone_program *program,
                                  const hone_program_fault *fault,
                                  hone_error *err)
{
    char what[200];

    if (fault->missing >= 0 && fault->argument &&
        hone__program_is_null(fault->argument))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "args[%d] of %s points to a null pointer; the array "
                          "has elements at these dims",
                          fault->missing, program->op);
    if (fault->missing >= 0 && fault->argument)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "args[%d] of %s is given, and at these dims it is "
                          "not: pass a null pointer, or the dims at which it "
                          "is",
                          fault->missing, program->op);
    if (fault->missing >= 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "args[%d] of %s is NULL; each of its %d args points "
                          "to a %s pointer or to a scalar's value",
                          fault->missing, program->op, program->n_args,
                          program->driver->kind     ? "host"
                          : program->more->pipeline ? "host or device"
                                                    : "device");
    (void)snprintf(what, sizeof what, "launching kernel '%.80s' of %.80s",
                   program->more->kernels[fault->launch], program->op);
    return hone__driver_check(program->driver, fault->result, what, err);
}

hone_status hone__program_zero(const hone_program *program, hone_zero rule,
                               const hone_cu_ptr *parts, hone_stream stream,
                               hone_error *err)
{
    const hone_driver *driver = program->driver;
    char what[160];

    for (size_t i = 0; i < program->more->n_parts; ++i) {
        const hone_program_part *part = &program->more->parts[i];
        hone_cu_result result = 0;

        if (part->zero == rule && part->size_bytes)
            result = driver->fill8_async(parts[i], 0, part->size_bytes, stream);
        if (!result)
            continue;
        (void)snprintf(what, sizeof what,
                       "zeroing a workspace (cuMemsetD8Async) of %.80s",
                       program->op);
        return hone__driver_check(driver, result, what, err);
    }
    return HONE_OK;
}

/* What the launches of one run have in common. */
typedef struct run {
    const hone_program *program;
    void *const *args;
    hone_cu_ptr *parts;
    hone_cu_tensor_map *maps; /* NULL: none */
    hone_bank *bank;
    hone_stream stream;
    hone_error *err;
} run;

static hone_status launch_shape(const run *r, size_t index,
                                const hone_program_launch *launch,
                                const hone_launch_shape *shape)
{
    const hone_program *program = r->program;
    hone_cu_function function = launch->function;
    void *params[HONE_MAX_PASSED];
    hone_program_fault fault = {
        .launch = index,
        .missing = hone__program_params(launch, r->args, r->parts, params)};

    if (fault.missing >= 0) {
        fault.argument = r->args[fault.missing];
        return hone__program_explain(program, &fault, r->err);
    }
    for (unsigned p = 0; r->maps && p < launch->n_params; ++p) {
        if (launch->params[p].kind == HONE_PASS_MAP)
            params[p] = &r->maps[launch->params[p].of.index];
    }
    if (program->more->n_constants)
        HONE_TRY(hone__bank_kernel(r->bank, program, index, &function, r->err));
    fault.result = hone__driver_launch(program->driver, function, shape,
                                       r->stream, params);
    return fault.result ? hone__program_explain(program, &fault, r->err)
                        : HONE_OK;
}

/* In one of its repetitions: a program may be run by several threads, so this
 * puts the launch together beside it. */
static hone_status launch_repeated(const run *r, size_t index, unsigned number)
{
    const hone_program_more *more = r->program->more;
    const hone_program_repeat *repeat = &more->repeats[index];
    const hone_program_param *own =
        repeat->params + (size_t)number * repeat->n_varying;
    hone_program_launch launch = r->program->launches[index];
    hone_launch_shape shape = more->shapes[index];
    hone_program_param params[HONE_MAX_PASSED];

    if (!repeat->grids[number][0])
        return HONE_OK;
    memcpy(params, launch.params, launch.n_params * sizeof params[0]);
    for (unsigned i = 0; i < repeat->n_varying; ++i)
        params[repeat->varying[i]] = own[i];
    launch.params = params;
    memcpy(shape.grid, repeat->grids[number], sizeof shape.grid);
    return launch_shape(r, index, &launch, &shape);
}

/* The launches from `*first` on that belong together, and the next one into
 * it. */
static hone_status launch_together(const run *r, size_t *first)
{
    const hone_program *program = r->program;
    const hone_program_repeat *repeats = program->more->repeats;
    const size_t begin = *first;
    size_t end = begin + 1;

    *first = end;
    if (!repeats || !repeats[begin].together)
        return launch_shape(r, begin, &program->launches[begin],
                            &program->more->shapes[begin]);
    while (end < program->n_launches &&
           repeats[end].together == repeats[begin].together)
        ++end;
    *first = end;
    for (unsigned number = 0; number < repeats[begin].n; ++number) {
        for (size_t i = begin; i < end; ++i)
            HONE_TRY(launch_repeated(r, i, number));
    }
    return HONE_OK;
}

hone_status hone__program_launches(const hone_program *program, size_t first,
                                   size_t n, void *const *args,
                                   hone_cu_ptr *parts, hone_bank *bank,
                                   hone_stream stream, hone_error *err)
{
    hone_cu_tensor_map maps[HONE_MAX_MAPS];
    const run r = {.program = program,
                   .args = args,
                   .parts = parts,
                   .maps = program->more->maps ? maps : NULL,
                   .bank = bank,
                   .stream = stream,
                   .err = err};

    if (r.maps)
        HONE_TRY(
            hone__map_cache_get(program->more->maps, args, parts, maps, err));
    for (size_t i = first; i < first + n;)
        HONE_TRY(launch_together(&r, &i));
    return HONE_OK;
}

static hone_status run_vendor(const hone_program *program, void *const *args,
                              hone_cu_ptr *parts, hone_stream stream,
                              hone_error *err)
{
    const hone_program_more *more = program->more;
    void *params[HONE_MAX_ARGS];
    hone_program_fault fault = {
        .missing = hone__program_params(&more->arguments, args, NULL, params)};

    if (fault.missing >= 0) {
        fault.argument = args[fault.missing];
        return hone__program_explain(program, &fault, err);
    }
    return hone__vendor_enqueue(more->vendor, params,
                                more->n_parts ? parts[0] : 0, stream, err);
}

hone_status hone__program_run(const hone_program *program, void *const *args,
                              hone_cu_ptr *parts, hone_bank *bank,
                              hone_lane *lane, hone_stream stream,
                              hone_error *err)
{
    hone_program_fault fault;

    if (!program->is_special)
        return hone__program_enqueue(program, args, parts, stream, &fault)
                   ? HONE_OK
                   : hone__program_explain(program, &fault, err);
    if (program->more->vendor)
        return run_vendor(program, args, parts, stream, err);
    HONE_TRY(hone__program_zero(program, HONE_ZERO_EACH, parts, stream, err));
    if (program->more->n_constants)
        HONE_TRY(hone__bank_fill(bank, program, args, stream, err));
    if (program->more->pipeline)
        return hone__pipeline_run(
            &(hone_pipeline_run){program, args, parts, bank, lane, stream},
            err);
    return hone__program_launches(program, 0, program->n_launches, args, parts,
                                  bank, stream, err);
}
