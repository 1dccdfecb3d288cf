/* SPDX-License-Identifier: Apache-2.0 */
/* The least and the largest sizes. Of 0: where an operation has nothing to
 * write then, the runtime sees it, whatever pitches and strides the caller
 * gives. */
#include "runtime/launch/launch_body.h"
#include "tests/gen/gen_test.h"

enum { MAX_CONFIG = 64 };

#define F32 HONE_TYPE_F32
#define U8 HONE_TYPE_U8
#define E4M3 HONE_TYPE_E4M3

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
    {"gemm/gemm_f8", {3, 0, 3, E4M3, E4M3, F32, 0, 1, D, D, 8, D, 1, 0, 1}},
    {"gemm/gemm_complex", {3, 0, 3, 0, 0, D, D, 8, D, D, D, D}},
    {"fft/fft", {16, 0, 1, 2, 3}},
    {"normalise/softmax", {0, 37, F32, 40, 42}},
    {"reduction/row_sums", {0, 37, F32, 40}},
};

/* The launch plan of a configuration; what it does not name is the default. */
static hone_launch_spec *plan_with(const char *path, const char *with,
                                   hone_template **out, hone_text *text)
{
    int64_t config[MAX_CONFIG] = {0};
    hone_template *tmpl = NULL;
    hone_diagnostics diagnostics;
    hone_launch_spec *spec;
    hone_error err = {0};

    if (hone__template_load(path, "", &tmpl, &diagnostics, &err))
        fail_msg("%s: %s", path, err.text);
    assert_true(tmpl->n_params <= MAX_CONFIG);
    if (hone__config_parse(tmpl, with, config, &err))
        fail_msg("%s: %s", path, err.text);
    spec = read_plan(tmpl, config, text);
    *out = tmpl;
    return spec;
}

static hone_launch_spec *plan_of(const char *path, hone_template **out,
                                 hone_text *text)
{
    return plan_with(path, "", out, text);
}

static void is_nothing(const problem *p)
{
    const hone_properties properties = {0};
    int64_t dims[HONE_MAX_DIMS];
    char path[256];
    hone_text text = {0};
    hone_template *tmpl;
    hone_launch_spec *spec;
    hone_launch_case plan = {.dims = dims, .properties = &properties};
    hone_error err = {0};
    int nothing = 0;

    (void)snprintf(path, sizeof path, "../../templates/%s_plain.cu",
                   p->template);
    spec = plan_of(path, &tmpl, &text);
    plan.spec = spec;
    plan.n_dims = spec->n_dims;

    if (hone__launch_spec_complete_dims(spec, p->dims, spec->n_dims, dims,
                                        &err) ||
        hone__launch_case_check_sizes(&plan, &nothing, &err))
        fail_msg("%s: %s", p->template, err.text);
    if (!nothing)
        fail_msg("%s: something is written", p->template);
    hone__template_free(tmpl);
    hone__launch_spec_free(spec);
    hone__text_free(&text);
}

static void nothing_to_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i)
        is_nothing(&problems[i]);
}

/* ---- every size of every operation ----------------------------------------
 */

/* "nothing": nothing is written, nothing launched; "defined": the contract says
 * what a result of no terms is; "refused": where it is no size, or no result
 * is defined. */
static const char *outcome_of(const hone_launch_spec *spec, const int64_t *dims)
{
    const hone_properties properties = {0};
    int64_t completed[HONE_MAX_DIMS];
    hone_launch_case plan = {spec, completed, spec->n_dims, &properties};
    hone_error err = {0};
    int nothing = 0;

    if (hone__launch_spec_complete_dims(spec, dims, spec->n_dims, completed,
                                        &err) ||
        hone__launch_case_check_sizes(&plan, &nothing, &err))
        return "refused";
    return nothing ? "nothing" : "defined";
}

/* Sizes of which 0 is not nothing. What has no place for an index to name, or
 * no frequency to keep, is refused; the others have a result of no terms. */
static const char wanted[] = "attention keys defined\n"
                             "column_sums rows defined\n"
                             "conv1d taps defined\n"
                             "dot n defined\n"
                             "embedding_bag n defined\n"
                             "embedding_bag m refused\n"
                             "gather m refused\n"
                             "gemm K defined\n"
                             "gemm_complex K defined\n"
                             "gemm_f8 K defined\n"
                             "gemm_grouped K defined\n"
                             "gemm_grouped GROUPS refused\n"
                             "gemm_i8 K defined\n"
                             "gemv N defined\n"
                             "histogram_f32 n defined\n"
                             "histogram_u8 n defined\n"
                             "image_pipeline cutoff refused\n"
                             "max_index n defined\n"
                             "min_index n defined\n"
                             "norm2 n defined\n"
                             "row_sums columns defined\n"
                             "scatter_add n defined\n"
                             "spmv_csr columns refused\n"
                             "spmv_csr nnz defined\n"
                             "stencil2d STEPS defined\n"
                             "stencil3d STEPS defined\n"
                             "sum n defined\n";

/* What lies between rows and matrices is no size. */
static int is_size(const hone_template_dim *dim)
{
    static const char *const others[] = {"pitch",  "PITCH", "stride",
                                         "STRIDE", "LD",    "DISTANCE"};

    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (!strncmp(dim->name, others[i], strlen(others[i])))
            return 0;
    }
    return !dim->n_types;
}

/* Templates that make inputs or bounds of errors are no operations of use. */
static int is_shipped(const char *op)
{
    return !strstr(op, "_magnitude") && !strstr(op, "_inputs") &&
           !strstr(op, "_data") && !strstr(op, "_halves");
}

/* Lines "OP DIM OUTCOME" of what is not "nothing". */
static void try_sizes(const hone_template *tmpl, const hone_launch_spec *spec,
                      hone_text *out)
{
    int64_t dims[HONE_MAX_DIMS];

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        const char *outcome;

        if (!is_size(&tmpl->dims[i]))
            continue;
        for (size_t k = 0; k < tmpl->n_dims; ++k)
            dims[k] =
                hone__dim_is_mandatory(&tmpl->dims[k]) && !tmpl->dims[k].n_types
                    ? 5
                    : HONE_DIM_DEFAULT;
        dims[i] = 0;
        outcome = outcome_of(spec, dims);
        if (strcmp(outcome, "nothing") != 0)
            hone__text_printf(out, "%s %s %s\n", tmpl->op, tmpl->dims[i].name,
                              outcome);
    }
}

#define FAMILY(name) ":../../templates/" name
static const char folders[] = "../../templates" FAMILY("attention")
    FAMILY("elementwise") FAMILY("fft") FAMILY("gemm") FAMILY("gemv")
        FAMILY("histogram") FAMILY("image") FAMILY("nbody") FAMILY("normalise")
            FAMILY("pipeline") FAMILY("reduction") FAMILY("scan")
                FAMILY("sparse") FAMILY("stencil") FAMILY("transpose");

static void sizes_of_zero(void **state)
{
    hone_template_list list;
    hone_text out = {0};
    hone_error err = {0};

    (void)state;
    if (hone__templates_list(NULL, folders, &list, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < list.n; ++i) {
        hone_text text = {0};
        hone_template *tmpl;
        hone_launch_spec *spec;

        if (!is_shipped(list.items[i].op) ||
            (!list.items[i].is_reference && list.items[i].has_contract))
            continue;
        spec = plan_of(list.items[i].path, &tmpl, &text);
        try_sizes(tmpl, spec, &out);
        hone__launch_spec_free(spec);
        hone__template_free(tmpl);
        hone__text_free(&text);
    }
    hone__templates_list_free(&list);
    assert_string_equal(hone__text_str(&out), wanted);
    hone__text_free(&out);
}

/* ---- the longest rows -------------------------------------------------------
 */

/* Rows that are read again may have more bytes than an int counts. */
static void rows_of_two_gib(void **state)
{
    static const problem longest[] = {
        {"normalise/softmax", {1, 512 << 20, F32, D, D}},
        {"normalise/log_softmax", {1, 512 << 20, F32, D, D}},
        {"normalise/layer_norm", {1, 512 << 20, F32, 0, D, D}},
        {"normalise/rms_norm", {1, 512 << 20, F32, 0, D, D}}};
    hone_resolved *resolved = calloc(1, sizeof *resolved);
    hone_properties properties;
    hone_error err = {0};

    (void)state;
    assert_non_null(resolved);
    assert_int_equal(hone__properties_of_arch("sm_90a", &properties, &err),
                     HONE_OK);
    for (size_t i = 0; i < sizeof longest / sizeof *longest; ++i) {
        int64_t dims[HONE_MAX_DIMS];
        char path[256];
        hone_text text = {0};
        hone_template *tmpl;
        hone_launch_spec *spec;
        hone_launch_case plan = {.dims = dims, .properties = &properties};

        (void)snprintf(path, sizeof path, "../../templates/%s_rows.cu",
                       longest[i].template);
        spec = plan_with(path,
                         "VEC=4,ITEMS=4,THREADS=512,BLOCK=512,KEEP=reread,"
                         "EDGE=none",
                         &tmpl, &text);
        plan.spec = spec;
        plan.n_dims = spec->n_dims;
        if (hone__launch_spec_complete_dims(spec, longest[i].dims, spec->n_dims,
                                            dims, &err) ||
            hone__launch_spec_resolve(&plan, resolved, &err))
            fail_msg("%s: %s", longest[i].template, err.text);
        hone__template_free(tmpl);
        hone__launch_spec_free(spec);
        hone__text_free(&text);
    }
    free(resolved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_to_write),
                                       cmocka_unit_test(sizes_of_zero),
                                       cmocka_unit_test(rows_of_two_gib)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
