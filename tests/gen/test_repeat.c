/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are repeated and arrays that are picked: the launch plan as
 * the runtime reads it, and what is refused. */
#include "tests/gen/gen_test.h"

#include "runtime/launch/launch_spec.h"

#define OP "#pragma hone op o(n, STEPS default 1)\n"
#define ARGS "#pragma hone arg x: in f32[n], y: out f32[n], a: f32\n"
#define WORKSPACE "#pragma hone workspace w: f32[n]\n"

static const char good[] = OP ARGS WORKSPACE
    "#pragma hone param S in {1, 2, 4} default 4\n"
    "#pragma hone let N = ceildiv(STEPS, S)\n"
    "#pragma hone launch k repeat(STEP, N) grid(STEP + 1) block(32) \\\n"
    "    args(pick(STEP == 0 ? 2 : STEP % 2, y, w, x), y, i32(STEP))\n"
    "#pragma hone launch k repeat(STEP) if(STEP > 0) block(32) args(x, y)\n"
    "#pragma hone launch k args(x, pick(n % 2, y, w))\n" KERNEL;

static void planned(void **state)
{
    const int64_t config[] = {4};
    const hone_properties properties = properties_of("sm_90");
    hone_template *t = parse_good(good);
    hone_launch_spec *spec = NULL;
    hone_resolved *r = calloc(1, sizeof *r);
    hone_text plan = {0};
    hone_error err = {0};

    (void)state;
    assert_non_null(r);
    spec = read_plan(t, config, &plan);
    assert_non_null(strstr(plan.data, "hone-launch 6\n"));
    assert_non_null(strstr(plan.data,
                           "launch k\nrepeat STEP N\n"
                           "grid STEP + 1 ; 1 ; 1\nblock 32 ; 1 ; 1\n"
                           "pick y w x ; STEP == 0 ? 2 : STEP % 2\npass y\n"
                           "value i32 STEP\n"
                           "launch k\nrepeat STEP\nif STEP > 0\n"));
    for (int64_t steps = 1; steps < 11; ++steps) {
        const int64_t dims[] = {5, steps};
        const int64_t n = (steps + 3) / 4;

        if (hone__launch_spec_resolve(
                &(hone_launch_case){spec, dims, 2, &properties}, r, &err))
            fail_msg("%s", err.text);
        /* The second one never happens where there is one repetition. */
        assert_int_equal(r->n_launches, n > 1 ? 3 : 2);
        assert_int_equal(r->launches[0].repeat, n > 1);
        assert_int_equal(r->launches[0].n_repetitions, n);
        assert_int_equal(r->launches[0].shape.grid[0], n);
        assert_int_equal(r->launches[0].passed[0].kind, HONE_PASS_ARG);
        assert_int_equal(r->launches[0].passed[0].index, 0);
        assert_int_equal(r->launches[1].repeat, n > 1);
        assert_int_equal(r->launches[r->n_launches - 1].repeat, 0);
        assert_int_equal(r->launches[r->n_launches - 1].passed[1].kind,
                         HONE_PASS_WORKSPACE);
    }
    free(r);
    hone__launch_spec_free(spec);
    hone__text_free(&plan);
    hone__template_free(t);
}

/* A plan that repeats nothing is one that older runtimes read. */
static void older_plans_stay(void **state)
{
    hone_template *t =
        parse_good(OP ARGS "#pragma hone launch k args(x, y)\n" KERNEL);
    hone_text plan = {0};

    (void)state;
    assert_int_equal(hone__expand_launch_spec(t, NULL, &plan, NULL), HONE_OK);
    assert_non_null(strstr(plan.data, "hone-launch 1\n"));
    hone__text_free(&plan);
    hone__template_free(t);
}

static void refused(void **state)
{
    static const struct {
        const char *launch;
        int column;
        const char *words;
    } rows[] = {
        {"repeat(I)", 30, "the launch above is not repeated as 'I'"},
        {"repeat", 29, "expected '(' after repeat"},
        {"repeat(I, )", 32, "expected a value"},
        {"repeat(I, n", 34, "after the number of repetitions"},
        {"repeat(n, 3)", 30, "'n' is already declared"},
        {"repeat(I, I)", 33, "unknown name 'I'"},
        {"repeat(I, 3) repeat(J, 3)", 36, "'repeat' is given twice"},
        {"grid(2) repeat(I, 3)", 37, "'repeat' comes first"},
        {"repeat(I, 3) block(I)", 42, "'I' is the number of a repetition"},
        {"repeat(I, 3) shared(I)", 43, "'I' is the number of a repetition"},
        {"repeat(I, 3) cluster(I)", 44, "'I' is the number of a repetition"},
        {"args(pick)", 28, "no argument, workspace"},
        {"args(pick())", 33, "expected a value"},
        {"args(pick(0))", 34, "and the arrays of which"},
        {"args(pick(n, a))", 36, "'a' is a scalar"},
        {"args(pick(n, n))", 36, "'n' is a value"},
        {"args(pick(0,x,x,x,x,x,x,x,x,x))", 51, "at most 8"},
        {"args(pock(0, x))", 28, "not 'pock(..)'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        hone_diagnostics found;

        (void)snprintf(text, sizeof text,
                       OP ARGS "#pragma hone launch k %s\n%s", rows[i].launch,
                       KERNEL);
        found = read_bad(text);
        if (found.n != 1 || found.items[0].line != 3 ||
            found.items[0].column != rows[i].column ||
            !strstr(found.items[0].text, rows[i].words))
            fail_msg("%s: %d:%d %s", rows[i].launch,
                     found.n ? found.items[0].line : 0,
                     found.n ? found.items[0].column : 0,
                     found.n ? found.items[0].text : "");
        hone__diagnostics_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planned),
        cmocka_unit_test(older_plans_stay),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
