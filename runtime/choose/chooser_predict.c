/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions: a Gaussian process for each member over the same features. The
 * members' covariances are the same, so that those with the measured problems
 * are found once, and then there is a product for each member. See chooser.h.
 */
#include "runtime/choose/chooser_model.h"

#include <math.h>
#include <string.h>

/* Two numbers at a time: what compilers find themselves in loops makes four
 * times the code. Rows begin where vectors may: so does what is allocated. */
typedef double lanes __attribute__((vector_size(16), may_alias));
enum { LANES = sizeof(lanes) / sizeof(double) };

double hone__chooser_covariances(const hone_chooser *chooser,
                                 const hone_chooser_model *m,
                                 const double *features, double *out)
{
    const double *const p = chooser->parameters;
    const double bias = 5; /* of log(time): nothing is known of it */
    const double constant = bias * bias;
    const double trend = p[HONE_CHOOSER_trend] * p[HONE_CHOOSER_trend];
    const double amplitude =
        p[HONE_CHOOSER_amplitude] * p[HONE_CHOOSER_amplitude];
    const double scale =
        0.5 / (p[HONE_CHOOSER_length] * p[HONE_CHOOSER_length]);
    double square = 0;

    for (size_t f = 0; f < m->n_features; ++f)
        square += features[f] * features[f];
    for (size_t i = 0; i < m->row / LANES; ++i) {
        const lanes *other = (const lanes *)(void *)m->features + i;
        lanes product = {0}, distance = {0};

        for (size_t f = 0; f < m->n_features; ++f, other += m->row / LANES) {
            const lanes apart = features[f] - *other;

            product += features[f] * *other;
            distance += apart * apart;
        }
        ((lanes *)(void *)out)[i] =
            constant + trend * product + amplitude / (1 + distance * scale);
    }
    memset(out + m->n, 0, (m->row - m->n) * sizeof *out);
    return constant + trend * square + amplitude;
}

/* k' A k of a symmetric A: twice what is left of the diagonal, in blocks of
 * HONE_CHOOSER_LANES, and the blocks on it. Two rows at a time, which have as
 * many blocks; behind an odd one are zeros. */
static double square_form(const hone_chooser_model *m, const double *k)
{
    const size_t next = m->row / LANES;
    double total = 0;

    for (size_t i = 0; i < m->n;) {
        const lanes *by = (const void *)k;
        const lanes *const diagonal = by + i / HONE_CHOOSER_LANES * 2;
        const lanes *at = (const lanes *)(void *)m->inverse + i * next;
        lanes a = {0}, b = {0}, c = {0}, d = {0};

        for (; by < diagonal; by += 2, at += 2) {
            a += at[0] * by[0];
            b += at[1] * by[1];
            c += at[next] * by[0];
            d += at[next + 1] * by[1];
        }
        for (size_t r = 0; r < 2; ++r, ++i, at += next) {
            a = 2 * (a + b) + at[0] * by[0] + at[1] * by[1];
            total += k[i] * (a[0] + a[1]);
            a = c;
            b = d;
        }
    }
    return total;
}

/* What the covariances with the problems give for a member. */
static double find_correction(const hone_chooser_model *m, const double *k,
                              size_t member)
{
    const lanes *const alpha = (const void *)&m->alpha[member * m->row];
    const lanes *const by = (const void *)k;
    lanes a = {0}, b = {0};

    for (size_t i = 0; i < m->row / LANES; i += 2) {
        a += by[i] * alpha[i];
        b += by[i + 1] * alpha[i + 1];
    }
    a += b;
    return a[0] + a[1];
}

void hone__chooser_predict(const hone_chooser *chooser,
                           const hone_launch_case *plan,
                           hone_chooser_guesses *out)
{
    const hone_chooser_model *m = chooser->model;
    const double noise = chooser->parameters[HONE_CHOOSER_noise];
    double values[HONE_CHOOSER_MOST_FEATURES];
    double features[HONE_CHOOSER_MOST_FEATURES];
    _Alignas(lanes) double k[HONE_CHOOSER_PROBLEMS];
    double base[HONE_CHOOSER_MEMBERS];
    hone_chooser_asked asked;
    double deviation;

    hone__chooser_values(chooser->n_dims, plan->spec, plan->dims, values);
    (void)hone__chooser_features(chooser, values, features, 1);
    deviation = hone__chooser_deviation(
        hone__chooser_covariances(chooser, m, features, k) + noise * noise -
        square_form(m, k));
    hone__chooser_ask_places(chooser, m, values, &asked);
    hone__chooser_bases(chooser, m, plan, &asked, base);
    out->n = m->n_members;
    out->n_predicted = 0;
    out->gain_doubt = hone__chooser_doubt(m, deviation, chooser->gain_error);
    for (size_t j = 0; j < m->n_members; ++j)
        out->of[j] = (hone_chooser_guess){0, -1};
    for (size_t i = 0; i < asked.n; ++i) {
        const size_t j = asked.members[i];
        hone_chooser_guess *guess = &out->of[j];

        guess->log_ns = base[j] + (double)(asked.beside[j] / asked.weight[j]) +
                        find_correction(m, k, j);
        if (m->n_times[j] >= HONE_CHOOSER_LEAST_TIMES && isfinite(base[j]) &&
            hone__chooser_reaches(chooser, j, plan->dims, values))
            guess->doubt =
                hone__chooser_doubt(m, deviation, chooser->members[j].error);
        hone__chooser_add_predicted(out, j);
    }
}
