/* SPDX-License-Identifier: Apache-2.0 */
/* What all trials of an operation on a device teach about its next problem:
 * for each implementation trees that guess how much slower a configuration is
 * than the fastest that is known at its problem, by its features. Where the
 * template has an estimate of its own (`feature COST`), trees guess what that
 * leaves of it. */
#ifndef HONE_TUNER_MODEL_MODEL_H
#define HONE_TUNER_MODEL_MODEL_H

#include "tuner/model/boost.h"
#include "tuner/model/features.h"

/* One trial as it is learned from. */
typedef struct hone_model_trial {
    size_t problem;  /* number of its problem, from 0 */
    double slowdown; /* log(time / fastest at the problem); INFINITY: it
                        failed */
} hone_model_trial;

/* Trials of one implementation: rows[n * n_features] beside them. */
typedef struct hone_model_rows {
    hone_text trials;   /* hone_model_trial, one after the other */
    hone_text features; /* floats, n_features for each */
    size_t n_features;
} hone_model_rows;

/* An implementation that was learned. */
typedef struct hone_model_part {
    char *implementation;
    char *feature_names; /* and the digest of the template's text, joined by
                            blanks: another text, another model */
    size_t n_features;
    hone_boost *boost;
} hone_model_part;

typedef struct hone_model {
    size_t n_parts;
    hone_model_part *parts;
    size_t n_trials;
    size_t n_problems;
    /* How far it is off at a problem that it has not seen: the standard
     * deviation of what it guesses for trials within a factor of two of the
     * fastest, problems left out in FOLDS parts; negative: not measured. */
    double error;
} hone_model;

enum { HONE_MODEL_FOLDS = 4, HONE_MODEL_MOST_ROWS = 12000 };

void hone__model_free(hone_model *model);
void hone__model_rows_free(hone_model_rows *rows);

/* Append one trial. HONE_ERR_NO_MEMORY. */
hone_status hone__model_add(hone_model_rows *rows, size_t problem,
                            double slowdown, const float *features,
                            hone_error *err);
size_t hone__model_rows_count(const hone_model_rows *rows);

/* One implementation to be learned. */
typedef struct hone_model_subject {
    const char *implementation;
    const hone_features *features; /* any problem's: for the names */
    const hone_model_rows *rows;   /* at least one */
} hone_model_subject;

/* Learn all of them, on as many threads as there are processors. With
 * `measure` the error is measured as well, which takes HONE_MODEL_FOLDS times
 * as long. HONE_ERR_NO_MEMORY. */
hone_status hone__model_train(const hone_model_subject *subjects, size_t n,
                              int measure, hone_model *out, hone_error *err);

/* The part for a template, NULL: none, or its features are others now. */
const hone_model_part *hone__model_part(const hone_model *model,
                                        const char *implementation,
                                        const hone_features *features);

/* What it guesses: log(time / fastest at the problem); of a template with an
 * estimate plus log of the lowest estimate there, which a caller who compares
 * implementations takes away. `row` is room for the features. Not for two
 * threads with the same `features`. */
double hone__model_guess(const hone_model_part *part, hone_features *features,
                         const int64_t *config, float *row);

/* "hone-model 2 .." and back. HONE_ERR_INPUT: damaged, or of another version.
 */
void hone__model_write(const hone_model *model, const char *op, hone_text *out);
hone_status hone__model_read(const char *text, hone_model *out,
                             hone_error *err);

#endif
