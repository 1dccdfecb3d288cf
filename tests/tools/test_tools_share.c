/* SPDX-License-Identifier: Apache-2.0 */
/* One budget for many shapes: who has what of it, and when it ends. */
#include "tools/tune_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What a tuner would say of each shape, and what it was given. */
typedef struct fake_tuner {
    hone_tune_share *shares;
    double time_ns[4], baseline_ns[4];
    int64_t looks[4], trials[4];
    size_t order[8], n;
    long fails_at; /* this call; -1: none */
} fake_tuner;

static hone_status fake_tune_one(fake_tuner *t, size_t place,
                                 const hone_tune_budget *budget,
                                 hone_error *err)
{
    if (t->fails_at-- == 0)
        return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
    t->shares[place].time_ns = t->time_ns[place];
    t->shares[place].baseline_ns = t->baseline_ns[place];
    t->shares[place].is_refused = t->time_ns[place] < 0;
    *(budget->is_look ? &t->looks[place] : &t->trials[place]) = budget->trials;
    t->order[t->n++] = place;
    return HONE_OK;
}

static hone_status fake_tune(void *user, const hone_tune_piece *pieces,
                             size_t n, hone_error *err)
{
    for (size_t i = 0; i < n; ++i)
        HONE_TRY(fake_tune_one(user, pieces[i].place, &pieces[i].budget, err));
    return HONE_OK;
}

static void budget_goes_where_launches_lose_most(void **state)
{
    hone_tune_share shares[4] = {{.n_launches = 10},
                                 {.n_launches = 1000},
                                 {.n_launches = 10},
                                 {.n_launches = 10}};
    /* Above the baseline by 100 us each, by 1 us, below it, refused. */
    fake_tuner t = {.shares = shares,
                    .time_ns = {200e3, 21e3, 1000e3, -1},
                    .baseline_ns = {100e3, 20e3, 1100e3, 0},
                    .fails_at = -1};
    const hone_tune_spending spending = {shares,    4,  1,   {160, 0, 0},
                                         fake_tune, &t, NULL};

    (void)state;
    assert_int_equal(hone__tune_spend(&spending, NULL), HONE_OK);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(t.looks[i], 10);
    /* 1000 us, 1050 us (5 % are more than 1 us), 500 us (5 %), nothing. */
    assert_int_equal(t.n, 7);
    assert_int_equal(t.order[4], 1);
    assert_int_equal(t.order[5], 0);
    assert_int_equal(t.order[6], 2);
    assert_int_equal(t.trials[0], 10 + 120 * 1000 / 2550);
    assert_int_equal(t.trials[1], 10 + 120 * 1050 / 2550);
    assert_int_equal(t.trials[2], 10 + 120 * 500 / 2550);
    assert_int_equal(t.trials[3], 0);
    assert_string_equal(shares[1].why,
                        "1000 launches of 21 us, 1 us above the fastest "
                        "baseline");
    assert_string_equal(shares[3].why, "it cannot be tuned");
}

/* Where most time was recorded is looked at first; what has none keeps its
 * place behind it. */
static void recorded_time_comes_first(void **state)
{
    hone_tune_share shares[4] = {{.n_launches = 1},
                                 {.n_launches = 1, .recorded_ns = 10},
                                 {.n_launches = 1},
                                 {.n_launches = 1, .recorded_ns = 300}};
    fake_tuner t = {.shares = shares, .fails_at = 4};
    const hone_tune_spending spending = {shares,    4,  1,   {160, 0, 0},
                                         fake_tune, &t, NULL};
    static const size_t expected[] = {3, 1, 0, 2};

    (void)state;
    assert_int_equal(hone__tune_spend(&spending, NULL), HONE_ERR_INTERRUPTED);
    assert_int_equal(t.n, 4);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(t.order[i], expected[i]);
}

/* Each model of device has the whole budget, and its own times. */
static void each_model_has_a_budget(void **state)
{
    hone_tune_share shares[4] = {{.n_launches = 10},
                                 {.n_launches = 10},
                                 {.n_launches = 10},
                                 {.n_launches = 10}};
    fake_tuner t = {.shares = shares,
                    .time_ns = {100e3, 300e3, 300e3, 300e3},
                    .fails_at = -1};
    const hone_tune_spending spending = {shares,    2,  2,   {160, 0, 0},
                                         fake_tune, &t, NULL};

    (void)state;
    assert_int_equal(hone__tune_spend(&spending, NULL), HONE_OK);
    assert_int_equal(t.n, 8);
    for (size_t i = 0; i < 4; ++i)
        assert_int_equal(t.looks[i], 20);
    assert_int_equal(t.trials[0] + t.trials[1], 160);
    assert_int_equal(t.trials[1] - 20, 90);
    assert_int_equal(t.trials[2], 80);
    assert_int_equal(t.trials[3], 80);
}

static void little_is_not_begun_for(void **state)
{
    hone_tune_share shares[4] = {{.n_launches = 1000},
                                 {.n_launches = 1},
                                 {.n_launches = 1},
                                 {.n_launches = 1}};
    fake_tuner t = {
        .shares = shares, .time_ns = {100e3, 100e3, 0, 100e3}, .fails_at = -1};
    hone_tune_spending spending = {shares,    4,  1,   {0, 400, 0},
                                   fake_tune, &t, NULL};

    (void)state;
    assert_int_equal(hone__tune_spend(&spending, NULL), HONE_OK);
    assert_int_equal(t.n, 6);
    assert_int_equal(t.order[4], 0);
    assert_int_equal(t.order[5], 2); /* has no winner yet: the average */
    assert_true(fabs(shares[0].part + shares[2].part - 1) < 1e-9);
    assert_true(fabs(shares[0].part / shares[2].part - 3) < 0.01);
    /* Interrupted: what is known is said, nothing is begun. */
    t = (fake_tuner){.shares = shares, .fails_at = 4};
    for (size_t i = 0; i < 4; ++i)
        shares[i].is_done = 0;
    assert_int_equal(hone__tune_spend(&spending, NULL), HONE_ERR_INTERRUPTED);
    assert_int_equal(t.n, 4);
    assert_string_equal(shares[0].why, "no variant is right yet");
}

/* A clock that shapes move on: by what they may take, and 3 s. */
static struct {
    fake_tuner t;
    double now_s, seconds[8];
} timed;

static double timed_now_s(void)
{
    return timed.now_s;
}

static hone_status timed_tune(void *user, const hone_tune_piece *pieces,
                              size_t n, hone_error *err)
{
    assert_int_equal(n, 1);
    timed.seconds[timed.t.n] = pieces->budget.seconds;
    timed.now_s += pieces->budget.seconds + 3;
    return fake_tune(user, pieces, n, err);
}

/* Four problems that need 3 s each beside the search, and `seconds` for all. */
static void spend_by_clock(hone_tune_share *shares, double seconds)
{
    for (size_t i = 0; i < 4; ++i)
        shares[i] = (hone_tune_share){.n_launches = 1,
                                      .recorded_ns = 400.0 - 100.0 * (double)i};
    memset(&timed, 0, sizeof timed);
    timed.t = (fake_tuner){.shares = shares,
                           .time_ns = {100e3, 100e3, 300e3, 100e3},
                           .fails_at = -1};
    assert_int_equal(hone__tune_spend(&(hone_tune_spending){shares,
                                                            4,
                                                            1,
                                                            {0, seconds, 0},
                                                            timed_tune,
                                                            &timed.t,
                                                            timed_now_s},
                                      NULL),
                     HONE_OK);
}

static void seconds_are_kept_by_the_clock(void **state)
{
    hone_tune_share shares[4];

    (void)state;
    /* There is time for all: 1,200 s, 75 for each look. */
    spend_by_clock(shares, 1200);
    assert_int_equal(timed.t.n, 8);
    assert_true(fabs(timed.now_s - 1200) < 1e-6);
    assert_int_equal(timed.t.order[4], 2); /* has most to lose */
    assert_true(timed.seconds[4] > 2.9 * timed.seconds[5]);
    /* 16 s: looks end behind half of it, and the rest is for the one that has
     * most to lose of those that were reached. */
    spend_by_clock(shares, 16);
    assert_true(shares[0].is_reached && shares[1].is_reached);
    assert_true(!shares[2].is_reached && !shares[3].is_reached);
    assert_string_equal(shares[3].why, "the time was over before");
    assert_int_equal(timed.t.n, 3);
    assert_true(fabs(timed.now_s - 16) < 1e-6);
    assert_true(shares[2].part == 0 && shares[3].part == 0);
    /* No time at all: one is looked at. */
    spend_by_clock(shares, 0.1);
    assert_int_equal(timed.t.n, 1);
    assert_true(shares[0].is_reached && !shares[1].is_reached);
    assert_true(shares[0].part == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_goes_where_launches_lose_most),
        cmocka_unit_test(recorded_time_comes_first),
        cmocka_unit_test(each_model_has_a_budget),
        cmocka_unit_test(little_is_not_begun_for),
        cmocka_unit_test(seconds_are_kept_by_the_clock)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
