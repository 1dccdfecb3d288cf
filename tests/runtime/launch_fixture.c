/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/runtime/launch_fixture.h"

#include "runtime/base/alloc.h"

#include <string.h>

hone_launch_spec *launch_parse(const char *text)
{
    hone_launch_spec *spec = NULL;
    hone_error error = {0};

    if (hone__launch_spec_parse(text, &spec, &error))
        fail_msg("%s", error.text);
    return spec;
}

void launch_mistake(const char *text, const char *part)
{
    hone_launch_spec *spec = NULL;
    hone_error error = {0};

    assert_int_equal(hone__launch_spec_parse(text, &spec, &error),
                     HONE_ERR_INPUT);
    assert_null(spec);
    assert_contains(error.text, part);
}

void launch_parse_short_of_memory(const char *text)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    for (; status != HONE_OK && n < 1000; ++n) {
        hone_launch_spec *spec = NULL;
        hone_error error = {0};

        hone__alloc_fail_after(n);
        status = hone__launch_spec_parse(text, &spec, &error);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK) {
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
            assert_null(spec);
        }
        hone__launch_spec_free(spec);
    }
    assert_in_range(n, 10, 999);
}

hone_status launch_resolve(const hone_launch_spec *spec, const int64_t *dims,
                           size_t n_dims, const char *arch, hone_resolved *out,
                           hone_error *error)
{
    hone_properties properties;

    assert_int_equal(hone__properties_of_arch(arch, &properties, NULL),
                     HONE_OK);
    return hone__launch_spec_resolve(
        &(hone_launch_case){spec, dims, n_dims, &properties}, out, error);
}

void launch_resolved(const hone_launch_spec *spec, const int64_t *dims,
                     size_t n_dims, hone_resolved *out)
{
    hone_error error = {0};

    if (launch_resolve(spec, dims, n_dims, "sm_90", out, &error))
        fail_msg("%s", error.text);
}
