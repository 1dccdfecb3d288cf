/* SPDX-License-Identifier: Apache-2.0 */
/* Choosers: what they predict where the truth is known, what they decide, and
 * their text with every mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/choose/chooser_model.h"
#include "tests/runtime/choose_fixture.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void prepare(choose_fixture *f)
{
    const hone_launch_case plan = choose_at(f, NULL);
    hone_error err = {0};

    if (hone__chooser_prepare(f->chooser, &plan, &err) != HONE_OK)
        fail_msg("%s", err.text);
}

static hone_chooser_guesses predict(const choose_fixture *f, int64_t m,
                                    int64_t n, int64_t ld)
{
    const int64_t dims[] = {m, n, ld};
    const hone_launch_case at = choose_at(f, dims);
    hone_chooser_guesses guesses;

    hone__chooser_predict(f->chooser, &at, &guesses);
    return guesses;
}

static hone_chooser_decision decide(const choose_fixture *f, int64_t m,
                                    int64_t n)
{
    static const unsigned char safe[CHOOSE_MEMBERS] = {0, 0, 1};
    const hone_chooser_guesses guesses = predict(f, m, n, n);
    hone_chooser_decision out;

    hone__chooser_decide(&guesses, NULL, safe, &out);
    return out;
}

/* ---- predictions ---------------------------------------------------------
 */

/* At 400 shapes that were not measured: rarely far from the best time. */
static void chooses_near_the_best(void **state)
{
    choose_fixture f;
    double worst = 0, sum = 0;
    uint64_t random = 99;

    (void)state;
    choose_begin(&f, 100);
    prepare(&f);
    hone__chooser_measure_errors(f.chooser);
    for (int i = 0; i < 400; ++i) {
        int64_t dims[3];
        hone_chooser_decision d;
        double best, regret;

        for (int k = 0; k < 2; ++k) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            dims[k] = 40 + (int64_t)(random >> 33) % 6000;
        }
        dims[2] = dims[1];
        d = decide(&f, dims[0], dims[1]);
        assert_in_range(d.member, 0, CHOOSE_MEMBERS - 1);
        best = fmin(choose_time(0, dims), choose_time(1, dims));
        regret = choose_time((size_t)d.member, dims) / best - 1;
        worst = fmax(worst, regret);
        sum += regret;
    }
    print_message("regret: mean %.3f, worst %.3f; error %.3f, of gains %.3f\n",
                  sum / 400, worst, f.chooser->error, f.chooser->gain_error);
    assert_true(sum / 400 < 0.08 && worst < 0.5);
    choose_end(&f);
}

/* Of what was measured little is doubted, of what is far away much. */
static void doubts_what_is_far(void **state)
{
    choose_fixture f;
    const int64_t *known;
    size_t i;
    hone_chooser_guesses here, away, padded;

    (void)state;
    choose_begin(&f, 60);
    prepare(&f);
    hone__chooser_measure_errors(f.chooser);
    known = f.chooser->dims;
    while (known[1] > 800) /* so that it is within reach with more between */
        known += CHOOSE_DIMS;
    i = (size_t)(known - f.chooser->dims) / CHOOSE_DIMS;
    here = predict(&f, known[0], known[1], known[1]);
    away = predict(&f, 1, 8000, 8000);
    padded = predict(&f, known[0], known[1], 8 * known[1]);
    for (size_t j = 0; j < CHOOSE_MEMBERS; ++j) {
        assert_true(fabs(here.of[j].log_ns -
                         log(f.chooser->time_ns[i * CHOOSE_MEMBERS + j])) <
                    0.05);
        assert_true(here.of[j].doubt > 0);
        assert_true(away.of[j].doubt > 2 * here.of[j].doubt);
        assert_true(padded.of[j].doubt > 1.5 * here.of[j].doubt);
    }
    assert_true(away.gain_doubt > 2 * here.gain_doubt);
    choose_end(&f);
}

/* The closed form is what a chooser without the problem predicts. */
static void leaves_one_out(void **state)
{
    enum { N = 12, OUT = 5 };
    choose_fixture f, without;
    hone_chooser_guesses a, b;
    size_t to = 0;

    (void)state;
    choose_begin(&f, N);
    choose_begin(&without, N - 1);
    /* Member 0 has no time at one problem, member 1 none at that left out. */
    f.chooser->time_ns[2 * CHOOSE_MEMBERS] = 0;
    f.chooser->time_ns[OUT * CHOOSE_MEMBERS + 1] = 0;
    for (size_t i = 0; i < N; ++i) {
        if (i == OUT)
            continue;
        memcpy(&without.chooser->dims[to * CHOOSE_DIMS],
               &f.chooser->dims[i * CHOOSE_DIMS],
               CHOOSE_DIMS * sizeof(int64_t));
        memcpy(&without.chooser->time_ns[to * CHOOSE_MEMBERS],
               &f.chooser->time_ns[i * CHOOSE_MEMBERS],
               CHOOSE_MEMBERS * sizeof(double));
        ++to;
    }
    prepare(&f);
    prepare(&without);
    hone__chooser_predict_without(f.chooser, OUT, &a);
    b = predict(&without, f.chooser->dims[OUT * CHOOSE_DIMS],
                f.chooser->dims[OUT * CHOOSE_DIMS + 1],
                f.chooser->dims[OUT * CHOOSE_DIMS + 1]);
    assert_true(fabs(a.of[0].log_ns - b.of[0].log_ns) < 1e-6);
    assert_true(fabs(a.of[2].log_ns - b.of[2].log_ns) < 1e-6);
    assert_true(fabs(a.of[2].doubt - b.of[2].doubt) < 1e-6);
    assert_true(a.of[1].doubt < 0); /* there is no truth to compare with */
    assert_true(b.of[1].doubt > 0);
    choose_end(&f);
    choose_end(&without);
}

static void keeps_within_reach(void **state)
{
    const int64_t reach[] = {8192, 1000, 8192};
    choose_fixture f;
    hone_chooser_guesses g;

    (void)state;
    choose_begin(&f, 30);
    assert_int_equal(hone__chooser_set_reach(f.chooser, 1, reach, NULL),
                     HONE_OK);
    f.chooser->members[2].reach = NULL; /* verified nowhere */
    prepare(&f);
    g = predict(&f, 512, 1000, 1000);
    assert_true(g.of[0].doubt >= 0 && g.of[1].doubt >= 0);
    assert_true(g.of[2].doubt < 0);
    g = predict(&f, 512, 1001, 1001);
    assert_true(g.of[0].doubt >= 0 && g.of[1].doubt < 0);
    g = predict(&f, 8193, 10, 10);
    assert_true(g.of[0].doubt < 0 && g.of[1].doubt < 0);
    choose_end(&f);
}

/* Measured too rarely, or nowhere. */
static void does_not_guess_from_little(void **state)
{
    choose_fixture f;
    hone_chooser_guesses g;

    (void)state;
    choose_begin(&f, 20);
    for (size_t i = 0; i < 20; ++i) {
        f.chooser->time_ns[i * CHOOSE_MEMBERS] = 0;
        if (i >= HONE_CHOOSER_LEAST_TIMES - 1)
            f.chooser->time_ns[i * CHOOSE_MEMBERS + 1] = 0;
    }
    prepare(&f);
    g = predict(&f, 64, 64, 64);
    assert_true(g.of[0].doubt < 0 && g.of[1].doubt < 0 && g.of[2].doubt > 0);
    hone__chooser_measure_errors(f.chooser);
    assert_true(f.chooser->members[0].error == 0 &&
                f.chooser->members[2].error > 0);
    choose_end(&f);
    choose_begin(&f, 0);
    prepare(&f);
    g = predict(&f, 64, 64, 64);
    assert_true(g.n == CHOOSE_MEMBERS && g.of[0].doubt < 0);
    assert_int_equal(decide(&f, 64, 64).member, HONE_CHOOSER_NOBODY);
    choose_end(&f);
}

/* A plan that declares no work, and one with other dims. */
static void prepares_with_other_plans(void **state)
{
    choose_fixture f;
    hone_launch_case plan;
    hone_error err = {0};
    char text[1000];
    hone_launch_spec *other = NULL;

    (void)state;
    choose_begin(&f, 40);
    plan = choose_at(&f, NULL);
    (void)snprintf(text, sizeof text, "%s", choose_plan);
    *strstr(text, "work flops") = '\0';
    assert_int_equal(hone__launch_spec_parse(text, &other, &err), HONE_OK);
    plan.spec = other;
    assert_int_equal(hone__chooser_prepare(f.chooser, &plan, &err), HONE_OK);
    assert_true(predict(&f, 512, 512, 512).of[0].doubt > 0);
    hone__launch_spec_free(other);
    assert_int_equal(hone__launch_spec_parse("hone-launch 1\nop rows\n"
                                             "dim M int\n"
                                             "arg y out 4 M\n"
                                             "launch k\ngrid M\nblock 32\n"
                                             "pass y\n",
                                             &other, &err),
                     HONE_OK);
    plan.spec = other;
    assert_int_equal(hone__chooser_prepare(f.chooser, &plan, &err),
                     HONE_ERR_INPUT);
    assert_non_null(strstr(err.text, "3 dims, the launch plan 1"));
    assert_null(f.chooser->model);
    hone__launch_spec_free(other);
    choose_end(&f);
}

/* ---- decisions -----------------------------------------------------------
 */

static void takes_the_safe_one_in_doubt(void **state)
{
    hone_chooser_guesses g = {.n = 6,
                              .of = {{log(100), 0.1},
                                     {log(90), 0.1},
                                     {log(95), 0.02},
                                     {0, -1},
                                     {NAN, 0.1},
                                     {0, NAN}},
                              .gain_doubt = 0.05};
    const unsigned char safe[] = {1, 0, 0, 1, 1, 1};
    unsigned char may[] = {1, 1, 1, 1, 1, 1};
    hone_chooser_decision d;

    (void)state;
    for (size_t i = 0; i < g.n; ++i)
        hone__chooser_add_predicted(&g, i);
    assert_int_equal(g.n_predicted, 3);
    hone__chooser_decide(&g, NULL, NULL, &d);
    assert_true(d.member == 1 && d.best == 1 && d.safe == HONE_CHOOSER_NOBODY);
    assert_true(fabs(d.time_ns - 90) < 1e-9 && d.doubt == 0.1 && d.gain == 0);
    hone__chooser_decide(&g, may, safe, &d);
    assert_true(d.member == 1 && d.safe == 0 && fabs(d.gain - 0.1) < 1e-9);
    g.gain_doubt = 0.11; /* of log(100/90), 0.105 */
    hone__chooser_decide(&g, may, safe, &d);
    assert_true(d.member == 0 && d.best == 1 && d.safe == 0);
    assert_true(fabs(d.time_ns - 100) < 1e-9);
    may[1] = 0;
    g.gain_doubt = 0.05; /* of log(100/95), 0.0513 */
    hone__chooser_decide(&g, may, safe, &d);
    assert_true(d.member == 2 && d.safe == 0);
    may[0] = 0; /* the safe one cannot be used here */
    g.gain_doubt = 9;
    hone__chooser_decide(&g, may, safe, &d);
    assert_true(d.member == 2 && d.safe == HONE_CHOOSER_NOBODY);
    may[2] = 0;
    hone__chooser_decide(&g, may, safe, &d);
    assert_int_equal(d.member, HONE_CHOOSER_NOBODY);
}

/* ---- its text ------------------------------------------------------------
 */

static hone_text text_of(const hone_chooser *chooser)
{
    hone_text text = {0};

    assert_int_equal(hone__chooser_write(chooser, &text, NULL), HONE_OK);
    return text;
}

static void is_read_as_written(void **state)
{
    choose_fixture f;
    hone_chooser *copy = NULL;
    hone_error err = {0};
    hone_text first, second;
    hone_chooser_decision a, b;

    (void)state;
    choose_begin(&f, 40);
    f.chooser->time_ns[7] = 0;
    f.chooser->members[1].reach = NULL;
    f.chooser->weights[HONE_CHOOSER_alignment][0] = 0;
    f.chooser->parameters[HONE_CHOOSER_noise] = 1.25e-3;
    choose_add_costs(f.chooser);
    choose_add_places(f.chooser);
    prepare(&f);
    hone__chooser_measure_errors(f.chooser);
    first = text_of(f.chooser);
    (void)setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is one */
    if (hone__chooser_parse(hone__text_str(&first), &copy, &err) != HONE_OK)
        fail_msg("%s", err.text);
    (void)setlocale(LC_ALL, "C");
    second = text_of(copy);
    assert_string_equal(hone__text_str(&first), hone__text_str(&second));
    a = decide(&f, 3000, 999);
    hone__chooser_free(f.chooser);
    f.chooser = copy;
    prepare(&f);
    b = decide(&f, 3000, 999);
    assert_int_equal(a.member, b.member);
    assert_true(fabs(a.time_ns / b.time_ns - 1) < 1e-6);
    assert_true(fabs(a.gain_doubt / b.gain_doubt - 1) < 1e-6);
    hone__text_free(&first);
    hone__text_free(&second);
    choose_end(&f);
}

static void refuse(const char *text, size_t line)
{
    char part[40];
    hone_chooser *chooser = NULL;
    hone_error err = {0};

    (void)snprintf(part, sizeof part, "from line %zu on", line);
    if (hone__chooser_parse(text, &chooser, &err) == HONE_OK)
        fail_msg("read: %s", text);
    assert_null(chooser);
    assert_int_equal(err.status, HONE_ERR_INPUT);
    if (!strstr(err.text, part))
        fail_msg("'%s' is not in: %s", part, err.text);
}

#define HEAD "hone-chooser 1\nop rows\ndims 2\n"
#define SHA256                                                                 \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define TWO HEAD "member 0 " SHA256 " rows\nmember 1 " SHA256 " vendor\n"

static void names_each_mistake(void **state)
{
    static const struct {
        const char *text;
        size_t line;
    } mistakes[] = {
        {"", 0},
        {"hone-model 1\n", 1},
        {"hone-chooser 5\nop rows\n", 1},
        {"hone-chooser 0\nop rows\n", 1},
        {"hone-chooser 1", 1},
        {"hone-chooser 1\ndims 2\n", 2},
        {"hone-chooser 1\nop\n", 2},
        {"hone-chooser 1\nop rows\ndims 21\n", 3},
        {"hone-chooser 1\nop rows\ndims -1\n", 3},
        {HEAD "\n", 4},
        {HEAD "dims 2\n", 4},
        {HEAD "speed 2\n", 4},
        {HEAD "member 1 " SHA256 " rows\n", 4},
        {HEAD "member 0 abc rows\n", 4},
        {HEAD "member 0 X" SHA256 " rows\n", 4},
        {HEAD "member 0 " SHA256 "\n", 4},
        {HEAD "member 0 " SHA256 " rows more\n", 4},
        {HEAD "member 0 " SHA256 " rows \n", 4},
        {TWO "problem 1,2 3 4 5\n", 6},
        {TWO "problem 1,2 3\n", 6},
        {TWO "problem 1,2  3 4\n", 6},
        {TWO "problem 1,2 3 nan\n", 6},
        {TWO "problem 1,2 3 inf\n", 6},
        {TWO "problem 1,2 3 0\n", 6},
        {TWO "problem 1,2 3 -4\n", 6},
        {TWO "problem 1,2 3 1e18\n", 6},
        {TWO "problem 1,2 3 1e999\n", 6},
        {TWO "problem 1,2 3 1e\n", 6},
        {TWO "problem 1,2 3 .\n", 6},
        {TWO "problem 1,2 3 0x10\n", 6},
        {TWO "problem 1,2 3 4,5\n", 6},
        {TWO "problem 1 3 4\n", 6},
        {TWO "problem 1,2,3 3 4\n", 6},
        {TWO "problem 1,-2 3 4\n", 6},
        {TWO "problem 1,99999999999999999999 3 4\n", 6},
        {TWO "problem 1,2 3 4\nproblem", 7},
        {TWO "weight size.2 1\n", 6},
        {TWO "weight size. 1\n", 6},
        {TWO "weight speed.0 1\n", 6},
        {TWO "weight size.0 nan\n", 6},
        {TWO "weight size.0 1001\n", 6},
        {TWO "noise 0\n", 6},
        {TWO "noise\n", 6},
        {TWO "error 2 0.1\n", 6},
        {TWO "error some 0.1\n", 6},
        {TWO "error 1 0\n", 6},
        {TWO "error all 101\n", 6},
        {TWO "reach 2 1,2\n", 6},
        {TWO "reach 1 1\n", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
        refuse(mistakes[i].text, mistakes[i].line);
}

/* No line can be missing its end, doubled in part, or have a byte of another
 * kind without that the text is refused, or still safe to use. */
static void survives_any_damage(void **state)
{
    static const char bytes[] = "\n -,.9e\x01";
    choose_fixture f;
    hone_text text;
    size_t n_read = 0, n = 0;

    (void)state;
    choose_begin(&f, 5);
    choose_add_costs(f.chooser);
    text = text_of(f.chooser);
    for (size_t i = 0; i < text.length; ++i) {
        const char kept = text.data[i];

        for (size_t b = 0; b < sizeof bytes; ++b, ++n) {
            hone_chooser *read = NULL;

            text.data[i] = bytes[b];
            if (hone__chooser_parse(text.data, &read, NULL) == HONE_OK &&
                ++n_read) {
                choose_fixture g = f;
                const hone_launch_case plan = choose_at(&f, NULL);

                g.chooser = read;
                if (read->n_dims == CHOOSE_DIMS &&
                    hone__chooser_prepare(read, &plan, NULL) == HONE_OK)
                    (void)decide(&g, 100, 100);
            }
            hone__chooser_free(read);
        }
        text.data[i] = kept;
    }
    assert_true(n_read > 0 && n_read < n);
    /* However little is there of it. */
    for (size_t i = text.length; i-- > 0;) {
        hone_chooser *read = NULL;

        text.data[i] = '\0';
        if (hone__chooser_parse(text.data, &read, NULL) == HONE_OK)
            assert_int_equal(text.data[i - 1], '\n');
        hone__chooser_free(read);
    }
    hone__text_free(&text);
    choose_end(&f);
}

/* Numbers at the ends of what is allowed give finite decisions, or none. */
static void extremes_are_decided(void **state)
{
    choose_fixture f;

    (void)state;
    for (int i = 0; i < 2 * HONE_N_CHOOSER_PARAMETERS + 4; ++i) {
        hone_chooser_decision d;
        hone_launch_case plan;

        choose_begin(&f, 30);
        plan = choose_at(&f, NULL);
        if (i < 2 * HONE_N_CHOOSER_PARAMETERS)
            f.chooser->parameters[i / 2] =
                i % 2 ? hone__chooser_ranges[i / 2].low
                      : hone__chooser_ranges[i / 2].high;
        else
            f.chooser->weights[i % 2][1] = i % 4 < 2 ? 0 : 1000;
        if (hone__chooser_prepare(f.chooser, &plan, NULL) == HONE_OK) {
            hone__chooser_measure_errors(f.chooser);
            d = decide(&f, 8000, 33);
            assert_true(d.member >= 0 && isfinite(d.time_ns) &&
                        isfinite(d.doubt) && isfinite(d.gain_doubt));
        }
        choose_end(&f);
    }
}

/* ---- memory --------------------------------------------------------------
 */

static hone_status whole_life(const choose_fixture *f, const char *text)
{
    const hone_launch_case plan = choose_at(f, NULL);
    hone_chooser *chooser = NULL;
    hone_error err = {0};
    hone_text out = {0};
    hone_status status = hone__chooser_parse(text, &chooser, &err);

    if (status == HONE_OK)
        status = hone__chooser_prepare(chooser, &plan, &err);
    if (status == HONE_OK)
        status = hone__chooser_write(chooser, &out, &err);
    assert_int_equal(err.status, status);
    hone__text_free(&out);
    hone__chooser_free(chooser);
    if (status == HONE_OK) {
        chooser = choose_make(3, &err);
        status = chooser ? HONE_OK : err.status;
        hone__chooser_free(chooser);
    }
    return status;
}

static void fails_without_memory(void **state)
{
    hone_status status = HONE_ERR_NO_MEMORY;
    choose_fixture f;
    hone_text text;
    long n = 0;

    (void)state;
    choose_begin(&f, 20);
    choose_add_costs(f.chooser);
    choose_add_places(f.chooser);
    text = text_of(f.chooser);
    for (; status != HONE_OK && n < 500; ++n) {
        hone__alloc_fail_after(n);
        status = whole_life(&f, hone__text_str(&text));
        (void)hone__alloc_fail_end();
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
    }
    assert_in_range(n, 10, 499);
    hone__text_free(&text);
    choose_end(&f);
}

static void is_bounded(void **state)
{
    hone_chooser *chooser = NULL;
    hone_error err = {0};
    hone_text text = {0};

    (void)state;
    assert_int_equal(hone__chooser_create("a", 1, HONE_CHOOSER_MEMBERS + 1, 1,
                                          &chooser, &err),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(hone__chooser_create("a", 1, 1, HONE_CHOOSER_PROBLEMS + 1,
                                          &chooser, &err),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(
        hone__chooser_create("a", HONE_MAX_DIMS + 1, 1, 1, &chooser, &err),
        HONE_ERR_ARGUMENT);
    hone__text_puts(&text, HEAD);
    for (int i = 0; i <= HONE_CHOOSER_PROBLEMS; ++i)
        hone__text_puts(&text, "problem 1,2\n");
    refuse(hone__text_str(&text), 3);
    hone__text_free(&text);
    assert_int_equal(hone__chooser_create("a", 1, 1, 1, &chooser, &err),
                     HONE_OK);
    assert_int_equal(hone__chooser_set_member(chooser, 0, "abc", "a", &err),
                     HONE_ERR_ARGUMENT);
    hone__chooser_free(chooser);
    hone__chooser_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_near_the_best),
        cmocka_unit_test(doubts_what_is_far),
        cmocka_unit_test(leaves_one_out),
        cmocka_unit_test(keeps_within_reach),
        cmocka_unit_test(does_not_guess_from_little),
        cmocka_unit_test(prepares_with_other_plans),
        cmocka_unit_test(takes_the_safe_one_in_doubt),
        cmocka_unit_test(is_read_as_written),
        cmocka_unit_test(names_each_mistake),
        cmocka_unit_test(survives_any_damage),
        cmocka_unit_test(extremes_are_decided),
        cmocka_unit_test(fails_without_memory),
        cmocka_unit_test(is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
