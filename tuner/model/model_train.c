/* SPDX-License-Identifier: Apache-2.0 */
/* Learning: one fit of trees for each implementation, and one for each part of
 * its problems that is left out to see how far the guess is off there. Fits
 * know nothing of each other, so that they run on threads of their own. */
#include "tuner/model/targets.h"

#include "runtime/base/alloc.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One fit. */
typedef struct fit {
    const hone_model_subject *subject;
    const double *targets; /* of its rows */
    int left_out;          /* this part of the problems; -1: none */
    hone_boost *boost;
    double squares; /* of the guesses for what was left out */
    size_t n_guesses;
    hone_status status;
} fit;

static int is_left_out(const fit *f, const hone_model_trial *trial)
{
    return f->left_out >= 0 &&
           trial->problem % HONE_MODEL_FOLDS == (size_t)f->left_out;
}

static void look_at_guesses(fit *f)
{
    const hone_model_rows *rows = f->subject->rows;
    const hone_model_trial *trials =
        (const hone_model_trial *)(const void *)rows->trials.data;
    const float *features = (const float *)(const void *)rows->features.data;
    const double factor_of_two = 0.6931;

    for (size_t i = 0; i < hone__model_rows_count(rows); ++i) {
        if (is_left_out(f, &trials[i]) && trials[i].slowdown < factor_of_two) {
            const double off =
                hone__boost_predict(f->boost, features + i * rows->n_features) -
                f->targets[i];

            f->squares += off * off;
            ++f->n_guesses;
        }
    }
}

/* Of more rows than are needed every k-th, but all of the fast ones. */
static int is_taken(const hone_model_trial *trial, size_t i, size_t every)
{
    return trial->slowdown < 0.1 || i % every == 0;
}

static void run_fit(fit *f)
{
    const hone_model_rows *rows = f->subject->rows;
    const hone_model_trial *trials =
        (const hone_model_trial *)(const void *)rows->trials.data;
    const float *features = (const float *)(const void *)rows->features.data;
    const size_t n_rows = hone__model_rows_count(rows);
    const size_t every = 1 + n_rows / HONE_MODEL_MOST_ROWS;
    float *x = hone__alloc((n_rows * rows->n_features + 1) * sizeof *x);
    double *y = hone__alloc((n_rows + 1) * sizeof *y);
    double *weights = hone__alloc((n_rows + 1) * sizeof *weights);
    hone_boost_options options = HONE_BOOST_USUAL;
    size_t n = 0;

    f->status = x && y && weights ? HONE_OK : HONE_ERR_NO_MEMORY;
    for (size_t i = 0; f->status == HONE_OK && i < n_rows; ++i) {
        if (is_left_out(f, &trials[i]) || !is_taken(&trials[i], i, every))
            continue;
        memcpy(x + n * rows->n_features, features + i * rows->n_features,
               rows->n_features * sizeof *x);
        y[n] = f->targets[i];
        weights[n] = hone__model_weight(&trials[i]);
        ++n;
    }
    if (f->status == HONE_OK && n)
        f->status = hone__boost_grow(x, y, weights, n, rows->n_features,
                                     &options, &f->boost, NULL);
    if (f->boost && f->left_out >= 0)
        look_at_guesses(f);
    hone__free(x);
    hone__free(y);
    hone__free(weights);
}

/* ---- threads ------------------------------------------------------------- */

typedef struct crew {
    fit *fits;
    size_t n_fits;
    size_t next;
    pthread_mutex_t lock;
} crew;

static void *work(void *user)
{
    crew *c = user;

    for (;;) {
        size_t mine;

        (void)pthread_mutex_lock(&c->lock);
        mine = c->next++;
        (void)pthread_mutex_unlock(&c->lock);
        if (mine >= c->n_fits)
            return NULL;
        run_fit(&c->fits[mine]);
    }
}

/* Without threads, by the caller alone. */
static void run_fits(fit *fits, size_t n)
{
    enum { MOST = 32 };
    pthread_t threads[MOST];
    crew c = {.fits = fits, .n_fits = n};
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    int n_threads = 0;

    (void)pthread_mutex_init(&c.lock, NULL);
    while (n_threads + 1 < MOST && n_threads + 1 < online &&
           (size_t)n_threads + 1 < n &&
           pthread_create(&threads[n_threads], NULL, work, &c) == 0)
        ++n_threads;
    (void)work(&c);
    for (int i = 0; i < n_threads; ++i)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&c.lock);
}

/* ---- a model ------------------------------------------------------------- */

static char *names_of(const hone_features *features)
{
    hone_text names = {0};
    char *copy = NULL;

    hone__features_identify(features, &names);
    if (!names.failed && (copy = hone__alloc(names.length + 1)) != NULL)
        memcpy(copy, hone__text_str(&names), names.length + 1);
    hone__text_free(&names);
    return copy;
}

static hone_status take_part(const hone_model_subject *subject, fit *f,
                             hone_model_part *out)
{
    const size_t size = strlen(subject->implementation) + 1;

    *out = (hone_model_part){.implementation = hone__alloc(size),
                             .feature_names = names_of(subject->features),
                             .n_features = subject->rows->n_features,
                             .boost = f->boost};
    f->boost = NULL;
    if (!out->implementation || !out->feature_names)
        return HONE_ERR_NO_MEMORY;
    memcpy(out->implementation, subject->implementation, size);
    return HONE_OK;
}

static void count(const hone_model_subject *subjects, size_t n, hone_model *out)
{
    for (size_t i = 0; i < n; ++i) {
        const hone_model_trial *trials =
            (const hone_model_trial *)(const void *)subjects[i]
                .rows->trials.data;
        const size_t n_rows = hone__model_rows_count(subjects[i].rows);

        out->n_trials += n_rows;
        for (size_t k = 0; k < n_rows; ++k)
            if (trials[k].problem + 1 > out->n_problems)
                out->n_problems = trials[k].problem + 1;
    }
}

/* Fits of one subject after the other: first with all, then without each
 * part. */
static hone_status collect(const hone_model_subject *subjects, size_t n,
                           fit *fits, size_t per_subject, hone_model *out)
{
    double squares = 0;
    size_t n_guesses = 0;
    hone_status status = HONE_OK;

    for (size_t i = 0; i < n * per_subject; ++i) {
        squares += fits[i].squares;
        n_guesses += fits[i].n_guesses;
        status = status ? status : fits[i].status;
    }
    out->error = n_guesses ? sqrt(squares / (double)n_guesses) : -1;
    for (size_t i = 0; status == HONE_OK && i < n; ++i)
        status = take_part(&subjects[i], &fits[i * per_subject],
                           &out->parts[out->n_parts++]);
    for (size_t i = 0; i < n * per_subject; ++i)
        hone__boost_free(fits[i].boost);
    return status;
}

/* What each subject's trees are to learn; what is not NULL is to be freed. */
static hone_status all_targets(const hone_model_subject *subjects, size_t n,
                               double **out, hone_error *err)
{
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(hone__model_targets(&subjects[i], &out[i], err));
    return HONE_OK;
}

hone_status hone__model_train(const hone_model_subject *subjects, size_t n,
                              int measure, hone_model *out, hone_error *err)
{
    hone_model model = {.error = -1};
    size_t per_subject;
    fit *fits;
    double **targets;
    hone_status status;

    *out = model;
    count(subjects, n, &model);
    measure = measure && model.n_problems >= HONE_MODEL_FOLDS;
    per_subject = measure ? 1 + HONE_MODEL_FOLDS : 1;
    fits = hone__alloc((n * per_subject + 1) * sizeof *fits);
    targets = hone__alloc((n + 1) * sizeof *targets);
    model.parts = hone__alloc((n + 1) * sizeof *model.parts);
    status = fits && targets && model.parts
                 ? all_targets(subjects, n, targets, err)
                 : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    if (status == HONE_OK) {
        for (size_t i = 0; i < n * per_subject; ++i)
            fits[i] = (fit){.subject = &subjects[i / per_subject],
                            .targets = targets[i / per_subject],
                            .left_out = (int)(i % per_subject) - 1};
        run_fits(fits, n * per_subject);
        status = collect(subjects, n, fits, per_subject, &model);
        if (status != HONE_OK)
            (void)hone__fail(err, status, "out of memory");
    }
    for (size_t i = 0; targets && i < n; ++i)
        hone__free(targets[i]);
    hone__free(targets);
    hone__free(fits);
    if (status != HONE_OK)
        hone__model_free(&model);
    else
        *out = model;
    return status;
}
