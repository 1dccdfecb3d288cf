/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the repetitions of a program's launches: a table that
 * is made with the program, so that a run evaluates nothing. See program.h. */
#include "runtime/execute/program.h"

#include "runtime/base/alloc.h"

#include <string.h>

typedef struct table {
    const hone_resolved *resolved;
    const hone_resolved_launch *first; /* repetition that is not left out */
    hone_program_repeat *to;
} table;

static int is_same(const hone_pass *a, const hone_pass *b)
{
    return a->kind == b->kind && a->index == b->index && a->value == b->value;
}

/* Which parameters are not those of the first repetition; and grids. */
static hone_status find_varying(void *user, int64_t number,
                                const hone_resolved_launch *launch,
                                hone_error *err)
{
    const table *t = user;
    hone_program_repeat *to = t->to;

    (void)err;
    if (!launch)
        return HONE_OK;
    memcpy(to->grids[number], launch->shape.grid, sizeof to->grids[number]);
    for (size_t i = 0; i < launch->n_passed; ++i) {
        if (!is_same(&launch->passed[i], &t->first->passed[i]) &&
            !memchr(to->varying, (int)i, to->n_varying))
            to->varying[to->n_varying++] = (unsigned char)i;
    }
    return HONE_OK;
}

static hone_status fill_varying(void *user, int64_t number,
                                const hone_resolved_launch *launch,
                                hone_error *err)
{
    const table *t = user;
    hone_program_repeat *to = t->to;
    hone_program_param *params = to->params + (size_t)number * to->n_varying;

    for (unsigned i = 0; launch && i < to->n_varying; ++i) {
        const hone_pass *pass = &launch->passed[to->varying[i]];

        /* The first repetition's are the kernel's. */
        if (hone__driver_param_bytes(t->resolved, pass) !=
            hone__driver_param_bytes(t->resolved,
                                     &t->first->passed[to->varying[i]]))
            return hone__fail(err, HONE_ERR_DATABASE,
                              "kernel '%s' picks parameters of different sizes",
                              launch->kernel);
        hone__program_param(t->resolved, pass, &params[i]);
    }
    return HONE_OK;
}

static hone_status fill(table *t, const hone_resolved_launch *launch,
                        const char *op, hone_error *err)
{
    hone_program_repeat *to = t->to;
    const size_t n = (size_t)launch->n_repetitions;
    size_t bytes;

    to->grids = hone__alloc(n * sizeof *to->grids);
    if (!to->grids)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for %zu repetitions of a launch of %s",
                          n, op);
    HONE_TRY(
        hone__launch_repetitions(t->resolved, launch, find_varying, t, err));
    bytes = n * to->n_varying * sizeof *to->params;
    to->params = hone__alloc(bytes + 1);
    if (!to->params)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for %zu repetitions of a launch of %s",
                          n, op);
    to->n = (unsigned)n;
    to->together = launch->repeat;
    return hone__launch_repetitions(t->resolved, launch, fill_varying, t, err);
}

hone_status hone__program_repeat(hone_program *program,
                                 const hone_resolved *resolved, hone_error *err)
{
    hone_program_more *more = program->more;

    for (size_t i = 0; i < resolved->n_launches; ++i) {
        const hone_resolved_launch *launch = &resolved->launches[i];
        table t = {resolved, launch, NULL};

        if (!launch->repeat)
            continue;
        program->is_special = 1;
        if (!more->repeats)
            more->repeats =
                hone__alloc(resolved->n_launches * sizeof *more->repeats);
        if (!more->repeats)
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of memory for the launches of %s",
                              program->op);
        t.to = &more->repeats[i];
        HONE_TRY(fill(&t, launch, program->op, err));
    }
    return HONE_OK;
}

void hone__program_repeat_free(hone_program *program)
{
    hone_program_repeat *repeats = program->more->repeats;

    for (size_t i = 0; repeats && i < program->n_launches; ++i) {
        hone__free(repeats[i].grids);
        hone__free(repeats[i].params);
    }
    hone__free(repeats);
}
