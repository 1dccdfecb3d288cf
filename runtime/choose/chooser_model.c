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
    hone__arena_free(&model->arena);
    hone__free(model);
}

/* Invert a symmetric positive definite matrix, n x n, in place; 0: it is none,
 * as far as numbers of this size can tell. */
static int invert(double *a, size_t n, size_t row)
{
    /* Each step exchanges a variable for its equation (Gauss and Jordan). */
    for (size_t k = 0; k < n; ++k) {
        const double pivot = a[k * row + k];

        if (!(pivot > 1e-12) || !isfinite(pivot))
            return 0;
        for (size_t i = 0; i < n; ++i) {
            const double factor = a[i * row + k] / pivot;

            if (i == k)
                continue;
            for (size_t j = 0; j < n; ++j)
                a[i * row + j] -= factor * a[k * row + j];
            a[i * row + k] = -factor; /* not what it has become */
        }
        for (size_t j = 0; j < n; ++j)
            a[k * row + j] /= pivot;
        a[k * row + k] = 1 / pivot;
    }
    return 1;
}

/* The inverse covariance of all problems. */
static hone_status invert_all(const hone_chooser *c, hone_chooser_model *m,
                              hone_error *err)
{
    const double noise = c->parameters[HONE_CHOOSER_noise];
    double sum = 0;

    for (size_t i = 0; i < m->n; ++i) {
        double features[HONE_CHOOSER_MOST_FEATURES];
        double *row = &m->inverse[i * m->row];

        for (size_t f = 0; f < m->n_features; ++f)
            features[f] = m->features[f * m->row + i];
        (void)hone__chooser_covariances(c, m, features, row);
        row[i] += noise * noise;
    }
    if (!invert(m->inverse, m->n, m->row))
        return hone__fail(err, HONE_ERR_INPUT,
                          "chooser of %s: too little noise for its problems",
                          c->op);
    for (size_t i = 0; i < m->n; ++i)
        sum += 1 / m->inverse[i * m->row + i];
    m->mean_variance = m->n ? sum / (double)m->n : 1;
    return HONE_OK;
}

/* Of an inverse that of the problems but one, whose row and column are 0 then.
 */
static void leave_out(double *inverse, size_t n, size_t row, size_t k)
{
    const double pivot = inverse[k * row + k];

    for (size_t i = 0; i < n; ++i) {
        const double factor = inverse[i * row + k] / pivot;

        for (size_t j = 0; j < n && i != k; ++j)
            inverse[i * row + j] -= factor * inverse[k * row + j];
    }
    for (size_t i = 0; i < n; ++i)
        inverse[i * row + k] = inverse[k * row + i] = 0;
}

static int has_time(const hone_chooser *c, size_t problem, size_t member)
{
    return c->time_ns[problem * c->n_members + member] > 0;
}

static int has_same_problems(const hone_chooser *c, size_t a, size_t b)
{
    for (size_t i = 0; i < c->n_problems; ++i)
        if (has_time(c, i, a) != has_time(c, i, b))
            return 0;
    return 1;
}

/* What its times give, where `inverse` is that of its problems. */
static void fit_member(const hone_chooser *c, hone_chooser_model *m,
                       size_t member, const double *inverse)
{
    double correction[HONE_CHOOSER_PROBLEMS] = {0};

    for (size_t i = 0; i < m->n; ++i)
        if (has_time(c, i, member))
            correction[i] =
                log(c->time_ns[i * m->n_members + member]) - m->base[i];
    for (size_t i = 0; i < m->n; ++i) {
        const size_t at = i * m->member_row + member;

        for (size_t j = 0; j < m->n; ++j)
            m->alpha[at] += inverse[i * m->row + j] * correction[j];
        m->diagonal[at] = inverse[i * m->row + i];
        m->n_times[member] += (size_t)has_time(c, i, member);
    }
}

/* Members that have times of the same problems share an inverse. */
static void fit(const hone_chooser *c, hone_chooser_model *m, double *scratch)
{
    unsigned char is_done[HONE_CHOOSER_MEMBERS] = {0};

    for (size_t i = 0; i < c->n_members; ++i) {
        if (is_done[i])
            continue;
        memcpy(scratch, m->inverse, m->n * m->row * sizeof *scratch);
        for (size_t p = 0; p < m->n; ++p)
            if (!has_time(c, p, i))
                leave_out(scratch, m->n, m->row, p);
        for (size_t j = i; j < c->n_members; ++j) {
            if (is_done[j] || !has_same_problems(c, i, j))
                continue;
            is_done[j] = 1;
            fit_member(c, m, j, scratch);
        }
    }
}

static hone_status build(const hone_chooser *c, const hone_launch_case *plan,
                         hone_chooser_model *m, double *scratch,
                         hone_error *err)
{
    if (c->n_dims != plan->spec->n_dims)
        return hone__fail(err, HONE_ERR_INPUT,
                          "chooser of %s: it has %zu dims, the launch plan %zu",
                          c->op, c->n_dims, plan->spec->n_dims);
    for (size_t i = 0; i < m->n; ++i) {
        hone_launch_case at = *plan;

        at.dims = &c->dims[i * c->n_dims];
        at.n_dims = c->n_dims;
        hone__chooser_features(c, m, plan->spec, at.dims, &m->features[i],
                               m->row);
        m->base[i] = hone__chooser_base(c, &at);
    }
    HONE_TRY(invert_all(c, m, err));
    fit(c, m, scratch);
    return HONE_OK;
}

/* Its memory; 0: there is none. */
static int allocate(const hone_chooser *c, hone_chooser_model *m)
{
    const size_t n = c->n_problems;
    const struct {
        double **list;
        size_t n;
    } lists[] = {{&m->features, m->row * m->n_features},
                 {&m->base, n},
                 {&m->inverse, n * m->row},
                 {&m->alpha, n * m->member_row},
                 {&m->diagonal, n * m->member_row}};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        *lists[i].list =
            hone__arena_alloc(&m->arena, (lists[i].n + 1) * sizeof(double));
        if (!*lists[i].list)
            return 0;
    }
    return 1;
}

hone_status hone__chooser_prepare(hone_chooser *chooser,
                                  const hone_launch_case *plan, hone_error *err)
{
    const size_t n = chooser->n_problems;
    hone_chooser_model *m = hone__alloc(sizeof *m);
    double *scratch =
        hone__alloc((n * hone__chooser_padded(n) + 1) * sizeof *scratch);
    hone_status status;

    hone__chooser_model_free(chooser->model);
    chooser->model = NULL;
    if (m) {
        m->n = n;
        m->row = hone__chooser_padded(n);
        m->n_members = chooser->n_members;
        m->member_row = hone__chooser_padded(m->n_members);
        hone__chooser_list_features(chooser, m);
    }
    status = m && scratch && allocate(chooser, m)
                 ? build(chooser, plan, m, scratch, err)
                 : hone__out_of_memory(err, " while a chooser is prepared");
    hone__free(scratch);
    if (status == HONE_OK)
        chooser->model = m;
    else
        hone__chooser_model_free(m);
    return status;
}
