/* SPDX-License-Identifier: Apache-2.0 */
/* Variants that are valid at few sizes, such as those that keep a row in
 * registers, are right for what lies between the tuned problems and valid at
 * hardly any of these. They are timed at likely problems, which nobody tunes:
 * as few as give each of them a time or two near to where it is good. */
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/problem_sizes.h"

#include "runtime/base/alloc.h"

#include <string.h>

enum { MOST_PROBLEMS = 24, TIMES_OF_ONE = 2 };

typedef struct homes {
    const hone_portfolio_run *run;
    size_t n_variants;
    const int64_t *home[HONE_PORTFOLIO_WITH_SPECIALISTS];
    int needs[HONE_PORTFOLIO_WITH_SPECIALISTS]; /* times */
    const hone_launch_spec *spec;
    hone_problem_work most;
    int64_t (*dims)[HONE_MAX_DIMS]; /* MOST_PROBLEMS */
    unsigned char *is_wanted;       /* MOST_PROBLEMS x n_variants */
    size_t n;
} homes;

static int is_near(const homes *h, size_t variant, const int64_t *dims)
{
    return hone__sizes_distance(h->run->matrix.tune->tmpl, dims,
                                h->home[variant]) < HONE_NEAR;
}

/* Times at problems near to where it is good. */
static int count_near(const homes *h, size_t variant)
{
    const hone_portfolio_run *run = h->run;
    const hone_matrix *m = &run->matrix;
    int n = 0;

    for (size_t p = 0; p < m->n_problems; ++p)
        n += hone__portfolio_cell(run, p, run->members[variant]) > 0 &&
             is_near(h, variant, m->problems[p].dims);
    for (size_t k = 0; k < run->n_extra; ++k)
        n += run->extra[k].time_ns[variant] > 0 &&
             is_near(h, variant, run->extra[k].dims);
    return n;
}

static void look_at(homes *h)
{
    const hone_portfolio_run *run = h->run;
    const hone_matrix *m = &run->matrix;

    h->most = hone__problem_work_most(m, h->spec);
    for (size_t i = 0; i < h->n_variants; ++i) {
        h->home[i] = hone__portfolio_home(run, run->members[i]);
        h->needs[i] = m->candidates[run->members[i]].impl == m->likely_impl &&
                              !m->candidates[run->members[i]].is_wrong
                          ? TIMES_OF_ONE - count_near(h, i)
                          : 0;
    }
}

static int is_of_use(const homes *h, size_t likely, size_t variant)
{
    const hone_matrix *m = &h->run->matrix;

    return h->needs[variant] > 0 &&
           m->likely_cost[likely * m->n_candidates + h->run->members[variant]] >
               0 &&
           is_near(h, variant, m->likely[likely]);
}

/* What it is worth: those that need a time, the more the better they are there.
 */
static double worth_of(const homes *h, size_t likely)
{
    const hone_matrix *m = &h->run->matrix;
    const double *costs = &m->likely_cost[likely * m->n_candidates];
    double sum = 0;

    if (!hone__problem_work_fits(
            hone__problem_work(m, h->spec, m->likely[likely]), h->most))
        return 0;
    for (size_t i = 0; i < h->n_variants; ++i)
        if (is_of_use(h, likely, i))
            sum += m->likely_best[likely] / costs[h->run->members[i]];
    return sum;
}

static int is_taken(const homes *h, size_t likely)
{
    const hone_matrix *m = &h->run->matrix;

    for (size_t k = 0; k < h->n; ++k)
        if (memcmp(h->dims[k], m->likely[likely], sizeof *h->dims) == 0)
            return 1;
    return 0;
}

/* 0: nobody needs any. */
static int take_best(homes *h)
{
    const hone_matrix *m = &h->run->matrix;
    size_t best = 0;
    double most = 0;

    for (size_t p = 0; p < m->n_likely; ++p) {
        const double worth = worth_of(h, p);

        if (worth > most && !is_taken(h, p)) {
            most = worth;
            best = p;
        }
    }
    if (most <= 0)
        return 0;
    memcpy(h->dims[h->n], m->likely[best], sizeof *h->dims);
    for (size_t i = 0; i < h->n_variants; ++i)
        if (is_of_use(h, best, i)) {
            h->is_wanted[h->n * h->n_variants + i] = 1;
            --h->needs[i];
        }
    ++h->n;
    return 1;
}

/* ---- measured ---------------------------------------------------------------
 */

/* Of those that no edge shape has proved, who was right there? */
static size_t list_unproved(const hone_portfolio_run *run, size_t extra,
                            const unsigned char *is_listed, unsigned char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < run->n_members + run->n_specialists; ++i) {
        const hone_matrix_candidate *c =
            &run->matrix.candidates[run->members[i]];

        out[i] = !c->is_proved && !c->is_wrong && !c->is_vendor &&
                 !is_listed[i] && run->extra[extra].time_ns[i] > 0;
        n += out[i];
    }
    return n;
}

/* As few of these problems as have all of them. */
static size_t choose_edges(const hone_portfolio_run *run,
                           int64_t (*dims)[HONE_MAX_DIMS],
                           unsigned char *is_wanted)
{
    const size_t n_variants = run->n_members + run->n_specialists;
    unsigned char is_listed[HONE_PORTFOLIO_WITH_SPECIALISTS] = {0};
    size_t n = 0;

    for (; n < HONE_PORTFOLIO_MOST_EXTRA; ++n) {
        unsigned char *row = &is_wanted[n * n_variants];
        size_t best = 0, most = 0;

        for (size_t k = 0; k < run->n_extra; ++k) {
            const size_t n_there = list_unproved(run, k, is_listed, row);

            if (n_there > most) {
                most = n_there;
                best = k;
            }
        }
        if (!most)
            break;
        (void)list_unproved(run, best, is_listed, row);
        for (size_t i = 0; i < n_variants; ++i)
            is_listed[i] |= row[i];
        memcpy(dims[n], run->extra[best].dims, sizeof *dims);
    }
    return n;
}

static hone_status verify_edges(hone_portfolio_run *run, hone_error *err)
{
    const size_t n_variants = run->n_members + run->n_specialists;
    int64_t(*dims)[HONE_MAX_DIMS] =
        hone__alloc(HONE_PORTFOLIO_MOST_EXTRA * sizeof *dims);
    unsigned char *is_wanted =
        hone__alloc(HONE_PORTFOLIO_MOST_EXTRA * n_variants + 1);
    hone_status status;

    if (!dims || !is_wanted) {
        status = hone__out_of_memory(err, " for a portfolio");
    } else {
        const size_t n = choose_edges(run, dims, is_wanted);

        status = hone__portfolio_measure_further(
            run, (const int64_t(*)[HONE_MAX_DIMS])dims, n, is_wanted,
            HONE_LIST_EDGES, err);
    }
    hone__free(dims);
    hone__free(is_wanted);
    if (status == HONE_OK)
        status = hone__matrix_read(&run->matrix, err);
    return status == HONE_OK ? hone__portfolio_read_trials(run, err) : status;
}

static hone_status measure(hone_portfolio_run *run, const homes *h,
                           hone_error *err)
{
    const int64_t(*dims)[HONE_MAX_DIMS] =
        (const int64_t(*)[HONE_MAX_DIMS])h->dims;

    HONE_TRY(hone__portfolio_measure_further(run, dims, h->n, h->is_wanted,
                                             HONE_LIST_FURTHER, err));
    HONE_TRY(hone__matrix_read(&run->matrix, err)); /* who is wrong there */
    return hone__portfolio_read_trials(run, err);
}

hone_status hone__portfolio_measure_homes(hone_portfolio_run *run,
                                          hone_error *err)
{
    homes h = {.run = run, .n_variants = run->n_members + run->n_specialists};
    hone_launch_spec *spec = NULL;
    hone_status status;

    hone__portfolio_begin_step(run, HONE_STEP_homes);
    status = hone__portfolio_read_trials(run, err);
    if (status == HONE_OK)
        status =
            hone__matrix_launch_spec(&run->matrix, run->members[0], &spec, err);
    h.spec = spec;
    h.dims = hone__alloc(MOST_PROBLEMS * sizeof *h.dims);
    h.is_wanted = hone__alloc(MOST_PROBLEMS * h.n_variants + 1);
    if (status == HONE_OK && (!h.dims || !h.is_wanted))
        status = hone__out_of_memory(err, " for a portfolio");
    if (status == HONE_OK) {
        look_at(&h);
        while (h.n < MOST_PROBLEMS && take_best(&h))
            ;
        if (h.n)
            status = measure(run, &h, err);
    }
    if (status == HONE_OK)
        status = verify_edges(run, err);
    hone__launch_spec_free(spec);
    hone__free(h.dims);
    hone__free(h.is_wanted);
    hone__portfolio_begin_step(run, HONE_STEP_specialists);
    return status;
}
