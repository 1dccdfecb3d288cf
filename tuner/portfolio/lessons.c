/* SPDX-License-Identifier: Apache-2.0 */
/* What trials teach of what costs leave: see lessons.h. */
#include "tuner/portfolio/lessons.h"

#include "db/db_model.h"
#include "gen/parse/parse.h"
#include "gen/space.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <math.h>
#include <string.h>

/* Learned from eight of 63 products, the first in the order of the others was
 * 6.5 % behind the best, 7.3 by their costs alone; from four 8.1
 * (docs/decisions.md, 227). */
enum {
    PARTS = HONE_MODEL_FOLDS,
    LEAST_PROBLEMS = 8, /* with so many trials each: others teach no order */
    LEAST_THERE = 8,
    LEAST_TRIALS = 200
};
/* Ten times as long: a COST that is wrong by more is none. */
#define MOST 2.3

struct hone_lesson {
    hone_model model;
};

struct hone_lessons {
    hone_lesson all;
    hone_lesson without[PARTS];         /* of the problems of a part */
    int64_t (*problems)[HONE_MAX_DIMS]; /* that have trials; the part of each is
                                           its place modulo PARTS */
    size_t n_problems;
    size_t n_dims;
};

/* ---- trials as rows ------------------------------------------------------ */

/* Those of a problem follow each other. */
typedef struct reader {
    const hone_matrix *matrix;
    const hone_template *tmpl;
    hone_lessons *out;
    hone_features *any;      /* of some problem: what features are called */
    hone_features *features; /* of the problem at hand; NULL: its dims say
                                nothing */
    size_t n_problems;       /* with LEAST_THERE trials */
    int64_t problem_id;
    hone_model_rows rows;
    size_t n_before; /* rows of the problems in front */
    float *scratch;
} reader;

static hone_model_trial *trial_at(const reader *r, size_t i)
{
    return (hone_model_trial *)(void *)r->rows.trials.data + i;
}

/* Times of the problem at hand become slowdowns. */
static void settle(reader *r)
{
    const size_t n = hone__model_rows_count(&r->rows);
    double best = INFINITY;

    for (size_t i = r->n_before; i < n; ++i)
        best = fmin(best, trial_at(r, i)->slowdown);
    for (size_t i = r->n_before; i < n; ++i)
        trial_at(r, i)->slowdown -= best;
    r->n_problems += n - r->n_before >= LEAST_THERE;
    r->n_before = n;
}

/* Without features where it is of another contract. */
static hone_status begin_problem(reader *r, const hone_db_op_trial *trial,
                                 hone_error *err)
{
    hone_lessons *out = r->out;
    int64_t *dims;

    settle(r);
    hone__features_free(r->features);
    r->features = NULL;
    if (!HONE_GROW(out->problems, out->n_problems))
        return hone__out_of_memory(err, " for a portfolio");
    dims = out->problems[out->n_problems];
    if (!hone__db_dims_read(trial->dims, r->tmpl->n_dims, dims))
        return HONE_OK;
    ++out->n_problems;
    return hone__features_create(r->tmpl, dims, r->matrix->properties,
                                 &r->features, err);
}

static hone_status take_trial(void *user, const hone_db_op_trial *trial,
                              hone_error *err)
{
    reader *r = user;
    int64_t config[HONE_MAX_PARAMS];

    if (strcmp(trial->outcome, "ok") != 0 || !(trial->time_ns > 0) ||
        strcmp(trial->template_name, hone__template_name(r->tmpl)) != 0 ||
        strcmp(trial->template_sha256, r->tmpl->sha256) != 0 ||
        hone__config_parse(r->tmpl, trial->config, config, NULL) != HONE_OK)
        return HONE_OK;
    if (trial->problem_id != r->problem_id)
        HONE_TRY(begin_problem(r, trial, err));
    r->problem_id = trial->problem_id;
    if (!r->features)
        return HONE_OK;
    r->rows.n_features = hone__features_count(r->features);
    hone__features_get(r->features, config, r->scratch);
    if (!(hone__features_row_cost(r->features, r->scratch) > 0))
        return HONE_OK; /* it could not be evaluated */
    return hone__model_add(&r->rows, r->out->n_problems - 1,
                           log(trial->time_ns), r->scratch, err);
}

/* ---- learned ------------------------------------------------------------- */

/* Of all problems but those of a part; PARTS: of all. */
static hone_status learn_without(const reader *r, size_t part, hone_model *out,
                                 hone_error *err)
{
    const float *features = (const float *)(const void *)r->rows.features.data;
    const size_t n = hone__model_rows_count(&r->rows);
    hone_model_rows rows = {.n_features = r->rows.n_features};
    hone_status status = HONE_OK;

    for (size_t i = 0; i < n && status == HONE_OK; ++i) {
        const hone_model_trial *trial = trial_at(r, i);

        if (trial->problem % PARTS != part)
            status = hone__model_add(&rows, trial->problem, trial->slowdown,
                                     &features[i * rows.n_features], err);
    }
    if (status == HONE_OK && hone__model_rows_count(&rows))
        status = hone__model_train(
            &(hone_model_subject){hone__template_name(r->tmpl), r->any, &rows},
            1, 0, out, err);
    hone__model_rows_free(&rows);
    return status;
}

static hone_status learn(const reader *r, hone_error *err)
{
    HONE_TRY(learn_without(r, PARTS, &r->out->all.model, err));
    for (size_t part = 0; part < PARTS; ++part)
        HONE_TRY(learn_without(r, part, &r->out->without[part].model, err));
    return HONE_OK;
}

static hone_status read_all(reader *r, hone_error *err)
{
    const hone_matrix *m = r->matrix;
    const hone_db_model key = {r->tmpl->op, m->device_id, .types = m->types,
                               .mode = hone__mode_name(m->tune->mode),
                               .kind = "time"};

    HONE_TRY(hone__features_create(r->tmpl, m->problems[0].dims, m->properties,
                                   &r->any, err));
    r->scratch =
        hone__alloc((hone__features_count(r->any) + 1) * sizeof *r->scratch);
    if (!r->scratch)
        return hone__out_of_memory(err, " for a portfolio");
    HONE_TRY(hone__db_op_trials(m->tune->db, &key, take_trial, r, err));
    settle(r);
    return HONE_OK;
}

hone_status hone__lessons_learn(const hone_matrix *matrix, size_t impl,
                                hone_lessons **out, hone_error *err)
{
    reader r = {.matrix = matrix,
                .tmpl = matrix->impls[impl],
                .out = hone__alloc(sizeof *r.out)};
    hone_status status;
    int is_enough;

    *out = NULL;
    if (!r.out)
        return hone__out_of_memory(err, " for a portfolio");
    r.out->n_dims = r.tmpl->n_dims;
    status = read_all(&r, err);
    is_enough = r.n_problems >= LEAST_PROBLEMS &&
                hone__model_rows_count(&r.rows) >= LEAST_TRIALS;
    if (status == HONE_OK && is_enough)
        status = learn(&r, err);
    if (status == HONE_OK && is_enough)
        *out = r.out;
    else
        hone__lessons_free(r.out);
    hone__model_rows_free(&r.rows);
    hone__features_free(r.features);
    hone__features_free(r.any);
    hone__free(r.scratch);
    return status;
}

void hone__lessons_free(hone_lessons *lessons)
{
    if (!lessons)
        return;
    hone__model_free(&lessons->all.model);
    for (size_t part = 0; part < PARTS; ++part)
        hone__model_free(&lessons->without[part].model);
    hone__free(lessons->problems);
    hone__free(lessons);
}

/* ---- asked --------------------------------------------------------------- */

const hone_lesson *hone__lessons_at(const hone_lessons *lessons,
                                    const int64_t *dims)
{
    if (!lessons)
        return NULL;
    for (size_t i = 0; i < lessons->n_problems; ++i)
        if (memcmp(lessons->problems[i], dims,
                   lessons->n_dims * sizeof *dims) == 0)
            return &lessons->without[i % PARTS];
    return &lessons->all;
}

double hone__lesson(const hone_lesson *lesson, const float *row)
{
    if (!lesson || !lesson->model.n_parts)
        return 0;
    return fmax(-MOST, fmin(MOST, hone__boost_predict(
                                      lesson->model.parts[0].boost, row)));
}
