/* SPDX-License-Identifier: Apache-2.0 */
/* Who tunes what: long ones first, help where nothing is left, and, whatever
 * devices do, no problem twice and none forgotten. */
#include "tuner/dispatch/deal.h"
#include "tuner/dispatch/problem_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12 };

/* Two devices of one model and one of another. */
static void long_ones_are_first(void **state)
{
    hone_deal_problem problems[] = {{.model = 0, .cost_s = 1, .device = -1},
                                    {.model = 0, .cost_s = 5, .device = -1},
                                    {.model = 0, .cost_s = 3, .device = -1},
                                    {.model = 1, .cost_s = 9, .device = -1}};
    hone_deal_device devices[] = {{.model = 0, .problem = -1},
                                  {.model = 0, .problem = -1},
                                  {.model = 1, .problem = -1}};
    hone_deal deal = {problems, 4, devices, 3};
    static const int expected[] = {1, 2, 3};

    (void)state;
    for (int i = 0; i < 3; ++i) {
        const hone_deal_move move = hone__deal_next(&deal, i);

        assert_int_equal(move.problem, expected[i]);
        assert_false(move.is_loan);
        hone__deal_make(&deal, i, move);
        assert_int_equal(hone__deal_next(&deal, i).problem, -1); /* busy */
    }
    hone__deal_finish(&deal, 1);
    assert_int_equal(hone__deal_next(&deal, 1).problem, 0);
    /* The other model has nothing to do: it does not help unequal ones. */
    problems[1].left_s = 100;
    hone__deal_finish(&deal, 2);
    assert_int_equal(hone__deal_next(&deal, 2).problem, -1);
}

static void the_idle_help_where_most_is_left(void **state)
{
    hone_deal_problem problems[] = {{.model = 0, .cost_s = 2, .device = -1},
                                    {.model = 0, .cost_s = 1, .device = -1}};
    hone_deal_device devices[4] = {
        {.problem = -1}, {.problem = -1}, {.problem = -1}, {.problem = -1}};
    hone_deal deal = {problems, 2, devices, 4};
    hone_deal_move move;

    (void)state;
    for (int i = 0; i < 2; ++i)
        hone__deal_make(&deal, i, hone__deal_next(&deal, i));
    assert_int_equal(hone__deal_next(&deal, 2).problem, -1); /* not yet */
    problems[0].left_s = 10;
    problems[1].left_s = 6;
    move = hone__deal_next(&deal, 2);
    assert_int_equal(move.problem, 0);
    assert_true(move.is_loan);
    hone__deal_make(&deal, 2, move);
    move = hone__deal_next(&deal, 3); /* 10 s by two devices, 6 by one */
    assert_int_equal(move.problem, 1);
    hone__deal_make(&deal, 3, move);
    /* Its device is lost: who helped is free, and takes it whole. */
    assert_int_equal(hone__deal_lose(&deal, 0, 1), -1);
    assert_int_equal(devices[2].state, HONE_DEAL_FREE);
    move = hone__deal_next(&deal, 2);
    assert_int_equal(move.problem, 0);
    assert_false(move.is_loan);
    hone__deal_make(&deal, 2, move);
    /* A second one with it: it is given up. */
    assert_int_equal(hone__deal_lose(&deal, 2, 0), 0);
    assert_int_equal(problems[0].state, HONE_DEAL_GIVEN_UP);
    hone__deal_finish(&deal, 1);
    assert_int_equal(devices[3].state, HONE_DEAL_FREE);
    assert_true(hone__deal_is_over(&deal));
}

static void another_device_tries_what_one_failed_at(void **state)
{
    hone_deal_problem problems[] = {{.cost_s = 9, .device = -1},
                                    {.cost_s = 1, .device = -1}};
    hone_deal_device devices[] = {{.problem = -1}, {.problem = -1}};
    hone_deal deal = {problems, 2, devices, 2};

    (void)state;
    hone__deal_make(&deal, 0, hone__deal_next(&deal, 0));
    (void)hone__deal_lose(&deal, 0, 0);
    assert_int_equal(hone__deal_next(&deal, 0).problem, 1);
    assert_int_equal(hone__deal_next(&deal, 1).problem, 0);
}

/* Two lanes of a device, 0 and 1: one prepares while the other's problem ends.
 */
static void lanes_of_a_device_have_turns(void **state)
{
    hone_deal_problem problems[] = {{.cost_s = 3, .device = -1},
                                    {.cost_s = 2, .device = -1},
                                    {.cost_s = 1, .device = -1}};
    hone_deal_device devices[] = {{.problem = -1, .beside = 2},
                                  {.problem = -1, .beside = 1},
                                  {.problem = -1}};
    hone_deal deal = {problems, 2, devices, 3};

    (void)state;
    hone__deal_make(&deal, 0, hone__deal_next(&deal, 0));
    assert_int_equal(hone__deal_next(&deal, 1).problem, -1); /* too early */
    problems[0].is_ending = 1;
    /* The last one left is the other device's, which is free or will be. */
    assert_int_equal(hone__deal_next(&deal, 1).problem, -1);
    deal.n_problems = 3;
    assert_int_equal(hone__deal_next(&deal, 1).problem, 1);
    hone__deal_make(&deal, 1, hone__deal_next(&deal, 1));
    hone__deal_make(&deal, 2, hone__deal_next(&deal, 2));
    hone__deal_finish(&deal, 0);
    hone__deal_finish(&deal, 2);
    /* It does not help its own other lane; another device does. */
    problems[1].left_s = 100;
    assert_int_equal(hone__deal_next(&deal, 0).problem, -1);
    assert_true(hone__deal_next(&deal, 2).is_loan);
    hone__deal_make(&deal, 2, hone__deal_next(&deal, 2));
    /* A lane is out: nothing is held against its problem, who helped is free,
     * and the other lane goes on alone. */
    hone__deal_take_back(&deal, 1);
    assert_int_equal(problems[1].state, HONE_DEAL_LEFT);
    assert_int_equal(problems[1].n_lost, 0);
    assert_int_equal(problems[1].n_helpers, 0);
    assert_int_equal(devices[1].state, HONE_DEAL_OUT);
    assert_int_equal(devices[2].state, HONE_DEAL_FREE);
    assert_int_equal(hone__deal_next(&deal, 0).problem, 1);
}

static void a_lent_lane_is_nobodys_owner(void **state)
{
    hone_deal_problem problems[] = {{.device = -1}, {.device = -1}};
    hone_deal_device devices[] = {{.problem = -1},
                                  {.problem = -1, .beside = 3},
                                  {.problem = -1, .beside = 2}};
    hone_deal deal = {problems, 1, devices, 3};

    (void)state;
    hone__deal_make(&deal, 0, hone__deal_next(&deal, 0));
    problems[0].left_s = 100;
    hone__deal_make(&deal, 1, hone__deal_next(&deal, 1));
    assert_int_equal(devices[1].state, HONE_DEAL_LENT);
    deal.n_problems = 2; /* beside it nothing is begun */
    assert_int_equal(hone__deal_next(&deal, 2).problem, -1);
    hone__deal_take_back(&deal, 1);
    assert_int_equal(problems[0].state, HONE_DEAL_UNDERWAY);
    assert_int_equal(problems[0].n_helpers, 0);
    assert_int_equal(devices[1].state, HONE_DEAL_OUT);
}

/* A device that was lost with a problem is the same by its other lane. */
static void the_other_lane_is_the_same_device(void **state)
{
    hone_deal_problem problems[] = {{.cost_s = 9, .device = -1},
                                    {.cost_s = 1, .device = -1}};
    hone_deal_device devices[] = {{.problem = -1, .beside = 2},
                                  {.problem = -1, .beside = 1}};
    hone_deal deal = {problems, 2, devices, 2};

    (void)state;
    hone__deal_make(&deal, 0, hone__deal_next(&deal, 0));
    (void)hone__deal_lose(&deal, 0, 0);
    assert_int_equal(hone__deal_next(&deal, 0).problem, 1);
    assert_int_equal(hone__deal_next(&deal, 1).problem, 1);
}

/* ---- whatever happens ---------------------------------------------------- */

typedef struct world {
    hone_deal deal;
    hone_deal_problem problems[MOST];
    hone_deal_device devices[MOST];
    int n_done[MOST];
    uint64_t seed;
} world;

static int draw(world *w, int n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (int)((w->seed >> 33) % (uint64_t)n);
}

/* What must hold at any time. */
static void check(const world *w)
{
    int helpers[MOST] = {0}, owners[MOST] = {0};

    for (size_t i = 0; i < w->deal.n_devices; ++i) {
        const hone_deal_device *d = &w->devices[i];

        if (d->state == HONE_DEAL_BUSY) {
            ++owners[d->problem];
            assert_int_equal(w->problems[d->problem].device, (int)i);
        }
        if (d->state == HONE_DEAL_LENT)
            ++helpers[d->problem];
        if (d->problem >= 0) {
            assert_int_equal(w->problems[d->problem].model, d->model);
            assert_int_equal(w->problems[d->problem].state, HONE_DEAL_UNDERWAY);
        }
        assert_int_equal(d->problem >= 0, d->state == HONE_DEAL_BUSY ||
                                              d->state == HONE_DEAL_LENT);
    }
    for (size_t i = 0; i < w->deal.n_problems; ++i) {
        const hone_deal_problem *p = &w->problems[i];

        assert_int_equal(owners[i], p->state == HONE_DEAL_UNDERWAY);
        assert_int_equal(helpers[i], p->n_helpers);
        assert_int_equal(w->n_done[i], p->state == HONE_DEAL_DONE);
    }
}

static void begin(world *w, uint64_t seed)
{
    *w = (world){.seed = seed};
    w->deal = (hone_deal){w->problems, (size_t)draw(w, MOST + 1), w->devices,
                          1 + (size_t)draw(w, MOST)};
    for (size_t i = 0; i < w->deal.n_problems; ++i)
        w->problems[i] = (hone_deal_problem){
            .model = draw(w, 2), .cost_s = draw(w, 5), .device = -1};
    for (size_t i = 0; i < w->deal.n_devices; ++i)
        w->devices[i] = (hone_deal_device){.model = draw(w, 2), .problem = -1};
}

/* Something happens to a device. */
static void happen(world *w, int device)
{
    hone_deal_device *d = &w->devices[device];
    const int problem = d->problem;
    const int what = draw(w, 10);

    if (d->state == HONE_DEAL_BUSY && what < 5) {
        hone__deal_finish(&w->deal, device);
        ++w->n_done[problem];
    } else if (d->state == HONE_DEAL_BUSY && what < 7) {
        (void)hone__deal_lose(&w->deal, device, what == 6);
    } else if (d->state == HONE_DEAL_BUSY) {
        w->problems[problem].left_s = draw(w, 20);
    } else if (d->state == HONE_DEAL_LENT && what < 2) {
        hone__deal_return(&w->deal, device, what);
    } else if (d->state == HONE_DEAL_FREE && what == 0) {
        (void)hone__deal_lose(&w->deal, device, 1);
    }
}

static void nothing_is_lost_or_done_twice(void **state)
{
    static world w;

    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        int n_steps = 0;

        begin(&w, seed);
        while (!hone__deal_is_over(&w.deal)) {
            const int device = draw(&w, (int)w.deal.n_devices);
            const hone_deal_move move = hone__deal_next(&w.deal, device);

            if (move.problem >= 0)
                hone__deal_make(&w.deal, device, move);
            check(&w);
            happen(&w, device);
            check(&w);
            assert_in_range(++n_steps, 1, 100000);
        }
        for (size_t i = 0; i < w.deal.n_problems; ++i) {
            const hone_deal_problem *p = &w.problems[i];

            /* Done once, or for a reason not at all. */
            if (p->state == HONE_DEAL_LEFT)
                assert_false(hone__deal_can_finish(&w.deal, (int)i));
            else if (p->state == HONE_DEAL_GIVEN_UP)
                assert_int_equal(p->n_lost, HONE_DEAL_MOST_LOST);
            else
                assert_int_equal(w.n_done[i], 1);
        }
    }
}

/* ---- what one is expected to take ---------------------------------------- */

static void add(hone_problem_costs *costs, const char *op, int64_t m, int64_t n,
                double seconds)
{
    hone_problem_sample sample = {
        .dims = {m, n}, .n_dims = 2, .seconds = seconds, .n_trials = 100};

    (void)snprintf(sample.op, sizeof sample.op, "%s", op);
    assert_int_equal(hone__problem_costs_add(costs, &sample, NULL), HONE_OK);
}

static double cost(const hone_problem_costs *costs, const char *op, int64_t m,
                   int64_t n, int64_t trials, double seconds)
{
    const int64_t dims[] = {m, n};

    return hone__problem_cost_s(
        costs, &(hone_problem_size){op, dims, 2, trials, seconds});
}

static void similar_problems_tell_the_cost(void **state)
{
    hone_problem_costs costs = {NULL, 0};
    double known;

    (void)state;
    /* Nothing is known: the larger takes longer. */
    assert_true(cost(&costs, "f", 64, 64, 100, 0) <
                cost(&costs, "f", 4096, 4096, 100, 0));
    assert_true(cost(&costs, "f", 0, 1, 100, 0) > 0);
    for (int i = 0; i < 5; ++i) {
        add(&costs, "f", 64, 64 + i, 2);
        add(&costs, "f", 4096, 4096 + i, 40);
    }
    known = cost(&costs, "f", 4096, 4000, 100, 0);
    assert_true(known > 39 && known < 41);
    assert_true(cost(&costs, "f", 70, 64, 100, 0) < 3);
    /* Twice the trials are not quite twice the time; a limit is one. */
    assert_true(cost(&costs, "f", 4096, 4000, 200, 0) > 1.5 * known);
    assert_true(cost(&costs, "f", 4096, 4000, 200, 0) < 2 * known);
    assert_true(cost(&costs, "f", 4096, 4000, 0, 5) < known);
    /* Of another operation: the mean of all, at least. */
    assert_true(cost(&costs, "g", 1, 1, 100, 0) > 20);
    hone__problem_costs_free(&costs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_ones_are_first),
        cmocka_unit_test(the_idle_help_where_most_is_left),
        cmocka_unit_test(another_device_tries_what_one_failed_at),
        cmocka_unit_test(lanes_of_a_device_have_turns),
        cmocka_unit_test(a_lent_lane_is_nobodys_owner),
        cmocka_unit_test(the_other_lane_is_the_same_device),
        cmocka_unit_test(nothing_is_lost_or_done_twice),
        cmocka_unit_test(similar_problems_tell_the_cost)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
