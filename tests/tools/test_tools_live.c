/* SPDX-License-Identifier: Apache-2.0 */
/* The page of `hone top`: the curve, the widths, what is known and what is
 * not. */
#include "tools/live/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_curve(const double *values, size_t n, size_t n_cells,
                         int is_unicode, const char *expected)
{
    hone_text text = {0};

    hone__watch_curve(values, n, n_cells, is_unicode, &text);
    assert_string_equal(hone__text_str(&text), expected);
    hone__text_free(&text);
}

static void curve(void **state)
{
    /* Of 128: each half is one level of seven. */
    static const double halves[] = {128, 64, 32, 16, 8, 4, 2, 1};
    static const double late[] = {0, 0, 5, 5};

    (void)state;
    expect_curve(halves, 8, 8, 1, "█▇▆▅▄▃▂▁");
    expect_curve(halves, 8, 8, 0, "#*+=-:._");
    /* A cell is the last value that falls on it; there are no more cells than
     * values. */
    expect_curve(halves, 8, 4, 0, "*=:_");
    expect_curve(halves, 8, 3, 0, "*-_");
    expect_curve(halves, 2, 80, 0, "#_");
    /* Nothing right yet is blank; one value alone is the lowest. */
    expect_curve(late, 4, 4, 0, "  __");
    expect_curve(NULL, 0, 10, 1, "");
}

/* 7 of 20 trials, two implementations. */
static hone_watch example(double *best)
{
    static const double times[] = {0, 800e3, 800e3, 400e3, 400e3, 200e3, 200e3};
    hone_watch tune = {.problem_id = 1,
                       .mode = "cold",
                       .op = "gemm",
                       .label = "M=64 N=64 K=64",
                       .device = "Test GPU",
                       .strategy = "auto",
                       .budget = "20",
                       .seed = 1,
                       .started_unix_s = 1000,
                       .is_running = 1,
                       .n_implementations = 2,
                       .n_trials = 7,
                       .n_own = 7,
                       .last_trial_unix_ns = 1007000000000,
                       .n_recent = 7,
                       .best_ns = best,
                       .n_best = 7,
                       .best_of = 1,
                       .config = "BM=64,BN=128"};

    memcpy(best, times, sizeof times);
    tune.counts[HONE_OUTCOME_OK] = 6;
    tune.counts[HONE_OUTCOME_WRONG] = 1;
    tune.implementations[0] = (hone_watch_implementation){
        .name = "plain", .n_trials = 1, .device_time_ns = 100};
    tune.implementations[1] = (hone_watch_implementation){.name = "wmma",
                                                          .n_trials = 6,
                                                          .n_ok = 6,
                                                          .device_time_ns = 300,
                                                          .best_ns = 200e3,
                                                          .default_ns = 800e3};
    return tune;
}

static void expect_page(const hone_watch *tune, const hone_watch_page *page,
                        int64_t now_unix_s, const char *expected)
{
    hone_text text = {0};

    hone__watch_draw(tune, page, now_unix_s, &text);
    assert_string_equal(hone__text_str(&text), expected);
    hone__text_free(&text);
}

static void page_of_a_running_tune(void **state)
{
    double best[7];
    const hone_watch tune = example(best);
    const hone_watch_page wide = {.n_columns = 80};

    (void)state;
    /* 7 trials in 7 seconds; 13 are left. */
    expect_page(
        &tune, &wide, 1007,
        "gemm  M=64 N=64 K=64\n"
        "Test GPU, cold, auto, budget 20, seed 1\n"
        "running, after 7 s\n"
        "\n"
        "[##########....................]  7 trials  1.0/s  left 13 s\n"
        "best       200.0 us, 4.00 times as fast as the default's 800.0 us\n"
        "           wmma BM=64,BN=128\n"
        "by trial    ##==__\n"
        "outcomes   ok 6, wrong 1\n"
        "\n"
        "by                trials      ok   share    time        best\n"
        "plain                  1       0    14 %    25 %           -\n"
        "wmma                   6       6    86 %    75 %    200.0 us\n");
}

static void narrow_page(void **state)
{
    double best[7];
    const hone_watch tune = example(best);
    const hone_watch_page narrow = {.n_columns = 40, .n_lines = 9};
    hone_text text = {0};
    size_t at = 0, n_lines = 0;

    (void)state;
    hone__watch_draw(&tune, &narrow, 1007, &text);
    while (at < text.length) {
        const size_t length = strcspn(text.data + at, "\n");

        assert_true(length <= 40);
        at += length + 1;
        ++n_lines;
    }
    assert_int_equal(n_lines, 9);
    assert_non_null(strstr(text.data, "\n7 trials  1.0/s  left 13 s\n"));
    hone__text_free(&text);
}

static void what_is_left(void **state)
{
    double best[7];
    hone_watch tune = example(best);

    (void)state;
    assert_true(hone__watch_left_s(&tune, 1007) == 13);
    /* From ten seconds on the rate is that of the last ten. */
    tune.n_recent = 20;
    assert_true(hone__watch_rate(&tune, 1020) == 2);
    assert_true(hone__watch_left_s(&tune, 1020) == 6.5);
    strcpy(tune.budget, "1m");
    assert_true(hone__watch_left_s(&tune, 1020) == 40);
    assert_true(hone__watch_left_s(&tune, 1090) == 0);
    strcpy(tune.budget, "");
    assert_true(hone__watch_left_s(&tune, 1020) < 0);
    tune.is_running = 0;
    tune.ended_unix_s = 1014;
    assert_true(hone__watch_rate(&tune, 5000) == 0.5);
    tune.n_trials = 107; /* those of earlier runs took none of its seconds */
    assert_true(hone__watch_rate(&tune, 5000) == 0.5);
    assert_true(hone__watch_left_s(&tune, 5000) == 0);
}

static void line_of_each_state(void **state)
{
    double best[7];
    hone_watch tune = example(best);
    hone_text text = {0};

    (void)state;
    hone__watch_line(&tune, 1007, &text);
    assert_string_equal(text.data, "gemm M=64 N=64 K=64: running  7 trials  "
                                   "1.0/s  left 13 s  best 200.0 us wmma "
                                   "BM=64,BN=128\n");
    hone__text_clear(&text);
    hone__watch_line(&tune, 1107, &text);
    assert_non_null(strstr(text.data, ": no trial for 100 s: killed?  7 "));
    hone__text_clear(&text);
    strcpy(tune.budget, "7"); /* is spent */
    hone__watch_line(&tune, 1007, &text);
    assert_non_null(strstr(text.data, "1.0/s  final  best"));
    hone__text_clear(&text);
    tune.is_running = 0;
    strcpy(tune.verdict, "decided");
    hone__watch_line(&tune, 1107, &text);
    assert_non_null(strstr(text.data, ": ended: decided  7 trials  1.0/s  b"));
    hone__text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curve),
        cmocka_unit_test(page_of_a_running_tune),
        cmocka_unit_test(narrow_page),
        cmocka_unit_test(what_is_left),
        cmocka_unit_test(line_of_each_state),
    };

    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
