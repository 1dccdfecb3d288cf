/* SPDX-License-Identifier: Apache-2.0 */
/* The compile farm with the real NVRTC; skipped where there is none. */
#include "runtime/base/alloc.h"
#include "tuner/compile/helper_kernels.h"
#include "tuner/tuner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
    "#include <cuda_fp16.h>\n"
    "#pragma hone op f(n) \"x\"\n"
    "#pragma hone arg x: inout f32[n]\n"
    "#pragma hone param A in 1..4\n"
    "#pragma hone param BROKEN: bool\n"
    "#pragma hone launch f grid(1) block(A)\n"
    "extern \"C\" __global__ void f(float *x, long long n)\n"
    "{\n"
    "#if HONE_BROKEN\n"
    "    x[0] = no_such_name;\n"
    "#else\n"
    "    x[threadIdx.x] += __half2float(__float2half(A));\n"
    "#endif\n"
    "}\n";

typedef struct seen {
    int n_ok;
    int n_failed;
    int log_points_at_template;
} seen;

static void on_variant(void *user, const hone_compile_report *report)
{
    seen *s = user;

    if (report->outcome == HONE_OUTCOME_OK) {
        ++s->n_ok;
        assert_true(report->output->cubin.length > 500);
        assert_true(report->output->registers > 0);
        assert_non_null(strstr(report->config, "BROKEN=false"));
    } else {
        ++s->n_failed;
        assert_non_null(strstr(report->config, "BROKEN=true"));
        /* #line: the message names the template and its line 10. */
        s->log_points_at_template +=
            strstr(hone__text_str(&report->output->log), "(10)") != NULL &&
            strstr(hone__text_str(&report->output->log), "no_such_name") !=
                NULL;
    }
}

static void test_farm_compiles_and_caches(void **state)
{
    char folder[] = "/tmp/hone-farm-XXXXXX";
    char command[64];
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_compile_result result;
    seen s = {0, 0, 0};
    hone_compile_request request = {
        .arch = "sm_90", .on_variant = on_variant, .user = &s};
    hone_status status;

    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(hone__template_read("t.cu", "", source, strlen(source),
                                         &tmpl, &diagnostics, &err),
                     HONE_OK);
    request.tmpl = tmpl;
    request.farm.n_workers = 2;
    request.farm.cache_folder = folder;
    status = hone__compile_space(&request, &result, &err);
    if (status == HONE_ERR_NO_NVRTC) {
        print_message("skipped: %s\n", err.text);
        hone__template_free(tmpl);
        exit(77);
    }
    assert_int_equal(status, HONE_OK);
    assert_int_equal(result.n_variants, 8);
    assert_int_equal(result.n_failed, 4);
    assert_int_equal(result.n_compiles, 8);
    assert_int_equal(s.n_ok, 4);
    assert_int_equal(s.log_points_at_template, 4);
    /* Again: all from the cache, the failures too. */
    assert_int_equal(hone__compile_space(&request, &result, &err), HONE_OK);
    assert_int_equal(result.n_compiles, 0);
    assert_int_equal(result.n_failed, 4);
    request.limit = 3;
    assert_int_equal(hone__compile_space(&request, &result, &err), HONE_OK);
    assert_int_equal(result.n_variants, 3);
    request.arch = "sm_12";
    assert_int_equal(hone__compile_space(&request, &result, &err),
                     HONE_ERR_UNSUPPORTED);
    hone__template_free(tmpl);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* The tuner's own kernels, for the oldest and the newest GPU: whoever changes
 * them on a machine without one sees here that they compile. */
static void test_helper_kernels(void **state)
{
    static const char *const archs[] = {"sm_75", "sm_90", "sm_120"};

    (void)state;
    for (int i = 0; i < 3; ++i) {
        const hone_farm_options options = {.n_workers = 1};
        hone_text cubin = {0};
        hone_error err = {.status = HONE_OK};
        const hone_status status =
            hone__helper_kernels_compile(&options, archs[i], &cubin, &err);

        if (status == HONE_ERR_NO_NVRTC)
            skip();
        if (status != HONE_OK)
            fail_msg("%s", err.text);
        hone__text_free(&cubin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_farm_compiles_and_caches),
        cmocka_unit_test(test_helper_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
