/* SPDX-License-Identifier: Apache-2.0 */
/* What prediction reads, made by hone__chooser_prepare(): see chooser.h. */
#ifndef HONE_RUNTIME_CHOOSER_MODEL_H
#define HONE_RUNTIME_CHOOSER_MODEL_H

#include "runtime/choose/chooser.h"

#include <math.h>

enum { HONE_CHOOSER_MOST_FEATURES = HONE_N_CHOOSER_FEATURES * HONE_MAX_DIMS };

/* Rows of four numbers at a time, so that a small compiler finds vectors in
 * them: what is behind the last one is 0. */
enum { HONE_CHOOSER_LANES = 4 };
static inline size_t hone__chooser_padded(size_t n)
{
    return (n + HONE_CHOOSER_LANES - 1) / HONE_CHOOSER_LANES *
           HONE_CHOOSER_LANES;
}

/* With n problems, matrices row by row, rows that begin at multiples of the
 * padded length. All are in `arena`. */
struct hone_chooser_model {
    hone_arena arena;
    size_t n, n_members;
    size_t row, member_row; /* both padded */
    size_t n_times[HONE_CHOOSER_MEMBERS];
    size_t n_features;                               /* those with a weight */
    unsigned char kinds[HONE_CHOOSER_MOST_FEATURES]; /* which they are */
    unsigned char dims[HONE_CHOOSER_MOST_FEATURES];
    double *features;     /* n_features x n, weighted */
    double *base;         /* n: log(ns) */
    double *inverse;      /* row x row: of the covariances of all problems */
    double mean_variance; /* of a problem that is left out */
    double *alpha;    /* n x member_row: what the covariances with a problem are
                         multiplied by; 0 where the member has no time */
    double *diagonal; /* n x member_row: of the inverse, of those problems alone
                         that the member has times of */
};

void hone__chooser_model_free(hone_chooser_model *model); /* NULL: nothing */

/* ---- chooser_features.c ---------------------------------------------------
 */

/* Which features have a weight. */
void hone__chooser_list_features(const hone_chooser *chooser,
                                 hone_chooser_model *model);
/* Their values, weighted, `stride` apart. */
void hone__chooser_features(const hone_chooser *chooser,
                            const hone_chooser_model *model,
                            const hone_launch_spec *spec, const int64_t *dims,
                            double *out, size_t stride);
/* What a run of the operation takes, as log(ns). */
double hone__chooser_base(const hone_chooser *chooser,
                          const hone_launch_case *plan);

/* ---- chooser_predict.c ----------------------------------------------------
 */

/* With all problems, model->row of them; that with itself comes back. */
double hone__chooser_covariances(const hone_chooser *chooser,
                                 const hone_chooser_model *model,
                                 const double *features, double *out);

/* How sure one is of guesses with this variance, where `error` is that of
 * problems that are left out, or 0. */
static inline double hone__chooser_doubt(const hone_chooser *chooser,
                                         double variance, double error)
{
    const double doubt = sqrt(variance > 0 ? variance : 0);

    return error > 0 ? error * doubt / sqrt(chooser->model->mean_variance)
                     : doubt;
}

#endif
