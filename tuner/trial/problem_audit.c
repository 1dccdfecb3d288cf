/* SPDX-License-Identifier: Apache-2.0 */
/* Did a variant write where it must not? Every block of a problem is watched:
 * those that are only read by a hash of their contents, all of them by their
 * guard bands. Of two variants in one process, the first must not make the
 * second one wrong. */
#include "tuner/trial/problem.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- the list ------------------------------------------------------------ */

static void add(hone_problem *problem, const hone_block *block,
                hone_watched what)
{
    what.block = block;
    if (block->base)
        problem->watched[problem->n_watched++] = what;
}

static void add_arguments(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->resolved.n_args; ++i) {
        const hone_resolved_arg *arg = &problem->resolved.args[i];
        hone_watched what = {.kind = HONE_WATCH_INPUT,
                             .index = i,
                             .read_only = 1,
                             .mode = arg->mode,
                             .name = arg->name};

        for (; what.pass < HONE_N_PASSES; ++what.pass)
            add(problem, &problem->pristine[what.pass][i], what);
        what.kind = HONE_WATCH_OUTPUT;
        what.read_only = what.pass = 0;
        add(problem, &problem->work[i], what);
        what.kind = HONE_WATCH_COPY;
        what.pass = HONE_PASS_REALS;
        what.read_only = arg->mode == HONE_ARG_IN;
        for (what.set = 1; what.set < (int)problem->n_sets; ++what.set)
            add(problem, &problem->extra[what.set][i], what);
    }
}

static void add_expectations(hone_problem *problem)
{
    for (int i = 0; i < (int)problem->n_checks; ++i) {
        for (int pass = 0; pass < HONE_N_PASSES; ++pass) {
            const hone_expectation *e = &problem->checks[i].expected[pass];
            const hone_watched what = {.kind = HONE_WATCH_EXPECTED,
                                       .pass = pass,
                                       .index = i,
                                       .read_only = 1,
                                       .name = problem->checks[i].label};

            add(problem, &e->index, what);
            add(problem, &e->value, what);
            add(problem, &e->magnitude, what);
        }
    }
}

/* What their memory holds now, in rows to be freed. */
static hone_status look_at(hone_device *device, const hone_watched *watched,
                           size_t n, hone_audit_row **out, hone_error *err)
{
    *out = hone__alloc((n + 1) * sizeof **out);
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n; ++i) {
        HONE_TRY(hone__block_return(device, watched[i].block, err));
        (*out)[i] = hone__audit_row_of(watched[i].block);
    }
    return hone__audit(device, *out, n, err);
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
    status = look_at(problem->device, problem->watched, problem->n_watched,
                     &rows, err);
    for (size_t i = 0; status == HONE_OK && i < problem->n_watched; ++i)
        problem->watched[i].hash = rows[i].hash;
    hone__free(rows);
    return status;
}

/* ---- what damage means --------------------------------------------------- */

/* Whether a run in `pass` had this block in its hands. Initial values are
 * nobody's own: a run gets a copy of them. */
static int is_own(const hone_watched *w, int pass)
{
    const int inputs = pass == HONE_RUN_TIMED ? HONE_PASS_REALS : pass;

    return w->kind == HONE_WATCH_OUTPUT || w->kind == HONE_WATCH_WORKSPACE ||
           (w->kind == HONE_WATCH_COPY && pass == HONE_RUN_TIMED) ||
           (w->kind == HONE_WATCH_INPUT && w->pass == inputs &&
            w->mode == HONE_ARG_IN);
}

static void name_of(const hone_watched *w, char *out, size_t size)
{
    static const char *const pass_name[HONE_N_PASSES] = {"integers", "reals"};

    switch (w->kind) {
    case HONE_WATCH_OUTPUT:
        (void)snprintf(out, size, "the array '%s'", w->name);
        break;
    case HONE_WATCH_EXPECTED:
        (void)snprintf(out, size, "what check %s expects on %s", w->name,
                       pass_name[w->pass]);
        break;
    case HONE_WATCH_COPY:
        (void)snprintf(out, size, "copy %d of the array '%s'", w->set, w->name);
        break;
    case HONE_WATCH_WORKSPACE:
        (void)snprintf(out, size, "workspace %d", w->index + 1);
        break;
    case HONE_WATCH_INPUT:
        (void)snprintf(out, size, "the array '%s' with %s", w->name,
                       pass_name[w->pass]);
        break;
    }
}

/* Take what was found in a block if it is worse than `*damage`. */
static void judge(const hone_watched *w, const hone_audit_row *row, int pass,
                  hone_damage *damage, char text[HONE_DAMAGE_TEXT])
{
    const uint64_t n_guard = row->n_before ? row->n_before : row->n_behind;
    const hone_damage found =
        is_own(w, pass) ? HONE_DAMAGE_OWN : HONE_DAMAGE_NEIGHBOUR;
    char name[120];

    if ((!n_guard && !(w->read_only && row->hash != w->hash)) ||
        found <= *damage)
        return;
    *damage = found;
    name_of(w, name, sizeof name);
    if (found == HONE_DAMAGE_NEIGHBOUR)
        (void)snprintf(text, HONE_DAMAGE_TEXT,
                       "it wrote outside its arrays: %s was changed", name);
    else if (n_guard)
        (void)snprintf(text, HONE_DAMAGE_TEXT, "%llu bytes %s %s were written",
                       (unsigned long long)n_guard,
                       row->n_before ? "before" : "behind", name);
    else
        (void)snprintf(text, HONE_DAMAGE_TEXT,
                       "the input array '%s' was changed", w->name);
}

/* What is looked at: some of what is watched, then the workspaces. */
static hone_watched *choose(const hone_problem *problem, int pass, int all,
                            const hone_subject *subject, size_t *out_n)
{
    const size_t most = problem->n_watched + subject->n_blocks;
    hone_watched *out = hone__alloc((most + 1) * sizeof *out);
    size_t n = 0;

    for (size_t i = 0; out && i < problem->n_watched; ++i)
        if (all || is_own(&problem->watched[i], pass))
            out[n++] = problem->watched[i];
    for (size_t i = 0; out && i < subject->n_blocks; ++i)
        if (subject->blocks[i].base)
            out[n++] = (hone_watched){.kind = HONE_WATCH_WORKSPACE,
                                      .index = (int)i,
                                      .block = &subject->blocks[i]};
    *out_n = n;
    return out;
}

hone_status hone__problem_audit(hone_problem *problem, int pass, int all,
                                const hone_subject *subject, hone_damage *out,
                                char text[HONE_DAMAGE_TEXT], hone_error *err)
{
    size_t n;
    hone_watched *chosen = choose(problem, pass, all, subject, &n);
    hone_audit_row *rows = NULL;
    hone_status status =
        chosen ? look_at(problem->device, chosen, n, &rows, err)
               : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");

    *out = HONE_DAMAGE_NONE;
    for (size_t i = 0; status == HONE_OK && i < n; ++i)
        judge(&chosen[i], &rows[i], pass, out, text);
    hone__free(rows);
    hone__free(chosen);
    return status;
}

/* ---- putting right ------------------------------------------------------- */

hone_status hone__problem_restore(hone_problem *problem,
                                  const hone_subject *subject,
                                  int *out_restored, hone_error *err)
{
    hone_damage left = HONE_DAMAGE_NONE;
    char text[HONE_DAMAGE_TEXT];

    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];

        HONE_TRY(hone__block_guard(problem->device, w->block, err));
        if (w->kind == HONE_WATCH_INPUT)
            HONE_TRY(
                hone__problem_fill(problem, w->pass, (size_t)w->index, err));
    }
    for (size_t i = 0; i < subject->n_blocks; ++i)
        if (subject->blocks[i].base)
            HONE_TRY(
                hone__block_guard(problem->device, &subject->blocks[i], err));
    for (size_t i = 0; i < problem->n_watched; ++i) {
        const hone_watched *w = &problem->watched[i];

        if (w->kind == HONE_WATCH_COPY && w->read_only)
            HONE_TRY(hone__block_copy(
                problem->device, &problem->pristine[HONE_PASS_REALS][w->index],
                w->block, err));
    }
    for (size_t i = 0; i < problem->n_watched; ++i)
        HONE_TRY(
            hone__block_lend(problem->device, problem->watched[i].block, err));
    HONE_TRY(hone__problem_audit(problem, HONE_PASS_REALS, 1, subject, &left,
                                 text, err));
    *out_restored = left == HONE_DAMAGE_NONE;
    return HONE_OK;
}
