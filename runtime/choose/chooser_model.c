/* SPDX-License-Identifier: Apache-2.0 */
/* What predictions need of a chooser's times, once: the inverse of the
 * covariances of its problems, and for each member what it is multiplied by.
 * See chooser.h. */
#include "runtime/choose/chooser_model.h"

#include "runtime/launch/launch_body.h"

#include <math.h>
#include <string.h>

void hone__chooser_model_free(hone_chooser_model *model)
{
    if (!model)
        return;
    hone__free(model->block);
    hone__free(model->place_block);
    hone__free(model->needs);
    hone__free(model->steps);
    hone__free(model->steps_begin);
    hone__free(model);
}

/* Exchange variable `k` for its equation (Gauss and Jordan): all of them
 * exchanged is the inverse; of an inverse, one exchanged back is that of the
 * others. 0: the matrix is not positive definite, as far as numbers of this
 * size can tell. */
static int exchange(double *a, size_t n, size_t row, size_t k)
{
    double *const at_k = &a[k * row];
    const double pivot = at_k[k];

    if (!(pivot > 1e-12) || !isfinite(pivot))
        return 0;
    for (size_t i = 0; i < n; ++i) {
        const double factor = a[i * row + k] / pivot;

        for (size_t j = 0; j < n && i != k; ++j)
            a[i * row + j] -= factor * at_k[j];
        a[i * row + k] = -factor;
    }
    for (size_t j = 0; j < n; ++j)
        at_k[j] /= pivot;
    at_k[k] = 1 / pivot;
    return 1;
}

/* The inverse covariance of all problems. */
static hone_status invert_all(const hone_chooser *c, hone_chooser_model *m,
                              hone_error *err)
{
    const double noise = c->parameters[HONE_CHOOSER_noise];
    size_t n_done = 0;
    double sum = 0;

    for (size_t i = 0; i < m->n; ++i) {
        double features[HONE_CHOOSER_MOST_FEATURES];
        double *row = &m->inverse[i * m->row];

        for (size_t f = 0; f < m->n_features; ++f)
            features[f] = m->features[f * m->row + i];
        (void)hone__chooser_covariances(c, m, features, row);
        row[i] += noise * noise;
    }
    memcpy(m->covariance, m->inverse, m->n * m->row * sizeof *m->inverse);
    while (n_done < m->n && exchange(m->inverse, m->n, m->row, n_done))
        ++n_done;
    if (n_done < m->n)
        return hone__fail(err, HONE_ERR_INPUT,
                          "chooser of %s: too little noise for its problems",
                          c->op);
    for (size_t i = 0; i < m->n; ++i)
        sum += 1 / m->inverse[i * m->row + i];
    m->mean_deviation = hone__chooser_deviation(m->n ? sum / (double)m->n : 1);
    return HONE_OK;
}

/* In `scratch`, the inverse covariance of the known problems, with zeros for
 * the others: theirs are exchanged back, or these alone exchanged, whichever
 * are fewer. */
static void invert_known(hone_chooser_model *m, const unsigned char *is_known,
                         size_t n_known)
{
    const int is_forward = n_known < m->n / 2;

    memcpy(m->scratch, is_forward ? m->covariance : m->inverse,
           m->n * m->row * sizeof *m->scratch);
    for (size_t i = 0; i < m->n; ++i)
        if (is_known[i] == is_forward)
            (void)exchange(m->scratch, m->n, m->row, i);
    for (size_t i = 0; i < m->n; ++i)
        for (size_t j = 0; j < m->n && !is_known[i]; ++j)
            m->scratch[j * m->row + i] = m->scratch[i * m->row + j] = 0;
}

/* What the times of a member give, by the inverse of its problems. */
static void fit(const hone_chooser *c, hone_chooser_model *m, size_t member)
{
    const double *const inverse = m->scratch;
    double correction[HONE_CHOOSER_PROBLEMS] = {0};
    unsigned char is_known[HONE_CHOOSER_PROBLEMS];

    for (size_t i = 0; i < m->n; ++i) {
        const double time_ns = c->time_ns[i * m->n_members + member];
        const double base = m->base[member * m->row + i];

        is_known[i] = time_ns > 0 && isfinite(base);
        m->n_times[member] += is_known[i];
        if (is_known[i])
            correction[i] = log(time_ns) - base;
    }
    invert_known(m, is_known, m->n_times[member]);
    for (size_t i = 0; i < m->n; ++i) {
        const size_t at = member * m->row + i;

        for (size_t j = 0; j < m->n; ++j)
            m->alpha[at] += inverse[i * m->row + j] * correction[j];
        m->diagonal[at] = inverse[i * m->row + i];
    }
}

/* A problem: its features, and what members cost there. */
static void describe(const hone_chooser *c, const hone_launch_case *plan,
                     hone_chooser_model *m, size_t i)
{
    const hone_launch_case at = {plan->spec, &c->dims[i * c->n_dims], c->n_dims,
                                 plan->properties};
    double values[HONE_CHOOSER_MOST_FEATURES];
    double base[HONE_CHOOSER_MEMBERS];
    hone_chooser_asked all; /* who they are alone */

    all.n = m->n_members;
    for (size_t j = 0; j < m->n_members; ++j)
        all.members[j] = (uint16_t)j;
    hone__chooser_values(c->n_dims, plan->spec, at.dims, values);
    m->n_features = hone__chooser_features(c, values, &m->features[i], m->row);
    hone__chooser_bases(c, m, &at, &all, base);
    for (size_t j = 0; j < m->n_members; ++j)
        m->base[j * m->row + i] =
            base[j] + (c->beside ? c->beside[i * c->n_members + j] : 0);
}

static hone_status build(const hone_chooser *c, const hone_launch_case *plan,
                         hone_chooser_model *m, hone_error *err)
{
    if (c->n_dims != plan->spec->n_dims)
        return hone__fail(err, HONE_ERR_INPUT,
                          "chooser of %s: it has %zu dims, the launch plan %zu",
                          c->op, c->n_dims, plan->spec->n_dims);
    HONE_TRY(hone__chooser_prepare_costs(c, m, err));
    for (size_t i = 0; i < m->n; ++i)
        describe(c, plan, m, i);
    HONE_TRY(hone__chooser_prepare_places(c, plan->spec, m, err));
    HONE_TRY(invert_all(c, m, err));
    for (size_t j = 0; j < c->n_members; ++j)
        fit(c, m, j);
    return HONE_OK;
}

/* Its memory; 0: there is none. */
static int allocate(const hone_chooser *c, hone_chooser_model *m)
{
    const size_t most = HONE_N_CHOOSER_FEATURES * c->n_dims;
    const size_t matrix = m->row * m->row; /* rows behind n: 0 */
    const size_t table = m->n_members * m->row;

    m->block = hone__alloc((m->row * most + 3 * matrix + 3 * table + 1) *
                           sizeof *m->block);
    m->features = m->block;
    m->base = m->features + m->row * most;
    m->covariance = m->base + table;
    m->inverse = m->covariance + matrix;
    m->scratch = m->inverse + matrix;
    m->alpha = m->scratch + matrix;
    m->diagonal = m->alpha + table;
    return m->block != NULL;
}

hone_status hone__chooser_prepare(hone_chooser *chooser,
                                  const hone_launch_case *plan, hone_error *err)
{
    hone_chooser_model *m = hone__alloc(sizeof *m);
    hone_status status;

    hone__chooser_model_free(chooser->model);
    chooser->model = m;
    if (m) {
        m->n = chooser->n_problems;
        m->row = hone__chooser_padded(m->n);
        m->n_members = chooser->n_members;
    }
    status = m && allocate(chooser, m) ? build(chooser, plan, m, err)
                                       : hone__out_of_memory(err, "");
    if (status != HONE_OK) {
        hone__chooser_model_free(m);
        chooser->model = NULL;
    }
    return status;
}
