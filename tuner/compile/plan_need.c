/* SPDX-License-Identifier: Apache-2.0 */
/* What the launches of a plan need: see plan_need.h. */
#include "tuner/compile/plan_need.h"

#include "runtime/launch/launch_body.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWN = HONE_NEED_UNKNOWN };

hone_gate hone__gate_say(const hone_gate_sentence *to, hone_gate gate,
                         const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (to->size)
        (void)vsnprintf(to->text, to->size, format, args);
    va_end(args);
    return gate;
}

/* ---- all sizes known ------------------------------------------------- */

static int64_t add_saturated(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void read_resolved(const hone_resolved *resolved, hone_plan_need *out)
{
    for (size_t i = 0; i < resolved->n_launches; ++i) {
        const hone_resolved_launch *launch = &resolved->launches[i];
        const hone_launch_shape *shape = &launch->shape;

        out->launches[i] = (hone_launch_need){
            launch->kernel, hone__volume(shape->block), shape->shared_bytes, 1,
            shape->cooperative
                ? (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2]
                : 0};
    }
    out->n_launches = resolved->n_launches;
    for (size_t i = 0; i < resolved->n_args; ++i) {
        const hone_resolved_arg *arg = &resolved->args[i];

        if (arg->mode != HONE_ARG_SCALAR)
            out->memory_bytes =
                add_saturated(out->memory_bytes,
                              arg->is_host ? arg->copy_bytes : arg->size_bytes);
    }
    for (size_t i = 0; i < resolved->n_workspaces; ++i)
        out->memory_bytes = add_saturated(out->memory_bytes,
                                          resolved->workspaces[i].size_bytes);
}

static hone_gate read_whole(const hone_launch_case *plan, hone_plan_need *out,
                            const hone_gate_sentence *to)
{
    hone_resolved resolved;
    hone_error err = {.status = HONE_OK};
    hone_gate gate = HONE_GATE_PASS;

    switch (hone__launch_spec_resolve(plan, &resolved, &err)) {
    case HONE_OK:
        read_resolved(&resolved, out);
        break;
    case HONE_ERR_CONSTRAINT:
    case HONE_ERR_OVERFLOW:
    case HONE_ERR_INPUT:
        gate = hone__gate_say(to, HONE_GATE_LIMITS, "%s", err.text);
        break;
    default: /* wrong dims: the caller's error, not the variant's */
        break;
    }
    return gate;
}

/* ---- some sizes unknown ---------------------------------------------- */

typedef struct partial {
    int64_t slots[MAX_SLOTS];
    char unknown[MAX_SLOTS];
} partial;

/* UNKNOWN too for what cannot be evaluated or is negative. */
static int64_t value_of(const partial *p, const hone_expr *expr,
                        int64_t default_value)
{
    int64_t value = default_value;

    if (!expr)
        return default_value;
    for (size_t i = 0; i < hone__expr_slot_count(expr); ++i) {
        if (p->unknown[i] && hone__expr_reads(expr, i))
            return UNKNOWN;
    }
    if (hone__expr_eval(expr, p->slots, &value, NULL) != HONE_OK || value < 0)
        return UNKNOWN;
    return value;
}

/* Cut short before the product overflows: far too many is too many. */
static int64_t volume_of(const partial *p, const hone_expr *const extents[3])
{
    int64_t volume = 1;

    for (size_t i = 0; i < 3; ++i) {
        const int64_t extent = value_of(p, extents[i], 1);

        if (extent == UNKNOWN || extent > INT32_MAX)
            return extent;
        volume = volume > INT32_MAX ? volume : volume * extent;
    }
    return volume;
}

/* For hone__launch_map_eval(). */
static hone_status eval_part(void *user, const hone_expr *expr, int64_t *out)
{
    const int64_t value = value_of(user, expr, 0);

    *out = value == UNKNOWN ? HONE_MAP_UNKNOWN : value;
    return HONE_OK;
}

/* Rules of tensor maps for the numbers that are known. */
static hone_gate check_map_part(const hone_launch_spec *spec,
                                const spec_map *map, partial *p,
                                const hone_properties *properties,
                                const hone_gate_sentence *to)
{
    const int of_arg = map->array_kind == HONE_PASS_ARG;
    hone_tensor_map shape = {.array = of_arg
                                          ? spec->args[map->array].name
                                          : spec->workspaces[map->array].name,
                             .array_bytes = HONE_MAP_UNKNOWN};
    hone_error err = {.status = HONE_OK};
    int64_t wanted = 1;

    (void)eval_part(p,
                    of_arg ? spec->args[map->array].type
                           : spec->workspaces[map->array].type,
                    &shape.type);
    (void)hone__launch_map_eval(map, eval_part, p, &wanted, &shape);
    if (!wanted || wanted == HONE_MAP_UNKNOWN)
        return HONE_GATE_PASS;
    if (hone__tensor_map_check_device(
            map->name, properties->value[HONE_PROPERTY_sm], &err) == HONE_OK &&
        hone__tensor_map_check(&shape, &err) == HONE_OK)
        return HONE_GATE_PASS;
    return hone__gate_say(to, HONE_GATE_LIMITS, "%s", err.text);
}

static hone_gate read_part(const hone_launch_case *plan, hone_plan_need *out,
                           const hone_gate_sentence *to)
{
    const hone_launch_spec *spec = plan->spec;
    const hone_properties *properties = plan->properties;
    const int64_t *dims = plan->dims;
    partial part = {.slots = {0}};
    partial *p = &part;
    hone_gate gate = HONE_GATE_PASS;

    memcpy(p->slots, properties->value, sizeof properties->value);
    for (size_t i = 0; i < spec->n_dims; ++i) {
        p->slots[SLOT_DIMS + i] = dims ? dims[i] : 0;
        p->unknown[SLOT_DIMS + i] =
            !dims || (dims[i] == 0 && !spec->dims[i].is_choice);
    }
    for (size_t i = 0; i < spec->n_repeats; ++i)
        p->unknown[SLOT_REPEATS + i] = 1;
    for (size_t i = 0; i < spec->n_lets; ++i) {
        int64_t *slot = &p->slots[SLOT_LETS + i];

        *slot = value_of(p, spec->lets[i], 0);
        p->unknown[SLOT_LETS + i] = *slot == UNKNOWN;
    }
    for (size_t i = 0; i < spec->n_launches; ++i) {
        const spec_launch *launch = &spec->launches[i];

        if (value_of(p, launch->condition, 1) <= 0)
            continue;
        out->launches[out->n_launches++] = (hone_launch_need){
            launch->kernel, volume_of(p, launch->block),
            value_of(p, launch->shared, 0), volume_of(p, launch->cluster),
            launch->cooperative ? volume_of(p, launch->grid) : 0};
    }
    for (size_t i = 0; gate == HONE_GATE_PASS && i < spec->n_maps; ++i)
        gate = check_map_part(spec, &spec->maps[i], p, properties, to);
    return gate;
}

/* ---- the plan -------------------------------------------------------- */

static int all_known(const hone_launch_case *plan)
{
    for (size_t i = 0; plan->dims && i < plan->n_dims; ++i) {
        if (plan->dims[i] == 0)
            return 0;
    }
    return plan->dims != NULL;
}

hone_gate hone__plan_need_read(const hone_launch_case *plan,
                               hone_plan_need *out,
                               const hone_gate_sentence *to)
{
    *out = (hone_plan_need){.n_launches = 0};
    if (all_known(plan))
        return read_whole(plan, out, to);
    if (!plan->dims || plan->n_dims == plan->spec->n_dims)
        return read_part(plan, out, to);
    return HONE_GATE_PASS;
}
