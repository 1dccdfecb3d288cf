/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that callers may leave out: the launch plan as the runtime reads it,
 * and what is refused. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

static const char good[] =
    "#pragma hone op o(n, BIAS in {0, 1, 2}, T in {f32, f64} default f32)\n"
    "#pragma hone arg x: in T[n], b: in optional(BIAS > 0) T[n][2], \\\n"
    "    y: out optional(BIAS < 2) f32[n + 1]\n"
    "#pragma hone launch k\n" KERNEL;

static void planned(void **state)
{
    hone_template *t = parse_good(good);
    const hone_properties properties = properties_of("sm_90");
    hone_launch_spec *spec = NULL;
    hone_resolved problem;
    hone_text plan = {0};
    hone_error err = {0};

    (void)state;
    spec = read_plan(t, NULL, &plan);
    assert_non_null(strstr(plan.data, "hone-launch 3\n"));
    for (int64_t bias = 0; bias < 3; ++bias) {
        const int64_t dims[] = {5, bias, HONE_TYPE_F64};
        const hone_resolved_arg *arg = problem.args;

        assert_int_equal(hone__launch_spec_resolve(
                             &(hone_launch_case){spec, dims, 3, &properties},
                             &problem, &err),
                         HONE_OK);
        assert_false(arg[0].is_absent);
        assert_int_equal(arg[1].is_absent, bias == 0);
        assert_int_equal(arg[1].count, bias ? 10 : 0);
        assert_int_equal(arg[1].size_bytes, bias ? 80 : 0);
        assert_int_equal(arg[2].is_absent, bias == 2);
        assert_int_equal(arg[2].size_bytes, bias == 2 ? 0 : 24);
    }
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

static void refused(void **state)
{
    static const struct {
        const char *arg;
        int column;
        const char *words;
    } rows[] = {
        {"a: in optional f32[n]", 33, "say when the array is given"},
        {"a: in optional() f32[n]", 33, "expected a value"},
        {"a: in optional(n) f32[n]", 33, "'n' is a problem dimension"},
        {"a: in optional(P) f32[n]", 32, "is up to callers"},
        {"a: in optional(L) f32[n]", 32, "is up to callers"},
        {"a: in optional(F + L) f32[n]", 32, "is up to callers"},
        {"a: in optional(1) f32[n]", 32, "is up to callers"},
        {"a: in optional(F, F) f32[n]", 36, "at most 1 value"},
        {"a: in optional(device.sm) f32[n]", 33, "is a device property"},
        {"a: in optional(F) f32", 39, "expected '['"},
        {"a: optional(F) f32", 21, "'optional' is not an element type"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        hone_diagnostics found;

        (void)snprintf(text, sizeof text,
                       "#pragma hone op o(n, F in {0, 1})\n"
                       "#pragma hone param P in {0, 1}\n"
                       "#pragma hone let L = F\n"
                       "#pragma hone arg %s\n#pragma hone launch k\n%s",
                       rows[i].arg, KERNEL);
        found = read_bad(text);
        if (found.n != 1 || found.items[0].line != 4 ||
            found.items[0].column != rows[i].column ||
            !strstr(found.items[0].text, rows[i].words))
            fail_msg("%s: %d:%d: %s", rows[i].arg, found.items[0].line,
                     found.items[0].column, found.items[0].text);
        hone__diagnostics_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planned),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
