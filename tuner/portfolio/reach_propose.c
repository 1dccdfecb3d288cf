/* SPDX-License-Identifier: Apache-2.0 */
/* Where variants might be verified: see reach_propose.h. Whether a variant is
 * valid somewhere is asked of its launch plan, as programs do: its search space
 * says the same and takes a thousand times as long. */
#include "tuner/portfolio/reach_propose.h"

#include "tuner/portfolio/problem_sizes.h"

#include "gen/parse/parse.h"
#include "runtime/base/alloc.h"
#include "runtime/launch/launch_spec.h"

#include <math.h>
#include <string.h>

enum { UNIT = 16, MOST_HALVINGS = 24 };
/* What is nearer is not worth a problem. */
#define LEAST_STEP 1.05

typedef struct proposer {
    const hone_portfolio_run *run;
    hone_reach_proposals *out;
    size_t n_variants;
    hone_launch_spec *specs[HONE_PORTFOLIO_WITH_SPECIALISTS]; /* NULL: it is
                                                                  not asked */
    hone_problem_work most;
    hone_resolved resolved; /* scratch */
} proposer;

/* ---- what fits --------------------------------------------------------------
 */

static int fits(proposer *at, size_t variant, const int64_t *dims)
{
    const hone_matrix *m = &at->run->matrix;
    const hone_launch_spec *spec = at->specs[variant];
    hone_error why = {0};

    return spec &&
           hone__problem_work_fits(hone__problem_work(m, spec, dims),
                                   at->most) &&
           hone__launch_spec_resolve(&(hone_launch_case){spec, dims,
                                                         m->tune->tmpl->n_dims,
                                                         m->properties},
                                     &at->resolved, &why) == HONE_OK;
}

/* As large as any tuned problem, whatever its types. */
static void look_at_sizes(proposer *at)
{
    const hone_matrix *m = &at->run->matrix;
    const hone_template *tmpl = m->tune->tmpl;

    for (size_t p = 0; p < m->n_problems + m->n_others; ++p)
        for (size_t d = 0; d < tmpl->n_dims; ++d) {
            const int64_t size = hone__matrix_sizes(m, p)[d];

            if (hone__is_size(tmpl, d) && size > at->out->most[d])
                at->out->most[d] = size;
        }
    for (size_t i = 0; i < at->n_variants; ++i)
        if (at->specs[i]) { /* of any it is the same */
            at->most = hone__problem_work_most(m, at->specs[i]);
            return;
        }
}

static hone_status read_specs(proposer *at, hone_error *err)
{
    const hone_portfolio_run *run = at->run;
    const hone_matrix *m = &run->matrix;

    for (size_t i = 0; i < at->n_variants; ++i) {
        if (!m->candidates[run->members[i]].is_wrong)
            HONE_TRY(hone__matrix_launch_spec(m, run->members[i], &at->specs[i],
                                              err));
    }
    return HONE_OK;
}

/* ---- proposals --------------------------------------------------------------
 */

/* `home` with another size, and what follows from it; 0: there is none. */
static int with_size(const hone_template *tmpl, const int64_t *home, size_t d,
                     int64_t value, int64_t *out)
{
    int64_t dims[HONE_MAX_DIMS];

    for (size_t k = 0; k < tmpl->n_dims; ++k)
        dims[k] = k == d                            ? value
                  : tmpl->dims[k].default_expr.expr ? HONE_DIM_DEFAULT
                                                    : home[k];
    return hone__template_complete_dims(tmpl, dims, tmpl->n_dims, out, NULL) ==
           HONE_OK;
}

/* Upwards, so that it is as large and aligned as well. */
static int64_t round_up(int64_t value)
{
    return value <= 2 * UNIT || value > INT64_MAX - UNIT
               ? value
               : (value + UNIT - 1) / UNIT * UNIT;
}

/* The largest size between `low` and `high` at which it fits, as far as halving
 * finds it; `low` where there is none. */
static int64_t find_largest(proposer *at, size_t variant, const int64_t *home,
                            size_t d, int64_t low, int64_t high)
{
    const hone_template *tmpl = at->run->matrix.tune->tmpl;
    int64_t dims[HONE_MAX_DIMS];

    for (int i = 0; i < MOST_HALVINGS; ++i) {
        const int64_t middle = (int64_t)sqrt((double)low * (double)high);
        const int64_t value = middle > 2 * UNIT ? middle / UNIT * UNIT : middle;

        if (value <= low || value >= high)
            break;
        if (with_size(tmpl, home, d, value, dims) && fits(at, variant, dims))
            low = value;
        else
            high = value;
    }
    return low;
}

static double work_beside(const hone_template *tmpl, const int64_t *dims,
                          size_t without)
{
    double work = 1;

    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (hone__is_size(tmpl, d) && d != without)
            work *= (double)dims[d];
    return work;
}

/* Of the likely problems at which a variant is valid that one whose other sizes
 * are the smallest: this one may become larger there than where it is good. */
static const int64_t *find_slim(const proposer *at, size_t variant, size_t d)
{
    const hone_portfolio_run *run = at->run;
    const hone_matrix *m = &run->matrix;
    const size_t candidate = run->members[variant];
    const int64_t *slim = hone__portfolio_home(run, candidate);
    double least = work_beside(m->tune->tmpl, slim, d);

    for (size_t i = 0; i < m->n_likely; ++i) {
        const double work = work_beside(m->tune->tmpl, m->likely[i], d);

        if (m->likely_cost[i * m->n_candidates + candidate] > 0 &&
            work < least) {
            least = work;
            slim = m->likely[i];
        }
    }
    return slim;
}

/* 0: nothing further. */
static int propose_one(proposer *at, size_t variant, const int64_t *home,
                       size_t d, int64_t *out)
{
    const hone_portfolio_run *run = at->run;
    const hone_template *tmpl = run->matrix.tune->tmpl;
    const int64_t reach = run->reach[variant][d], most = at->out->most[d];
    const int64_t values[] = {round_up(most), most};
    int64_t low;

    if ((double)most < (double)reach * LEAST_STEP)
        return 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        if (with_size(tmpl, home, d, values[i], out) && fits(at, variant, out))
            return 1;
    low = find_largest(at, variant, home, d, home[d] > 0 ? home[d] : 1, most);
    return (double)low >= (double)reach * LEAST_STEP &&
           with_size(tmpl, home, d, low, out) && fits(at, variant, out);
}

static int is_among(const hone_reach_proposals *list, const int64_t *dims,
                    size_t n_dims)
{
    for (size_t i = 0; i < list->n; ++i)
        if (memcmp(list->dims[i], dims, n_dims * sizeof *dims) == 0)
            return 1;
    return 0;
}

static void add(proposer *at, const int64_t *dims)
{
    hone_reach_proposals *list = at->out;
    const size_t n_dims = at->run->matrix.tune->tmpl->n_dims;

    if (!is_among(list, dims, n_dims))
        memcpy(list->dims[list->n++], dims, n_dims * sizeof *dims);
}

static void propose_tuned(proposer *at)
{
    const hone_matrix *m = &at->run->matrix;

    for (size_t d = 0; d < m->tune->tmpl->n_dims; ++d) {
        size_t largest = 0;

        for (size_t p = 1; p < m->n_problems && at->out->most[d]; ++p)
            if (m->problems[p].dims[d] > m->problems[largest].dims[d])
                largest = p;
        if (at->out->most[d])
            add(at, m->problems[largest].dims);
    }
}

static hone_status propose_all(proposer *at, hone_error *err)
{
    const hone_template *tmpl = at->run->matrix.tune->tmpl;
    hone_reach_proposals *list = at->out;
    int64_t dims[HONE_MAX_DIMS];

    propose_tuned(at);
    for (size_t i = 0; i < at->n_variants; ++i) {
        HONE_TRY(hone__matrix_check_stop(&at->run->matrix, err));
        for (size_t d = 0; d < tmpl->n_dims && at->specs[i]; ++d) {
            if (!list->most[d])
                continue;
            if (propose_one(at, i,
                            hone__portfolio_home(at->run, at->run->members[i]),
                            d, dims))
                add(at, dims);
            if (propose_one(at, i, find_slim(at, i, d), d, dims))
                add(at, dims);
        }
    }
    for (size_t p = 0; p < list->n; ++p) {
        HONE_TRY(hone__matrix_check_stop(&at->run->matrix, err));
        for (size_t i = 0; i < at->n_variants; ++i)
            list->is_valid[p * at->n_variants + i] =
                (unsigned char)fits(at, i, list->dims[p]);
    }
    return HONE_OK;
}

hone_status hone__reach_propose(const hone_portfolio_run *run,
                                hone_reach_proposals *out, hone_error *err)
{
    const size_t n_variants = run->n_members + run->n_specialists;
    const size_t n_most = (2 * n_variants + 1) * run->matrix.tune->tmpl->n_dims;
    proposer *at = hone__alloc(sizeof *at);
    hone_status status;

    *out = (hone_reach_proposals){
        .dims = hone__alloc(n_most * sizeof *out->dims),
        .is_valid = hone__alloc(n_most * n_variants + 1)};
    if (!at || !out->dims || !out->is_valid) {
        hone__free(at);
        return hone__out_of_memory(err, " for a portfolio");
    }
    at->run = run;
    at->out = out;
    at->n_variants = n_variants;
    status = read_specs(at, err);
    if (status == HONE_OK) {
        look_at_sizes(at);
        status = propose_all(at, err);
    }
    for (size_t i = 0; i < n_variants; ++i)
        hone__launch_spec_free(at->specs[i]);
    hone__free(at);
    return status;
}

void hone__reach_proposals_free(hone_reach_proposals *proposals)
{
    hone__free(proposals->dims);
    hone__free(proposals->is_valid);
    *proposals = (hone_reach_proposals){0};
}
