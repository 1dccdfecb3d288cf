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

/* Of an inverse that of the problems but one, whose row and column are 0 then.
 */
static void leave_out(double *inverse, size_t n, size_t row, size_t k)
{
    (void)exchange(inverse, n, row, k);
    for (size_t i = 0; i < n; ++i)
        inverse[i * row + k] = inverse[k * row + i] = 0;
}

/* What the times of a member give, by the inverse of its problems. */
static void fit(const hone_chooser *c, hone_chooser_model *m, size_t member)
{
    double *const inverse = m->scratch;
    double correction[HONE_CHOOSER_PROBLEMS] = {0};

    memcpy(inverse, m->inverse, m->n * m->row * sizeof *inverse);
    for (size_t i = 0; i < m->n; ++i) {
        const double time_ns = c->time_ns[i * m->n_members + member];
        const double base = m->base[i * m->member_row + member];
        const int is_known = time_ns > 0 && isfinite(base);

        m->n_times[member] += (size_t)is_known;
        if (is_known)
            correction[i] = log(time_ns) - base;
        else
            leave_out(inverse, m->n, m->row, i);
    }
    for (size_t i = 0; i < m->n; ++i) {
        const size_t at = i * m->member_row + member;

        for (size_t j = 0; j < m->n; ++j)
            m->alpha[at] += inverse[i * m->row + j] * correction[j];
        m->diagonal[at] = inverse[i * m->row + i];
    }
}

static hone_status build(const hone_chooser *c, const hone_launch_case *plan,
                         hone_chooser_model *m, hone_error *err)
{
    if (c->n_dims != plan->spec->n_dims)
        return hone__fail(err, HONE_ERR_INPUT,
                          "chooser of %s: it has %zu dims, the launch plan %zu",
                          c->op, c->n_dims, plan->spec->n_dims);
    for (size_t i = 0; i < m->n; ++i) {
        hone_launch_case at = *plan;

        at.dims = &c->dims[i * c->n_dims];
        at.n_dims = c->n_dims;
        m->n_features = hone__chooser_features(c, plan->spec, at.dims,
                                               &m->features[i], m->row);
        hone__chooser_bases(c, &at, &m->base[i * m->member_row]);
    }
    HONE_TRY(invert_all(c, m, err));
    for (size_t j = 0; j < c->n_members; ++j)
        fit(c, m, j);
    return HONE_OK;
}

/* Its memory; 0: there is none. */
static int allocate(const hone_chooser *c, hone_chooser_model *m)
{
    const size_t most = HONE_N_CHOOSER_FEATURES * c->n_dims;
    const size_t matrix = m->n * m->row;
    const size_t table = m->n * m->member_row;

    m->block = hone__alloc((m->row * most + 2 * matrix + 3 * table + 1) *
                           sizeof *m->block);
    m->features = m->block;
    m->base = m->features + m->row * most;
    m->inverse = m->base + table;
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
        m->member_row = hone__chooser_padded(m->n_members);
    }
    status = m && allocate(chooser, m) ? build(chooser, plan, m, err)
                                       : hone__out_of_memory(err, "");
    if (status != HONE_OK) {
        hone__chooser_model_free(m);
        chooser->model = NULL;
    }
    return status;
}
