/* SPDX-License-Identifier: Apache-2.0 */
/* What the database knows of members and specialists at all problems of these
 * types, tuned or not: how far each was right, and times at problems that are
 * not in the matrix. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/problem_sizes.h"
#include "tuner/portfolio/reach_cover.h"

#include <string.h>

/* Others shall have room, too. */
enum { MOST_OF_ONE = 3 };

typedef struct known_walk {
    hone_portfolio_run *run;
    size_t n; /* members and specialists */
    const int64_t *home[HONE_PORTFOLIO_WITH_SPECIALISTS];
    /* Of two compilers' variants of one configuration the later is launched:
     * what the other did says nothing. */
    int64_t variant_id[HONE_PORTFOLIO_WITH_SPECIALISTS];
} known_walk;

/* SIZE_MAX: it is none of them. */
static size_t find_variant(const known_walk *walk, int64_t template_id,
                           const char *config)
{
    const hone_matrix *m = &walk->run->matrix;
    const size_t impl = hone__matrix_impl(m, template_id);

    for (size_t i = 0; i < walk->n && impl < m->n_impls; ++i) {
        const hone_matrix_candidate *c = &m->candidates[walk->run->members[i]];

        if (c->impl == impl && strcmp(c->config, config) == 0)
            return i;
    }
    return SIZE_MAX;
}

/* NULL: it is in the matrix, or there is no room. */
static hone_portfolio_extra *find_extra(hone_portfolio_run *run,
                                        const int64_t *dims)
{
    const hone_matrix *m = &run->matrix;
    const size_t bytes = m->tune->tmpl->n_dims * sizeof *dims;

    for (size_t i = 0; i < run->n_extra; ++i)
        if (memcmp(run->extra[i].dims, dims, bytes) == 0)
            return &run->extra[i];
    for (size_t p = 0; p < m->n_problems; ++p)
        if (memcmp(m->problems[p].dims, dims, bytes) == 0)
            return NULL;
    if (run->n_extra == HONE_PORTFOLIO_MOST_EXTRA ||
        run->n_extra + m->n_problems == HONE_CHOOSER_PROBLEMS)
        return NULL;
    memset(&run->extra[run->n_extra], 0, sizeof *run->extra);
    memcpy(run->extra[run->n_extra].dims, dims, bytes);
    return &run->extra[run->n_extra++];
}

static void begin_variant(known_walk *walk, size_t i, int64_t variant_id)
{
    hone_portfolio_run *run = walk->run;
    hone_matrix_candidate *c = &run->matrix.candidates[run->members[i]];

    walk->variant_id[i] = variant_id;
    if (variant_id > c->variant_id)
        c->variant_id = variant_id;
    memset(run->reach[i], 0, sizeof run->reach[i]);
    for (size_t k = 0; k < run->n_extra; ++k)
        run->extra[k].time_ns[i] = 0;
}

/* Times help to tell what a cost is worth where a variant is good. */
static void take_time(known_walk *walk, size_t i, const int64_t *dims,
                      double time_ns)
{
    hone_portfolio_run *run = walk->run;
    hone_portfolio_extra *extra;
    size_t n = 0;

    for (size_t k = 0; k < run->n_extra; ++k)
        n += run->extra[k].time_ns[i] > 0;
    if (n == MOST_OF_ONE ||
        run->matrix.candidates[run->members[i]].impl !=
            run->matrix.likely_impl ||
        hone__sizes_distance(run->matrix.tune->tmpl, dims, walk->home[i]) >=
            HONE_NEAR)
        return;
    extra = find_extra(run, dims);
    if (extra)
        extra->time_ns[i] = time_ns;
}

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    known_walk *walk = user;
    hone_portfolio_run *run = walk->run;
    const hone_db_value *v = row->values;
    const hone_outcome outcome = hone__outcome_find(v[3].text);
    const size_t n_dims = run->matrix.tune->tmpl->n_dims;
    const size_t i = find_variant(walk, v[0].integer, v[1].text);
    hone_matrix_candidate *c;
    int64_t dims[HONE_MAX_DIMS] = {0};

    (void)err;
    if (i == SIZE_MAX || !hone__db_dims_read(v[2].text, n_dims, dims))
        return HONE_OK;
    c = &run->matrix.candidates[run->members[i]];
    if (!c->is_vendor && !v[7].integer)
        return HONE_OK; /* its code is not there any more */
    if (!c->is_vendor && v[6].integer > walk->variant_id[i])
        begin_variant(walk, i, v[6].integer);
    if (outcome != HONE_OUTCOME_OK)
        return HONE_OK;
    hone__reach_extend(n_dims, run->reach[i], dims);
    if (v[5].integer)
        take_time(walk, i, dims, v[4].real);
    return HONE_OK;
}

size_t hone__portfolio_count_times(const hone_portfolio_run *run, size_t member)
{
    size_t n = 0;

    for (size_t p = 0; p < run->matrix.n_problems; ++p)
        n += hone__portfolio_cell(run, p, run->members[member]) > 0;
    for (size_t k = 0; k < run->n_extra; ++k)
        n += run->extra[k].time_ns[member] > 0;
    return n;
}

/* The last trial of each at each problem, older variants first; how far they
 * are right does not depend on the mode. */
hone_status hone__portfolio_read_trials(hone_portfolio_run *run,
                                        hone_error *err)
{
    static const char sql[] =
        "SELECT v.template_id, v.config, p.dims, t.outcome, t.time_ns,"
        " s.mode = ?4, v.variant_id, v.cubin_sha256 IS NOT NULL"
        " FROM trial t"
        " JOIN variant v ON v.variant_id = t.variant_id"
        " JOIN session s ON s.session_id = t.session_id"
        " JOIN problem p ON p.problem_id = s.problem_id WHERE t.trial_id IN"
        " (SELECT max(l.trial_id) FROM problem q"
        "  JOIN session r ON r.problem_id = q.problem_id"
        "  JOIN trial l ON l.session_id = r.session_id"
        "  WHERE q.op = ?1 AND device_id = ?2"
        "  GROUP BY q.problem_id, r.mode, l.variant_id)"
        " AND v.types = ?3"
        " ORDER BY v.variant_id, p.dims, t.trial_id";
    const hone_matrix *m = &run->matrix;
    const hone_db_value key[] = {
        hone__db_text(m->tune->tmpl->op), hone__db_integer(m->device_id),
        hone__db_text(m->types), hone__db_text(hone__mode_name(m->tune->mode))};
    known_walk walk = {.run = run, .n = run->n_members + run->n_specialists};

    for (size_t i = 0; i < walk.n; ++i)
        walk.home[i] = hone__portfolio_home(run, run->members[i]);
    memset(run->reach, 0, sizeof run->reach);
    run->n_extra = 0;
    return hone__db_query(m->tune->db, sql, key, 4, on_trial, &walk, err);
}
