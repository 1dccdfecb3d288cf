/* SPDX-License-Identifier: Apache-2.0 */
/* Another template, read and compiled for a GPU by the real NVRTC; skipped
 * where there is none. tests/tools/tools_reference_template.sh has what can
 * be wrong with one. */
#include "tuner/compile/host_unit.h"
#include "tuner/compile/reference_template.h"
#include "runtime/launch/launch_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compiles_for_a_gpu(void **state)
{
    const int64_t dims[] = {77, 33};
    const int64_t odd[] = {5, 1000};
    const hone_farm_options farm = {.backend = HONE_BACKEND_CUDA};
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_reference_templates_request request;
    hone_reference_templates *others = NULL;
    const hone_reference_template *other;
    hone_space *space = NULL;
    hone_properties properties;
    hone_launch_spec *spec = NULL;
    int64_t index = 0, mapped[HONE_MAX_DIMS] = {0};
    hone_status status;

    (void)state;
    if (hone__properties_of_arch("sm_90", &properties, &err) ||
        hone__template_load(HONE_FIXTURES "/norms.cu", "", &tmpl, &diagnostics,
                            &err) ||
        hone__space_create(tmpl, dims, &properties, &space, &err) ||
        hone__default_plan(tmpl, space, &index, &spec, &err))
        fail_msg("%s", err.text);
    request = (hone_reference_templates_request){.tmpl = tmpl,
                                                 .spec = spec,
                                                 .dims = dims,
                                                 .properties = &properties,
                                                 .arch = "sm_90",
                                                 .farm = &farm};
    status = hone__reference_templates_open(&request, &others, &err);
    if (status == HONE_ERR_NO_NVRTC) {
        print_message("skipped: %s\n", err.text);
        exit(77);
    }
    if (status != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(others->n, 1); /* a check and a baseline: one compile */
    assert_null(hone__reference_template_find(others, "template.norms"));
    other = hone__reference_template_find(others, "template.norms_plain");
    assert_non_null(other);
    assert_string_equal(other->why, "");
    assert_int_equal(other->role, HONE_ROLE_CHECK);
    assert_true(other->code.length > 500);
    assert_memory_equal(other->code.data + 1, "ELF", 3);
    assert_string_equal(other->spec->op, "norms_plain");
    hone__reference_template_dims(
        other, odd, mapped); /* (columns, rows), (rows, columns) */
    assert_int_equal(mapped[0], 1000);
    assert_int_equal(mapped[1], 5);
    hone__reference_templates_close(others);
    hone__space_free(space);
    hone__template_free(tmpl);
    hone__launch_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiles_for_a_gpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
