/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers: as values of parameters, in configurations, in the
 * code and as what kernels get. */
#include "tests/gen/gen_test.h"

#include "runtime/base/type.h"
#include "runtime/launch/launch_spec.h"

static const char good[] =
    "#pragma hone op o(n)\n"
    "#pragma hone arg x: out f32[n]\n"
    "#pragma hone param ALPHA in {0.5, -1.0, 1e-3, 0.1} default 1e-3\n"
    "#pragma hone param BLOCK in {32, 64}\n"
    "#pragma hone launch k grid(n) block(BLOCK) args(x, f32(ALPHA), \\\n"
    "    f64(ALPHA), f64(-2.5e2), f32(n + 1), f64(n))\n"
    "extern \"C\" __global__ void k() { ALPHA; @{ALPHA} }\n";

/* As few digits as give the number back; and what is none. */
static void spelled(void **state)
{
    static const struct {
        const char *text;
        const char *want; /* NULL: refused */
    } rows[] = {
        {"0.5", "0.5"},       {"1", "1.0"},
        {"-1.0", "-1.0"},     {"1e-3", "0.001"},
        {".1", "0.1"},        {"5.", "5.0"},
        {"1E+20", "1e20"},    {"0.00001", "1e-5"},
        {"-0.0", "0.0"},      {"0.1000000000000000055511151231257827", "0.1"},
        {"1e308", "1e308"},   {"0.30000000000000004", "0.30000000000000004"},
        {"5e-324", "5e-324"}, {"100000000", "1e8"},
        {"1e309", NULL},      {"", NULL},
        {".", NULL},          {"1e", NULL},
        {"0x1", NULL},        {"nan", NULL},
        {"1.5f", NULL},       {"1 ", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const size_t length = strlen(rows[i].text);
        hone_text text = {0};
        double value = 0;
        double again = 0;

        assert_int_equal(hone__real_parse(rows[i].text, length, &value),
                         rows[i].want != NULL);
        if (!rows[i].want)
            continue;
        hone__real_text(value, &text);
        assert_string_equal(hone__text_str(&text), rows[i].want);
        assert_true(hone__real_parse(text.data, text.length, &again));
        assert_int_equal(hone__real_bits(again), hone__real_bits(value));
        hone__text_free(&text);
    }
}

static void configured(void **state)
{
    static const struct {
        const char *text;
        const char *want; /* NULL: refused */
    } rows[] = {
        {"", "ALPHA=0.001,BLOCK=32"},
        {"ALPHA=-1,BLOCK=64", "ALPHA=-1.0,BLOCK=64"},
        {"ALPHA=5e-1", "ALPHA=0.5,BLOCK=32"},
        {"ALPHA=0.10", "ALPHA=0.1,BLOCK=32"},
        {"ALPHA=0.2", NULL},
        {"ALPHA=half", NULL},
    };
    hone_template *t = parse_good(good);
    int64_t config[2];

    (void)state;
    assert_int_equal(t->params[0].kind, HONE_PARAM_REAL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        hone_text text = {0};
        hone_error err = {0};
        const hone_status status =
            hone__config_parse(t, rows[i].text, config, &err);

        if (!rows[i].want) {
            assert_int_equal(status, HONE_ERR_INPUT);
            assert_non_null(
                strstr(err.text, "its values are 0.5, -1.0, 0.001, 0.1"));
            continue;
        }
        assert_int_equal(status, HONE_OK);
        hone__config_format(t, config, NULL, &text);
        assert_string_equal(hone__text_str(&text), rows[i].want);
        hone__text_free(&text);
    }
    hone__template_free(t);
}

static double passed(const hone_resolved *problem, size_t i)
{
    const hone_pass *pass = &problem->launches[0].passed[i];
    const int32_t bits = (int32_t)pass->value;
    float narrow;

    if (pass->kind == HONE_PASS_F64)
        return hone__real_of_bits(pass->value);
    assert_int_equal(pass->kind, HONE_PASS_F32);
    memcpy(&narrow, &bits, sizeof narrow);
    return (double)narrow;
}

static void planned(void **state)
{
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of("sm_90");
    const int64_t dims[] = {16777217}; /* no float has it */
    hone_launch_spec *spec = NULL;
    hone_resolved problem;
    hone_text plan = {0};
    int64_t config[2];
    hone_error err = {0};

    (void)state;
    if (hone__config_parse(t, "ALPHA=0.1", config, &err))
        fail_msg("%s", err.text);
    spec = read_plan(t, config, &plan);
    if (hone__launch_spec_resolve(
            &(hone_launch_case){spec, dims, 1, &properties}, &problem, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(plan.data, "hone-launch 3\n"));
    assert_true(passed(&problem, 1) == (double)0.1F);
    assert_true(passed(&problem, 2) == 0.1);
    assert_true(passed(&problem, 3) == -250.0);
    assert_true(passed(&problem, 4) == 16777218.0);
    assert_true(passed(&problem, 5) == 16777217.0);
    assert_int_equal(
        hone__launch_spec_check_config(spec, "ALPHA=0.1,BLOCK=32", &err),
        HONE_OK);
    assert_int_equal(
        hone__launch_spec_check_config(spec, "ALPHA=0.5,BLOCK=32", &err),
        HONE_ERR_DATABASE);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

static void coded(void **state)
{
    hone_template *t = parse_good(good);
    const int64_t dims[] = {1};
    hone_text source = {0};
    int64_t config[2];

    (void)state;
    assert_int_equal(hone__config_parse(t, "ALPHA=-1.0", config, NULL),
                     HONE_OK);
    assert_int_equal(hone__expand_source(t, config, dims, &source, NULL),
                     HONE_OK);
    assert_non_null(strstr(source.data, "constexpr double ALPHA = (-1.0);\n"));
    assert_non_null(strstr(source.data, "#define HONE_ALPHA (-1.0)\n"));
    assert_non_null(strstr(source.data, "{ ALPHA; -1.0 }"));
    hone__text_free(&source);
    hone__template_free(t);
}

/* Expressions are of integers. */
static void refused(void **state)
{
    static const char *const rows[] = {
        "#pragma hone require A > 0\n",
        "#pragma hone let B = A\n",
        "#pragma hone launch k args(i32(A))\n",
        "#pragma hone launch k args(f32(A*2))\n",
        "#pragma hone if A\n#pragma hone endif\n",
        "int x = @{A + 1};\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        hone_diagnostics found;

        (void)snprintf(text, sizeof text,
                       "#pragma hone op o(n)\n#pragma hone param A in {0.5}\n"
                       "#pragma hone launch k\n%s" KERNEL,
                       rows[i]);
        found = read_bad(text);
        assert_int_equal(found.n, 1);
        assert_int_equal(found.items[0].line, 4);
        if (!strstr(found.items[0].text, "'A' is a floating-point number"))
            fail_msg("%s: %s", rows[i], found.items[0].text);
        hone__diagnostics_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spelled), cmocka_unit_test(configured),
        cmocka_unit_test(planned), cmocka_unit_test(coded),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
