/* SPDX-License-Identifier: Apache-2.0 */
/* Did a variant write where it must not? Every block of a problem is watched:
 * those that are only read by a hash of their contents, all of them by their
 * guard bands. Of two variants in one process, the first must not make the
 * second one wrong. */
#include "tuner/trial/problem.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- the list -----------------------------------------------------------
 */

static void add(hone_problem *problem, const hone_block *block,
                const hone_watch *what)
{
    if (block->base)
        problem->watched[problem->n_watched++] = (hone_watched){*what, block};
}

/* A block of an argument. */
static void add_array(hone_problem *problem, const hone_block *block, int i,
                      hone_watch_kind kind, int pass, int set, int read_only)
{
    const hone_resolved_arg *arg = &problem->resolved.args[i];

    add(problem, block,
        &(hone_watch){.kind = kind,
                      .pass = pass,
                      .index = i,
                      .set = set,
                      .read_only = read_only,
                      .mode = arg->mode,
                      .name = arg->name});
}

static void add_arguments(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->resolved.n_args; ++i) {
        const int is_in = problem->resolved.args[i].mode == HONE_ARG_IN;

        for (int pass = 0; pass < HONE_N_PASSES; ++pass)
            add_array(problem, &problem->pristine[pass][i], i, HONE_WATCH_INPUT,
                      pass, 0, 1);
        add_array(problem, &problem->work[i], i, HONE_WATCH_OUTPUT, 0, 0, 0);
        for (int set = 1; set < (int)problem->n_sets; ++set)
            add_array(problem, &problem->extra[set][i], i, HONE_WATCH_COPY,
                      HONE_PASS_REALS, set, is_in);
    }
}

static void add_expectations(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->n_checks; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            const hone_expectation *e = &problem->checks[i].expected[pass];
            const hone_watch what = {.kind = HONE_WATCH_EXPECTED,
                                     .pass = pass,
                                     .index = i,
                                     .read_only = 1,
                                     .name = problem->checks[i].label};

            add(problem, &e->index, &what);
            add(problem, &e->value, &what);
            add(problem, &e->magnitude, &what);
        }
    }
}

/* Room for rows: the watched blocks and a variant's workspaces. */
static hone_audit_row *make_rows(const hone_problem *problem,
                                 size_t n_workspaces, hone_error *err)
{
    hone_audit_row *rows =
        hone__alloc((problem->n_watched + n_workspaces + 1) * sizeof *rows);

    if (!rows)
        (void)hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return rows;
}

hone_status hone__problem_watch(hone_problem *problem, hone_error *err)
{
    const size_t most =
        problem->resolved.n_args * (HONE_N_PASSES + 1 + problem->n_sets) +
        problem->n_checks * HONE_N_PASSES * 3;
    hone_audit_row *rows;
    hone_status status;

    problem->watched = hone__alloc((most + 1) * sizeof *problem->watched);
    if (!problem->watched)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    add_arguments(problem);
    add_expectations(problem);
    rows = make_rows(problem, 0, err);
    if (!rows)
        return HONE_ERR_NO_MEMORY;
    for (size_t i = 0; i < problem->n_watched; ++i)
        rows[i] = hone__audit_row_of(problem->watched[i].block);
    status = hone__audit(problem->device, rows, problem->n_watched, err);
    for (size_t i = 0; i < problem->n_watched; ++i)
        problem->watched[i].what.hash = rows[i].hash;
    hone__free(rows);
    return status;
}

/* ---- looking ------------------------------------------------------------
 */

/* One look at some of the blocks. */
typedef struct look {
    int pass;
    hone_damage damage; /* the worst, and of these the first */
    char *text;
    size_t size;
} look;

static void judge(look *l, const hone_watch *what, const hone_audit_row *row)
{
    const hone_watch_state state = {row->hash, row->n_before, row->n_behind};
    char sentence[256];
    const hone_damage found =
        hone__watch_judge(what, &state, l->pass, sentence, sizeof sentence);

    if (found <= l->damage)
        return;
    l->damage = found;
    (void)snprintf(l->text, l->size, "%s", sentence);
}

static hone_status look_at(hone_problem *problem, look *l, int all,
                           const hone_block *workspaces, size_t n_workspaces,
                           hone_audit_row *rows, hone_error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < problem->n_watched; ++i) {
        if (all || hone__watch_is_own(&problem->watched[i].what, l->pass))
            rows[n++] = hone__audit_row_of(problem->watched[i].block);
    }
    for (size_t i = 0; i < n_workspaces; ++i) {
        if (workspaces[i].base)
            rows[n++] = hone__audit_row_of(&workspaces[i]);
    }
    HONE_TRY(hone__audit(problem->device, rows, n, err));
    n = 0;
    for (size_t i = 0; i < problem->n_watched; ++i) {
        if (all || hone__watch_is_own(&problem->watched[i].what, l->pass))
            judge(l, &problem->watched[i].what, &rows[n++]);
    }
    for (size_t i = 0; i < n_workspaces; ++i) {
        const hone_watch what = {.kind = HONE_WATCH_WORKSPACE, .index = (int)i};

        if (workspaces[i].base)
            judge(l, &what, &rows[n++]);
    }
    return HONE_OK;
}

hone_status hone__problem_audit(hone_problem *problem, int pass, int all,
                                const hone_block *workspaces,
                                size_t n_workspaces, hone_damage *out,
                                char *text, size_t size, hone_error *err)
{
    hone_audit_row *rows = make_rows(problem, n_workspaces, err);
    look l = {pass, HONE_DAMAGE_NONE, text, size};
    hone_status status;

    *out = HONE_DAMAGE_NONE;
    if (!rows)
        return HONE_ERR_NO_MEMORY;
    status = look_at(problem, &l, all, workspaces, n_workspaces, rows, err);
    *out = l.damage;
    hone__free(rows);
    return status;
}

/* ---- putting right ------------------------------------------------------
 */

hone_status hone__problem_restore(hone_problem *problem, int *out_restored,
                                  hone_error *err)
{
    hone_damage left = HONE_DAMAGE_NONE;
    char text[256];

    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];

        HONE_TRY(hone__block_guard(problem->device, w->block, err));
        if (w->what.kind == HONE_WATCH_INPUT)
            HONE_TRY(hone__problem_fill(problem, w->what.pass,
                                        (size_t)w->what.index, err));
    }
    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];

        if (w->what.kind == HONE_WATCH_COPY && w->what.read_only)
            HONE_TRY(hone__block_copy(
                problem->device,
                &problem->pristine[HONE_PASS_REALS][w->what.index], w->block,
                err));
    }
    HONE_TRY(hone__problem_audit(problem, HONE_PASS_REALS, 1, NULL, 0, &left,
                                 text, sizeof text, err));
    *out_restored = left == HONE_DAMAGE_NONE;
    return HONE_OK;
}
