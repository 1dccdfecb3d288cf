/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions: a Gaussian process for each member over the same features. The
 * members' covariances are the same, so that those with the measured problems
 * are found once, and then there is a product for each member. See chooser.h.
 */
#include "runtime/choose/chooser_model.h"

#include <math.h>

/* The covariances with all problems; that with itself comes back. */
static double find_covariances(const hone_chooser *c,
                               const hone_chooser_model *m,
                               const double *features, double *restrict out)
{
    double product[HONE_CHOOSER_PROBLEMS];
    double distance[HONE_CHOOSER_PROBLEMS];
    double square = 0;

    for (size_t i = 0; i < m->n; ++i)
        product[i] = distance[i] = 0;
    for (size_t f = 0; f < m->n_features; ++f) {
        const double *restrict row = &m->features[f * m->n];
        const double mine = features[f];

        square += mine * mine;
        for (size_t i = 0; i < m->n; ++i) {
            const double apart = mine - row[i];

            product[i] += mine * row[i];
            distance[i] += apart * apart;
        }
    }
    for (size_t i = 0; i < m->n; ++i)
        out[i] = hone__chooser_covariance(c, product[i], distance[i]);
    return hone__chooser_covariance(c, square, 0);
}

/* k' A k of a symmetric A: the half of it below the diagonal is read. */
static double square_form(const double *restrict a, const double *restrict k,
                          size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; ++i) {
        const double *restrict row = &a[i * n];
        double sum[4] = {0};
        size_t j = 0;

        for (; j + 4 <= i; j += 4)
            for (size_t l = 0; l < 4; ++l)
                sum[l] += row[j + l] * k[j + l];
        for (; j < i; ++j)
            sum[0] += row[j] * k[j];
        total += k[i] *
                 (2 * ((sum[0] + sum[1]) + (sum[2] + sum[3])) + row[i] * k[i]);
    }
    return total;
}

void hone__chooser_predict(const hone_chooser *chooser,
                           const hone_launch_case *plan,
                           hone_chooser_guesses *out)
{
    const hone_chooser_model *m = chooser->model;
    const double noise = chooser->parameters[HONE_CHOOSER_noise];
    const double base = hone__chooser_base(chooser, plan);
    double features[HONE_CHOOSER_MOST_FEATURES];
    double k[HONE_CHOOSER_PROBLEMS];
    double sum[HONE_CHOOSER_MEMBERS] = {0};
    double variance;

    hone__chooser_features(chooser, m, plan->spec, plan->dims, features, 1);
    variance = find_covariances(chooser, m, features, k) + noise * noise;
    variance -= square_form(m->inverse, k, m->n);
    for (size_t i = 0; i < m->n; ++i) {
        const double *restrict alpha = &m->alpha[i * m->n_members];

        for (size_t j = 0; j < m->n_members; ++j)
            sum[j] += k[i] * alpha[j];
    }
    out->n = m->n_members;
    out->gain_doubt =
        hone__chooser_doubt(chooser, variance, chooser->gain_error);
    for (size_t j = 0; j < m->n_members; ++j) {
        hone_chooser_guess *guess = &out->of[j];

        guess->log_ns = base + sum[j];
        guess->doubt = -1;
        if (m->n_times[j] >= HONE_CHOOSER_LEAST_TIMES &&
            hone__chooser_reaches(chooser, j, plan->dims))
            guess->doubt = hone__chooser_doubt(chooser, variance,
                                               chooser->members[j].error);
    }
}
