/* SPDX-License-Identifier: Apache-2.0 */
/* Stored launch plans: see stored_launch.h. */
#include "tools/analysis/stored_launch.h"

#include "runtime/base/alloc.h"

#include <jansson.h>
#include <stdlib.h>

/* ---- launches ------------------------------------------------------------ */

static void take_launch(hone_stored_launch *out, const hone_launch_shape *shape)
{
    const int64_t threads =
        (int64_t)shape->block[0] * shape->block[1] * shape->block[2];
    const int64_t blocks =
        (int64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];

    if ((int64_t)shape->shared_bytes < out->dynamic_bytes ||
        ((int64_t)shape->shared_bytes == out->dynamic_bytes &&
         threads * blocks <= out->threads * out->blocks))
        return;
    out->threads = threads;
    out->blocks = blocks;
    out->dynamic_bytes = (int64_t)shape->shared_bytes;
}

hone_stored_launch hone__stored_launch(const char *plan, const int64_t *dims,
                                       size_t n_dims,
                                       const hone_properties *device)
{
    hone_stored_launch out = {0, 0, 0, 0, 0, 0};
    hone_launch_spec *spec = NULL;
    hone_resolved *resolved = NULL;
    hone_launch_case wanted = {
        .dims = dims, .n_dims = n_dims, .properties = device};

    if (hone__launch_spec_parse(plan, &spec, NULL) != HONE_OK)
        return out;
    wanted.spec = spec;
    resolved = hone__alloc(sizeof *resolved);
    if (resolved &&
        hone__launch_spec_resolve(&wanted, resolved, NULL) == HONE_OK) {
        out.flops = resolved->flops;
        out.bytes = resolved->bytes;
        for (size_t i = 0; i < resolved->n_args; ++i)
            if (resolved->args[i].rank > 0 && !resolved->args[i].is_absent)
                out.types |= 1u << resolved->args[i].type;
        for (size_t i = 0; i < resolved->n_launches; ++i)
            take_launch(&out, &resolved->launches[i].shape);
    }
    hone__free(resolved);
    hone__launch_spec_free(spec);
    return out;
}

/* ---- devices and shapes ---------------------------------------------------
 */

void hone__stored_properties(const char *facts, const char *arch,
                             hone_properties *out)
{
    json_t *object = json_loads(facts, 0, NULL);

    if (hone__properties_of_arch(arch, out, NULL) != HONE_OK)
        hone__properties_of_host(out);
    for (size_t i = 0; i < HONE_N_PROPERTIES; ++i) {
        const json_t *value = json_object_get(object, hone__property_names[i]);

        if (json_is_integer(value))
            out->value[i] = json_integer_value(value);
    }
    json_decref(object);
}

size_t hone__stored_dims_read(const char *text, int64_t out[HONE_MAX_DIMS])
{
    size_t n = 0;

    for (const char *at = text; *at && n < HONE_MAX_DIMS;) {
        char *end;

        out[n++] = strtoll(at, &end, 10);
        if (end == at)
            return n - 1;
        at = end + (*end == ',');
    }
    return n;
}
