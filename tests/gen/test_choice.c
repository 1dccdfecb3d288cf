/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions that are one of a few integers: in the template, as text, in the
 * space, in the code and in the launch plan as the runtime reads it. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_body.h"

#define REST                                                                   \
    "#pragma hone arg x: in f32[n], y: out f32[FLIP ? 2*n : n]\n"              \
    "#pragma hone param BLOCK in {32, 64}\n"                                   \
    "#pragma hone let PER = FLIP ? 2 : WAYS\n"                                 \
    "#pragma hone require BLOCK >= 64 || FLIP == 0\n"                          \
    "#pragma hone launch k grid(n) block(BLOCK)\n"                             \
    "#pragma hone if FLIP == 1\n"                                              \
    "flipped @{FLIP}\n"                                                        \
    "#pragma hone endif\n"                                                     \
    "extern \"C\" __global__ void k() { PER; }\n"

static const char good[] =
    "#pragma hone op o(n, FLIP in {0, 1}, WAYS in {2, 4} default 4)\n" REST;

static void completed(void **state)
{
    static const struct {
        const char *text;
        int64_t want[3]; /* 0, 0, 0: refused */
        const char *words;
    } rows[] = {
        {"5", {5, 0, 4}, ""},
        {"5,1", {5, 1, 4}, ""},
        {"5,0,2", {5, 0, 2}, ""},
        {"5,2", {0}, "FLIP is one of a few numbers, 0 or 1"},
        {"5,0,3", {0}, "WAYS is one of a few numbers, 2 or 4"},
        {"", {0}, "takes 1 to 3 dimensions"},
    };
    hone_template *t = parse_good(good);
    hone_text label = {0};
    int64_t dims[HONE_MAX_DIMS];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error err = {0};
        const hone_status status =
            hone__template_parse_dims(t, rows[i].text, dims, &err);

        if (rows[i].want[0]) {
            assert_int_equal(status, HONE_OK);
            assert_memory_equal(dims, rows[i].want, sizeof rows[i].want);
        } else {
            assert_int_equal(status, HONE_ERR_DIMS);
            assert_non_null(strstr(err.text, rows[i].words));
        }
    }
    assert_int_equal(hone__template_parse_dims(t, "7,0", dims, NULL), HONE_OK);
    hone__template_label_dims(t, dims, &label);
    assert_string_equal(hone__text_str(&label), "n=7 FLIP=0 WAYS=4");
    hone__text_free(&label);
    hone__template_free(t);
}

/* A range is the list of its values. */
static void ranged(void **state)
{
    static const struct {
        const char *text;
        int64_t want[4]; /* 0, ..: refused */
        const char *words;
    } rows[] = {
        {"5", {5, 1, 64, 3}, ""},
        {"5,16,16,6", {5, 16, 16, 6}, ""},
        {"5,17", {0}, "W is one of a few numbers, 1 or 2 or 3 or .. or 16"},
        {"5,0", {0}, "W is one of a few numbers"},
        {"5,1,48", {0}, "H is one of a few numbers, 16 or 32 or 64"},
        {"5,1,16,4", {0}, "S is one of a few numbers, 0 or 3 or 6"},
    };
    hone_template *t = parse_good(
        "#pragma hone op o(n, W in 1..16, H in pow2 9..64 default 64, \\\n"
        "    S in 0..7 step 3 default 3)\n"
        "#pragma hone launch k block(W)\n" KERNEL);
    int64_t dims[HONE_MAX_DIMS];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_error err = {0};
        const hone_status status =
            hone__template_parse_dims(t, rows[i].text, dims, &err);

        assert_int_equal(status, rows[i].want[0] ? HONE_OK : HONE_ERR_DIMS);
        if (rows[i].want[0])
            assert_memory_equal(dims, rows[i].want, sizeof rows[i].want);
        else if (!strstr(err.text, rows[i].words))
            fail_msg("%s", err.text);
    }
    hone__template_free(t);
}

/* Known when a variant is compiled: constraints, constants and text. */
static void fixed(void **state)
{
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of("sm_90");
    const int64_t config[] = {64};

    (void)state;
    assert_false(t->lets[0].value.reads_dims);
    for (int64_t flip = 0; flip < 2; ++flip) {
        const int64_t dims[HONE_MAX_DIMS] = {5, flip, 4};
        hone_space *space = NULL;
        hone_text source = {0};
        hone_error err = {0};

        if (hone__space_create(t, dims, &properties, &space, &err) ||
            hone__expand_source(t, config, dims, &source, &err))
            fail_msg("%s", err.text);
        assert_int_equal(space->count, flip ? 1 : 2);
        assert_non_null(
            strstr(source.data, flip ? "int FLIP = 1;" : "int FLIP = 0;"));
        assert_non_null(strstr(source.data, flip ? "#define HONE_FLIP 1\n"
                                                 : "#define HONE_FLIP 0\n"));
        assert_non_null(
            strstr(source.data, flip ? "int PER = 2;" : "int PER = 4;"));
        assert_int_equal(strstr(source.data, "flipped 1") != NULL, flip);
        hone__space_free(space);
        hone__text_free(&source);
    }
    hone__template_free(t);
}

static void planned(void **state)
{
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of("sm_90");
    const int64_t config[] = {64};
    const int64_t dims[] = {5, 1};
    const int64_t negative[] = {5, -1};
    hone_launch_spec *spec = NULL;
    hone_resolved problem;
    hone_text plan = {0};
    hone_error err = {0};

    (void)state;
    spec = read_plan(t, config, &plan);
    if (hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 2, &properties}, &problem, &err))
        fail_msg("%s", err.text);
    assert_int_equal(spec->n_mandatory, 1);
    assert_false(hone__dim_is_fixed(&spec->dims[0]));
    assert_true(hone__dim_is_fixed(&spec->dims[1]));
    assert_false(spec->dims[1].is_type);
    assert_int_equal(problem.n_dims, 3);
    assert_int_equal(problem.dims[2], 4);
    assert_string_equal(problem.dim_names[1], "FLIP");
    assert_int_equal(problem.args[1].count, 10);
    /* arguments and n: choices are not passed */
    assert_int_equal(problem.launches[0].n_passed, 3);
    assert_int_equal(
        hone__launch_spec_complete_dims(spec, negative, 2, problem.dims, &err),
        HONE_ERR_DIMS);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

static void mistakes(void **state)
{
    static const struct {
        const char *op;
        int column;
        const char *words;
    } rows[] = {
        {"#pragma hone op o(n, F in {0, 1, 0})\n", 34, "'0' is listed twice"},
        {"#pragma hone op o(n, F in {0, f32})\n", 31,
         "'f32' is not an integer"},
        {"#pragma hone op o(n, F in {0, n})\n", 31, "'n' is not an integer"},
        {"#pragma hone op o(n, F in {0, -1})\n", 31, "'-1' is not"},
        {"#pragma hone op o(n, F in {0, 1} default 2)\n", 42,
         "not one of the values of 'F'"},
        {"#pragma hone op o(n, F in {0, 1}, m)\n", 35, "'m' needs a default"},
        {"#pragma hone op o(n, F in 4..1)\n", 27, "empty: 4 is more than 1"},
        {"#pragma hone op o(n, F in -1..4)\n", 27, "an integer from 0 up"},
        {"#pragma hone op o(n, F in {1, 0-1})\n", 31, "from 0 up"},
        {"#pragma hone op o(n, F in 1..100)\n", 27, "lists at most 64 values"},
        {"#pragma hone op o(n, F in 1..4 default 5)\n", 40,
         "not one of the values of 'F'"},
        {"#pragma hone op o(n, F in 1)\n", 28, "expected '..'"},
        {"#pragma hone op o(n, F in pow2 5..7)\n", 32, "no power of two"},
        {"#pragma hone op o(n, F in 0..n)\n", 30, "'n' cannot be read here"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        hone_diagnostics found;

        (void)snprintf(text, sizeof text, "%s#pragma hone launch k\n%s",
                       rows[i].op, KERNEL);
        found = read_bad(text);
        assert_int_equal(found.items[0].line, 1);
        if (!strstr(found.items[0].text, rows[i].words))
            fail_msg("%s: %s", rows[i].op, found.items[0].text);
        assert_int_equal(found.items[0].column, rows[i].column);
        hone__diagnostics_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completed), cmocka_unit_test(ranged),
        cmocka_unit_test(fixed),     cmocka_unit_test(planned),
        cmocka_unit_test(mistakes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
