/* SPDX-License-Identifier: Apache-2.0 */
/* Launch plans: read, described, resolved for a few problems. What comes out
 * keeps CUDA's limits. */
#include "runtime/launch/launch_body.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static hone_status visit(void *user, int64_t number,
                         const hone_resolved_launch *launch, hone_error *err)
{
    int *n = user;

    (void)number, (void)launch, (void)err;
    return ++*n < 1000 ? HONE_OK : HONE_ERR_INTERRUPTED;
}

static void resolve(const hone_launch_spec *spec, const int64_t *dims,
                    size_t n_dims)
{
    static hone_resolved out; /* large */
    static hone_resolved_arg args[HONE_MAX_ARGS];
    hone_properties properties;
    int64_t whole[HONE_MAX_DIMS];
    hone_error err = {0};
    int64_t flops, bytes;
    int nothing, n = 0;
    hone_launch_case plan = {spec, whole, HONE_MAX_DIMS, &properties};

    for (int i = 0; i < HONE_N_PROPERTIES; ++i)
        properties.value[i] = 1 << 16;
    properties.value[HONE_PROPERTY_sm] = 90;
    properties.value[HONE_PROPERTY_sm_count] = 132;
    (void)hone__launch_spec_check_config(spec, "A=1,B=2", &err);
    (void)hone__launch_spec_describe(spec, NULL, args, &err);
    if (hone__launch_spec_complete_dims(spec, dims, n_dims, whole, &err) !=
        HONE_OK)
        return;
    plan.n_dims = spec->n_dims;
    (void)hone__launch_spec_describe(spec, whole, args, &err);
    (void)hone__launch_case_check_sizes(&plan, &nothing, &err);
    (void)hone__launch_work(&plan, &flops, &bytes);
    if (hone__launch_spec_resolve(&plan, &out, &err) != HONE_OK) {
        FUZZ_HOLDS(err.text[0]);
        return;
    }
    for (size_t i = 0; i < out.n_launches; ++i)
        (void)hone__launch_repetitions(&out, &out.launches[i], visit, &n, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    static const int64_t dims[][4] = {{64, 64, 64, HONE_TYPE_F32},
                                      {0, 1, 1000003, HONE_TYPE_F16},
                                      {INT64_MAX, INT64_MAX, 1, HONE_TYPE_F64}};
    hone_launch_spec *spec = NULL;
    hone_error err = {0};
    char *text = malloc(size_bytes + 1);

    if (!text)
        return 0;
    memcpy(text, data, size_bytes);
    text[size_bytes] = '\0';
    if (hone__launch_spec_parse(text, &spec, &err) == HONE_OK)
        for (size_t i = 0; i < sizeof dims / sizeof dims[0]; ++i)
            for (size_t n = 1; n <= 4; ++n)
                resolve(spec, dims[i], n);
    else
        FUZZ_HOLDS(err.text[0]);
    hone__launch_spec_free(spec);
    free(text);
    return 0;
}
