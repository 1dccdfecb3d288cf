/* SPDX-License-Identifier: Apache-2.0 */
#include "tuner/model/targets.h"

#include "runtime/base/alloc.h"

#include <math.h>

/* What is slower than this is bad, and how bad it is does not matter; so is
 * what failed. About 4.5 times the fastest. */
static const double most_slowdown = 1.5;
/* Trained so on 48 products, the best of the twenty first guesses at others was
 * 1.0 % from the best measured, 1.5 without (docs/results/model-2026-11-25.md).
 */
static const double weight_slope = 2;
/* What an estimate may be wrong by: twice. */
static const double most_off = 0.7;

static double slowdown_of(const hone_model_trial *trial)
{
    return trial->slowdown < most_slowdown ? trial->slowdown : most_slowdown;
}

double hone__model_weight(const hone_model_trial *trial)
{
    return exp(-weight_slope * slowdown_of(trial));
}

/* A problem, as one implementation's trials show it. */
typedef struct place {
    double lowest; /* estimate */
    double sum;    /* weighted, of what the estimate leaves */
    double weight;
} place;

typedef struct lesson {
    const hone_model_subject *subject;
    const hone_model_trial *trials;
    const float *rows;
    size_t n;
    place *places;
    size_t n_places;
} lesson;

static double cost_of(const lesson *l, size_t i)
{
    return hone__features_row_cost(l->subject->features,
                                   l->rows + i * l->subject->rows->n_features);
}

/* It could not be evaluated, and its trial says nothing of the others. */
static int lacks_cost(const lesson *l, size_t i)
{
    const double cost = cost_of(l, i);

    return cost == 0 && signbit(cost);
}

/* Of a trial that did not fail: what its estimate leaves of its slowdown. */
static double left_by_cost(const lesson *l, size_t i)
{
    return slowdown_of(&l->trials[i]) -
           (cost_of(l, i) - l->places[l->trials[i].problem].lowest);
}

static void see_places(lesson *l)
{
    for (size_t i = 0; i < l->n_places; ++i)
        l->places[i].lowest = INFINITY;
    for (size_t i = 0; i < l->n; ++i) {
        place *const p = &l->places[l->trials[i].problem];

        if (!lacks_cost(l, i))
            p->lowest = fmin(p->lowest, cost_of(l, i));
    }
    for (size_t i = 0; i < l->n; ++i) {
        place *const p = &l->places[l->trials[i].problem];
        /* Squared: what slow ones are off by says less about the level. */
        const double weight = pow(hone__model_weight(&l->trials[i]), 2);

        if (isinf(l->trials[i].slowdown) || lacks_cost(l, i))
            continue;
        p->sum += weight * left_by_cost(l, i);
        p->weight += weight;
    }
}

/* Trials of a problem lie about what an estimate leaves of it at its fast ones,
 * which trees learn from the sizes. */
static void fill(const lesson *l, double *out)
{
    for (size_t i = 0; i < l->n; ++i) {
        const place *const p = &l->places[l->trials[i].problem];
        const double own = p->weight > 0 ? p->sum / p->weight : 0;
        const double off = isinf(l->trials[i].slowdown) ? most_off
                           : lacks_cost(l, i)           ? 0
                                              : left_by_cost(l, i) - own;

        out[i] = own + fmax(-most_off, fmin(most_off, off));
    }
}

static hone_status fill_by_cost(lesson *l, double *out)
{
    for (size_t i = 0; i < l->n; ++i) {
        if (l->trials[i].problem >= l->n_places)
            l->n_places = l->trials[i].problem + 1;
    }
    l->places = hone__alloc((l->n_places + 1) * sizeof *l->places);
    if (!l->places)
        return HONE_ERR_NO_MEMORY;
    see_places(l);
    fill(l, out);
    hone__free(l->places);
    return HONE_OK;
}

hone_status hone__model_targets(const hone_model_subject *subject, double **out,
                                hone_error *err)
{
    const hone_model_rows *rows = subject->rows;
    lesson l = {.subject = subject,
                .trials =
                    (const hone_model_trial *)(const void *)rows->trials.data,
                .rows = (const float *)(const void *)rows->features.data,
                .n = hone__model_rows_count(rows)};

    *out = hone__alloc((l.n + 1) * sizeof **out);
    if (*out && hone__features_have_cost(subject->features)) {
        if (fill_by_cost(&l, *out) == HONE_OK)
            return HONE_OK;
        hone__free(*out);
        *out = NULL;
    }
    if (!*out)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < l.n; ++i)
        (*out)[i] = slowdown_of(&l.trials[i]);
    return HONE_OK;
}
