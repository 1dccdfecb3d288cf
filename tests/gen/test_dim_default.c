/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of dimensions that are expressions of those before: what they may
 * read, what they are at a problem, how callers leave them out, and what a
 * launch plan has of them. */
#include "tests/gen/gen_test.h"

#define LAUNCH "#pragma hone launch k\n#pragma hone check none\n"

static const char gemm[] =
    "#pragma hone op gemm(M, N, K, T in {f16, f32} default f16, TRANS in {0, "
    "1}, LDA default TRANS ? M : K, BATCH default 1,\\\n"
    "    STRIDE default (TRANS ? K : M)*LDA, C default M - 4)\n" LAUNCH KERNEL;

/* A mistake in the op of line 1. */
static void mistakes(void **state)
{
    static const struct {
        const char *op;
        int column;
        const char *part;
    } rows[] = {
        {"a, b default c, c default 1", 32,
         "'c' is a dimension that follows; the default of a dimension reads "
         "those before it"},
        {"a, t in {f32, f64} default f32, b default min(a, c), c default 1", 68,
         "'c' is a dimension that follows"},
        {"a, b default b + 1", 32, "'b' cannot read itself"},
        {"a, b default a*BM", 34, "'BM' is no dimension; the default of"},
        {"a, b default L", 32, "'L' is no dimension; the default of"},
        {"a, b default device.sm_count", 32,
         "'device.sm_count' is a property of the device"},
        {"a, b default device.sm_coun", 32, "unknown device property"},
        {"a, b default zebra", 32, "unknown name 'zebra'"},
        {"abc, b default abd", 34, "did you mean 'abc'?"},
        {"a, b default a +", 35, "the expression ends"},
        {"a, t in {0, 1} default a", 42,
         "'t' lists its values, so that its default is one of them"},
        {"t in {f16, f32}, u in {f16, f32} default t", 60,
         "'u' lists its values, so that its default is one of them"},
        {"a, b default a, c", 35, "'c' needs a default"},
        {"a, b default 1 - 1", 32, "a dimension is at least 1, not 0"},
        {"a, b from 0 default 0", 39,
         "a default is at least 1, not 0, also of a "
         "size from 0"},
        {"a from 1", 26, "a size is at least 1, or with 'from 0' at least 0"},
        {"a from -1 default 4", 26, "a size is at least 1, or with 'from 0'"},
        {"a, t in {1, 2} from 0", 39, "'from 0' is of sizes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[400];
        hone_template *t = NULL;
        hone_diagnostics d;
        hone_error err = {0};

        (void)snprintf(text, sizeof text,
                       "#pragma hone op o(%s)\n#pragma hone param BM in {1}\n"
                       "#pragma hone let L = 2\n" LAUNCH KERNEL,
                       rows[i].op);
        assert_int_equal(
            hone__template_read("t.cu", "", text, strlen(text), &t, &d, &err),
            HONE_ERR_INPUT);
        if (d.n != 1 || d.items[0].line != 1 ||
            d.items[0].column != rows[i].column ||
            !strstr(d.items[0].text, rows[i].part)) {
            hone_text shown = {0};

            hone__diagnostics_format(&d, "t.cu", text, &shown);
            fail_msg("wanted %d '%s', got:\n%s", rows[i].column, rows[i].part,
                     hone__text_str(&shown));
        }
        hone__diagnostics_free(&d);
    }
}

static const struct {
    const char *text;
    int64_t dims[9]; /* 0: it is refused */
    const char *part;
} completions[] = {
    {"100,200,300", {100, 200, 300, 1, 0, 300, 1, 30000, 96}, ""},
    {"100,200,300,f32,1", {100, 200, 300, 4, 1, 100, 1, 30000, 96}, ""},
    {"100,200,300,,1,128", {100, 200, 300, 1, 1, 128, 1, 38400, 96}, ""},
    {"100,200,300,,,,7", {100, 200, 300, 1, 0, 300, 7, 30000, 96}, ""},
    {" 100 , 200 ,300, , ,,", {100, 200, 300, 1, 0, 300, 1, 30000, 96}, ""},
    {"K=300,M=100,N=200", {100, 200, 300, 1, 0, 300, 1, 30000, 96}, ""},
    {"100,200,K=300, BATCH = 7 ", {100, 200, 300, 1, 0, 300, 7, 30000, 96}, ""},
    {"100,200,300,LDA=1K,T=f32",
     {100, 200, 300, 4, 0, 1024, 1, 102400, 96},
     ""},
    {"5,,3", {0}, "the dimension N has no default, and is not given"},
    {"M=5,K=3", {0}, "the dimension N has no default, and is not given"},
    {"M=5,N=3,K=", {0}, "'K' is given no value"},
    {"5,6", {0}, "takes 3 to 9 dimensions, but 2 were given"},
    {"1,2,3,,,,,,,", {0}, "takes 3 to 9 dimensions, but 10 were given"},
    {"5,6,7,LDB=4",
     {0},
     "gemm(M, N, K, T, TRANS, LDA, BATCH, STRIDE, C): 'LDB' is none of its "
     "dimensions; did you mean 'LDA'?"},
    {"5,6,7,M=5", {0}, "'M' is given twice"},
    {"5,6,K=7,K=7", {0}, "'K' is given twice"},
    {"5,6,K=7,f32", {0}, "'f32' stands behind a dimension with a name"},
    {"5,6,K=7,", {0}, "'' stands behind a dimension with a name"},
    {"5,6,7,T=3", {0}, "T is an element type, f16 or f32"},
    {"5,6,7,LDA=f32", {0}, "LDA is an integer, not 'f32'"},
    {"5,6,-9223372036854775807-1", {0}, "is not a dimension"},
    {"5,6,7,LDA=0", {0}, "LDA must be at least 1, not 0"},
    {"4,6,7",
     {0},
     "the dimension C is not given, and its default 'M - 4' is 0 here; a "
     "dimension is at least 1"},
    {"4,6,7,C=1", {4, 6, 7, 1, 0, 7, 1, 28, 1}, ""},
    {"4G,1,4G,LDA=4G",
     {0},
     "the dimension STRIDE is not given, and its default '(TRANS ? K : "
     "M)*LDA' has no value here: a result does not fit 64 bits"},
};

/* The dims that a text stands for; or, as a status, why it is none. */
static void completes(void **state)
{
    hone_template *t = parse_good(gemm);

    (void)state;
    for (size_t i = 0; i < sizeof completions / sizeof completions[0]; ++i) {
        hone_error err = {0};
        int64_t out[HONE_MAX_DIMS];
        const hone_status status =
            hone__template_parse_dims(t, completions[i].text, out, &err);

        if (status != (completions[i].dims[0] ? HONE_OK : HONE_ERR_DIMS) ||
            !strstr(err.text, completions[i].part))
            fail_msg("%s: %d %s", completions[i].text, (int)status, err.text);
        for (size_t k = 0; k < 9 && completions[i].dims[0]; ++k)
            if (out[k] != completions[i].dims[k])
                fail_msg("%s: dimension %zu is %lld", completions[i].text, k,
                         (long long)out[k]);
    }
    hone__template_free(t);
}

static void as_text(void **state)
{
    hone_template *t = parse_good(gemm);
    int64_t dims[HONE_MAX_DIMS];
    hone_text text = {0};

    (void)state;
    hone__template_signature(t, &text);
    assert_string_equal(
        hone__text_str(&text),
        "gemm(M, N, K, T in {f16, f32} default f16, TRANS in {0, 1} default 0, "
        "LDA default TRANS ? M : K, BATCH default 1, STRIDE default (TRANS ? K "
        ": M)*LDA, C default M - 4)");
    hone__text_clear(&text);
    /* What follows the others says nothing, whoever wrote it. */
    assert_int_equal(
        hone__template_parse_dims(t, "9,8,7,LDA=7,STRIDE=64", dims, NULL),
        HONE_OK);
    assert_true(hone__template_dim_follows(t, 5, dims));
    assert_false(hone__template_dim_follows(t, 6, dims)); /* a constant */
    assert_false(hone__template_dim_follows(t, 7, dims));
    hone__template_label_dims(t, dims, &text);
    assert_string_equal(hone__text_str(&text),
                        "M=9 N=8 K=7 T=f16 TRANS=0 BATCH=1 STRIDE=64");
    hone__template_usual_dims(t, 0, dims);
    assert_int_equal(dims[0], 1);
    assert_int_equal(dims[5], 1);
    assert_int_equal(dims[8], 1); /* 1 - 4 is none */
    hone__text_free(&text);
    hone__template_free(t);
}

/* The plan's text has the expressions, and completes as the template does. A
 * constant stays what it was: no newer version for it. */
static void in_launch_plans(void **state)
{
    hone_template *t = parse_good(gemm);
    const int64_t given[] = {
        100, 200, 300, HONE_DIM_DEFAULT, 1, HONE_DIM_DEFAULT, 7};
    int64_t ours[HONE_MAX_DIMS], plans[HONE_MAX_DIMS];
    hone_launch_spec *spec = NULL;
    hone_text text = {0};

    (void)state;
    assert_int_equal(hone__expand_launch_spec(t, NULL, &text, NULL), HONE_OK);
    assert_non_null(strstr(hone__text_str(&text), "hone-launch 5\n"));
    assert_non_null(
        strstr(hone__text_str(&text),
               "dim LDA int TRANS ? M : K\ndim BATCH int 1\n"
               "dim STRIDE int (TRANS ? K : M)*LDA\ndim C int M - 4\n"));
    assert_int_equal(
        hone__launch_spec_parse(hone__text_str(&text), &spec, NULL), HONE_OK);
    assert_int_equal(hone__template_complete_dims(t, given, 7, ours, NULL),
                     HONE_OK);
    assert_int_equal(
        hone__launch_spec_complete_dims(spec, given, 7, plans, NULL), HONE_OK);
    assert_memory_equal(ours, plans, 9 * sizeof *ours);
    assert_int_equal(ours[5], 100);
    hone__launch_spec_free(spec);
    hone__template_free(t);
    hone__text_clear(&text);
    t = parse_good("#pragma hone op o(a, b default 2*3)\n" LAUNCH KERNEL);
    assert_int_equal(hone__expand_launch_spec(t, NULL, &text, NULL), HONE_OK);
    assert_non_null(strstr(hone__text_str(&text),
                           "hone-launch 1\nop o\ndim a int\ndim b int 6\n"));
    hone__text_free(&text);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes),
        cmocka_unit_test(completes),
        cmocka_unit_test(as_text),
        cmocka_unit_test(in_launch_plans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
