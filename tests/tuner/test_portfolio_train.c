/* SPDX-License-Identifier: Apache-2.0 */
/* Training a chooser: a rule that is simple is learned, again the same, better
 * than what it begins with; what a choice loses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/device_properties.h"
#include "tuner/portfolio/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char plan_text[] = "hone-launch 6\n"
                                "op rows\n"
                                "dim M int\n"
                                "dim N int\n"
                                "arg x in 4 M*N\n"
                                "arg y out 4 M*N\n"
                                "launch rows\n"
                                "grid N ; M\n"
                                "block 64\n"
                                "pass x\n"
                                "pass y\n"
                                "work flops 100*M*N\n"
                                "work bytes 8*M*N\n";

enum { N_DIMS = 2, N_MEMBERS = 3, N_PROBLEMS = 24 };

typedef struct fixture {
    hone_launch_spec *spec;
    hone_properties properties;
    hone_chooser *chooser;
} fixture;

/* One is good where there are few columns, one where there are many, however
 * many rows; the third, the safe one, is never good. */
static double time_of(size_t member, const int64_t *dims)
{
    const double size = (double)dims[0] * (double)dims[1];
    const double columns = log2((double)dims[1]);

    if (member == 0)
        return (3000 + 0.02 * size) * exp2(0.25 * (columns - 8));
    if (member == 1)
        return (3000 + 0.02 * size) * exp2(-0.25 * (columns - 8));
    return 2 * (3000 + 0.02 * size);
}

static void begin(fixture *f, size_t n_problems)
{
    const int64_t reach[N_DIMS] = {65536, 65536};
    hone_error err = {0};
    uint32_t state = 1;

    memset(f, 0, sizeof *f);
    assert_int_equal(hone__launch_spec_parse(plan_text, &f->spec, &err),
                     HONE_OK);
    assert_int_equal(hone__chooser_create("rows", N_DIMS, N_MEMBERS, n_problems,
                                          &f->chooser, &err),
                     HONE_OK);
    for (size_t i = 0; i < N_MEMBERS; ++i) {
        char hash[HONE_CHOOSER_SHA256 + 1];

        memset(hash, 'a' + (int)i, HONE_CHOOSER_SHA256);
        hash[HONE_CHOOSER_SHA256] = '\0';
        assert_int_equal(
            hone__chooser_set_member(f->chooser, i, hash, "ours", &err),
            HONE_OK);
        assert_int_equal(hone__chooser_set_reach(f->chooser, i, reach, &err),
                         HONE_OK);
    }
    for (size_t p = 0; p < n_problems; ++p) {
        int64_t *dims = &f->chooser->dims[p * N_DIMS];

        for (size_t d = 0; d < N_DIMS; ++d) {
            state = state * 1664525u + 1013904223u;
            dims[d] = 16 << (state >> 28 & 7);
            dims[d] += (int64_t)(state >> 8) % dims[d];
        }
        for (size_t i = 0; i < N_MEMBERS; ++i)
            f->chooser->time_ns[p * N_MEMBERS + i] = time_of(i, dims);
    }
}

static void end(fixture *f)
{
    hone__chooser_free(f->chooser);
    hone__launch_spec_free(f->spec);
}

static hone_portfolio_loss train(fixture *f)
{
    static const unsigned char safe[N_MEMBERS] = {0, 0, 1};
    const hone_launch_case plan = {f->spec, f->chooser->dims, N_DIMS,
                                   &f->properties};
    hone_portfolio_loss loss;
    hone_error err = {0};
    const hone_status status =
        hone__portfolio_train(f->chooser, &plan, safe, &loss, &err);

    if (status != HONE_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, HONE_OK);
    return loss;
}

static void test_rule_is_learned(void **state)
{
    fixture f;
    hone_portfolio_loss loss;
    hone_chooser_guesses guesses;
    hone_chooser_decision decision;
    int n_right = 0, n = 0;

    (void)state;
    begin(&f, N_PROBLEMS);
    loss = train(&f);
    assert_int_equal(loss.n, N_PROBLEMS);
    assert_true(loss.mean >= 0 && loss.mean < 0.05);
    assert_true(f.chooser->error > 0 && f.chooser->error < 0.2);
    /* At dims that it has not seen. */
    for (int64_t rows = 24; rows <= 1024; rows *= 3)
        for (int64_t columns = 20; columns <= 2048; columns *= 3) {
            const int64_t dims[N_DIMS] = {rows, columns};
            const hone_launch_case at = {f.spec, dims, N_DIMS, &f.properties};

            hone__chooser_predict(f.chooser, &at, &guesses);
            hone__chooser_decide(&guesses, NULL, NULL, &decision);
            assert_true(decision.member >= 0);
            n_right += decision.member == (columns > 256);
            ++n;
        }
    assert_true(n_right >= n - 2);
    end(&f);
}

static void test_same_times_give_the_same(void **state)
{
    fixture a, b;
    hone_text texts[2] = {{0}, {0}};
    hone_error err = {0};

    (void)state;
    begin(&a, N_PROBLEMS);
    begin(&b, N_PROBLEMS);
    (void)train(&a);
    (void)train(&b);
    assert_int_equal(hone__chooser_write(a.chooser, &texts[0], &err), HONE_OK);
    assert_int_equal(hone__chooser_write(b.chooser, &texts[1], &err), HONE_OK);
    assert_string_equal(texts[0].data, texts[1].data);
    hone__text_free(&texts[0]);
    hone__text_free(&texts[1]);
    end(&a);
    end(&b);
}

/* Training changes something, and not for the worse. */
static void test_better_than_usual(void **state)
{
    fixture usual, trained;
    hone_error err = {0};
    hone_launch_case plan;

    (void)state;
    begin(&usual, N_PROBLEMS);
    begin(&trained, N_PROBLEMS);
    plan = (hone_launch_case){usual.spec, usual.chooser->dims, N_DIMS,
                              &usual.properties};
    assert_int_equal(hone__chooser_prepare(usual.chooser, &plan, &err),
                     HONE_OK);
    hone__chooser_measure_errors(usual.chooser);
    (void)train(&trained);
    assert_true(trained.chooser->gain_error < usual.chooser->gain_error);
    end(&usual);
    end(&trained);
}

static void test_few_problems(void **state)
{
    fixture f;

    (void)state;
    begin(&f, HONE_TRAIN_LEAST_PROBLEMS);
    assert_int_equal(train(&f).n, HONE_TRAIN_LEAST_PROBLEMS);
    end(&f);
    /* One less, and nothing can be left out: no choice. */
    begin(&f, HONE_TRAIN_LEAST_PROBLEMS - 1);
    assert_int_equal(train(&f).n, 0);
    end(&f);
}

static void test_loss(void **state)
{
    hone_loss_sum sum = {0};
    hone_portfolio_loss loss = hone__loss_of(&sum);

    (void)state;
    assert_int_equal(loss.n, 0);
    hone__loss_add(&sum, 100, 100);
    hone__loss_add(&sum, 121, 100);
    loss = hone__loss_of(&sum);
    assert_int_equal(loss.n, 2);
    assert_true(fabs(loss.mean - 0.1) < 1e-12);
    assert_true(fabs(loss.worst - 0.21) < 1e-12);
    /* Better than the best member: someone who is none. */
    sum = (hone_loss_sum){0};
    hone__loss_add(&sum, 90, 100);
    assert_true(fabs(hone__loss_of(&sum).worst + 0.1) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule_is_learned),
        cmocka_unit_test(test_same_times_give_the_same),
        cmocka_unit_test(test_better_than_usual),
        cmocka_unit_test(test_few_problems), cmocka_unit_test(test_loss)};

    return cmocka_run_group_tests_name("portfolio_train", tests, NULL, NULL);
}
