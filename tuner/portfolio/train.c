/* SPDX-License-Identifier: Apache-2.0 */
/* Training: see train.h. Few problems, some ten numbers, and an error that is a
 * step function of them: each is made larger and smaller in turn, and stays so
 * where that is worth it. Rejected: gradients of the likelihood, which fit the
 * times and not the choice; a weight of its own for each dim from the start,
 * which with a dozen problems learns them by heart. */
#include "tuner/portfolio/train.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What counts is which member is the best: how far differences of members are
 * off, and what the choice loses. Their common error counts a little, since
 * what is predicted is shown. */
#define COMMON_WEIGHT 0.1
/* A change has to make the cost smaller by such a part of it. */
#define LEAST_CHANGE 0.005
/* A weight of one dim alone has to make it smaller by more: there are many. */
#define LEAST_CHANGE_OF_ONE 0.02

void hone__loss_add(hone_loss_sum *sum, double time_ns, double best_ns)
{
    const double lost = log(time_ns / best_ns);

    sum->sum += lost;
    if (!sum->n++ || lost > sum->worst)
        sum->worst = lost;
}

hone_portfolio_loss hone__loss_of(const hone_loss_sum *sum)
{
    if (!sum->n)
        return (hone_portfolio_loss){0, 0, 0};
    return (hone_portfolio_loss){sum->n, expm1(sum->sum / (double)sum->n),
                                 expm1(sum->worst)};
}

/* ---- what it costs ----------------------------------------------------------
 */

static double best_at(const hone_chooser *c, size_t problem, unsigned char *may)
{
    double best = 0;

    for (size_t i = 0; i < c->n_members; ++i) {
        const double time = c->time_ns[problem * c->n_members + i];

        may[i] = time > 0;
        if (time > 0 && (best <= 0 || time < best))
            best = time;
    }
    return best;
}

static hone_portfolio_loss measure_loss(const hone_chooser *c,
                                        const unsigned char *safe)
{
    hone_loss_sum sum = {0};

    for (size_t p = 0; p < c->n_problems; ++p) {
        unsigned char may[HONE_CHOOSER_MEMBERS];
        hone_chooser_guesses guesses;
        hone_chooser_decision decision;
        const double best = best_at(c, p, may);

        if (best <= 0)
            continue;
        hone__chooser_predict_without(c, p, &guesses);
        hone__chooser_decide(&guesses, may, safe, &decision);
        if (decision.member >= 0)
            hone__loss_add(
                &sum, c->time_ns[p * c->n_members + (size_t)decision.member],
                best);
    }
    return hone__loss_of(&sum);
}

/* Too large where it cannot be prepared so. */
static hone_status measure(hone_chooser *c, const hone_launch_case *plan,
                           const unsigned char *safe, double *out,
                           hone_error *err)
{
    hone_error why = {0};
    const hone_status status = hone__chooser_prepare(c, plan, &why);

    *out = DBL_MAX;
    if (status == HONE_ERR_INPUT)
        return HONE_OK;
    if (status != HONE_OK) {
        *err = why;
        return status;
    }
    hone__chooser_measure_errors(c);
    *out = c->gain_error + COMMON_WEIGHT * c->error +
           log1p(measure_loss(c, safe).mean);
    if (!isfinite(*out))
        *out = DBL_MAX;
    return HONE_OK;
}

/* ---- what is changed --------------------------------------------------------
 */

/* One number, or several that change together. */
typedef struct knob {
    double *values[HONE_MAX_DIMS];
    size_t n;
    double low, high;
    double least; /* change of the cost */
} knob;

enum {
    MOST_KNOBS = HONE_N_CHOOSER_PARAMETERS +
                 HONE_N_CHOOSER_FEATURES * (1 + HONE_MAX_DIMS)
};

#define LOW_WEIGHT 0.02
#define HIGH_WEIGHT 50.0

static int varies(const hone_chooser *c, size_t dim)
{
    for (size_t p = 1; p < c->n_problems; ++p)
        if (c->dims[p * c->n_dims + dim] != c->dims[dim])
            return 1;
    return 0;
}

static size_t list_knobs(hone_chooser *c, knob *out)
{
    size_t n = 0;

    for (size_t i = 0; i < HONE_N_CHOOSER_PARAMETERS; ++i)
        out[n++] = (knob){{&c->parameters[i]},
                          1,
                          hone__chooser_ranges[i].low,
                          hone__chooser_ranges[i].high,
                          LEAST_CHANGE};
    for (size_t f = 0; f < HONE_N_CHOOSER_FEATURES; ++f) {
        knob *all = &out[n++];

        *all = (knob){{0}, 0, LOW_WEIGHT, HIGH_WEIGHT, LEAST_CHANGE};
        for (size_t d = 0; d < c->n_dims; ++d)
            if (varies(c, d))
                all->values[all->n++] = &c->weights[f][d];
    }
    for (size_t f = 0; f < HONE_N_CHOOSER_FEATURES; ++f)
        for (size_t d = 0; d < c->n_dims; ++d)
            if (varies(c, d))
                out[n++] = (knob){{&c->weights[f][d]},
                                  1,
                                  LOW_WEIGHT,
                                  HIGH_WEIGHT,
                                  LEAST_CHANGE_OF_ONE};
    return n;
}

static void turn(const knob *k, double factor)
{
    for (size_t i = 0; i < k->n; ++i) {
        double value = *k->values[i] * factor;

        value = value < k->low ? k->low : value;
        *k->values[i] = value > k->high ? k->high : value;
    }
}

/* One way, as long as it is worth it. `*cost` is that of what it is. */
static hone_status follow(hone_chooser *c, const hone_launch_case *plan,
                          const unsigned char *safe, const knob *k,
                          double factor, double *cost, int *out_moved,
                          hone_error *err)
{
    enum { MOST_STEPS = 4 };

    *out_moved = 0;
    for (int step = 0; step < MOST_STEPS; ++step) {
        double before[HONE_MAX_DIMS], now;

        for (size_t i = 0; i < k->n; ++i)
            before[i] = *k->values[i];
        turn(k, factor);
        HONE_TRY(measure(c, plan, safe, &now, err));
        if (now > *cost * (1 - k->least)) {
            for (size_t i = 0; i < k->n; ++i)
                *k->values[i] = before[i];
            return HONE_OK;
        }
        *cost = now;
        *out_moved = 1;
    }
    return HONE_OK;
}

hone_status hone__portfolio_train(hone_chooser *chooser,
                                  const hone_launch_case *plan,
                                  const unsigned char *safe,
                                  hone_portfolio_loss *out, hone_error *err)
{
    static const double factors[] = {2.5, 2.5, 1.5};
    knob knobs[MOST_KNOBS];
    const size_t n = list_knobs(chooser, knobs);
    double cost;

    HONE_TRY(measure(chooser, plan, safe, &cost, err));
    for (size_t round = 0; round < sizeof factors / sizeof *factors; ++round)
        for (size_t i = 0; i < n; ++i) {
            int moved = 0;

            HONE_TRY(follow(chooser, plan, safe, &knobs[i], factors[round],
                            &cost, &moved, err));
            if (!moved)
                HONE_TRY(follow(chooser, plan, safe, &knobs[i],
                                1 / factors[round], &cost, &moved, err));
        }
    HONE_TRY(hone__chooser_prepare(chooser, plan, err));
    hone__chooser_measure_errors(chooser);
    *out = measure_loss(chooser, safe);
    return HONE_OK;
}
