/* SPDX-License-Identifier: Apache-2.0 */
/* Filling constant memory: see program.h. */
#include "runtime/execute/program.h"

#include <stdio.h>
#include <string.h>

void hone__bank_forget(hone_bank *bank)
{
    for (unsigned i = 0; i < HONE_MAX_CONSTANTS; ++i)
        bank->constants[i].filled_bytes = 0;
}

/* The entry of a constant. */
static hone_status find_constant(hone_bank *bank, const hone_program *program,
                                 const hone_program_constant *constant,
                                 hone_bank_constant **out, hone_error *err)
{
    const unsigned n = bank->n_constants;
    size_t size_bytes = 0;
    hone_bank_constant *entry;

    for (unsigned i = 0; i < HONE_MAX_CONSTANTS; ++i) {
        *out = &bank->constants[i];
        if ((*out)->of_program == constant->to)
            return HONE_OK;
    }
    entry = &bank->constants[n % HONE_MAX_CONSTANTS];
    *entry = (hone_bank_constant){.to = constant->to};
    if (bank->module)
        HONE_TRY(hone__driver_check(
            program->driver,
            program->driver->module_global(&entry->to, &size_bytes,
                                           bank->module, constant->name),
            "finding constant memory (cuModuleGetGlobal)", err));
    entry->of_program = constant->to;
    bank->n_constants = n + 1;
    *out = entry;
    return HONE_OK;
}

static hone_status fill_constant(hone_bank *bank, const hone_program *program,
                                 const hone_program_constant *constant,
                                 void *const *args, hone_stream stream,
                                 hone_error *err)
{
    hone_bank_constant *entry = NULL;
    hone_cu_ptr from;
    char what[160];

    memcpy(&from, args[constant->arg], sizeof from);
    HONE_TRY(find_constant(bank, program, constant, &entry, err));
    if (entry->from == from && entry->filled_bytes >= constant->size_bytes)
        return HONE_OK;
    entry->filled_bytes = 0;
    (void)snprintf(what, sizeof what,
                   "filling constant memory (cuMemcpyDtoDAsync) of %.80s",
                   program->op);
    HONE_TRY(
        hone__driver_check(program->driver,
                           program->driver->copy_async(
                               entry->to, from, constant->size_bytes, stream),
                           what, err));
    entry->from = from;
    entry->filled_bytes = constant->size_bytes;
    return HONE_OK;
}

/* Forget what does not hold for a run that is captured, or not, like this
 * one. */
static hone_status follow_capture(hone_bank *bank, const hone_program *program,
                                  hone_stream stream, hone_error *err)
{
    int status = HONE_CU_CAPTURE_NONE;
    uint64_t capture = 0;

    HONE_TRY(hone__driver_check(
        program->driver,
        program->driver->capture_info(stream, &status, &capture),
        "asking whether a stream is captured (cuStreamGetCaptureInfo)", err));
    if (status == HONE_CU_CAPTURE_NONE)
        capture = 0;
    bank->was_captured |= capture != 0;
    if (bank->capture != capture || (bank->was_captured && !capture))
        hone__bank_forget(bank);
    bank->capture = capture;
    return HONE_OK;
}

hone_status hone__bank_fill(hone_bank *bank, const hone_program *program,
                            void *const *args, hone_stream stream,
                            hone_error *err)
{
    const hone_program_more *more = program->more;

    for (size_t i = 0; i < more->n_constants; ++i) {
        const int arg = more->constants[i].arg;
        const hone_program_fault fault = {.missing = arg,
                                          .argument = args[arg]};

        if (hone__program_is_null(args[arg]))
            return hone__program_explain(program, &fault, err);
    }
    if (bank->follows_captures)
        HONE_TRY(follow_capture(bank, program, stream, err));
    for (size_t i = 0; i < more->n_constants; ++i)
        HONE_TRY(fill_constant(bank, program, &more->constants[i], args, stream,
                               err));
    return HONE_OK;
}

hone_status hone__bank_kernel(hone_bank *bank, const hone_program *program,
                              size_t launch, hone_cu_function *out,
                              hone_error *err)
{
    const hone_cu_function of_program = program->launches[launch].function;
    const hone_launch_shape *shape = &program->more->shapes[launch];
    const char *name = program->more->kernels[launch];
    const unsigned n_cluster = hone__volume(shape->cluster);
    hone_bank_kernel *kernel = bank->kernels;

    *out = of_program;
    if (!bank->module)
        return HONE_OK;
    while (kernel < bank->kernels + HONE_MAX_LAUNCHES &&
           kernel->of_program != of_program)
        ++kernel;
    if (kernel == bank->kernels + HONE_MAX_LAUNCHES)
        kernel = &bank->kernels[bank->n_kernels++ % HONE_MAX_LAUNCHES];
    if (kernel->of_program != of_program ||
        kernel->shared_bytes < shape->shared_bytes ||
        kernel->n_cluster < n_cluster) {
        *kernel = (hone_bank_kernel){.shared_bytes = shape->shared_bytes,
                                     .n_cluster = n_cluster};
        HONE_TRY(hone__driver_kernel(program->driver, bank->module, name, 0,
                                     &kernel->function, err));
        HONE_TRY(hone__driver_prepare(program->driver, kernel->function, name,
                                      shape, program->more->properties, err));
        kernel->of_program = of_program;
    }
    *out = kernel->function;
    return HONE_OK;
}
