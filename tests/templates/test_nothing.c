/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of 0: where an operation has nothing to write then, the runtime sees
 * it, whatever pitches and strides the caller gives. */
#include "runtime/launch/launch_body.h"
#include "tests/gen/gen_test.h"

enum { MAX_CONFIG = 64 };

#define F32 HONE_TYPE_F32
#define U8 HONE_TYPE_U8

typedef struct problem {
    const char *template; /* of the operation, beside this folder */
    int64_t dims[HONE_MAX_DIMS];
} problem;

/* Dims left out are HONE_DIM_DEFAULT; so none may be 0 behind the last. */
#define D HONE_DIM_DEFAULT
static const problem problems[] = {
    {"elementwise/bias_relu", {0, 67, F32, 71, 75}},
    {"elementwise/bias_relu", {5, 0, F32, 8, 8}},
    {"elementwise/bias_gelu", {0, 67, F32, 0, 71, 75}},
    {"elementwise/bias_gelu", {5, 0, F32, 1, 8, 8}},
    {"elementwise/matrix_add", {0, 67, F32, 1, 71, 67, 73, D, D, D}},
    {"elementwise/matrix_add", {5, 0, F32, 1, 8, 8, 8, D, D, D}},
    {"elementwise/matrix_add", {0, 67, F32, 3, 67, 67, 67, 1000, 1000, 1000}},
    {"elementwise/matrix_add", {5, 67, F32, 0, 67, 67, 67, 400, 400, 400}},
    {"elementwise/rgb_to_gray", {0, 8, 32, 16}},
    {"elementwise/rgb_to_gray", {7, 0, 32, 16}},
    {"transpose/transpose", {0, 5, F32, 1, 8, 8, D, D}},
    {"transpose/transpose", {5, 0, F32, 1, 8, 8, D, D}},
    {"transpose/transpose", {5, 5, F32, 0, 8, 8, 64, 64}},
    {"transpose/transpose_square", {0, F32, 2, 8, 64}},
    {"transpose/transpose_square", {5, F32, 0, 8, 64}},
    {"image/median", {0, 7, 3, U8, 1, 16, 16, 1}},
    {"image/median", {7, 0, 3, U8, 1, 16, 16, 1}},
    {"image/median", {7, 7, 3, U8, 1, 16, 16, 0}},
    {"image/convolve2d", {0, 7, 3, F32, 1, 8, 8, D}},
    {"image/convolve2d_separable", {7, 0, 3, F32, 1, 8, 8, 2}},
    {"image/gaussian", {7, 7, 3, F32, 1, 8, 8, 0}},
    {"gemm/gemm", {0, 4, 3, F32, F32, 0, 0, D, D, 8, D, D, D, D}},
    {"gemm/gemm", {3, 0, 3, F32, F32, 0, 0, D, D, 8, D, D, D, D}},
    {"gemm/gemm", {3, 4, 3, F32, F32, 0, 0, D, D, 8, 0, D, D, 24}},
    {"gemm/gemm_i8", {3, 0, 3, 0, 0, D, D, 8, D, D, D, D}},
    {"gemm/gemm_complex", {3, 0, 3, 0, 0, D, D, 8, D, D, D, D}},
    {"fft/fft", {16, 0, 1, 2, 3}},
    {"normalise/softmax", {0, 37, F32, 40, 42}},
    {"reduction/row_sums", {0, 37, F32, 40}},
};

/* The launch plan of the plain implementation. */
static hone_launch_spec *plan_of(const char *name, hone_text *text)
{
    char path[256];
    int64_t config[MAX_CONFIG] = {0};
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_launch_spec *spec;
    hone_error err = {0};

    (void)snprintf(path, sizeof path, "../../templates/%s_plain.cu", name);
    if (hone__template_load(path, "", &tmpl, &diagnostics, &err))
        fail_msg("%s: %s", path, err.text);
    assert_true(tmpl->n_params <= MAX_CONFIG);
    for (size_t i = 0; i < tmpl->n_params; ++i)
        config[i] = tmpl->params[i].values[tmpl->params[i].default_index];
    spec = read_plan(tmpl, config, text);
    hone__template_free(tmpl);
    return spec;
}

static void is_nothing(const problem *p)
{
    const hone_properties properties = {0};
    int64_t dims[HONE_MAX_DIMS];
    hone_text text = {0};
    hone_launch_spec *spec = plan_of(p->template, &text);
    hone_launch_case plan = {spec, dims, spec->n_dims, &properties};
    hone_error err = {0};
    int nothing = 0;

    if (hone__launch_spec_complete_dims(spec, p->dims, spec->n_dims, dims,
                                        &err) ||
        hone__launch_case_check_sizes(&plan, &nothing, &err))
        fail_msg("%s: %s", p->template, err.text);
    if (!nothing)
        fail_msg("%s: something is written", p->template);
    hone__launch_spec_free(spec);
    hone__text_free(&text);
}

static void nothing_to_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i)
        is_nothing(&problems[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_to_write)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
