/* SPDX-License-Identifier: Apache-2.0 */
/* The chooser of a portfolio. It is trained on the members, whose times are
 * known everywhere; what it learned holds for the specialists, too, who are
 * known at a few problems. */
#include "db/db_model.h"
#include "runtime/choose/chooser_model.h"
#include "tuner/portfolio/impute.h"
#include "tuner/portfolio/portfolio_parts.h"
#include "tuner/portfolio/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hone_status fill(hone_portfolio_run *run, hone_chooser *out,
                        hone_error *err)
{
    hone_matrix *m = &run->matrix;

    for (size_t i = 0; i < out->n_members; ++i) {
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
        HONE_TRY(hone__chooser_set_reach(out, i, run->reach[i], err));
        HONE_TRY(hone__portfolio_set_cost(run, i, out, err));
    }
    for (size_t p = 0; p < m->n_problems; ++p) {
        memcpy(&out->dims[p * out->n_dims], m->problems[p].dims,
               out->n_dims * sizeof *out->dims);
        for (size_t i = 0; i < out->n_members; ++i) {
            const double time = hone__portfolio_cell(run, p, run->members[i]);

            out->time_ns[p * out->n_members + i] = time > 0 ? time : 0;
        }
    }
    for (size_t p = m->n_problems; p < out->n_problems; ++p) {
        const hone_portfolio_extra *extra = &run->extra[p - m->n_problems];

        memcpy(&out->dims[p * out->n_dims], extra->dims,
               out->n_dims * sizeof *out->dims);
        memcpy(&out->time_ns[p * out->n_members], extra->time_ns,
               out->n_members * sizeof *out->time_ns);
    }
    return HONE_OK;
}

static int64_t count_times(const hone_chooser *chooser)
{
    int64_t n = 0;

    for (size_t i = 0; i < chooser->n_problems * chooser->n_members; ++i)
        n += chooser->time_ns[i] > 0;
    return n;
}

static hone_status store(hone_portfolio_run *run, const hone_chooser *chooser,
                         int64_t n_trials, hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    hone_text text = {0};
    hone_status status = hone__chooser_write(chooser, &text, err);

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

static hone_launch_case case_of(const hone_portfolio_run *run,
                                const hone_launch_spec *spec)
{
    const hone_matrix *m = &run->matrix;

    return (hone_launch_case){spec, m->problems[0].dims, m->tune->tmpl->n_dims,
                              m->properties};
}

/* Only places say what members take beside their costs: those that none has are
 * predicted without it. */
static void forget_unplaced(hone_chooser *out)
{
    unsigned char is_placed[HONE_CHOOSER_MEMBERS] = {0};

    for (size_t i = 0; i < out->n_places; ++i)
        for (size_t k = 0; k < out->places[i].n_members; ++k)
            is_placed[out->places[i].members[k]] = 1;
    for (size_t at = 0; at < out->n_problems * out->n_members; ++at)
        if (!is_placed[at % out->n_members])
            out->beside[at] = 0;
}

/* Members and specialists, their times, what lessons add to what they cost, and
 * the places. */
static hone_status describe(hone_portfolio_run *run, hone_chooser *out,
                            hone_error *err)
{
    HONE_TRY(fill(run, out, err));
    HONE_TRY(hone__portfolio_set_beside(run, out, err));
    HONE_TRY(hone__portfolio_set_places(run, out, err));
    forget_unplaced(out);
    return HONE_OK;
}

/* Of the members what the whole chooser has. */
static hone_status copy_beside(const hone_chooser *whole, hone_chooser *out,
                               hone_error *err)
{
    out->beside =
        hone__arena_alloc(&out->arena, (out->n_problems * out->n_members + 1) *
                                           sizeof *out->beside);
    if (!out->beside)
        return hone__out_of_memory(err, " for a portfolio");
    for (size_t p = 0; p < out->n_problems; ++p)
        memcpy(&out->beside[p * out->n_members],
               &whole->beside[p * whole->n_members],
               out->n_members * sizeof *out->beside);
    return HONE_OK;
}

static hone_status train(hone_portfolio_run *run, const hone_launch_spec *spec,
                         const hone_chooser *whole, hone_chooser *chooser,
                         hone_error *err)
{
    const hone_launch_case plan = case_of(run, spec);
    unsigned char safe[HONE_PORTFOLIO_MOST];

    HONE_TRY(fill(run, chooser, err));
    HONE_TRY(copy_beside(whole, chooser, err));
    for (size_t i = 0; i < run->n_members; ++i)
        safe[i] = (unsigned char)hone__portfolio_is_safe(run, run->members[i]);
    return hone__portfolio_train(chooser, &plan, safe, &run->result.chooser,
                                 err);
}

static hone_status create(const hone_portfolio_run *run, size_t n_members,
                          size_t n_problems, hone_chooser **out,
                          hone_error *err)
{
    const hone_template *tmpl = run->matrix.tune->tmpl;

    return hone__chooser_create(tmpl->op, tmpl->n_dims, n_members, n_problems,
                                out, err);
}

/* Of those that say what they cost and were timed at few problems, times at all
 * tuned ones; the extra problems have said what they can then. */
static hone_status impute(const hone_portfolio_run *run,
                          const hone_launch_spec *spec, hone_chooser *out,
                          hone_error *err)
{
    const hone_matrix *m = &run->matrix;
    const hone_launch_case plan = case_of(run, spec);
    unsigned char counts[HONE_PORTFOLIO_WITH_SPECIALISTS] = {0};

    HONE_TRY(hone__chooser_prepare(out, &plan, err));
    for (size_t i = 0; i < out->n_members; ++i) {
        for (size_t p = 0; p < m->n_problems; ++p)
            if (hone__portfolio_cell(run, p, run->members[i]) ==
                HONE_CELL_FAILED) /* where it is not valid there may be one */
                out->model->base[i * out->model->row + p] = NAN;
        counts[i] = out->members[i].cost &&
                    m->candidates[run->members[i]].impl == m->likely_impl;
    }
    HONE_TRY(
        hone__impute_times(&(hone_impute_request){.n_problems = out->n_problems,
                                                  .n_variants = out->n_members,
                                                  .cost = out->model->base,
                                                  .cost_row = out->model->row,
                                                  .counts = counts,
                                                  .time_ns = out->time_ns},
                           err));
    out->n_problems = m->n_problems;
    return HONE_OK;
}

/* With what the members were trained to; specialists are as doubtful as these
 * are on the average. */
static hone_status extend(hone_portfolio_run *run, const hone_launch_spec *spec,
                          const hone_chooser *trained, hone_chooser *out,
                          hone_error *err)
{
    const int64_t n_trials = count_times(out);

    HONE_TRY(impute(run, spec, out, err));
    memcpy(out->weights, trained->weights, sizeof out->weights);
    memcpy(out->parameters, trained->parameters, sizeof out->parameters);
    out->error = trained->error;
    out->gain_error = trained->gain_error;
    for (size_t i = 0; i < out->n_members; ++i)
        out->members[i].error =
            i < trained->n_members ? trained->members[i].error : trained->error;
    return store(run, out, n_trials, err);
}

hone_status hone__portfolio_learn(hone_portfolio_run *run, hone_error *err)
{
    const size_t n_problems = run->matrix.n_problems;
    hone_chooser *trained = NULL, *whole = NULL;
    hone_launch_spec *spec = NULL;
    hone_status status;

    if (n_problems < HONE_TRAIN_LEAST_PROBLEMS || run->n_members < 2) {
        (void)snprintf(run->result.why_not, sizeof run->result.why_not,
                       "%zu problems and %zu variants: a chooser takes at "
                       "least %d and 2",
                       n_problems, run->n_members,
                       (int)HONE_TRAIN_LEAST_PROBLEMS);
        return HONE_OK;
    }
    HONE_TRY(hone__matrix_learn_likely(&run->matrix, err));
    /* What the plans of an operation say of bytes and flops is the same. */
    status =
        hone__matrix_launch_spec(&run->matrix, run->members[0], &spec, err);
    if (status == HONE_OK)
        status = create(run, run->n_members + run->n_specialists,
                        n_problems + run->n_extra, &whole, err);
    if (status == HONE_OK)
        status = describe(run, whole, err);
    if (status == HONE_OK)
        status = create(run, run->n_members, n_problems, &trained, err);
    if (status == HONE_OK)
        status = train(run, spec, whole, trained, err);
    if (status == HONE_OK && !run->result.chooser.n) {
        (void)snprintf(run->result.why_not, sizeof run->result.why_not,
                       "no variant was right at %d problems, as it takes",
                       (int)HONE_TRAIN_LEAST_PROBLEMS);
    } else if (status == HONE_OK) {
        status = extend(run, spec, trained, whole, err);
        run->result.error = trained->error;
        run->result.has_chooser = status == HONE_OK;
    }
    hone__chooser_free(whole);
    hone__chooser_free(trained);
    hone__launch_spec_free(spec);
    return status;
}
