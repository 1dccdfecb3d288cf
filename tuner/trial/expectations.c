/* SPDX-License-Identifier: Apache-2.0 */
/* What the outputs of a problem must be: see expectations.h. CPU references
 * read the inputs of a pass on the host and compute in double, all elements or
 * some thousands of them. */
#include "tuner/trial/expectations.h"

#include "runtime/base/alloc.h"
#include "runtime/expr/expr.h"
#include "tuner/compile/allowance.h"
#include "tuner/process/parallel.h"

#include <stdio.h>
#include <string.h>

int hone__check_wants(const hone_check *check, int pass)
{
    return pass != HONE_PASS_EXACT ||
           check->bounds.number[HONE_BOUND_EXACT] > 0;
}

hone_status hone__expectations_skip(const hone_problem *problem,
                                    hone_check *checks, hone_error *err)
{
    for (size_t i = 0; i < problem->n_outputs; ++i)
        (void)snprintf(checks[i].skipped, sizeof checks[i].skipped, "%.250s",
                       err ? err->text : "not on this machine");
    hone__error_clear(err);
    return HONE_OK;
}

/* ---- CPU references ------------------------------------------------------ */

/* What a CPU reference reads: arguments of one pass, on the host. */
typedef struct host_args {
    void *array[HONE_MAX_ARGS];
    const void *pointer[HONE_MAX_ARGS];
} host_args;

/* Into the arrays of the pass before, if there was one. */
static hone_status download_args(hone_problem *problem, int pass,
                                 host_args *host, hone_error *err)
{
    HONE_TRY(hone__device_synchronize(problem->device, "making inputs", err));
    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        HONE_TRY(hone__problem_download(
            problem, &problem->pristine[pass][i], "a reference",
            "copying inputs to the host", &host->array[i], err));
        host->pointer[i] = problem->resolved.args[i].mode == HONE_ARG_SCALAR
                               ? (const void *)&problem->scalar[pass][i]
                               : host->array[i];
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

/* Some of the elements, by one thread. */
typedef struct piecewise {
    const int64_t *dims;
    const host_args *host;
    hone_reference_compute *run;
    computed *out;
    int64_t length; /* of a piece */
} piecewise;

static hone_status compute_piece(void *user, int64_t i, hone_error *err)
{
    const piecewise *p = user;
    const computed *out = p->out;
    const int64_t first = i * p->length;
    const int64_t end =
        p->length < out->count - first ? first + p->length : out->count;

    (void)err;
    if (!out->n_chosen)
        p->run(p->dims, p->host->pointer, first, end - first,
               out->value + first, out->magnitude + first);
    for (int64_t k = first; out->n_chosen && k < end; ++k)
        p->run(p->dims, p->host->pointer, out->index[k], 1, &out->value[k],
               &out->magnitude[k]);
    return HONE_OK;
}

/* Pieces of some milliseconds: a process has no threads that wait for work. */
static hone_status compute_pieces(const hone_reference *reference, piecewise *p,
                                  hone_error *err)
{
    enum { MOST = 16 };
    const double flops_of_piece = 2e6;
    const double n =
        reference->cost(p->dims) * (double)p->out->count / flops_of_piece;
    hone_allowance allowance = {.n_cores = 1};
    int64_t n_pieces = n < 1 ? 1 : n > 4 * MOST ? 4 * MOST : (int64_t)n;

    if (!p->out->n_chosen && !reference->is_apart)
        n_pieces = 1;
    if (n_pieces > 1)
        hone__allowance_read(&allowance);
    p->length = (p->out->count + n_pieces - 1) / n_pieces;
    if (p->length < 1)
        return HONE_OK;
    return hone__parallel_for((p->out->count + p->length - 1) / p->length,
                              allowance.n_cores < MOST ? allowance.n_cores
                                                       : MOST,
                              compute_piece, p, err);
}

static hone_status compute(const hone_problem *problem, int output,
                           const hone_reference *reference,
                           hone_reference_compute *run, const host_args *host,
                           computed *out, hone_error *err)
{
    const int64_t *dims = problem->resolved.dims;
    const int64_t n = hone__lane_count(&problem->resolved.args[output]);
    piecewise p = {dims, host, run, out, 0};

    out->n_chosen = hone__inputs_elements(n, reference->cost(dims), out->index);
    out->count = out->n_chosen ? out->n_chosen : n;
    out->value = hone__alloc(2 * (size_t)out->count * sizeof *out->value);
    if (!out->value)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of host memory for a reference");
    out->magnitude = out->value + out->count;
    return compute_pieces(reference, &p, err);
}

static hone_status upload(hone_problem *problem, int type, computed *from,
                          hone_expectation *out, hone_error *err)
{
    hone_device *device = problem->device;
    const size_t size_bytes = (size_t)from->count * sizeof(double);

    /* 64-bit integers are compared as such (hone_compare). */
    for (int64_t i = 0; hone__type_is_long(type) && i < from->count; ++i)
        hone__element_store(type, from->value, i, from->value[i]);
    if (from->n_chosen)
        HONE_TRY(hone__block_upload(device, from->index, size_bytes,
                                    &out->index, err));
    HONE_TRY(
        hone__block_upload(device, from->value, size_bytes, &out->value, err));
    HONE_TRY(hone__block_upload(device, from->magnitude, size_bytes,
                                &out->magnitude, err));
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
        status =
            upload(problem, (int)problem->resolved.args[check->output].type, c,
                   &check->expected[pass], err);
    hone__free(c->value);
    hone__free(c);
    return status;
}

static hone_status expect_pass(hone_problem *problem, int pass,
                               const hone_reference *reference, host_args *host,
                               hone_check *checks, hone_error *err)
{
    int is_wanted = 0;

    for (size_t i = 0; i < problem->n_outputs; ++i)
        is_wanted |= hone__check_wants(&checks[i], pass);
    if (!is_wanted)
        return HONE_OK;
    HONE_TRY(download_args(problem, pass, host, err));
    for (size_t i = 0; i < problem->n_outputs; ++i)
        if (hone__check_wants(&checks[i], pass))
            HONE_TRY(expect_output(problem, pass, reference, i, host,
                                   &checks[i], err));
    return HONE_OK;
}

/* It would read arrays of other types as what they are not, and beyond their
 * ends. What follows the arguments that it takes it does not see. */
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

        fits = own.length >= length && memcmp(at, own.data, length) == 0 &&
               (own.length == length || own.data[length] == ' ');
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

static hone_status expect_cpu(hone_problem *problem, hone_check *checks,
                              hone_error *err)
{
    const hone_reference *reference = NULL;
    host_args host = {{0}, {0}};
    size_t n = 0;
    hone_status status;

    HONE_TRY(hone__reference_find(
        problem->tmpl, checks->name, problem->setup.references,
        problem->setup.n_references, &reference, err));
    while (n < HONE_MAX_REFERENCE_OUTPUTS && reference->compute[n])
        ++n;
    if (n < problem->n_outputs)
        return hone__fail(
            err, HONE_ERR_INPUT,
            "%s: the reference cpu.%s computes %zu of the %zu arrays "
            "that are written; check them with template.NAME",
            problem->tmpl->path, reference->name, n, problem->n_outputs);
    status = check_types(problem, reference, err);
    if (status == HONE_ERR_UNSUPPORTED)
        return hone__expectations_skip(problem, checks, err);
    for (int pass = 0; status == HONE_OK && pass < HONE_N_PASSES; ++pass)
        status = expect_pass(problem, pass, reference, &host, checks, err);
    for (size_t i = 0; i < HONE_MAX_ARGS; ++i)
        hone__free(host.array[i]);
    return status;
}

/* ---- all kinds ----------------------------------------------------------- */

static void tell(const hone_problem_setup *setup, const char *name)
{
    if (setup->on_reference)
        setup->on_reference(setup->user, name);
}

hone_status hone__expectations_make(hone_problem *problem, hone_error *err)
{
    for (size_t i = 0; i < problem->n_checks; i += problem->n_outputs) {
        hone_check *checks = &problem->checks[i];

        tell(&problem->setup, checks->name);
        if (strncmp(checks->name, "cpu.", 4) == 0)
            HONE_TRY(expect_cpu(problem, checks, err));
        else if (hone__reference_template_is(checks->name))
            HONE_TRY(hone__expect_template(problem, checks, err));
        else
            HONE_TRY(hone__expect_vendor(problem, checks, err));
        tell(&problem->setup, "");
    }
    return HONE_OK;
}
