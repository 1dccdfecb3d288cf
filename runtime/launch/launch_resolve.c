/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation of a launch plan for one problem on one device: every
 * expression becomes a number, every number is checked against CUDA's
 * limits. See launch_spec.h. */
#include "runtime/launch/launch_host.h"

#include <inttypes.h>
#include <string.h>

hone_status hone__resolver_eval(hone_resolver *r, const hone_expr *expr,
                                int64_t *out)
{
    hone_status status;
    size_t slot;

    /* What it lacks says itself why it has no value. */
    while ((status = hone__expr_eval_known(expr, r->slots, r->lacks, out, &slot,
                                           r->err)) == HONE_ERR_NOT_FOUND)
        expr = r->spec->lets[slot - SLOT_LETS];
    return status;
}

void hone__resolver_let(hone_resolver *r, size_t i)
{
    const size_t slot = SLOT_LETS + i;
    size_t lacking;

    r->lacks[slot] =
        hone__expr_eval_known(r->spec->lets[i], r->slots, r->lacks,
                              &r->slots[slot], &lacking, NULL) != HONE_OK;
}

void hone__resolver_fill(hone_resolver *r, const int64_t *dims)
{
    memcpy(r->slots, r->properties, sizeof *r->properties);
    memcpy(r->slots + SLOT_DIMS, dims, HONE_MAX_DIMS * sizeof *dims);
    for (size_t i = 0; i < r->spec->n_lets; ++i)
        hone__resolver_let(r, i);
}

static hone_status check_requires(hone_resolver *r)
{
    const hone_launch_spec *spec = r->spec;

    for (size_t i = 0; i < spec->n_requires; ++i) {
        int64_t holds = 0;

        HONE_TRY(hone__resolver_eval(r, spec->requires_[i], &holds));
        if (!holds)
            return hone__fail(r->err, HONE_ERR_CONSTRAINT,
                              "this variant of %s requires '%s', which does "
                              "not hold for these dims on this device",
                              spec->op, hone__expr_text(spec->requires_[i]));
    }
    return HONE_OK;
}

/* Elements and bytes of an array. */
static hone_status eval_array(hone_resolver *r, const char *name,
                              const hone_expr *type_expr,
                              const hone_expr *count_expr, hone_type *out_type,
                              int64_t *out_count, int64_t *out_bytes)
{
    int64_t type = 0;
    int64_t element_bytes = 0;

    HONE_TRY(hone__resolver_eval(r, type_expr, &type));
    if (type > 0 && type <= INT32_MAX)
        element_bytes = (int64_t)hone__type_size_bytes((hone_type)type);
    if (!element_bytes)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan of %s: the type of '%s' is %" PRId64
                          ", which is no element type",
                          r->spec->op, name, type);
    *out_type = (hone_type)type;
    HONE_TRY(hone__resolver_eval_or(r, count_expr, 1, out_count));
    if (*out_count < 0)
        return hone__fail(r->err, HONE_ERR_INPUT,
                          "launch plan of %s: '%s' has a negative number of "
                          "elements, '%s' = %" PRId64,
                          r->spec->op, name, hone__expr_text(count_expr),
                          *out_count);
    if (*out_count > INT64_MAX / element_bytes)
        return hone__fail(r->err, HONE_ERR_OVERFLOW,
                          "'%s' of %s does not fit into 2^63 bytes", name,
                          r->spec->op);
    *out_bytes = *out_count * element_bytes;
    return HONE_OK;
}

static hone_status resolve_shape(hone_resolver *r, const spec_arg *arg,
                                 hone_resolved_arg *to)
{
    int64_t product = 1;
    int64_t is_given;

    HONE_TRY(hone__resolver_eval_or(r, arg->given, 1, &is_given));
    to->rank = arg->count != NULL;
    if (!is_given) {
        to->is_absent = 1;
        to->count = to->size_bytes = to->extents[0] = 0;
        return HONE_OK;
    }
    to->extents[0] = to->count;
    for (size_t i = 0; i < HONE_MAX_RANK && arg->extents[i]; ++i) {
        HONE_TRY(hone__resolver_eval(r, arg->extents[i], &to->extents[i]));
        to->rank = i + 1;
        if (__builtin_mul_overflow(product, to->extents[i], &product))
            product = -1;
    }
    if (to->rank < 2 || product == to->count)
        return HONE_OK;
    return hone__fail(r->err, HONE_ERR_INPUT,
                      "launch plan of %s: the extents of '%s' are not those "
                      "of %" PRId64 " elements",
                      r->spec->op, arg->name, to->count);
}

hone_status hone__resolver_arg(hone_resolver *r, const spec_arg *arg,
                               hone_resolved_arg *to)
{
    to->name = arg->name;
    to->mode = arg->mode;
    HONE_TRY(eval_array(r, arg->name, arg->type, arg->count, &to->type,
                        &to->count, &to->size_bytes));
    return resolve_shape(r, arg, to);
}

static hone_status resolve_args(hone_resolver *r, hone_resolved *out)
{
    const hone_launch_spec *spec = r->spec;

    for (size_t i = 0; i < spec->n_args; ++i)
        HONE_TRY(hone__resolver_arg(r, &spec->args[i], &out->args[i]));
    out->n_args = spec->n_args;
    return HONE_OK;
}

static hone_status resolve_workspaces(hone_resolver *r, hone_resolved *out)
{
    const hone_launch_spec *spec = r->spec;
    int64_t count;

    for (size_t i = 0; i < spec->n_workspaces; ++i) {
        const spec_workspace *workspace = &spec->workspaces[i];
        hone_resolved_workspace *to = &out->workspaces[i];

        to->name = workspace->name;
        to->zero = workspace->zero;
        HONE_TRY(eval_array(r, workspace->name, workspace->type,
                            workspace->count, &to->type, &count,
                            &to->size_bytes));
    }
    out->n_workspaces = spec->n_workspaces;
    return HONE_OK;
}

/* Filled from arguments, which are resolved already. */
static hone_status resolve_constants(hone_resolver *r, hone_resolved *out)
{
    const hone_launch_spec *spec = r->spec;
    int64_t total_bytes = 0;

    for (size_t i = 0; i < spec->n_constants; ++i) {
        const spec_constant *constant = &spec->constants[i];
        const hone_resolved_arg *from = &out->args[constant->arg];
        hone_resolved_constant *to = &out->constants[out->n_constants];
        int64_t wanted;
        int64_t count;
        hone_type type;

        HONE_TRY(hone__resolver_eval_or(r, constant->condition, 1, &wanted));
        if (!wanted)
            continue;
        *to = (hone_resolved_constant){constant->name, constant->arg, 0};
        HONE_TRY(eval_array(r, constant->name, constant->type, constant->count,
                            &type, &count, &to->size_bytes));
        if (type != from->type || count > from->count)
            return hone__fail(
                r->err, HONE_ERR_INPUT,
                "the constant '%s' of %s takes %" PRId64
                " elements of %s from '%s', which has %" PRId64 " of %s",
                to->name, spec->op, count, hone__type_name(type), from->name,
                from->count, hone__type_name(from->type));
        if (to->size_bytes > HONE_CONSTANT_BYTES - total_bytes)
            return hone__fail(r->err, HONE_ERR_CONSTRAINT,
                              "this variant of %s keeps '%s' in constant "
                              "memory: its %" PRId64 " bytes do not fit, "
                              "a kernel has %d and %" PRId64
                              " are taken; use another variant",
                              spec->op, from->name, to->size_bytes,
                              HONE_CONSTANT_BYTES, total_bytes);
        total_bytes += to->size_bytes;
        out->n_constants += to->size_bytes != 0;
    }
    return HONE_OK;
}

/* For hone__launch_map_eval(). The smallest number would be taken for one that
 * is not known; its neighbour breaks the same rules. */
static hone_status eval_of_map(void *user, const hone_expr *expr, int64_t *out)
{
    HONE_TRY(hone__resolver_eval(user, expr, out));
    *out += *out == HONE_MAP_UNKNOWN;
    return HONE_OK;
}

static hone_status resolve_map(hone_resolver *r, const spec_map *map,
                               const hone_resolved *arrays,
                               hone_resolved_map *to)
{
    const int64_t sm = r->properties->value[HONE_PROPERTY_sm];
    const int of_arg = map->array_kind == HONE_PASS_ARG;
    const hone_resolved_arg *arg = &arrays->args[map->array];
    const hone_resolved_workspace *workspace = &arrays->workspaces[map->array];
    int64_t wanted;

    to->array_kind = map->array_kind;
    to->array = map->array;
    to->shape.array = of_arg ? arg->name : workspace->name;
    to->shape.type = of_arg ? arg->type : workspace->type;
    to->shape.array_bytes = of_arg ? arg->size_bytes : workspace->size_bytes;
    HONE_TRY(hone__launch_map_eval(map, eval_of_map, r, &wanted, &to->shape));
    to->wanted = wanted != 0;
    if (!wanted)
        return HONE_OK;
    HONE_TRY(hone__tensor_map_check_device(map->name, sm, r->err));
    return hone__tensor_map_check(&to->shape, r->err);
}

static hone_status resolve_dims(const hone_launch_case *plan,
                                hone_resolved *out, hone_error *err)
{
    const hone_launch_spec *spec = plan->spec;

    HONE_TRY(hone__launch_spec_complete_dims(spec, plan->dims, plan->n_dims,
                                             out->dims, err));
    out->n_dims = spec->n_dims;
    for (size_t i = 0; i < spec->n_dims; ++i)
        out->dim_names[i] = spec->dims[i].name;
    out->spec = spec;
    out->properties = *plan->properties;
    return hone__launch_case_check_sizes(
        &(hone_launch_case){spec, out->dims, out->n_dims, plan->properties},
        &out->is_nothing, err);
}

/* The arguments of an operation that has nothing to do, all empty: what divides
 * by a size cannot be evaluated. Types read none. */
static hone_status resolve_nothing(hone_resolver *r, hone_resolved *out)
{
    out->n_args = r->spec->n_args;
    for (size_t i = 0; i < out->n_args; ++i) {
        const spec_arg *arg = &r->spec->args[i];
        hone_resolved_arg *to = &out->args[i];
        int64_t bytes;

        to->name = arg->name;
        to->mode = arg->mode;
        to->rank = arg->count != NULL;
        HONE_TRY(eval_array(r, arg->name, arg->type, NULL, &to->type,
                            &to->count, &bytes));
        to->count = 0;
    }
    return HONE_OK;
}

hone_status hone__launch_spec_resolve(const hone_launch_case *plan,
                                      hone_resolved *out, hone_error *err)
{
    const hone_launch_spec *spec = plan->spec;
    hone_resolver r = {
        .spec = spec, .properties = plan->properties, .err = err};

    memset(out, 0, sizeof *out);
    HONE_TRY(resolve_dims(plan, out, err));
    if (out->is_nothing) {
        memcpy(r.slots + SLOT_DIMS, out->dims, sizeof out->dims);
        return resolve_nothing(&r, out);
    }
    hone__resolver_fill(&r, out->dims);
    HONE_TRY(check_requires(&r));
    HONE_TRY(resolve_args(&r, out));
    HONE_TRY(resolve_workspaces(&r, out));
    HONE_TRY(hone__launch_host_resolve(&r, out));
    HONE_TRY(resolve_constants(&r, out));
    for (size_t i = 0; i < spec->n_maps; ++i)
        HONE_TRY(resolve_map(&r, &spec->maps[i], out, &out->maps[i]));
    out->n_maps = spec->n_maps;
    HONE_TRY(hone__launch_host_launches(&r, out));
    if (spec->vendor.line)
        out->vendor = &spec->vendor.algorithm;
    HONE_TRY(hone__resolver_eval_or(&r, spec->flops, 0, &out->flops));
    return hone__resolver_eval_or(&r, spec->bytes, 0, &out->bytes);
}
