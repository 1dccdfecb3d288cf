/* SPDX-License-Identifier: Apache-2.0 */
/* What trials of other problems teach about this one: a model is read from the
 * database, or made there where many trials came since, and guesses at the
 * configurations of each implementation before one is tried. */
#include "tuner/session/tune_state.h"

#include "db/db_model.h"
#include "runtime/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_TRIALS = 60, /* a guess: fewer teach less than the default says */
    LEAST_PROBLEMS = 2
};
/* Made anew where there are so many times more trials than it has seen: twenty
 * times on the way to a hundred problems. */
static const double grown_by = 1.25;
/* Of a model whose error was not measured yet; of those that were, 0.1 to 0.15
 * on products, softmax and FFTs of an H100. */
static const double usual_error = 0.15;
/* Of a template's own estimate. */
static const double cost_error = 0.3;

/* ---- trials as rows ------------------------------------------------------ */

/* The trials of one problem follow each other, those of an implementation in
 * it as well. */
typedef struct lesson {
    hone_tune_run *run;
    hone_model_rows rows[HONE_MAX_IMPLS]; /* in the order of run->learners */
    hone_features *features; /* of the problem and implementation at hand */
    const hone_tune_learner *learner; /* NULL: one that is not learned */
    int64_t problem_id;
    size_t n_problems;
    hone_text here; /* trials of the problem, as `seen` */
    float *scratch;
    int64_t *config;
} lesson;

/* A trial whose problem's fastest is not known yet. */
typedef struct seen {
    size_t learner; /* HONE_MAX_IMPLS: none */
    double time_ns; /* 0: it failed */
    size_t row;
} seen;

/* The fastest is known: every trial of the problem gets what it is slower by.
 */
static void settle_problem(lesson *l)
{
    const seen *list = (const seen *)(const void *)l->here.data;
    const size_t n = l->here.length / sizeof *list;
    double best_ns = 0;

    for (size_t i = 0; i < n; ++i) {
        if (list[i].time_ns > 0 && (best_ns <= 0 || list[i].time_ns < best_ns))
            best_ns = list[i].time_ns;
    }
    for (size_t i = 0; i < n; ++i) {
        hone_model_trial *trials;

        if (list[i].learner == HONE_MAX_IMPLS)
            continue;
        trials =
            (hone_model_trial *)(void *)l->rows[list[i].learner].trials.data;
        trials[list[i].row].slowdown =
            list[i].time_ns > 0 ? log(list[i].time_ns / best_ns) : INFINITY;
    }
    hone__text_clear(&l->here);
}

static const hone_tune_learner *find_learner(const hone_tune_run *run,
                                             const hone_db_op_trial *trial)
{
    for (size_t i = 0; i < run->n_learners; ++i) {
        const hone_template *tmpl = run->learners[i].tmpl;

        if (strcmp(hone__template_name(tmpl), trial->template_name) == 0 &&
            strcmp(tmpl->sha256, trial->template_sha256) == 0)
            return &run->learners[i];
    }
    return NULL;
}

static hone_status change_learner(lesson *l, const hone_tune_learner *learner,
                                  const hone_db_op_trial *trial,
                                  hone_error *err)
{
    int64_t dims[HONE_MAX_DIMS];

    hone__features_free(l->features);
    l->features = NULL;
    l->learner = NULL;
    if (!learner ||
        !hone__db_dims_read(trial->dims, learner->tmpl->n_dims, dims))
        return HONE_OK;
    l->learner = learner;
    return hone__features_create(learner->tmpl, dims,
                                 &l->run->device.properties, &l->features, err);
}

/* Its features become a row, without the time. */
static hone_status add_row(lesson *l, const hone_db_op_trial *trial, seen *out,
                           hone_error *err)
{
    const size_t place = (size_t)(l->learner - l->run->learners);
    const hone_status parsed =
        hone__config_parse(l->learner->tmpl, trial->config, l->config, NULL);

    if (parsed == HONE_ERR_NO_MEMORY)
        return hone__fail(err, parsed, "out of memory");
    if (parsed != HONE_OK)
        return HONE_OK;
    hone__features_get(l->features, l->config, l->scratch);
    l->rows[place].n_features = hone__features_count(l->features);
    *out = (seen){place, out->time_ns, hone__model_rows_count(&l->rows[place])};
    return hone__model_add(&l->rows[place], l->n_problems - 1, INFINITY,
                           l->scratch, err);
}

static hone_status take_trial(void *user, const hone_db_op_trial *trial,
                              hone_error *err)
{
    lesson *l = user;
    const hone_tune_learner *const learner = find_learner(l->run, trial);
    const int is_ok = strcmp(trial->outcome, "ok") == 0;
    const int is_next = trial->problem_id != l->problem_id || !l->n_problems;
    seen entry = {HONE_MAX_IMPLS, is_ok ? trial->time_ns : 0, 0};

    if (is_next) {
        settle_problem(l);
        l->problem_id = trial->problem_id;
        ++l->n_problems;
    }
    if (is_next || learner != l->learner)
        HONE_TRY(change_learner(l, learner, trial, err));
    if (l->learner)
        HONE_TRY(add_row(l, trial, &entry, err));
    hone__text_append(&l->here, (const char *)&entry, sizeof entry);
    return hone__text_check(&l->here, err);
}

/* ---- a model ------------------------------------------------------------- */

/* All implementations, also those that have no variant for this problem: the
 * model is for the next ones as well. */
static hone_status open_learners(hone_tune_run *run, hone_error *err)
{
    const hone_tune_request *request = run->request;
    const size_t n = request->n_impls ? request->n_impls : 1;

    if (run->n_learners)
        return HONE_OK;
    for (size_t i = 0; i < n; ++i) {
        const hone_template *tmpl =
            request->n_impls ? request->impls[i] : request->tmpl;
        hone_tune_learner *const learner = &run->learners[run->n_learners];

        if (tmpl->call) /* the library's own list is short */
            continue;
        learner->tmpl = tmpl;
        HONE_TRY(hone__features_create(tmpl, request->dims,
                                       &run->device.properties,
                                       &learner->features, err));
        ++run->n_learners;
    }
    return HONE_OK;
}

/* The most features or parameters of any. */
static size_t widest(const hone_tune_run *run)
{
    size_t most = 1;

    for (size_t i = 0; i < run->n_learners; ++i) {
        const size_t n = hone__features_count(run->learners[i].features);

        most = n > most ? n : most;
    }
    return most;
}

static hone_status store(hone_tune_run *run, const hone_db_model *key,
                         hone_error *err)
{
    hone_text text = {0};
    hone_db_model row = *key;
    hone_status status;

    hone__model_write(&run->model, key->op, &text);
    status = hone__text_check(&text, err);
    row.text = hone__text_str(&text);
    row.text_bytes = text.length;
    row.n_trials = (int64_t)run->model.n_trials;
    row.n_problems = (int64_t)run->model.n_problems;
    row.error = run->model.error;
    if (status == HONE_OK)
        status = hone__db_model_put(run->request->db, &row, err);
    hone__text_free(&text);
    return status;
}

static hone_status learn_rows(hone_tune_run *run, lesson *l, int measure,
                              hone_error *err)
{
    hone_model_subject subjects[HONE_MAX_IMPLS];
    size_t n = 0;

    for (size_t i = 0; i < run->n_learners; ++i) {
        if (hone__model_rows_count(&l->rows[i]))
            subjects[n++] =
                (hone_model_subject){hone__template_name(run->learners[i].tmpl),
                                     run->learners[i].features, &l->rows[i]};
    }
    hone__model_free(&run->model);
    return n ? hone__model_train(subjects, n, measure, &run->model, err)
             : HONE_OK;
}

/* From all trials of the operation on this device, of which there are so many.
 */
static hone_status learn(hone_tune_run *run, const hone_db_model *key,
                         int measure, hone_error *err)
{
    const size_t room = widest(run);
    lesson l = {.run = run,
                .scratch = hone__alloc(room * sizeof(float)),
                .config = hone__alloc(room * sizeof(int64_t))};
    hone_status status =
        l.scratch && l.config
            ? hone__db_op_trials(run->request->db, key, take_trial, &l, err)
            : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");

    settle_problem(&l);
    if (status == HONE_OK)
        status = learn_rows(run, &l, measure, err);
    if (status == HONE_OK && run->model.n_parts) {
        run->model.n_trials = (size_t)key->n_trials;
        run->model.n_problems = (size_t)key->n_problems;
        status = store(run, key, err);
    }
    for (size_t i = 0; i < HONE_MAX_IMPLS; ++i)
        hone__model_rows_free(&l.rows[i]);
    hone__features_free(l.features);
    hone__text_free(&l.here);
    hone__free(l.scratch);
    hone__free(l.config);
    return status;
}

/* A damaged one, or one of another hone, is as if it were not there. */
static hone_status read_model(hone_tune_run *run, const hone_db_model *key,
                              hone_error *err)
{
    hone_db_model_row row = {0};
    hone_error why = {0};
    hone_status status = hone__db_model_get(run->request->db, key, &row, &why);

    if (status == HONE_OK)
        status = hone__model_read(hone__text_str(&row.text), &run->model, &why);
    hone__text_free(&row.text);
    if (status == HONE_OK || status == HONE_ERR_NOT_FOUND ||
        status == HONE_ERR_INPUT || hone__db_is_damage(&why))
        return HONE_OK;
    *err = why;
    return status;
}

/* ---- for the run --------------------------------------------------------- */

static double guess_by_cost(void *user, int64_t index)
{
    hone_tune_impl *impl = user;

    hone__space_get(impl->space, index, impl->guess_config);
    return hone__features_cost(impl->guess_features, impl->guess_config,
                               impl->guess_row);
}

static double guess_as_learned(void *user, int64_t index)
{
    hone_tune_impl *impl = user;

    hone__space_get(impl->space, index, impl->guess_config);
    return hone__model_guess(impl->learned, impl->guess_features,
                             impl->guess_config, impl->guess_row);
}

static hone_status open_guess(hone_tune_run *run, hone_tune_impl *impl,
                              hone_error *err)
{
    for (size_t i = 0; i < run->n_learners; ++i) {
        if (run->learners[i].tmpl == impl->tmpl)
            impl->guess_features = run->learners[i].features;
    }
    if (!impl->guess_features)
        return HONE_OK;
    impl->learned =
        hone__model_part(&run->model, impl->name, impl->guess_features);
    impl->is_guessed =
        impl->learned || hone__features_have_cost(impl->guess_features);
    if (!impl->is_guessed)
        return HONE_OK;
    impl->guess_row =
        hone__alloc(hone__features_count(impl->guess_features) * sizeof(float));
    impl->guess_config =
        hone__alloc((impl->tmpl->n_params + 1) * sizeof(int64_t));
    if (!impl->guess_row || !impl->guess_config) {
        impl->is_guessed = 0;
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    run->result->n_guided += impl->learned != NULL;
    return HONE_OK;
}

void hone__tune_priors(const hone_tune_run *run, hone_tune_impl *impl,
                       hone_search_options *out)
{
    const hone_search_prior learned = {guess_as_learned, impl,
                                       run->model.error > 0 ? run->model.error
                                                            : usual_error};
    const hone_search_prior cost = {guess_by_cost, impl, cost_error};

    if (!impl->is_guessed)
        return;
    out->prior = impl->learned ? learned : cost;
    if (impl->learned && hone__features_have_cost(impl->guess_features))
        out->second = cost;
}

/* The stored one, or a new one where `measure` asks for it or there are many
 * more trials than it has seen. `key` has how many there are. */
static hone_status have_model(hone_tune_run *run, const hone_db_model *key,
                              int measure, hone_error *err)
{
    const int is_enough =
        key->n_trials >= LEAST_TRIALS && key->n_problems >= LEAST_PROBLEMS;

    HONE_TRY(open_learners(run, err));
    if (!measure)
        HONE_TRY(read_model(run, key, err));
    if (!is_enough ||
        (double)key->n_trials <= grown_by * (double)run->model.n_trials)
        return HONE_OK;
    hone__tune_show_progress(run, "learning from earlier trials");
    return learn(run, key, measure, err);
}

static hone_status with_key(hone_tune_run *run, int measure, hone_error *err)
{
    hone_text types = {0};
    hone_db_model key;
    hone_status status;

    hone__tune_types(run->impls[0].tmpl, run->request->dims, &types);
    key = (hone_db_model){.op = run->impls[0].tmpl->op,
                          .device_id = run->device_id,
                          .types = hone__text_str(&types),
                          .mode = hone__mode_name(run->request->mode),
                          .kind = "time"};
    status = hone__text_check(&types, err);
    if (status == HONE_OK)
        status = hone__db_op_trials_count(run->request->db, &key, &key.n_trials,
                                          &key.n_problems, err);
    if (status == HONE_OK)
        status = have_model(run, &key, measure, err);
    hone__text_free(&types);
    return status;
}

hone_status hone__tune_learned_open(hone_tune_run *run, hone_error *err)
{
    if (run->request->verify_only || run->request->list || run->only_index >= 0)
        return HONE_OK;
    HONE_TRY(open_learners(run, err));
    if (run->request->db && !run->request->without_seeds)
        HONE_TRY(with_key(run, 0, err));
    for (size_t i = 0; i < run->n_impls; ++i)
        HONE_TRY(open_guess(run, &run->impls[i], err));
    return HONE_OK;
}

hone_status hone__tune_learned_keep(hone_tune_run *run, hone_error *err)
{
    if (!run->request->learn || !hone__tune_is_recorded(run))
        return HONE_OK;
    hone__model_free(&run->model); /* nobody is guided any more */
    HONE_TRY(with_key(run, 1, err));
    run->result->model_trials = (int64_t)run->model.n_trials;
    run->result->model_problems = (int64_t)run->model.n_problems;
    run->result->model_error = run->model.error;
    return HONE_OK;
}

void hone__tune_learned_close(hone_tune_run *run)
{
    for (size_t i = 0; i < run->n_learners; ++i)
        hone__features_free(run->learners[i].features);
    run->n_learners = 0;
    for (size_t i = 0; i < run->n_impls; ++i) {
        hone__free(run->impls[i].guess_row);
        hone__free(run->impls[i].guess_config);
    }
    hone__model_free(&run->model);
}
