/* SPDX-License-Identifier: Apache-2.0 */
/* What constraints mean: which ones cannot be evaluated, what guards them,
 * and which one empties a space. */
#include "tests/gen/gen_test.h"

#define OP "#pragma hone op o(n)\n"
#define LAUNCH "#pragma hone launch k\n" KERNEL

static hone_space *space_of(const hone_template *t, const int64_t *dims)
{
    const hone_properties properties = properties_of("sm_90");
    hone_space *space = NULL;
    hone_error err = {0};

    if (hone__space_create(t, dims, &properties, &space, &err))
        fail_msg("%s", err.text);
    return space;
}

static void failures(void **state)
{
    static const struct {
        const char *lines;
        hone_status status;
        const char *part;
    } cases[] = {
        {"#pragma hone param X in {0, 1}\n#pragma hone require 4/X > 1\n",
         HONE_ERR_INPUT, "t.cu:3:22: division by zero in '4/X > 1' (with X=0)"},
        /* the first in declared order, whatever is found first */
        {"#pragma hone param X in {0, 1}\n#pragma hone param Y in {0, 1}\n"
         "#pragma hone require Y < 2 && 4/Y > 1 || X == 0\n"
         "#pragma hone require 4/X > 1\n",
         HONE_ERR_INPUT, "t.cu:4:22: division by zero in 'Y < 2"},
        /* a later constraint does not excuse an earlier one .. */
        {"#pragma hone param X in {0, 1}\n#pragma hone require 4/X > 1\n"
         "#pragma hone require X != 0\n",
         HONE_ERR_INPUT, "t.cu:3:22: division by zero"},
        /* .. nor does one that leaves another cause */
        {"#pragma hone param X in {0, 1}\n#pragma hone param Y in {0, 1}\n"
         "#pragma hone require X != Y\n#pragma hone require 4/(X*2 + Y - 1) "
         "> "
         "1\n",
         HONE_ERR_INPUT,
         "t.cu:5:22: division by zero in '4/(X*2 + Y - 1) > "
         "1' (with X=0,Y=1)"},
        {"#pragma hone param X in {4G}\n#pragma hone let Y = X*X\n"
         "#pragma hone require Y > 1\n",
         HONE_ERR_OVERFLOW, "t.cu:3:22: a result does not fit"},
        {"#pragma hone arch sm >= 100\n", HONE_ERR_CONSTRAINT,
         "needs 'sm >= 100'; the device is sm_90"},
    };
    const hone_properties properties = properties_of("sm_90");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1024];
        hone_template *t;
        hone_space *space;
        hone_error err = {0};

        (void)snprintf(text, sizeof text, OP "%s" LAUNCH, cases[i].lines);
        t = parse_good(text);
        assert_int_equal(hone__space_create(t, NULL, &properties, &space, &err),
                         cases[i].status);
        assert_null(space);
        if (!strstr(err.text, cases[i].part))
            fail_msg("%s", err.text);
        hone__template_free(t);
    }
}

/* What keeps a division from being evaluated: a constraint above it, together
 * with others if need be, and what && || and ?: leave out. */
static void guards(void **state)
{
    static const struct {
        const char *lines;
        int64_t count;
    } cases[] = {
        {"#pragma hone require X != 0\n#pragma hone let Q = 6/X\n"
         "#pragma hone require Q > 2\n",
         2 * 4},
        {"#pragma hone require X != 0 && 6/X > 2\n", 2 * 4},
        {"#pragma hone require X == 0 || 6/X > 2\n", 3 * 4},
        {"#pragma hone require (X ? 6/X : 3) > 2\n", 3 * 4},
        /* X*Y is 0 in four of the remaining, which X + Y excludes */
        {"#pragma hone require X > 1\n#pragma hone require X + Y >= 4\n"
         "#pragma hone require 12 % (X*Y) == 0\n",
         4},
        /* nobody needs it */
        {"#pragma hone let Q = 6/X\n#pragma hone require Y > 1\n", 2 * 4},
        /* overflow below a guard */
        {"#pragma hone require X < 2\n"
         "#pragma hone require (X < 2 ? Y : 4G*4G*X) > 0\n",
         2 * 3},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[512];
        hone_template *t;
        hone_space *space;

        (void)snprintf(text, sizeof text,
                       OP "#pragma hone param X in 0..3\n"
                          "#pragma hone param Y in 0..3\n%s" LAUNCH,
                       cases[i].lines);
        t = parse_good(text);
        space = space_of(t, NULL);
        if (space->count != cases[i].count)
            fail_msg("%lld, not %lld: %s", (long long)space->count,
                     (long long)cases[i].count, text);
        hone__space_free(space);
        hone__template_free(t);
    }
}

/* More combinations than 64 bits can number are no difficulty by themselves.
 */
static void huge(void **state)
{
    static const char params[] =
        "#pragma hone param A in 1..65536\n#pragma hone param B in 1..65536\n"
        "#pragma hone param C in 1..65536\n#pragma hone param D in "
        "1..65536\n";
    char text[1024];
    hone_template *t;
    hone_space *space;
    hone_error err = {0};
    const hone_properties properties = properties_of("sm_90");
    int values[4];

    (void)state;
    (void)snprintf(
        text, sizeof text,
        OP "%s#pragma hone require A > 65535 && B == A && C > 1\n" LAUNCH,
        params);
    t = parse_good(text);
    space = space_of(t, NULL);
    assert_int_equal(space->raw, INT64_MAX);
    assert_int_equal(space->count, INT64_C(65535) * 65536);
    for (int64_t i = 0; i < space->count; i += 123456789) {
        hone__space_get_indexes(space, i, values);
        assert_int_equal(values[0], 65535);
        assert_int_equal(values[1], 65535);
        assert_true(values[2] > 0);
        assert_int_equal(hone__space_find_indexes(space, values), i);
    }
    hone__space_free(space);
    hone__template_free(t);
    /* .. unless that many of them are valid. */
    (void)snprintf(text, sizeof text, OP "%s" LAUNCH, params);
    t = parse_good(text);
    assert_int_equal(hone__space_create(t, NULL, &properties, &space, &err),
                     HONE_ERR_UNSUPPORTED);
    assert_null(space);
    assert_non_null(strstr(err.text, "more than 9.2e18"));
    hone__template_free(t);
}

/* An empty space names the constraint that emptied it. */
static void empty(void **state)
{
    static const struct {
        const char *lines;
        const char *sentence;
    } cases[] = {
        {"#pragma hone require X < 0 \"never\"\n",
         "t.cu:3:22: 'X < 0' (never) rejects every configuration"},
        {"#pragma hone require X > 1\n#pragma hone require X < 2\n"
         "#pragma hone require X > 0\n",
         "t.cu:4:22: 'X < 2' rejects the last of the configurations: all 2 "
         "that the constraints above it leave"},
        {"#pragma hone require n < 0\n",
         "t.cu:3:22: 'n < 0' rejects every configuration"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const int64_t dims[] = {4};
        char text[512];
        int64_t config[1];
        hone_template *t;
        hone_space *space;
        hone_error err = {0};

        (void)snprintf(text, sizeof text,
                       OP "#pragma hone param X in 0..3\n%s" LAUNCH,
                       cases[i].lines);
        t = parse_good(text);
        space = space_of(t, dims);
        assert_int_equal(space->count, 0);
        assert_int_equal(hone__space_default(space, config, &err),
                         HONE_ERR_NOT_FOUND);
        assert_string_equal(err.text, cases[i].sentence);
        hone__space_free(space);
        hone__template_free(t);
    }
}

/* A preference counts where configurations are searched alone: neither where
 * those of another problem are looked for, nor in launch plans. */
static void preferences(void **state)
{
    hone_template *const t =
        parse_good(OP "#pragma hone param X in {1, 2, 3, 4}\n"
                      "#pragma hone require X <= n \"no room\"\n"
                      "#pragma hone prefer 2*X >= n \"slow\"\n" LAUNCH);
    const hone_properties properties = properties_of("sm_90");
    const int64_t dims[] = {3};
    const int64_t slow[] = {1};
    hone_space *const searched = space_of(t, dims);
    hone_space *whole = NULL;
    hone_text plan = {0};
    hone_error err = {0};

    (void)state;
    assert_int_equal(hone__expand_launch_spec(t, slow, &plan, &err), HONE_OK);
    assert_non_null(strstr(plan.data, "require X <= n\n"));
    assert_null(strstr(plan.data, "2*X"));
    hone__text_free(&plan);
    assert_int_equal(
        hone__space_create_whole(t, dims, &properties, &whole, &err), HONE_OK);
    assert_int_equal(searched->count, 2);
    assert_int_equal(whole->count, 3);
    assert_int_equal(hone__space_find(searched, slow), -1);
    assert_true(hone__space_find(whole, slow) >= 0);
    assert_int_equal(hone__space_check(searched, slow, &err),
                     HONE_ERR_CONSTRAINT);
    assert_non_null(strstr(err.text, "slow"));
    assert_int_equal(hone__space_check(whole, slow, &err), HONE_OK);
    hone__space_free(whole);
    hone__space_free(searched);
    hone__template_free(t);
}

/* A let is evaluated where a condition needs it, in whatever order the two are
 * written and whoever asks. */
static void lazy_lets(void **state)
{
    hone_template *const t =
        parse_good(OP "#pragma hone param X in {0, 1, 2} default 1\n"
                      "#pragma hone let PER = 64 / X\n"
                      "#pragma hone let HALF = PER / device.sm_count\n"
                      "#pragma hone require X == 0 || PER >= 64\n"
                      "#pragma hone require X != 2 || HALF > 0\n" LAUNCH);
    const hone_properties properties = properties_of("sm_90");
    hone_space *const solved = space_of(t, NULL);
    hone_space *unsolved = NULL;
    hone_error err = {0};

    (void)state;
    assert_int_equal(
        hone__space_create_unsolved(t, NULL, &properties, 0, &unsolved, &err),
        HONE_OK);
    assert_int_equal(solved->count, 2);
    for (int64_t x = 0; x < 3; ++x) {
        const int64_t config[] = {x};
        const hone_status want = hone__space_find(solved, config) < 0
                                     ? HONE_ERR_CONSTRAINT
                                     : HONE_OK;

        assert_int_equal(hone__space_check(solved, config, &err), want);
        assert_int_equal(hone__space_check(unsolved, config, &err), want);
    }
    hone__space_free(unsolved);
    hone__space_free(solved);
    hone__template_free(t);
}

/* What is needed and cannot be evaluated is where it is written. */
static void needed_lets(void **state)
{
    hone_template *const t =
        parse_good(OP "#pragma hone param X in {0, 1}\n"
                      "#pragma hone let PER = 64 / X\n"
                      "#pragma hone let HALF = PER / 2\n"
                      "#pragma hone require HALF > 1\n" LAUNCH);
    const hone_properties properties = properties_of("sm_90");
    const int64_t config[] = {0};
    hone_space *space = NULL;
    hone_error err = {0};

    (void)state;
    assert_int_equal(
        hone__space_create_unsolved(t, NULL, &properties, 0, &space, &err),
        HONE_OK);
    assert_int_equal(hone__space_check(space, config, &err), HONE_ERR_INPUT);
    assert_string_equal(err.text, "t.cu:3:24: division by zero in '64 / X'");
    hone__space_free(space);
    hone__template_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures),    cmocka_unit_test(guards),
        cmocka_unit_test(huge),        cmocka_unit_test(empty),
        cmocka_unit_test(preferences), cmocka_unit_test(lazy_lets),
        cmocka_unit_test(needed_lets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
