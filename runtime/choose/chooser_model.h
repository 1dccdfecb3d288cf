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
 * padded length. All are in `block`. */
struct hone_chooser_model {
    double *block;
    size_t n, n_members;
    size_t row, member_row; /* both padded */
    size_t n_times[HONE_CHOOSER_MEMBERS];
    size_t n_features; /* those with a weight */
    double *features;  /* n_features x n, weighted */
    double *base;    /* n x member_row: log(time), of some unit; NAN: nothing is
                        known of the member there */
    double *inverse; /* row x row: of the covariances of all problems */
    double mean_deviation; /* of problems that are left out */
    double *alpha;    /* n x member_row: what the covariances with a problem are
                         multiplied by; 0 where the member has no time */
    double *scratch;  /* as the inverse */
    double *diagonal; /* n x member_row: of the inverse, of those problems alone
                         that the member has times of */
};

void hone__chooser_model_free(hone_chooser_model *model); /* NULL: nothing */

/* ---- chooser_features.c ---------------------------------------------------
 */

/* Those that have a weight, times that, `stride` apart; how many comes back. */
size_t hone__chooser_features(const hone_chooser *chooser,
                              const hone_launch_spec *spec, const int64_t *dims,
                              double *out, size_t stride);
/* n_members of what prediction corrects: log of a time; not finite: no
 * prediction. */
void hone__chooser_bases(const hone_chooser *chooser,
                         const hone_launch_case *plan, double *out);

/* ---- chooser_predict.c ----------------------------------------------------
 */

/* With all problems, model->row of them; that with itself comes back. */
double hone__chooser_covariances(const hone_chooser *chooser,
                                 const hone_chooser_model *model,
                                 const double *features, double *out);

/* How sure one is of guesses with this standard deviation, where `error` is
 * that of problems that are left out, or 0. */
static inline double hone__chooser_doubt(const hone_chooser_model *model,
                                         double deviation, double error)
{
    return error > 0 ? error * deviation / model->mean_deviation : deviation;
}

/* Rounding may leave less than nothing of a variance. */
static inline double hone__chooser_deviation(double variance)
{
    return variance > 0 ? sqrt(variance) : 0;
}

#endif
