/* SPDX-License-Identifier: Apache-2.0 */
/* How candidates are launched is known from their templates, of a library's
 * function like of a kernel, before anything of them is stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tuner/shipped_template.h"
#include "tuner/portfolio/matrix.h"

/* The plan of a candidate is what programs ask: is it valid, what does it do?
 */
static void check(const hone_template *tmpl, const char *config,
                  const char *vendor)
{
    const hone_template *impls[] = {tmpl};
    hone_matrix_candidate candidate = {.config = config,
                                       .is_vendor = vendor != NULL};
    const hone_matrix matrix = {.impls = impls,
                                .n_impls = 1,
                                .candidates = &candidate,
                                .n_candidates = 1};
    const int64_t dims[] = {128, 64, 512, HONE_TYPE_F16, HONE_TYPE_F16};
    static hone_resolved resolved;
    int64_t whole[HONE_MAX_DIMS];
    hone_launch_spec *spec = NULL;
    hone_properties properties;
    hone_error err = {0};

    if (hone__matrix_launch_spec(&matrix, 0, &spec, &err) != HONE_OK)
        fail_msg("%s", err.text);
    assert_int_equal(hone__properties_of_arch("sm_90", &properties, &err),
                     HONE_OK);
    if (hone__launch_spec_complete_dims(spec, dims, 5, whole, &err) ||
        hone__launch_spec_resolve(
            &(hone_launch_case){spec, whole, tmpl->n_dims, &properties},
            &resolved, &err))
        fail_msg("%s", err.text);
    assert_int_equal(resolved.flops, 2LL * 128 * 64 * 512);
    assert_int_equal(resolved.vendor != NULL, vendor != NULL);
    if (vendor)
        assert_string_equal(resolved.vendor->function, vendor);
    else
        assert_true(resolved.n_launches > 0);
    hone__launch_spec_free(spec);
}

static void test_kernel(void **state)
{
    hone_template *tmpl = shipped_template("gemm/gemm_simt.cu");

    (void)state;
    check(tmpl, "", NULL);
    hone__template_free(tmpl);
}

static void test_library(void **state)
{
    hone_template *of = shipped_template("gemm/gemm_simt.cu"), *tmpl = NULL;
    hone_error err = {0};

    (void)state;
    if (hone__template_of_vendor(of, "cublaslt.gemm", &tmpl, &err))
        fail_msg("%s", err.text);
    check(tmpl, "ALGORITHM=0", "cublaslt.gemm");
    hone__template_free(tmpl);
    hone__template_free(of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel),
        cmocka_unit_test(test_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
