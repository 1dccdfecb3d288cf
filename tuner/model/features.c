/* SPDX-License-Identifier: Apache-2.0 */
#include "tuner/model/features.h"

#include "runtime/base/alloc.h"
#include "runtime/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAUNCHES = 3, /* of which numbers are taken; further ones only count */
    /* For each of these launches, see launch_numbers(). */
    PER_LAUNCH = 6,
    /* Of a dimension: its size, and by what power of two it is divided. */
    PER_DIM = 2,
    MOST_ALIGNED = 7,
    /* Of the problem and of the variant as a whole, see overall(). */
    OVERALL = 3
};

struct hone_features {
    const hone_template *tmpl;
    hone_properties properties;
    hone_arena arena;
    int64_t dims[HONE_MAX_DIMS];
    int64_t *slots;
    unsigned char *lacks; /* by slot: a let that cannot be evaluated */
    size_t n_slots;
    size_t n;
    const char **names;
    double flops; /* of the problem; 0: not declared */
    double bytes;
    int has_cost; /* of the last configuration: COST could be evaluated */
};

/* ---- numbers ------------------------------------------------------------- */

/* Of sizes: small negative numbers stay apart from positive ones. */
static float size_of(int64_t value)
{
    const double x = (double)value;

    return (float)(x < 0 ? -log2(1 - x) : log2(1 + x));
}

static float alignment_of(int64_t value)
{
    int n = 0;

    while (n < MOST_ALIGNED && value % (INT64_C(2) << n) == 0)
        ++n;
    return (float)n;
}

/* 1: evaluated. Expressions of repeated launches read what is not known here.
 */
static int evaluate(const hone_features *f, const hone_template_expr *expr,
                    int64_t *out)
{
    size_t slot;

    if (!expr->expr || hone__expr_slot_count(expr->expr) > f->n_slots)
        return 0;
    return hone__expr_eval_known(expr->expr, f->slots, f->lacks, out, &slot,
                                 NULL) == HONE_OK;
}

static int64_t value_or(const hone_features *f, const hone_template_expr *expr,
                        int64_t otherwise)
{
    int64_t value = otherwise;

    return evaluate(f, expr, &value) ? value : otherwise;
}

/* ---- what there is ------------------------------------------------------- */

static int is_size(const hone_features *f, size_t dim)
{
    return !f->tmpl->dims[dim].n_types;
}

static size_t launches_of(const hone_template *tmpl)
{
    return tmpl->n_launches < LAUNCHES ? tmpl->n_launches : LAUNCHES;
}

static void name_one(hone_features *f, size_t *at, hone_text *scratch,
                     const char *of, const char *what)
{
    hone__text_clear(scratch);
    hone__text_printf(scratch, "%s.%s", of, what);
    f->names[(*at)++] = hone__arena_strndup(&f->arena, hone__text_str(scratch),
                                            scratch->length);
}

static void name_all(hone_features *f, hone_text *scratch)
{
    static const char *const launches[LAUNCHES] = {"launch0", "launch1",
                                                   "launch2"};
    static const char *const of_launch[PER_LAUNCH] = {
        "blocks", "threads", "shared", "resident", "waves", "idle"};
    static const char *const of_block[OVERALL] = {"flops", "bytes",
                                                  "flops_of_byte"};
    const hone_template *tmpl = f->tmpl;
    size_t at = 0;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        name_one(f, &at, scratch, "dim", tmpl->dims[i].name);
        if (is_size(f, i))
            name_one(f, &at, scratch, "aligned", tmpl->dims[i].name);
    }
    for (size_t i = 0; i < tmpl->n_params; ++i)
        name_one(f, &at, scratch, "param", tmpl->params[i].name);
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        name_one(f, &at, scratch, "let", tmpl->lets[i].name);
    for (size_t i = 0; i < tmpl->n_features; ++i)
        name_one(f, &at, scratch, "feature", tmpl->features[i].name);
    for (size_t i = 0; i < launches_of(tmpl); ++i) {
        for (size_t k = 0; k < PER_LAUNCH; ++k)
            name_one(f, &at, scratch, launches[i], of_launch[k]);
    }
    for (size_t k = 0; k < OVERALL; ++k)
        name_one(f, &at, scratch, "block", of_block[k]);
}

static size_t count_all(const hone_features *f)
{
    const hone_template *tmpl = f->tmpl;
    size_t n = tmpl->n_params + tmpl->n_lets + tmpl->n_features +
               launches_of(tmpl) * PER_LAUNCH + OVERALL;

    for (size_t i = 0; i < tmpl->n_dims; ++i)
        n += is_size(f, i) ? PER_DIM : 1;
    return n;
}

static void fill_problem(hone_features *f, const int64_t *dims,
                         const hone_properties *properties)
{
    int64_t value;

    memcpy(f->slots, properties->value, sizeof properties->value);
    for (size_t i = 0; i < f->tmpl->n_dims; ++i) {
        f->dims[i] = dims[i];
        f->slots[f->tmpl->slots.dims + i] = dims[i];
    }
    f->flops = evaluate(f, &f->tmpl->work_flops, &value) ? (double)value : 0;
    f->bytes = evaluate(f, &f->tmpl->work_bytes, &value) ? (double)value : 0;
}

hone_status hone__features_create(const hone_template *tmpl,
                                  const int64_t *dims,
                                  const hone_properties *properties,
                                  hone_features **out, hone_error *err)
{
    hone_features *f = hone__alloc(sizeof *f);
    hone_text scratch = {0};

    *out = NULL;
    if (!f)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    f->tmpl = tmpl;
    f->properties = *properties;
    f->n_slots = tmpl->slots.total;
    f->n = count_all(f);
    f->slots =
        hone__arena_alloc(&f->arena, (f->n_slots + 1) * sizeof *f->slots);
    f->names = hone__arena_alloc(&f->arena, f->n * sizeof *f->names);
    f->lacks = hone__arena_alloc(&f->arena, f->n_slots + 1);
    if (f->slots && f->lacks && f->names) {
        name_all(f, &scratch);
        fill_problem(f, dims, properties);
    }
    if (!f->slots || !f->lacks || !f->names || scratch.failed ||
        !f->names[f->n - 1]) {
        hone__text_free(&scratch);
        hone__features_free(f);
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    }
    hone__text_free(&scratch);
    *out = f;
    return HONE_OK;
}

void hone__features_free(hone_features *features)
{
    if (features)
        hone__arena_free(&features->arena);
    hone__free(features);
}

size_t hone__features_count(const hone_features *features)
{
    return features->n;
}

/* ---- of a configuration -------------------------------------------------- */

static float param_number(const hone_param *param, int64_t value)
{
    switch (param->kind) {
    case HONE_PARAM_INT:
        return size_of(value);
    case HONE_PARAM_REAL:
        return (float)hone__real_of_bits(value);
    case HONE_PARAM_BOOL:
    case HONE_PARAM_ENUM:
    case HONE_PARAM_TYPE:
        break;
    }
    for (size_t i = 0; i < param->n_values; ++i) {
        if (param->values[i] == value)
            return (float)i;
    }
    return 0;
}

/* Of a ratio its logarithm, so that it is the difference of two sizes. */
static float feature_number(const hone_features *f,
                            const hone_template_feature *feature, int *out_has)
{
    int64_t value = 0;
    int64_t per = 1;

    *out_has =
        evaluate(f, &feature->value, &value) &&
        (!feature->per.expr || (evaluate(f, &feature->per, &per) && per != 0));
    if (!*out_has)
        return -0.0F; /* a 0 that no value has */
    return feature->per.expr ? size_of(value) - size_of(per) : size_of(value);
}

/* How many blocks of a launch a multiprocessor holds, by threads and shared
 * memory: registers are known when it is compiled. */
static int64_t resident(const hone_features *f, int64_t threads, int64_t shared)
{
    const int64_t *const of = f->properties.value;
    int64_t n = of[HONE_PROPERTY_blocks_sm];

    if (threads > 0 && of[HONE_PROPERTY_threads_sm] / threads < n)
        n = of[HONE_PROPERTY_threads_sm] / threads;
    if (shared > 0 && of[HONE_PROPERTY_smem_sm] / shared < n)
        n = of[HONE_PROPERTY_smem_sm] / shared;
    return n > 1 ? n : 1;
}

static double product(const hone_features *f, const hone_template_expr *of)
{
    double n = 1;

    for (int i = 0; i < 3; ++i)
        n *= (double)value_or(f, &of[i], 1);
    return n > 0 ? n : 0;
}

/* PER_LAUNCH numbers; the blocks of one that is not launched are 0. */
static double launch_numbers(const hone_features *f,
                             const hone_template_launch *launch, float *out)
{
    const double sm_count = (double)f->properties.value[HONE_PROPERTY_sm_count];
    const double threads = product(f, launch->block);
    const int64_t shared = value_or(f, &launch->shared, 0);
    double blocks = product(f, launch->grid);
    double slots, waves;
    int64_t fit;

    memset(out, 0, PER_LAUNCH * sizeof *out);
    if (value_or(f, &launch->condition, 1) == 0)
        return 0;
    fit = resident(f, (int64_t)threads, shared);
    slots = (double)fit * (sm_count > 0 ? sm_count : 1);
    waves = blocks / slots;
    out[0] = (float)log2(1 + blocks);
    out[1] = (float)log2(1 + threads);
    out[2] = size_of(shared);
    out[3] = (float)fit;
    out[4] = (float)log2(waves > 0 ? waves : 1e-6);
    out[5] = (float)log2(waves > 0 ? ceil(waves) / waves : 1);
    return blocks;
}

static void overall(const hone_features *f, double blocks, float *out)
{
    const double n = blocks > 0 ? blocks : 1;

    out[0] = (float)log2(1 + f->flops / n);
    out[1] = (float)log2(1 + f->bytes / n);
    out[2] = (float)(f->bytes > 0 ? log2((1 + f->flops) / f->bytes) : 0);
}

void hone__features_identify(const hone_features *features, hone_text *out)
{
    for (size_t i = 0; i < features->n; ++i)
        hone__text_printf(out, "%s ", features->names[i]);
    hone__text_puts(out, features->tmpl->sha256);
}

void hone__features_get(hone_features *f, const int64_t *config, float *out)
{
    const hone_template *tmpl = f->tmpl;
    double most = 0;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        *out++ = size_of(f->dims[i]);
        if (is_size(f, i))
            *out++ = alignment_of(f->dims[i]);
    }
    for (size_t i = 0; i < tmpl->n_params; ++i) {
        f->slots[tmpl->slots.params + i] = config[i];
        *out++ = param_number(&tmpl->params[i], config[i]);
    }
    for (size_t i = 0; i < tmpl->n_lets; ++i) {
        const size_t slot = tmpl->slots.lets + i;

        f->slots[slot] = 0;
        f->lacks[slot] = !evaluate(f, &tmpl->lets[i].value, &f->slots[slot]);
        *out++ = size_of(f->slots[slot]);
    }
    for (size_t i = 0; i < tmpl->n_features; ++i) {
        int has;

        *out++ = feature_number(f, &tmpl->features[i], &has);
        if (i + 1 == (size_t)tmpl->cost)
            f->has_cost = has;
    }
    for (size_t i = 0; i < launches_of(tmpl); ++i, out += PER_LAUNCH) {
        const double blocks = launch_numbers(f, &tmpl->launches[i], out);

        most = blocks > most ? blocks : most;
    }
    overall(f, most, out);
}

int hone__features_have_cost(const hone_features *f)
{
    return f->tmpl->cost > 0;
}

double hone__features_row_cost(const hone_features *f, const float *row)
{
    size_t at = f->tmpl->n_params + f->tmpl->n_lets + f->tmpl->cost - 1;

    for (size_t i = 0; i < f->tmpl->n_dims; ++i)
        at += is_size(f, i) ? PER_DIM : 1;
    return (double)row[at] * log(2);
}

double hone__features_cost(hone_features *f, const int64_t *config, float *row)
{
    hone__features_get(f, config, row);
    return f->has_cost ? hone__features_row_cost(f, row) : INFINITY;
}
