/* SPDX-License-Identifier: Apache-2.0 */
/* How far predictions are off: each problem left out once. What the others say
 * of it is known from the inverse of all, so that nothing is inverted again.
 * See chooser.h. */
#include "runtime/choose/chooser_model.h"

#include <math.h>

static double time_of(const hone_chooser *c, size_t problem, size_t member)
{
    return c->time_ns[problem * c->n_members + member];
}

void hone__chooser_predict_without(const hone_chooser *chooser, size_t i,
                                   hone_chooser_guesses *out)
{
    const hone_chooser_model *m = chooser->model;
    const double deviation =
        hone__chooser_deviation(1 / m->inverse[i * m->row + i]);

    out->n = m->n_members;
    out->n_predicted = 0;
    out->gain_doubt = hone__chooser_doubt(m, deviation, chooser->gain_error);
    for (size_t j = 0; j < m->n_members; ++j) {
        const size_t at = j * m->row + i;
        hone_chooser_guess *guess = &out->of[j];

        *guess = (hone_chooser_guess){0, -1};
        if (!(m->diagonal[at] > 0) || m->n_times[j] <= HONE_CHOOSER_LEAST_TIMES)
            continue;
        guess->log_ns =
            log(time_of(chooser, i, j)) - m->alpha[at] / m->diagonal[at];
        guess->doubt =
            hone__chooser_doubt(m, deviation, chooser->members[j].error);
        hone__chooser_add_predicted(out, j);
    }
}

/* Mean squares of errors. */
typedef struct error_sum {
    double squares;
    size_t n;
} error_sum;

static void add_error(error_sum *sum, double error)
{
    sum->squares += error * error;
    ++sum->n;
}

static double root_of(const error_sum *sum)
{
    return sum->n ? sqrt(sum->squares / (double)sum->n) : 0;
}

/* The best guess against others that are not far behind. */
static void add_gains(const hone_chooser *c, size_t i,
                      const hone_chooser_guesses *guesses, error_sum *sum)
{
    const double far = log(2);
    hone_chooser_decision best;

    hone__chooser_decide(guesses, NULL, NULL, &best);
    for (size_t p = 0; p < guesses->n_predicted; ++p) {
        const size_t j = guesses->predicted[p], b = (size_t)best.member;
        const double gain = guesses->of[j].log_ns - guesses->of[b].log_ns;

        if (j != b && gain < far)
            add_error(sum, gain - log(time_of(c, i, j) / time_of(c, i, b)));
    }
}

void hone__chooser_measure_errors(hone_chooser *chooser)
{
    error_sum all = {0}, gains = {0}, of[HONE_CHOOSER_MEMBERS] = {{0}};

    for (size_t i = 0; i < chooser->n_problems; ++i) {
        hone_chooser_guesses guesses;

        hone__chooser_predict_without(chooser, i, &guesses);
        for (size_t p = 0; p < guesses.n_predicted; ++p) {
            const size_t j = guesses.predicted[p];
            const double error =
                guesses.of[j].log_ns - log(time_of(chooser, i, j));

            add_error(&of[j], error);
            add_error(&all, error);
        }
        add_gains(chooser, i, &guesses, &gains);
    }
    for (size_t j = 0; j < chooser->n_members; ++j)
        chooser->members[j].error = root_of(&of[j]);
    chooser->error = root_of(&all);
    chooser->gain_error = root_of(&gains);
}
