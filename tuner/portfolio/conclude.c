/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a portfolio: what its members are worth, and the chooser that is
 * learned from their times. */
#include "db/db_model.h"
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double cell(const hone_portfolio_run *run, size_t problem,
                   size_t candidate)
{
    return run->matrix.time_ns[problem * run->matrix.n_candidates + candidate];
}

/* The best member at a problem; 0: none is right there. */
static double best_member(const hone_portfolio_run *run, size_t problem,
                          size_t *out_member)
{
    double best = 0;

    for (size_t i = 0; i < run->n_members; ++i) {
        const double time = cell(run, problem, run->members[i]);

        if (time > 0 && (best <= 0 || time < best)) {
            best = time;
            *out_member = i;
        }
    }
    return best;
}

/* ---- the result -------------------------------------------------------------
 */

static void list_members(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    hone_portfolio_result *result = &run->result;

    result->n_members = run->n_members;
    for (size_t i = 0; i < run->n_members; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];
        hone_portfolio_member *out = &result->members[i];

        *out = (hone_portfolio_member){.is_vendor = c->is_vendor,
                                       .is_default = c->is_default};
        (void)snprintf(out->implementation, sizeof out->implementation, "%s",
                       hone__template_name(m->impls[c->impl]));
        (void)snprintf(out->config, sizeof out->config, "%.255s", c->config);
        for (size_t p = 0; p < m->n_problems; ++p)
            out->n_right += cell(run, p, run->members[i]) > 0;
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        size_t member = 0;

        if (best_member(run, p, &member) > 0)
            ++result->members[member].n_best;
    }
}

static void measure_worth(hone_portfolio_run *run)
{
    const hone_matrix *m = &run->matrix;
    const hone_cover_request cover = {.n_problems = m->n_problems,
                                      .n_candidates = m->n_candidates,
                                      .time_ns = m->time_ns,
                                      .best_ns = m->best_ns};
    hone_portfolio_result *result = &run->result;

    result->mean = hone__cover_mean(&cover, run->members, run->n_members);
    for (size_t i = 0; i < run->n_members; ++i) {
        const double mean = hone__cover_mean(&cover, &run->members[i], 1);

        if (result->single <= 0 || mean < result->single)
            result->single = mean;
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        size_t member;
        const double best = best_member(run, p, &member);
        const double ratio = best > 0 && m->best_ns[p] > 0
                                 ? best / m->best_ns[p]
                                 : HONE_COVER_NOBODY;

        result->worst = ratio > result->worst ? ratio : result->worst;
    }
}

/* ---- the rule without a chooser ---------------------------------------------
 */

/* The fastest at `problem` of all that were measured everywhere and are right
 * at `there`, too; 0: none. */
static double time_of_winner(const hone_portfolio_run *run, size_t problem,
                             size_t there)
{
    double best = 0, time = 0;

    for (size_t i = 0; i < run->n_set; ++i) {
        const double here = cell(run, problem, run->set[i]);

        if (here > 0 && (best <= 0 || here < best) &&
            !run->matrix.candidates[run->set[i]].is_wrong) {
            best = here;
            time = cell(run, there, run->set[i]);
        }
    }
    return time > 0 ? time : 0;
}

/* What is launched where the winner of the nearest problem is valid, else that
 * of the next. */
static double time_of_nearest(const hone_portfolio_run *run, size_t problem)
{
    const hone_matrix *m = &run->matrix;
    double best = INFINITY, time = 0;

    for (size_t q = 0; q < m->n_problems; ++q) {
        const double far = m->distance[problem * m->n_problems + q];
        double there;

        if (q == problem || far >= best)
            continue;
        there = time_of_winner(run, q, problem);
        if (there > 0) {
            best = far;
            time = there;
        }
    }
    return time;
}

static hone_portfolio_loss loss_of_nearest(const hone_portfolio_run *run)
{
    hone_loss_sum sum = {0};

    for (size_t p = 0; p < run->matrix.n_problems; ++p) {
        size_t member;
        const double best = best_member(run, p, &member);
        const double time = time_of_nearest(run, p);

        if (best > 0 && time > 0)
            hone__loss_add(&sum, time, best);
    }
    return hone__loss_of(&sum);
}

/* ---- the chooser ------------------------------------------------------------
 */

/* A size that no problem was as large as is not known to be right. */
static hone_status set_reach(const hone_portfolio_run *run, size_t member,
                             hone_chooser *out, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    int64_t reach[HONE_MAX_DIMS] = {0};
    int is_right = 0;

    for (size_t p = 0; p < m->n_problems; ++p) {
        if (cell(run, p, run->members[member]) <= 0)
            continue;
        is_right = 1;
        for (size_t d = 0; d < out->n_dims; ++d)
            if (m->problems[p].dims[d] > reach[d])
                reach[d] = m->problems[p].dims[d];
    }
    return is_right ? hone__chooser_set_reach(out, member, reach, err)
                    : HONE_OK;
}

static hone_status fill(hone_portfolio_run *run, hone_chooser *out,
                        hone_error *err)
{
    hone_matrix *m = &run->matrix;

    for (size_t i = 0; i < run->n_members; ++i) {
        const hone_matrix_candidate *c = &m->candidates[run->members[i]];
        char hash[HONE_SHA256_HEX];

        HONE_TRY(hone__matrix_launch_hash(m, run->members[i], hash, err));
        if (!hash[0])
            return hone__fail(err, HONE_ERR_NOT_FOUND,
                              "%.64s %.200s has no launch that is stored",
                              hone__template_name(m->impls[c->impl]),
                              c->config);
        HONE_TRY(hone__chooser_set_member(
            out, i, hash, hone__template_name(m->impls[c->impl]), err));
        HONE_TRY(set_reach(run, i, out, err));
        HONE_TRY(hone__portfolio_set_cost(run, i, out, err));
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        memcpy(&out->dims[p * out->n_dims], m->problems[p].dims,
               out->n_dims * sizeof *out->dims);
        for (size_t i = 0; i < run->n_members; ++i) {
            const double time = cell(run, p, run->members[i]);

            out->time_ns[p * run->n_members + i] = time > 0 ? time : 0;
        }
    }
    return HONE_OK;
}

/* What the plans of an operation say of bytes and flops is the same. */
static hone_status read_plan(hone_portfolio_run *run, hone_launch_spec **out,
                             hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    hone_db_launch launch;
    hone_status status = hone__db_launch_get(
        m->tune->db, m->candidates[run->members[0]].variant_id, &launch, err);

    if (status == HONE_OK) {
        status = hone__launch_spec_parse(hone__text_str(&launch.launch_plan),
                                         out, err);
        hone__db_launch_free(&launch);
    }
    return status;
}

static hone_status store(hone_portfolio_run *run, const hone_chooser *chooser,
                         hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    int64_t n_trials = 0;
    hone_text text = {0};
    hone_status status = hone__chooser_write(chooser, &text, err);

    for (size_t i = 0; i < chooser->n_problems * chooser->n_members; ++i)
        n_trials += chooser->time_ns[i] > 0;
    if (status == HONE_OK)
        status = hone__db_model_put(
            m->tune->db,
            &(hone_db_model){.op = m->tune->tmpl->op,
                             .device_id = m->device_id,
                             .types = m->types,
                             .mode = hone__mode_name(m->tune->mode),
                             .kind = "chooser",
                             .text = hone__text_str(&text),
                             .text_bytes = text.length,
                             .n_trials = n_trials,
                             .n_problems = (int64_t)m->n_problems,
                             .error = chooser->error},
            err);
    hone__text_free(&text);
    return status;
}

static hone_status train(hone_portfolio_run *run, hone_chooser *chooser,
                         hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    unsigned char safe[HONE_PORTFOLIO_MOST];
    hone_launch_spec *spec = NULL;
    hone_status status;

    HONE_TRY(fill(run, chooser, err));
    HONE_TRY(read_plan(run, &spec, err));
    for (size_t i = 0; i < run->n_members; ++i)
        safe[i] = run->always[run->members[i]];
    status = hone__portfolio_train(
        chooser,
        &(hone_launch_case){spec, m->problems[0].dims, m->tune->tmpl->n_dims,
                            m->properties},
        safe, &run->result.chooser, err);
    hone__launch_spec_free(spec);
    HONE_TRY(status);
    if (!run->result.chooser.n) {
        (void)snprintf(run->result.why_not, sizeof run->result.why_not,
                       "no variant was right at %d problems, as it takes",
                       (int)HONE_TRAIN_LEAST_PROBLEMS);
        return HONE_OK;
    }
    run->result.error = chooser->error;
    HONE_TRY(store(run, chooser, err));
    run->result.has_chooser = 1;
    return HONE_OK;
}

hone_status hone__portfolio_conclude(hone_portfolio_run *run, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    hone_chooser *chooser = NULL;
    hone_status status;

    list_members(run);
    measure_worth(run);
    run->result.nearest = loss_of_nearest(run);
    if (m->n_problems < HONE_TRAIN_LEAST_PROBLEMS || run->n_members < 2) {
        (void)snprintf(run->result.why_not, sizeof run->result.why_not,
                       "%zu problems and %zu variants: a chooser takes at "
                       "least %d and 2",
                       m->n_problems, run->n_members,
                       (int)HONE_TRAIN_LEAST_PROBLEMS);
        return HONE_OK;
    }
    status = hone__chooser_create(m->tune->tmpl->op, m->tune->tmpl->n_dims,
                                  run->n_members, m->n_problems, &chooser, err);
    if (status == HONE_OK)
        status = train(run, chooser, err);
    hone__chooser_free(chooser);
    return status;
}
