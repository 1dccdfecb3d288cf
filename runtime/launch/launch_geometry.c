/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of the launches of a plan, in each of their repetitions: see
 * launch_resolve.c. */
#include "runtime/launch/launch_resolver.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static hone_status resolve_extents(hone_resolver *r, const spec_launch *launch,
                                   const char *what,
                                   const hone_expr *const exprs[3],
                                   const int64_t limits[3], unsigned out[3])
{
    for (size_t i = 0; i < 3; ++i) {
        int64_t value;

        HONE_TRY(hone__resolver_eval_or(r, exprs[i], 1, &value));
        if (value < 1 || value > limits[i])
            return hone__fail(r->err, HONE_ERR_INPUT,
                              "%s.%c of kernel '%s' is %" PRId64 " ('%s'); "
                              "CUDA allows 1 to %" PRId64,
                              what, "xyz"[i], launch -> kernel, value,
                              exprs[i] ? hone__expr_text(exprs[i]) : "1",
                              limits[i]);
        out[i] = (unsigned)value;
    }
    return HONE_OK;
}

/* Of a grid. CUDA takes 2^31 * 65535^2, which is a launch of centuries; each of
 * these has some ten nanoseconds, and more bytes than there are to work on. */
#define MOST_BLOCKS (INT64_C(1) << 34)

static hone_status resolve_geometry(hone_resolver *r, const spec_launch *launch,
                                    hone_launch_shape *to)
{
    static const int64_t grid_limits[3] = {INT32_MAX, 65535, 65535};
    static const int64_t block_limits[3] = {1024, 1024, 64};
    const int64_t most_threads =
        r->properties->value[HONE_PROPERTY_threads_block];
    const int64_t most_shared = r->properties->value[HONE_PROPERTY_smem_optin];
    int64_t threads;
    int64_t shared;

    HONE_TRY(resolve_extents(r, launch, "grid", launch->grid, grid_limits,
                             to->grid));
    if ((int64_t)to->grid[0] * to->grid[1] * to->grid[2] > MOST_BLOCKS)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "the grid of kernel '%s' has more than 2^34 blocks, "
                          "which does not end",
                          launch->kernel);
    HONE_TRY(resolve_extents(r, launch, "block", launch->block, block_limits,
                             to->block));
    threads = hone__volume(to->block);
    if (threads > most_threads)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "a block of kernel '%s' has %" PRId64
                          " threads; this device allows %" PRId64,
                          launch->kernel, threads, most_threads);
    HONE_TRY(hone__resolver_eval_or(r, launch->shared, 0, &shared));
    if (shared < 0 || shared > most_shared)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "kernel '%s' wants %" PRId64
                          " bytes of shared memory; this device allows "
                          "%" PRId64,
                          launch->kernel, shared, most_shared);
    to->shared_bytes = (unsigned)shared;
    return HONE_OK;
}

static hone_status resolve_cluster(hone_resolver *r, const spec_launch *launch,
                                   hone_launch_shape *to)
{
    static const int64_t limits[3] = {HONE_MAX_CLUSTER, HONE_MAX_CLUSTER,
                                      HONE_MAX_CLUSTER};
    const int64_t sm = r->properties->value[HONE_PROPERTY_sm];
    unsigned blocks;

    to->cooperative = launch->cooperative;
    to->early = launch->early && sm >= 90;
    HONE_TRY(resolve_extents(r, launch, "cluster", launch->cluster, limits,
                             to->cluster));
    blocks = hone__volume(to->cluster);
    if (blocks == 1)
        return HONE_OK;
    if (blocks > HONE_MAX_CLUSTER)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "a cluster of kernel '%s' has %u blocks; CUDA "
                          "allows %d",
                          launch->kernel, blocks, HONE_MAX_CLUSTER);
    if (sm < 90)
        return hone__fail(
            r->err, HONE_ERR_INPUT,
            "kernel '%s' is launched in clusters of %u blocks; "
            "they need sm_90 or newer, this device is sm_%" PRId64,
            launch->kernel, blocks, sm);
    for (size_t i = 0; i < 3; ++i) {
        if (to->grid[i] % to->cluster[i])
            return hone__fail(r->err, HONE_ERR_INPUT,
                              "grid.%c of kernel '%s' is %u, which clusters "
                              "of %u blocks do not divide; use align()",
                              "xyz"[i], launch -> kernel, to -> grid[i],
                              to -> cluster[i]);
    }
    return HONE_OK;
}

/* The bits that the kernel gets. An integer is rounded to nearest. */
static int64_t real_bits(const spec_pass *pass, int64_t value)
{
    const double wide =
        pass->is_real ? hone__real_of_bits(value) : (double)value;
    const float narrow = pass->is_real ? (float)wide : (float)value;
    int32_t bits;

    if (pass->kind == HONE_PASS_F64)
        return hone__real_bits(wide);
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

/* The array that is picked. */
static hone_status resolve_pick(hone_resolver *r, const spec_launch *launch,
                                const spec_pass *pass, hone_pass *to)
{
    int64_t which;

    HONE_TRY(hone__resolver_eval(r, pass->value, &which));
    if (which < 0 || which >= (int64_t)pass->n_choices)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "a parameter of kernel '%s' is picked from %zu "
                          "arrays, and '%s' is %" PRId64 "; the first one is 0",
                          launch->kernel, pass->n_choices,
                          hone__expr_text(pass->value), which);
    *to = (hone_pass){pass->choices[which].kind, pass->choices[which].index, 0};
    return HONE_OK;
}

static hone_status resolve_number(hone_resolver *r, const spec_launch *launch,
                                  const spec_pass *pass, hone_pass *to)
{
    int64_t value;

    HONE_TRY(hone__resolver_eval_or(r, pass->value, 0, &value));
    if (pass->kind == HONE_PASS_I32 && (value < INT32_MIN || value > INT32_MAX))
        return hone__fail(r->err, HONE_ERR_OVERFLOW,
                          "'%s' = %" PRId64
                          " does not fit the 32-bit parameter of kernel '%s'",
                          hone__expr_text(pass->value), value, launch->kernel);
    if (pass->kind == HONE_PASS_F32 && pass->is_real &&
        fabs(hone__real_of_bits(value)) > (double)FLT_MAX)
        return hone__fail(r->err, HONE_ERR_OVERFLOW,
                          "'%s' = %g does not fit the f32 parameter of "
                          "kernel '%s'",
                          hone__expr_text(pass->value),
                          hone__real_of_bits(value), launch->kernel);
    if (pass->kind == HONE_PASS_F32 || pass->kind == HONE_PASS_F64)
        value = real_bits(pass, value);
    *to = (hone_pass){pass->kind, pass->index, value};
    return HONE_OK;
}

/* For the repetition that its slot has; `out_wanted`: not left out. */
static hone_status resolve_launch(hone_resolver *r, const spec_launch *launch,
                                  hone_resolved_launch *to, int *out_wanted)
{
    int64_t wanted;

    HONE_TRY(hone__resolver_eval_or(r, launch->condition, 1, &wanted));
    *out_wanted = wanted != 0;
    if (!wanted)
        return HONE_OK;
    to->kernel = launch->kernel;
    HONE_TRY(resolve_geometry(r, launch, &to->shape));
    HONE_TRY(resolve_cluster(r, launch, &to->shape));
    for (size_t i = 0; i < launch->n_passed; ++i) {
        const spec_pass *pass = &launch->passed[i];

        HONE_TRY(pass->n_choices
                     ? resolve_pick(r, launch, pass, &to->passed[i])
                     : resolve_number(r, launch, pass, &to->passed[i]));
    }
    to->n_passed = launch->n_passed;
    return HONE_OK;
}

/* ---- repetitions ---------------------------------------------------------
 */

static hone_status each_repetition(hone_resolver *r,
                                   const hone_resolved_launch *of,
                                   hone_repetition_visit *visit, void *user)
{
    const spec_launch *launch = &r->spec->launches[of->in_spec];
    hone_resolved_launch one = *of;

    for (int64_t i = 0; i < of->n_repetitions; ++i) {
        int wanted;

        if (launch->repeat)
            r->slots[SLOT_REPEATS + launch->repeat - 1] = i;
        HONE_TRY(resolve_launch(r, launch, &one, &wanted));
        HONE_TRY(visit(user, i, wanted ? &one : NULL, r->err));
    }
    return HONE_OK;
}

hone_status hone__launch_repetitions(const hone_resolved *resolved,
                                     const hone_resolved_launch *launch,
                                     hone_repetition_visit *visit, void *user,
                                     hone_error *err)
{
    hone_resolver r = {.spec = resolved->spec,
                       .properties = &resolved->properties,
                       .err = err};

    hone__resolver_fill(&r, resolved->dims);
    return each_repetition(&r, launch, visit, user);
}

static int64_t blocks_of(const hone_launch_shape *shape)
{
    return (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

/* The first repetition that is not left out, with the largest of all grids.
 */
static hone_status sum_up(void *user, int64_t number,
                          const hone_resolved_launch *launch, hone_error *err)
{
    hone_resolved_launch *whole = user;

    (void)number;
    (void)err;
    if (launch && !whole->kernel)
        *whole = *launch;
    else if (launch && blocks_of(&launch->shape) > blocks_of(&whole->shape))
        whole->shape = launch->shape;
    return HONE_OK;
}

static hone_status count_of(hone_resolver *r, const spec_launch *launch,
                            int64_t *out)
{
    const spec_repeat *repeat;

    *out = 1;
    if (!launch->repeat)
        return HONE_OK;
    repeat = &r->spec->repeats[launch->repeat - 1];
    HONE_TRY(hone__resolver_eval(r, repeat->count, out));
    if (*out < 0)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "kernel '%s' is launched %" PRId64
                          " times ('%s'); 0 is the least",
                          launch->kernel, *out, hone__expr_text(repeat->count));
    if (*out > HONE_MAX_REPETITIONS)
        return hone__fail(r->err, HONE_ERR_CONSTRAINT,
                          "kernel '%s' would be launched %" PRId64
                          " times in a row ('%s'); at most %d are allowed: "
                          "take another variant",
                          launch->kernel, *out, hone__expr_text(repeat->count),
                          HONE_MAX_REPETITIONS);
    return HONE_OK;
}

hone_status hone__resolver_launches(hone_resolver *r, hone_resolved *out)
{
    for (size_t i = 0; i < r->spec->n_launches; ++i) {
        const spec_launch *launch = &r->spec->launches[i];
        hone_resolved_launch *to = &out->launches[out->n_launches];
        hone_resolved_launch of = {.in_spec = i};

        HONE_TRY(count_of(r, launch, &of.n_repetitions));
        of.repeat = of.n_repetitions > 1 ? launch->repeat : 0;
        HONE_TRY(each_repetition(r, &of, sum_up, to));
        out->n_launches += to->kernel != NULL;
    }
    return HONE_OK;
}
