/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong elements and files of them: see verify.h. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "tuner/trial/verify.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is compared, on the host. */
typedef struct compared {
    hone_problem *problem;
    const hone_check *check;
    const hone_expectation *expected;
    const hone_verify_run *run;
    const hone_wrong_rule *rule;
    int type; /* of the output's elements or their parts */
    void *out;
    int64_t *index; /* NULL: all, in order */
    double *value;  /* of 64-bit integers the integers */
    double *magnitude;
} compared;

static hone_status download(const compared *c, const hone_block *block,
                            void **out, hone_error *err)
{
    return hone__problem_download(c->problem, block, "what is wrong",
                                  "reading a result", out, err);
}

static hone_status read_all(compared *c, hone_error *err)
{
    const hone_expectation *e = c->expected;

    HONE_TRY(download(c, &c->problem->work[c->check->output], &c->out, err));
    HONE_TRY(download(c, &e->index, (void **)&c->index, err));
    HONE_TRY(download(c, &e->value, (void **)&c->value, err));
    return download(c, &e->magnitude, (void **)&c->magnitude, err);
}

/* ---- elements ------------------------------------------------------------ */

static int is_exact(const compared *c)
{
    return c->run->pass == HONE_PASS_EXACT;
}

static double bound_of(const compared *c, int64_t i, double expected)
{
    return is_exact(c) || !c->magnitude
               ? 0
               : c->rule->tolerance * c->magnitude[i] +
                     c->rule->relative * fabs(expected) + c->rule->absolute;
}

/* Element `i` of the comparison; 0: it is right. */
static int look(const compared *c, int64_t i, hone_wrong_element *out)
{
    const int is_long = hone__type_is_long(c->type);
    const int64_t at = c->index ? c->index[i] : i;
    uint64_t cell = 0;

    memset(out, 0, sizeof *out);
    out->index = at;
    out->got = hone__element_load(c->type, c->out, at);
    out->expected =
        is_long ? hone__element_load(c->type, c->value, i) : c->value[i];
    if (is_exact(c) && !is_long) { /* as the output's type holds it */
        hone__element_store(c->type, &cell, 0, out->expected);
        out->expected = hone__element_load(c->type, &cell, 0);
    }
    out->bound = bound_of(c, i, out->expected);
    if (is_long) {
        memcpy(&out->got_long, (const int64_t *)c->out + at, sizeof(int64_t));
        memcpy(&out->expected_long, (const int64_t *)(void *)c->value + i,
               sizeof(int64_t));
        if (out->got_long == out->expected_long)
            return 0;
    }
    return !(fabs(out->got - out->expected) <= out->bound) ||
           (is_long && out->bound == 0);
}

static void note(const compared *c, int64_t n_wrong, hone_wrong *out)
{
    const hone_resolved_arg *arg = &c->problem->resolved.args[c->check->output];

    memset(out, 0, sizeof *out);
    (void)snprintf(out->array, sizeof out->array, "%.60s", arg->name);
    (void)snprintf(out->run, sizeof out->run, "%s", c->run->name);
    out->type = c->type;
    out->n_parts = c->type != (int)arg->type ? 2 : 1;
    out->n_dims = (int)arg->rank;
    memcpy(out->dims, arg->extents, arg->rank * sizeof out->dims[0]);
    out->n_wrong = n_wrong;
    out->n_compared = c->expected->count;
    for (int64_t i = 0;
         i < c->expected->count && out->n_shown < c->problem->setup.show &&
         out->n_shown < HONE_MAX_WRONG_SHOWN;
         ++i)
        out->n_shown += look(c, i, &out->shown[out->n_shown]);
}

/* ---- files --------------------------------------------------------------- */

static hone_status write_file(const compared *c, const char *name,
                              const char *what, hone_type type,
                              const int64_t *shape, size_t rank,
                              const void *array, hone_error *err)
{
    char path[1024];

    if ((size_t)snprintf(path, sizeof path, "%s/%s%s.npy",
                         c->problem->setup.dump, name, what) >= sizeof path)
        return hone__fail(err, HONE_ERR_IO, "the path of '%s' is too long",
                          c->problem->setup.dump);
    return hone__npy_write(path, type, shape, rank, array, err);
}

static hone_status write_block(const compared *c, size_t i, const char *what,
                               const hone_block *block, hone_error *err)
{
    const hone_resolved_arg *arg = &c->problem->resolved.args[i];
    void *array = NULL;
    hone_status status = download(c, block, &array, err);

    if (status == HONE_OK && array)
        status = write_file(c, arg->name, what, arg->type, arg->extents,
                            arg->rank, array, err);
    hone__free(array);
    return status;
}

/* Arguments as they were before and after; in place, the former have a name
 * of their own. */
static hone_status write_arguments(const compared *c, hone_error *err)
{
    hone_problem *problem = c->problem;
    const int pass = c->run->pass;

    for (size_t i = 0; i < problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];

        if (arg->mode == HONE_ARG_SCALAR)
            HONE_TRY(write_file(c, arg->name, "", arg->type, NULL, 0,
                                &problem->scalar[pass][i], err));
        HONE_TRY(write_block(c, i, arg->mode == HONE_ARG_INOUT ? ".before" : "",
                             &problem->pristine[pass][i], err));
        HONE_TRY(write_block(c, i, "", &problem->work[i], err));
    }
    return HONE_OK;
}

/* What the wrong array should be: of all its elements, or of those that are
 * compared, with their numbers. */
static hone_status write_expected(const compared *c, hone_error *err)
{
    const hone_resolved_arg *arg = &c->problem->resolved.args[c->check->output];
    const int is_long = hone__type_is_long(c->type);
    const int64_t n = c->expected->count;
    const int parts = c->type != (int)arg->type ? 2 : 1;
    const int64_t n_numbers = n / parts;
    double *bound = hone__alloc((size_t)n * sizeof *bound + 1);
    hone_status status;

    if (!bound)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (int64_t i = 0; i < n; ++i)
        bound[i] = bound_of(c, i, is_long ? 0 : c->value[i]);
    status = write_file(c, arg->name, ".expected",
                        is_long      ? arg->type
                        : parts == 2 ? HONE_TYPE_C64
                                     : HONE_TYPE_F64,
                        c->index ? &n_numbers : arg->extents,
                        c->index ? 1 : arg->rank, c->value, err);
    if (status == HONE_OK)
        status = write_file(c, arg->name, ".bound", HONE_TYPE_F64, &n, 1, bound,
                            err);
    if (status == HONE_OK && c->index)
        status = write_file(c, arg->name, ".index", HONE_TYPE_I64, &n, 1,
                            c->index, err);
    hone__free(bound);
    return status;
}

/* wrong.txt says what the files are of. Who makes it writes them: the first
 * variant that is wrong. */
static hone_status dump(const compared *c, hone_verdict *verdict,
                        hone_error *err)
{
    hone_text text = {0};
    char path[1024];
    hone_status status = HONE_OK;
    int file;

    (void)snprintf(path, sizeof path, "%.1000s/wrong.txt",
                   c->problem->setup.dump);
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST)
        return HONE_OK;
    hone__text_printf(&text, "%s at ", c->problem->tmpl->op);
    hone__template_label_dims(c->problem->tmpl, c->problem->resolved.dims,
                              &text);
    hone__text_printf(&text, "\n%s\n", verdict->message);
    if (file < 0 || text.failed ||
        hone__write_all(file, text.data, text.length) != 0)
        status =
            hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                              "cannot write '%s': %s", path, strerror(errno));
    if (file >= 0)
        (void)close(file);
    hone__text_free(&text);
    HONE_TRY(status);
    verdict->wrong.is_dumped = 1;
    HONE_TRY(write_arguments(c, err));
    return write_expected(c, err);
}

hone_status hone__wrong_values(hone_problem *problem, const hone_check *check,
                               const hone_verify_run *run,
                               const hone_wrong_rule *rule, int64_t n_wrong,
                               hone_verdict *out, hone_error *err)
{
    compared c = {
        .problem = problem,
        .check = check,
        .expected = &check->expected[run->pass],
        .run = run,
        .rule = rule,
        .type = hone__lane_type(problem->resolved.args[check->output].type)};
    hone_status status;

    if (!problem->setup.show && !problem->setup.dump)
        return HONE_OK;
    status = read_all(&c, err);
    if (status == HONE_OK)
        note(&c, n_wrong, &out->wrong);
    if (status == HONE_OK && problem->setup.dump)
        status = dump(&c, out, err);
    hone__free(c.out);
    hone__free(c.index);
    hone__free(c.value);
    hone__free(c.magnitude);
    return status;
}
