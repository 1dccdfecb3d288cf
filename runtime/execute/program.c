/* SPDX-License-Identifier: Apache-2.0 */
/* Making programs: see program.h. */
#include "runtime/execute/pipeline.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

static size_t rounded(size_t size_bytes)
{
    return (size_bytes + 7) / 8 * 8;
}

/* The next bytes of the program's block. */
static void *take(char **block, size_t size_bytes)
{
    char *const taken = *block;

    *block += rounded(size_bytes);
    return taken;
}

static const char *take_text(char **block, const char *text)
{
    const size_t bytes = strlen(text) + 1;

    return memcpy(take(block, bytes), text, bytes);
}

static size_t head_bytes(const hone_program_setup *setup)
{
    return setup->head_bytes ? setup->head_bytes : sizeof(hone_program);
}

static size_t more_bytes(const hone_program_setup *setup)
{
    return setup->more_bytes ? setup->more_bytes : sizeof(hone_program_more);
}

/* The program and what its run reads. */
static size_t count_lines(const hone_program_setup *setup)
{
    const hone_resolved *r = setup->resolved;
    size_t bytes = rounded(head_bytes(setup)) + rounded(strlen(setup->op) + 1);

    for (size_t i = 0; i < r->n_launches; ++i)
        bytes += sizeof(hone_program_launch) +
                 r->launches[i].n_passed * sizeof(hone_program_param);
    return (bytes + HONE_LINE_BYTES - 1) / HONE_LINE_BYTES;
}

/* The rest. */
static size_t block_bytes(const hone_program_setup *setup)
{
    const hone_resolved *r = setup->resolved;
    size_t bytes = rounded(more_bytes(setup));

    for (size_t i = 0; i < r->n_launches; ++i)
        bytes += rounded(sizeof(hone_launch_shape)) + sizeof(char *) +
                 rounded(strlen(r->launches[i].kernel) + 1);
    for (size_t i = 0; i < r->n_constants; ++i)
        bytes += rounded(strlen(r->constants[i].name) + 1);
    if (r->vendor)
        bytes += r->n_args * sizeof(hone_program_param);
    if (r->pipeline.is_used)
        bytes += rounded(hone__pipeline_bytes(r));
    return bytes;
}

/* In lines of their own if there are any that small, else in front of the
 * block. */
static hone_program *new_lines(const hone_program_setup *setup, char **block)
{
    const size_t n_lines = count_lines(setup);
    const int is_shared = setup->lines && n_lines <= HONE_LINES_MOST;
    const size_t own_bytes = is_shared ? 0 : (n_lines + 1) * HONE_LINE_BYTES;
    void *const start = hone__alloc(own_bytes + block_bytes(setup));
    hone_program_more *more;
    hone_program *program;

    if (!start)
        return NULL;
    *block = start;
    if (is_shared) {
        program = hone__lines_take(setup->lines, n_lines);
    } else {
        *block += HONE_LINE_BYTES - (uintptr_t)start % HONE_LINE_BYTES;
        program = take(block, n_lines * HONE_LINE_BYTES);
    }
    if (!program) {
        hone__free(start);
        return NULL;
    }
    more = take(block, more_bytes(setup));
    more->block = start;
    more->lines = is_shared ? setup->lines : NULL;
    more->n_lines = n_lines;
    program->more = more;
    return program;
}

/* An empty program with room for everything. */
static hone_program *new_program(const hone_program_setup *setup)
{
    const hone_resolved *r = setup->resolved;
    char *next = NULL;
    hone_program *program = new_lines(setup, &next);
    char *hot = (char *)program;

    if (!program)
        return NULL;
    (void)take(&hot, head_bytes(setup));
    program->op = take_text(&hot, setup->op);
    program->driver = setup->driver;
    program->launches = take(&hot, r->n_launches * sizeof *program->launches);
    for (size_t i = 0; i < r->n_launches; ++i)
        program->launches[i].params =
            take(&hot, r->launches[i].n_passed * sizeof(hone_program_param));
    program->more->properties = setup->properties;
    program->more->shapes =
        take(&next, r->n_launches * sizeof(hone_launch_shape));
    program->more->kernels = take(&next, r->n_launches * sizeof(char *));
    for (size_t i = 0; i < r->n_launches; ++i)
        program->more->kernels[i] = take_text(&next, r->launches[i].kernel);
    for (size_t i = 0; i < r->n_constants; ++i)
        program->more->constants[i].name =
            take_text(&next, r->constants[i].name);
    if (r->vendor)
        program->more->arguments.params =
            take(&next, r->n_args * sizeof(hone_program_param));
    if (r->pipeline.is_used)
        program->more->pipeline = take(&next, hone__pipeline_bytes(r));
    return program;
}

static hone_program_rule rule_of(const hone_resolved_arg *arg)
{
    if (arg->is_absent)
        return HONE_RULE_ABSENT;
    return arg->mode != HONE_ARG_SCALAR && arg->count ? HONE_RULE_ARRAY
                                                      : HONE_RULE_ANY;
}

void hone__program_param(const hone_resolved *resolved, const hone_pass *pass,
                         hone_program_param *out)
{
    out->kind = pass->kind;
    if (pass->kind == HONE_PASS_I32 || pass->kind == HONE_PASS_F32)
        out->of.i32 = (int32_t)pass->value;
    else if (pass->kind == HONE_PASS_I64 || pass->kind == HONE_PASS_F64)
        out->of.i64 = pass->value;
    else
        out->of.index = pass->index;
    if (pass->kind == HONE_PASS_ARG)
        out->rule = rule_of(&resolved->args[pass->index]);
}

static hone_status add_launch(hone_program *program,
                              const hone_program_setup *setup, size_t index,
                              hone_error *err)
{
    const hone_resolved_launch *from = &setup->resolved->launches[index];
    hone_program_launch *to = &program->launches[index];
    const hone_launch_shape *shape = &from->shape;

    for (size_t i = 0; i < from->n_passed; ++i)
        hone__program_param(setup->resolved, &from->passed[i], &to->params[i]);
    program->more->shapes[index] = *shape;
    memcpy(to->grid, shape->grid, sizeof to->grid);
    memcpy(to->block, shape->block, sizeof to->block);
    to->shared_bytes = shape->shared_bytes;
    to->n_params = (unsigned)from->n_passed;
    if (hone__launch_is_special(shape))
        program->is_special = 1;
    HONE_TRY(hone__driver_kernel(setup->driver, setup->module, from->kernel, 0,
                                 &to->function, err));
    HONE_TRY(hone__driver_check_params(setup->driver, to->function,
                                       setup->resolved, from, err));
    HONE_TRY(hone__driver_prepare(setup->driver, to->function, from->kernel,
                                  shape, setup->properties, err));
    ++program->n_launches;
    return HONE_OK;
}

static hone_status add_constant(hone_program *program,
                                const hone_program_setup *setup,
                                const hone_resolved_constant *from,
                                hone_program_constant *to, hone_error *err)
{
    const hone_driver *driver = setup->driver;
    size_t size_bytes = 0;
    const hone_cu_result result =
        driver->module_global(&to->to, &size_bytes, setup->module, from->name);

    if (result == HONE_CU_NOT_FOUND)
        return hone__fail(err, HONE_ERR_INPUT,
                          "the compiled code of %s has no constant '%s'; is "
                          "it declared __constant__ at file scope?",
                          program->op, from->name);
    HONE_TRY(hone__driver_check(
        driver, result, "finding constant memory (cuModuleGetGlobal)", err));
    if ((size_t)from->size_bytes > size_bytes)
        return hone__fail(err, HONE_ERR_INPUT,
                          "the constant '%s' of %s holds %zu bytes, and %lld "
                          "are to be kept in it",
                          from->name, program->op, size_bytes,
                          (long long)from->size_bytes);
    to->arg = from->arg;
    to->size_bytes = (size_t)from->size_bytes;
    ++program->more->n_constants;
    program->is_special = 1;
    return HONE_OK;
}

/* A function of a vendor's library, ready to be run. */
static hone_status add_vendor(hone_program *program,
                              const hone_program_setup *setup, hone_error *err)
{
    const hone_resolved *r = setup->resolved;
    hone_program_more *more = program->more;

    for (size_t i = 0; i < r->n_args; ++i)
        more->arguments.params[i] =
            (hone_program_param){HONE_PASS_ARG, rule_of(&r->args[i]), {(int)i}};
    more->arguments.n_params = (unsigned)r->n_args;
    program->is_special = 1;
    HONE_TRY(hone__vendor_open(setup->vendors, setup->op, r, r->vendor,
                               &more->vendor, err));
    HONE_TRY(hone__vendor_warm(more->vendor, r, err));
    if (more->vendor->workspace_bytes)
        more->parts[more->n_parts++] =
            (hone_program_part){more->vendor->workspace_bytes, HONE_ZERO_NEVER};
    return HONE_OK;
}

static hone_status fill_program(hone_program *program,
                                const hone_program_setup *setup,
                                hone_error *err)
{
    const hone_resolved *r = setup->resolved;
    hone_program_more *more = program->more;

    program->n_args = (uint8_t)r->n_args;
    more->n_least = r->n_args;
    while (more->n_least && r->args[more->n_least - 1].is_absent)
        --more->n_least;
    if (r->vendor)
        return add_vendor(program, setup, err);
    for (size_t i = 0; i < r->n_launches; ++i)
        HONE_TRY(add_launch(program, setup, i, err));
    HONE_TRY(hone__program_repeat(program, r, err));
    for (size_t i = 0; i < r->n_constants; ++i)
        HONE_TRY(add_constant(program, setup, &r->constants[i],
                              &more->constants[i], err));
    for (size_t i = 0; i < r->n_workspaces; ++i) {
        hone_program_part *part = &more->parts[more->n_parts++];

        part->size_bytes = (size_t)r->workspaces[i].size_bytes;
        part->zero = r->workspaces[i].zero;
        if (part->size_bytes && part->zero == HONE_ZERO_EACH)
            program->is_special = 1;
    }
    if (r->pipeline.is_used)
        hone__pipeline_fill(program, r);
    if (r->n_maps)
        program->is_special = 1;
    return hone__map_cache_create(r, setup->driver, &more->maps, err);
}

hone_status hone__program_create(const hone_program_setup *setup,
                                 hone_program **out, hone_error *err)
{
    hone_program *program = new_program(setup);
    hone_status status;

    *out = NULL;
    if (!program)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for the launches of %s", setup->op);
    status = fill_program(program, setup, err);
    if (status == HONE_OK)
        *out = program;
    else
        hone__program_free(program);
    return status;
}

void hone__program_free(hone_program *program)
{
    hone_program_more *more = program ? program->more : NULL;

    if (!program)
        return;
    hone__program_repeat_free(program);
    hone__map_cache_free(more->maps);
    hone__vendor_close(more->vendor);
    if (more->lines)
        hone__lines_give(more->lines, program, more->n_lines);
    hone__free(more->block);
}
