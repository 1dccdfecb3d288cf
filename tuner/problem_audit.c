/* SPDX-License-Identifier: Apache-2.0 */
/* Did a variant write where it must not? Every block of a problem is watched:
 * those that are only read by a hash of their contents, all of them by their
 * guard bands. Of two variants in one process, the first must not make the
 * second one wrong. */
#include "tuner/problem.h"

#include "runtime/alloc.h"

#include <stdio.h>
#include <string.h>

static const char *const pass_name[HONE_N_PASSES] = {"integers", "reals"};

/* ---- the list ----------------------------------------------------------- */

static void add(hone_problem *problem, const hone_watched *watched)
{
    if (watched->block->base)
        problem->watched[problem->n_watched++] = *watched;
}

static void add_arguments(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->resolved.n_args; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass)
            add(problem, &(hone_watched){.block = &problem->pristine[pass][i],
                                         .kind = HONE_WATCH_INPUT,
                                         .pass = pass,
                                         .index = i,
                                         .read_only = 1});
        add(problem, &(hone_watched){.block = &problem->work[i],
                                     .kind = HONE_WATCH_OUTPUT,
                                     .index = i});
    }
}

static void add_expectations(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->n_checks; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            const hone_expectation *e = &problem->checks[i].expected[pass];
            const hone_block *blocks[] = {&e->index, &e->value,
                                          &e->magnitude};

            for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
                add(problem, &(hone_watched){.block = blocks[k],
                                             .kind = HONE_WATCH_EXPECTED,
                                             .pass = pass,
                                             .index = i,
                                             .read_only = 1});
        }
    }
}

static void add_copies(hone_problem *problem)
{
    for (int set = 1; set < (int)problem->n_sets; ++set) {
        for (int i = 0; i < (int)problem->resolved.n_args; ++i)
            add(problem,
                &(hone_watched){.block = &problem->extra[set][i],
                                .kind = HONE_WATCH_COPY,
                                .pass = HONE_PASS_REALS,
                                .index = i,
                                .set = set,
                                .read_only = problem->resolved.args[i].mode ==
                                             HONE_ARG_IN});
    }
}

/* Room for rows: the watched blocks and a variant's workspaces. */
static hone_audit_row *make_rows(const hone_problem *problem,
                                 size_t n_workspaces, hone_error *err)
{
    hone_audit_row *rows = hone__alloc(
        (problem->n_watched + n_workspaces + 1) * sizeof *rows);

    if (!rows)
        (void)hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return rows;
}

hone_status hone__problem_watch(hone_problem *problem, hone_error *err)
{
    const size_t most =
        problem->resolved.n_args *
            (HONE_N_PASSES + 1 + (problem->n_sets ? problem->n_sets - 1 : 0)) +
        problem->n_checks * HONE_N_PASSES * 3;
    hone_audit_row *rows;
    hone_status status;

    problem->watched = hone__alloc((most + 1) * sizeof *problem->watched);
    if (!problem->watched)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    add_arguments(problem);
    add_expectations(problem);
    add_copies(problem);
    rows = make_rows(problem, 0, err);
    if (!rows)
        return HONE_ERR_NO_MEMORY;
    for (size_t i = 0; i < problem->n_watched; ++i)
        rows[i] = hone__audit_row_of(problem->watched[i].block);
    status = hone__audit(problem->device, rows, problem->n_watched, err);
    for (size_t i = 0; i < problem->n_watched; ++i)
        problem->watched[i].hash = rows[i].hash;
    hone__free(rows);
    return status;
}

/* ---- looking ------------------------------------------------------------ */

/* An argument of a run in this pass. Initial values are not: a run gets a
 * copy of them. */
static int is_own(const hone_problem *problem, const hone_watched *w,
                  int pass)
{
    const int inputs = pass == HONE_RUN_TIMED ? HONE_PASS_REALS : pass;

    switch (w->kind) {
    case HONE_WATCH_OUTPUT:
        return 1;
    case HONE_WATCH_COPY:
        return pass == HONE_RUN_TIMED;
    case HONE_WATCH_INPUT:
        return w->pass == inputs &&
               problem->resolved.args[w->index].mode == HONE_ARG_IN;
    default:
        return 0;
    }
}

static void name_of(const hone_problem *problem, const hone_watched *w,
                    char *out, size_t size)
{
    const char *arg = w->kind == HONE_WATCH_EXPECTED
                          ? problem->checks[w->index].name
                          : problem->resolved.args[w->index].name;

    switch (w->kind) {
    case HONE_WATCH_OUTPUT:
        (void)snprintf(out, size, "the array '%s'", arg);
        break;
    case HONE_WATCH_EXPECTED:
        (void)snprintf(out, size, "what check %s expects on %s", arg,
                       pass_name[w->pass]);
        break;
    case HONE_WATCH_COPY:
        (void)snprintf(out, size, "copy %d of the array '%s'", w->set, arg);
        break;
    default:
        (void)snprintf(out, size, "the array '%s' with %s", arg,
                       pass_name[w->pass]);
        break;
    }
}

/* The damage of one row in words; NULL `w`: workspace `workspace`. */
static hone_damage judge(const hone_problem *problem, const hone_watched *w,
                         const hone_audit_row *row, int pass,
                         size_t workspace, char *text, size_t size)
{
    const uint64_t n_guard = row->n_before ? row->n_before : row->n_behind;
    const int changed = w && w->read_only && row->hash != w->hash;
    char name[120];

    if (!n_guard && !changed)
        return HONE_DAMAGE_NONE;
    if (w)
        name_of(problem, w, name, sizeof name);
    else
        (void)snprintf(name, sizeof name, "workspace %zu", workspace + 1);
    if (w && !is_own(problem, w, pass)) {
        (void)snprintf(text, size,
                       "it wrote outside its arrays: %s was changed", name);
        return HONE_DAMAGE_NEIGHBOUR;
    }
    if (n_guard)
        (void)snprintf(text, size, "%llu bytes %s %s were written",
                       (unsigned long long)n_guard,
                       row->n_before ? "before" : "behind", name);
    else
        (void)snprintf(text, size, "the input array '%s' was changed",
                       problem->resolved.args[w->index].name);
    return HONE_DAMAGE_OWN;
}

static hone_status look(hone_problem *problem, int pass, int all,
                        const hone_block *workspaces, size_t n_workspaces,
                        hone_audit_row *rows, hone_damage *out, char *text,
                        size_t size, hone_error *err)
{
    size_t n = 0;
    size_t n_rows = 0;

    for (size_t i = 0; i < problem->n_watched; ++i) {
        if (all || is_own(problem, &problem->watched[i], pass))
            rows[n_rows++] = hone__audit_row_of(problem->watched[i].block);
    }
    for (size_t i = 0; i < n_workspaces; ++i) {
        if (workspaces[i].base)
            rows[n_rows++] = hone__audit_row_of(&workspaces[i]);
    }
    HONE_TRY(hone__audit(problem->device, rows, n_rows, err));
    for (size_t i = 0; i < problem->n_watched + n_workspaces; ++i) {
        const hone_watched *w =
            i < problem->n_watched ? &problem->watched[i] : NULL;
        const size_t workspace = w ? 0 : i - problem->n_watched;
        char sentence[256];
        hone_damage found;

        if (w ? !all && !is_own(problem, w, pass)
              : !workspaces[workspace].base)
            continue;
        found = judge(problem, w, &rows[n++], pass, workspace, sentence,
                      sizeof sentence);
        if (found <= *out)
            continue;
        *out = found; /* the worst, of these the first */
        (void)snprintf(text, size, "%s", sentence);
    }
    return HONE_OK;
}

hone_status hone__problem_audit(hone_problem *problem, int pass, int all,
                                const hone_block *workspaces,
                                size_t n_workspaces, hone_damage *out,
                                char *text, size_t size, hone_error *err)
{
    hone_audit_row *rows = make_rows(problem, n_workspaces, err);
    hone_status status;

    *out = HONE_DAMAGE_NONE;
    if (!rows)
        return HONE_ERR_NO_MEMORY;
    status = look(problem, pass, all, workspaces, n_workspaces, rows, out,
                  text, size, err);
    hone__free(rows);
    return status;
}

hone_status hone__problem_restore(hone_problem *problem, int *out_restored,
                                  hone_error *err)
{
    const hone_cuda *cuda = problem->device->cuda;
    hone_damage left = HONE_DAMAGE_NONE;
    char text[256];

    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];

        HONE_TRY(hone__block_guard(problem->device, w->block, err));
        if (w->kind == HONE_WATCH_INPUT)
            HONE_TRY(hone__problem_fill(problem, w->pass, (size_t)w->index,
                                        err));
    }
    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];
        const hone_block *reals = &problem->pristine[HONE_PASS_REALS][w->index];

        if (w->kind == HONE_WATCH_COPY && w->read_only)
            HONE_TRY(hone__cuda_check(
                cuda,
                cuda->copy_async(w->block->data, reals->data,
                                 reals->size_bytes, problem->device->stream),
                "copying an array", err));
    }
    HONE_TRY(hone__problem_audit(problem, HONE_PASS_REALS, 1, NULL, 0, &left,
                                 text, sizeof text, err));
    *out_restored = left == HONE_DAMAGE_NONE;
    return HONE_OK;
}
