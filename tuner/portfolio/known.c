/* SPDX-License-Identifier: Apache-2.0 */
/* What the database knows of members and specialists at all problems of these
 * types, tuned or not: how far each was right, and times at problems that are
 * not in the matrix. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/reach_cover.h"

#include <string.h>

static size_t count_all(const hone_portfolio_run *run)
{
    return run->n_members + run->n_specialists;
}

/* SIZE_MAX: it is none. */
static size_t find_variant(const hone_portfolio_run *run, int64_t template_id,
                           const char *config)
{
    const hone_matrix *m = &run->matrix;
    const size_t impl = hone__matrix_impl(m, template_id);
    const size_t candidate =
        impl < m->n_impls ? hone__matrix_find(m, impl, config) : SIZE_MAX;

    for (size_t i = 0; i < count_all(run) && candidate != SIZE_MAX; ++i)
        if (run->members[i] == candidate)
            return i;
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

static hone_status on_trial(void *user, const hone_db_row *row, hone_error *err)
{
    hone_portfolio_run *run = user;
    hone_matrix *m = &run->matrix;
    const hone_db_value *v = row->values;
    const hone_outcome outcome = hone__outcome_find(v[3].text);
    const size_t n_dims = m->tune->tmpl->n_dims;
    const size_t i = find_variant(run, v[0].integer, v[1].text);
    hone_matrix_candidate *c;
    int64_t dims[HONE_MAX_DIMS] = {0};

    (void)err;
    if (i == SIZE_MAX || !hone__db_dims_read(v[2].text, n_dims, dims))
        return HONE_OK;
    c = &m->candidates[run->members[i]];
    if (outcome == HONE_OUTCOME_OK) {
        hone_portfolio_extra *extra =
            v[5].integer ? find_extra(run, dims) : NULL;

        hone__reach_extend(n_dims, run->reach[i], dims);
        if (extra)
            extra->time_ns[i] = v[4].real;
    }
    c->is_wrong |=
        outcome == HONE_OUTCOME_WRONG || outcome == HONE_OUTCOME_FAULT;
    if (!c->is_vendor && v[6].integer > c->variant_id)
        c->variant_id = v[6].integer;
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

/* The last trial of each at each problem; how far it is right does not depend
 * on the mode. */
hone_status hone__portfolio_read_trials(hone_portfolio_run *run,
                                        hone_error *err)
{
    static const char sql[] =
        "SELECT v.template_id, v.config, p.dims, t.outcome, t.time_ns,"
        " s.mode = ?4, iif(v.cubin_sha256 IS NULL, 0, v.variant_id)"
        " FROM trial t"
        " JOIN variant v ON v.variant_id = t.variant_id"
        " JOIN session s ON s.session_id = t.session_id"
        " JOIN problem p ON p.problem_id = s.problem_id WHERE t.trial_id IN"
        " (SELECT max(l.trial_id) FROM problem q"
        "  JOIN session r ON r.problem_id = q.problem_id"
        "  JOIN trial l ON l.session_id = r.session_id"
        "  WHERE q.op = ?1 AND r.device_id = ?2"
        "  GROUP BY q.problem_id, r.mode, l.variant_id)"
        " AND ifnull(v.types, '') = ?3 ORDER BY p.dims, t.trial_id";
    const hone_matrix *m = &run->matrix;
    const hone_db_value key[] = {
        hone__db_text(m->tune->tmpl->op), hone__db_integer(m->device_id),
        hone__db_text(m->types), hone__db_text(hone__mode_name(m->tune->mode))};

    memset(run->reach, 0, sizeof run->reach);
    run->n_extra = 0;
    return hone__db_query(m->tune->db, sql, key, 4, on_trial, run, err);
}
