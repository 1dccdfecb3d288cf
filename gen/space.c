/* SPDX-License-Identifier: Apache-2.0 */
/* The valid configurations of a template, found by binding parameters in
 * declared order and checking each constraint as soon as all it reads is
 * bound. A configuration is kept as its rank: its value indexes as digits of
 * one number, the first parameter the most significant. */
#include "gen/space.h"

#include "gen/space_plan.h"
#include "gen/values.h"
#include "runtime/alloc.h"

#include <string.h>

enum { MAX_VALID = 1 << 27 }; /* 1 GiB of ranks */

struct hone_space {
    const hone_template *tmpl;
    hone_space_plan plan;
    int64_t *slots;      /* facts and dimensions filled in */
    int64_t *rejected;   /* one for each require */
    int64_t raw;         /* saturated */
    int64_t weights[64]; /* of each parameter's index in the rank */
    uint64_t *ranks;     /* of the valid ones, ascending */
    size_t n;
    size_t capacity;
};

static hone_status push_rank(hone_space *space, uint64_t rank,
                             hone_error *err)
{
    if (space->n == space->capacity) {
        const size_t capacity = space->capacity ? 2 * space->capacity : 256;
        uint64_t *ranks;

        if (space->n >= MAX_VALID)
            return hone__fail(err, HONE_ERR_UNSUPPORTED,
                              "%s: more than %d valid configurations; add "
                              "'require' lines", space->tmpl->path,
                              MAX_VALID);
        ranks = hone__realloc(space->ranks, capacity * sizeof *ranks);
        if (!ranks)
            return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
        space->ranks = ranks;
        space->capacity = capacity;
    }
    space->ranks[space->n++] = rank;
    return HONE_OK;
}

/* Lets and constraints that became known when parameter depth-1 was bound.
 * `out_failed` is the require that does not hold, or -1. */
static hone_status check_level(const hone_space *space, size_t depth,
                               int64_t *slots, int *out_failed,
                               hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    const size_t end = space->plan.first[depth + 1];

    *out_failed = -1;
    for (size_t i = space->plan.first[depth]; i < end; ++i) {
        const hone_space_step *step = &space->plan.steps[i];
        int64_t holds;

        if (step->is_let) {
            HONE_TRY(hone__values_eval(tmpl, &tmpl->lets[step->index].value,
                                       slots,
                                       &slots[tmpl->slots.lets + step->index],
                                       err));
            continue;
        }
        HONE_TRY(hone__values_eval(
            tmpl, &tmpl->requires_[step->index].condition, slots, &holds,
            err));
        if (!holds) {
            *out_failed = (int)step->index;
            break;
        }
    }
    return HONE_OK;
}

static hone_status enumerate(hone_space *space, size_t depth, uint64_t rank,
                             hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    const hone_param *param;
    int failed;

    HONE_TRY(check_level(space, depth, space->slots, &failed, err));
    if (failed >= 0) {
        space->rejected[failed] +=
            depth ? space->weights[depth - 1] : space->raw;
        return HONE_OK;
    }
    if (depth == tmpl->n_params)
        return push_rank(space, rank, err);
    param = &tmpl->params[depth];
    for (size_t i = 0; i < param->n_values; ++i) {
        space->slots[tmpl->slots.params + depth] = param->values[i];
        HONE_TRY(enumerate(space, depth + 1,
                           rank + i * (uint64_t)space->weights[depth], err));
    }
    return HONE_OK;
}

static hone_status weigh(hone_space *space, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;

    space->raw = 1;
    for (size_t i = tmpl->n_params; i-- > 0;) {
        space->weights[i] = space->raw;
        if (__builtin_mul_overflow(space->raw,
                                   (int64_t)tmpl->params[i].n_values,
                                   &space->raw))
            return hone__fail(err, HONE_ERR_UNSUPPORTED,
                              "%s: the parameters have more than 2^63 "
                              "combinations; give them fewer values",
                              tmpl->path);
    }
    return HONE_OK;
}

static hone_status check_arch(const hone_space *space, const int64_t *slots,
                              hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    int64_t holds = 1;

    if (tmpl->arch.expr)
        HONE_TRY(hone__values_eval(tmpl, &tmpl->arch, slots, &holds, err));
    if (holds)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_CONSTRAINT,
                      "%s:%d: this template needs '%s'; the device is sm_%lld",
                      tmpl->path, tmpl->arch.line,
                      hone__expr_text(tmpl->arch.expr),
                      (long long)slots[HONE_FACT_sm]);
}

static void fill_slots(hone_space *space, const int64_t *dims,
                       const hone_facts *facts)
{
    const hone_template *tmpl = space->tmpl;

    memcpy(space->slots, facts->value, sizeof facts->value);
    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const hone_template_dim *dim = &tmpl->dims[i];
        int64_t value = dims ? dims[i] : dim->default_value;

        if (!value && dim->n_types)
            value = dim->types[0];
        space->slots[tmpl->slots.dims + i] = value;
    }
}

static hone_status build(hone_space *space, const int64_t *dims,
                         const hone_facts *facts, hone_error *err)
{
    const hone_template *tmpl = space->tmpl;

    space->slots = hone__alloc((tmpl->slots.total + 1) * sizeof(int64_t));
    space->rejected = hone__alloc((tmpl->n_requires + 1) * sizeof(int64_t));
    if (!space->slots || !space->rejected)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    fill_slots(space, dims, facts);
    HONE_TRY(check_arch(space, space->slots, err));
    HONE_TRY(hone__space_plan_create(tmpl, dims != NULL, &space->plan, err));
    HONE_TRY(weigh(space, err));
    return enumerate(space, 0, 0, err);
}

hone_status hone__space_create(const hone_template *tmpl,
                               const int64_t *dims, const hone_facts *facts,
                               hone_space **out, hone_error *err)
{
    hone_space *space = hone__alloc(sizeof *space);
    hone_status status;

    *out = NULL;
    if (!space)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    space->tmpl = tmpl;
    status = build(space, dims, facts, err);
    if (status)
        hone__space_free(space);
    else
        *out = space;
    return status;
}

void hone__space_free(hone_space *space)
{
    if (!space)
        return;
    hone__space_plan_free(&space->plan);
    hone__free(space->slots);
    hone__free(space->rejected);
    hone__free(space->ranks);
    hone__free(space);
}

int64_t hone__space_raw_count(const hone_space *space)
{
    return space->raw;
}

int64_t hone__space_count(const hone_space *space)
{
    return (int64_t)space->n;
}

void hone__space_get(const hone_space *space, int64_t index, int64_t *out)
{
    const hone_template *tmpl = space->tmpl;
    uint64_t rest = space->ranks[index];

    for (size_t i = 0; i < tmpl->n_params; ++i) {
        const uint64_t weight = (uint64_t)space->weights[i];

        out[i] = tmpl->params[i].values[rest / weight];
        rest %= weight;
    }
}

/* Index of a value in its parameter's list, n_values if it has none. */
static size_t value_index(const hone_param *param, int64_t value)
{
    size_t i = 0;

    while (i < param->n_values && param->values[i] != value)
        ++i;
    return i;
}

int64_t hone__space_find(const hone_space *space, const int64_t *config)
{
    const hone_template *tmpl = space->tmpl;
    uint64_t rank = 0;
    size_t low = 0;
    size_t high = space->n;

    for (size_t i = 0; i < tmpl->n_params; ++i) {
        const size_t at = value_index(&tmpl->params[i], config[i]);

        if (at == tmpl->params[i].n_values)
            return -1;
        rank += at * (uint64_t)space->weights[i];
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (space->ranks[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->n && space->ranks[low] == rank ? (int64_t)low : -1;
}

hone_status hone__space_explain(const hone_space *space, int64_t *out_rejected,
                                hone_error *err)
{
    (void)err;
    memcpy(out_rejected, space->rejected,
           space->tmpl->n_requires * sizeof *out_rejected);
    return HONE_OK;
}

static hone_status refuse_value(const hone_template *tmpl,
                                const hone_param *param, int64_t value,
                                hone_error *err)
{
    hone_text text = {0};
    hone_status status;

    hone__template_value_text(tmpl, param, value, &text);
    status = hone__param_refuse(tmpl, param, hone__text_str(&text),
                                text.length, err);
    hone__text_free(&text);
    return status;
}

hone_status hone__space_check(const hone_space *space, const int64_t *config,
                              hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    const size_t size = (tmpl->slots.total + 1) * sizeof(int64_t);
    hone_status status = HONE_OK;
    int failed = -1;
    int64_t *slots;

    for (size_t i = 0; i < tmpl->n_params; ++i) {
        if (value_index(&tmpl->params[i], config[i]) ==
            tmpl->params[i].n_values)
            return refuse_value(tmpl, &tmpl->params[i], config[i], err);
    }
    slots = hone__alloc(size);
    if (!slots)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    memcpy(slots, space->slots, size);
    memcpy(slots + tmpl->slots.params, config,
           tmpl->n_params * sizeof *config);
    for (size_t d = 0; !status && failed < 0 && d <= tmpl->n_params; ++d)
        status = check_level(space, d, slots, &failed, err);
    hone__free(slots);
    if (status || failed < 0)
        return status;
    return hone__fail(err, HONE_ERR_CONSTRAINT, "%s:%d: not '%s'%s%s",
                      tmpl->path, tmpl->requires_[failed].condition.line,
                      hone__expr_text(tmpl->requires_[failed].condition.expr),
                      *tmpl->requires_[failed].message ? ": " : "",
                      tmpl->requires_[failed].message);
}

hone_status hone__space_default(const hone_space *space, int64_t *out,
                                hone_error *err)
{
    const hone_template *tmpl = space->tmpl;
    int64_t config[64];
    int64_t wanted[64];
    size_t best = tmpl->n_params + 1;

    for (size_t i = 0; i < tmpl->n_params; ++i)
        wanted[i] = tmpl->params[i].values[tmpl->params[i].default_index];
    for (size_t k = 0; k < space->n && best; ++k) {
        size_t differing = 0;

        hone__space_get(space, (int64_t)k, config);
        for (size_t i = 0; i < tmpl->n_params; ++i)
            differing += config[i] != wanted[i];
        if (differing < best) {
            best = differing;
            memcpy(out, config, tmpl->n_params * sizeof *out);
        }
    }
    if (best <= tmpl->n_params)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "%s: no configuration satisfies every 'require' for "
                      "this problem and device", tmpl->path);
}
