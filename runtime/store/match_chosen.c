/* SPDX-License-Identifier: Apache-2.0 */
/* What choosers say of a problem that nobody tuned: the members of the best
 * one that can be read, as it prefers them. See README.md. */
#include "runtime/store/match.h"

#include <math.h>
#include <string.h>

typedef struct ordered_chooser {
    const hone_match_source *source;
    hone_store_chooser *of;
    double order; /* better ones have less */
} ordered_chooser;

/* 0: it may not answer like this. Ordered as winners are: by the architecture,
 * the multiprocessors, the source, then what else is not the same. */
static int judge(const hone_matcher *m, hone_match_kind kind,
                 ordered_chooser *c)
{
    enum { MOST_PLACES = 64, MOST_MISMATCHES = 8 };
    const hone_store_chooser *of = c->of;
    const int64_t sm_count =
        m->target->properties.value[HONE_PROPERTY_sm_count];
    const int is_alike =
        strcmp(of->arch, m->arch) == 0 && of->sm_count == sm_count;
    const int n_older =
        is_alike ? 0 : hone__arch_family_distance(of->arch, m->arch);

    if (of->lack || strcmp(of->types, c->source->types) != 0 ||
        of->sm_count < 1 || sm_count < 1 || n_older < 0 ||
        is_alike != (kind == HONE_MATCH_CHOSEN))
        return 0;
    c->order =
        100 * n_older + fabs(log((double)sm_count / (double)of->sm_count));
    c->order = c->order * MOST_PLACES + (double)c->source->place;
    c->order = c->order * MOST_MISMATCHES +
               hone__match_mismatches(m, of->device_name, of->is_cold,
                                      of->driver_version);
    return 1;
}

/* The best of those that are not known to be damaged; none: `of` is NULL. */
static hone_status find_best(hone_matcher *m, hone_match_kind kind,
                             ordered_chooser *best, hone_error *err)
{
    *best = (ordered_chooser){.of = NULL};
    for (size_t i = 0; i < m->n_sources; ++i) {
        ordered_chooser c = {.source = &m->sources[i]};

        if (!c.source->spec || c.source->is_nothing)
            continue;
        HONE_TRY(hone__store_choosers(c.source->store, c.source->op, err));
        for (c.of = c.source->op->choosers; c.of; c.of = c.of->next) {
            if (c.of->lack && !m->no_chooser)
                m->no_chooser = c.of->lack;
            if (judge(m, kind, &c) && (!best->of || c.order < best->order))
                *best = c;
        }
    }
    return HONE_OK;
}

/* A time that may as well be e times as long is none. */
enum { MOST_DOUBT = 1 };

/* Which of the predicted members can be launched, as far as is known, and which
 * of them are what is launched in doubt: a vendor's function, a default. */
static void find_flags(const hone_matcher *m, const ordered_chooser *c,
                       const hone_chooser_guesses *guesses, unsigned char *may,
                       unsigned char *safe)
{
    for (size_t p = 0; p < guesses->n_predicted; ++p) {
        const size_t i = guesses->predicted[p];
        const hone_store_row *row = c->of->rows[i];

        may[i] = guesses->of[i].doubt < MOST_DOUBT && row &&
                 strcmp(row->types, c->of->types) == 0 &&
                 hone__match_runs_here(m, row) &&
                 hone__code_form(row->compile_arch) == HONE_CODE_CUBIN;
        safe[i] = may[i] && (row->is_default || !row->cubin_sha256[0]);
    }
}

/* A member that cannot be launched gives way to what would have been chosen
 * without it. */
static hone_status ask(hone_matcher *m, const hone_launch_case *plan,
                       hone_match_kind kind, const ordered_chooser *c,
                       hone_answer *out, hone_outcome *result, hone_error *err)
{
    unsigned char may[HONE_CHOOSER_MEMBERS], safe[HONE_CHOOSER_MEMBERS];
    hone_chosen chosen = {.by = c->of};
    hone_candidate candidate = {
        .source = c->source, .kind = kind, .chosen = &chosen};
    const hone_chooser_decision *d = &chosen.decision;
    hone_chooser_guesses guesses;

    hone__chooser_predict(c->of->chooser, plan, &guesses);
    find_flags(m, c, &guesses, may, safe);
    while (*result != HONE_OUTCOME_FOUND) {
        hone__chooser_decide(&guesses, may, safe, &chosen.decision);
        if (d->member < 0)
            break;
        candidate.row = c->of->rows[d->member];
        may[d->member] = 0;
        HONE_TRY(hone__match_try(m, &candidate, out, result, err));
    }
    return HONE_OK;
}

hone_status hone__match_choose(hone_matcher *m, hone_match_kind kind,
                               hone_answer *out, hone_outcome *result,
                               hone_error *err)
{
    ordered_chooser best;

    if (m->query->config)
        return HONE_OK;
    for (;;) {
        const hone_match_source *s;
        hone_launch_case plan;

        HONE_TRY(find_best(m, kind, &best, err));
        s = best.source;
        if (!best.of)
            return HONE_OK;
        plan = (hone_launch_case){s->spec, s->dims, s->n_dims,
                                  &m->target->properties};
        HONE_TRY(
            hone__store_load_chooser(s->store, s->op, best.of, &plan, err));
        if (!best.of->lack)
            return ask(m, &plan, kind, &best, out, result, err);
    }
}
