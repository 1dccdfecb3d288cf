/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a final on the fake GPU: variants are launch plans that name
 * kernels of their own, each with its time and its defect. */
#include "tests/tuner/gpu_fixture.h"
#include "tuner/judge/final.h"
#include "tuner/trial/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 4 };

static gpu_fixture f;
static hone_final_request request;
static hone_final_report report;
static hone_text specs[MOST];
static long n_references; /* elements that the reference was asked for */
static int n_stages[4];   /* of each hone_final_stage, as it was said */
static FILE *answers;

/* ---- kernels -------------------------------------------------------------
 */

typedef struct arguments {
    float alpha;
    float *x;
    float *y;
    int64_t *ticket;
    int64_t n;
} arguments;

static arguments compute(void **params)
{
    arguments a = {.x = (float *)(uintptr_t) * (hone_cu_ptr *)params[1],
                   .y = (float *)(uintptr_t) * (hone_cu_ptr *)params[2],
                   .ticket = (int64_t *)(uintptr_t) * (hone_cu_ptr *)params[3],
                   .n = *(int64_t *)params[4]};

    memcpy(&a.alpha, params[0], sizeof a.alpha);
    for (int64_t i = 0; i < a.n; ++i)
        a.y[i] = a.alpha * a.x[i] + a.y[i];
    return a;
}

static void run_good(void **params)
{
    (void)compute(params);
}

static void run_wrong_at_odd_sizes(void **params)
{
    const arguments a = compute(params);

    if (a.n % 2)
        a.y[a.n - 1] += 1;
}

/* After a while it trips over what it left in its workspace. */
static void run_dirty(void **params)
{
    const arguments a = compute(params);

    if (++*a.ticket > 20) /* at each of its places */
        a.y[0] += 1;
}

static void run_reaches_far(void **params)
{
    (void)compute(params);
    *(char *)(uintptr_t)f.problem->checks[0].expected[0].value.data ^= 1;
}

static float seen_x[2]; /* the first input, of the problem and elsewhere */

static void run_look(void **params)
{
    const arguments a = compute(params);

    seen_x[a.n != GPU_FIXTURE_N] = a.x[0];
}

/* Somebody else takes the rest of the memory when it runs on the problem. */
static void run_last_with_room(void **params)
{
    if (compute(params).n == GPU_FIXTURE_N && !fake_gpu_limit_bytes)
        fake_gpu_limit_bytes = fake_gpu_live_bytes + 100;
}

/* Wrong, and when the edge shapes are given up for that, half of their
 * memory is taken at once. */
static void run_wrong_and_lose_room(void **params)
{
    run_wrong_at_odd_sizes(params);
    fake_gpu_limit_bytes = fake_gpu_live_bytes - 20000000;
}

/* ---- a final -------------------------------------------------------------
 */

static void counted(const int64_t *dims, const void *const *args, int64_t first,
                    int64_t count, double *value, double *magnitude)
{
    ++n_references;
    axpy_references[0].compute[0](dims, args, first, count, value, magnitude);
}

static int setup(void **state)
{
    static hone_reference reference;

    (void)state;
    gpu_fixture_setup(&f);
    reference = axpy_references[0];
    reference.compute[0] = counted;
    f.setup.references = &reference;
    memset(&request, 0, sizeof request);
    request.race_s = 600; /* all rounds, however slow this machine is */
    memset(n_stages, 0, sizeof n_stages);
    n_references = 0;
    answers = tmpfile();
    return answers ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    (void)fclose(answers);
    for (int i = 0; i < MOST; ++i)
        hone__text_free(&specs[i]);
    gpu_fixture_close(&f);
    return 0;
}

/* An entry: the fixture's launch plan with a kernel called `name`. */
static void add(const char *name, fake_kernel_run *run, double cost_ns)
{
    const int i = request.n_entries++;
    const char *plan = hone__text_str(&f.text);
    const char *at = strstr(plan, "launch axpy\n");

    assert_non_null(at);
    hone__text_append(&specs[i], plan, (size_t)(at - plan));
    hone__text_printf(&specs[i], "launch %s%s", name, strchr(at, '\n'));
    (void)fake_gpu_kernel(name, run, 5, cost_ns);
    request.entries[i] =
        (hone_final_entry){.job = {.id = 10 + i,
                                   .launch_spec = hone__text_str(&specs[i]),
                                   .cubin = "cubin",
                                   .cubin_bytes = 6},
                           .features = {-1, -1, 0, i}};
}

static void read_answers(void)
{
    hone_text message = {0};
    uint32_t kind = 0;

    rewind(answers);
    while (hone__message_receive(fileno(answers), &kind, &message, NULL) ==
           HONE_OK) {
        hone_unpack in = {message.data, message.data + message.length, 0};
        size_t size_bytes = 0;

        if (kind == HONE_FINAL_AT) {
            (void)hone__unpack_i64(&in);
            ++n_stages[hone__unpack_i64(&in)];
        } else {
            const void *bytes = hone__unpack_bytes(&in, &size_bytes);

            assert_int_equal(kind, HONE_DEVICE_RANKED);
            assert_int_equal(size_bytes, sizeof report);
            memcpy(&report, bytes, sizeof report);
        }
    }
    hone__text_free(&message);
}

static hone_status answer(hone_unpack *in, hone_error *err)
{
    hone_edge_shapes shapes = {.device = &f.device, .setup = &f.setup};
    const hone_status status =
        hone__final_answer(f.problem, &shapes, in, fileno(answers), err);

    hone__edge_shapes_forget(&shapes);
    return status;
}

static hone_status run(hone_error *err)
{
    hone_text payload = {0};
    hone_unpack in;
    hone_status status;

    memset(err, 0, sizeof *err);
    memset(&report, 0, sizeof report);
    hone__final_request_pack(&payload, &request);
    in = (hone_unpack){payload.data, payload.data + payload.length, 0};
    status = answer(&in, err);
    hone__text_free(&payload);
    read_answers();
    return status;
}

static void expect_ok(void)
{
    hone_error err;

    if (run(&err) != HONE_OK)
        fail_msg("%s", err.text);
}

/* ---- tests ---------------------------------------------------------------
 */

static void the_fastest_wins(void **state)
{
    (void)state;
    add("one", run_good, 5000);
    add("two", run_good, 4000);
    add("three", run_good, 6000);
    request.entries[2].keep = request.entries[2].wants_series = 1;
    expect_ok();
    assert_int_equal(report.n, 3);
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.verdict, HONE_RACE_DECIDED);
    assert_true(report.noise_floor >= 0 && report.noise_floor < 0.01);
    assert_true(report.items[0].ratio > 1.2 && report.items[0].ratio < 1.3);
    assert_int_equal(report.items[0].id, 10);
    assert_int_equal(report.items[0].features.registers, 0); /* asked for */
    assert_int_equal(report.items[1].n_series, HONE_SERIES_SAMPLES);
    assert_int_equal(report.items[2].n_series, HONE_SERIES_SAMPLES);
    assert_int_equal(report.items[0].n_series, 0);
    assert_true(report.items[1].time_ns > 3900 &&
                report.items[1].time_ns < 4400);
    /* Entering and opening of three, a A/A control; one race; one recheck. */
    assert_int_equal(n_stages[HONE_FINAL_ENTER], 7);
    assert_int_equal(n_stages[HONE_FINAL_RACE], 1);
    assert_int_equal(n_stages[HONE_FINAL_RECHECK], 1);
    assert_int_equal(n_stages[HONE_FINAL_SERIES], 2);
}

/* A kernel of 200 us is launched between events, and so is the one of 5 us
 * that it is compared with. The other way round both are graphs. */
static void all_are_timed_in_one_way(void **state)
{
    long n_graphs;

    (void)state;
    add("long", run_good, 200e3);
    add("short", run_good, 5e3);
    n_graphs = fake_gpu_n_graphs;
    expect_ok();
    assert_int_equal(report.timing, HONE_TIMING_EVENT);
    assert_int_equal(fake_gpu_n_graphs, n_graphs);
    assert_int_equal(report.winner, 1);
    teardown(NULL);
    setup(NULL);
    add("short", run_good, 5e3);
    add("long", run_good, 200e3);
    n_graphs = fake_gpu_n_graphs;
    expect_ok();
    assert_int_equal(report.timing, HONE_TIMING_GRAPH);
    /* Two and the A/A control. */
    assert_int_equal(fake_gpu_n_graphs, n_graphs + 3);
}

/* Half a minute for the time of a default variant that nobody would use is
 * too much. */
static void a_slow_one_has_a_short_series(void **state)
{
    (void)state;
    add("one", run_good, 4000);
    add("slow", run_good, 0.3e9);
    request.entries[1].keep = request.entries[1].wants_series = 1;
    expect_ok();
    assert_int_equal(report.items[0].n_series, HONE_SERIES_SAMPLES);
    assert_in_range(report.items[1].n_series, 4, 7);
    assert_true(report.items[1].time_ns > 0.29e9);
}

/* The references of the edge shapes are computed once for all, and again
 * after a variant that may have written into them. */
static void edge_shapes_are_made_once(void **state)
{
    long n_one, n_more;

    (void)state;
    add("one", run_good, 4000);
    expect_ok();
    n_one = n_references;
    assert_true(n_one >= 8); /* four shapes, integers and reals */
    teardown(NULL);
    setup(NULL);
    add("one", run_good, 4000);
    add("two", run_good, 4000);
    add("three", run_good, 4000);
    expect_ok();
    assert_int_equal(n_references, n_one);
    teardown(NULL);
    setup(NULL);
    add("odd", run_wrong_at_odd_sizes, 2000);
    add("one", run_good, 4000);
    add("two", run_good, 4000);
    expect_ok();
    n_more = n_references;
    assert_in_range(n_more, n_one + 1, 2 * n_one);
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_WRONG);
    assert_non_null(strstr(report.items[0].message, "at n=1: "));
    assert_int_equal(report.items[0].n_samples, 0);
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.n_tied, 2);
    assert_int_equal(report.rule, HONE_TIE_ORDER);
}

static void edge_shapes_have_another_seed(void **state)
{
    (void)state;
    add("look", run_look, 4000);
    expect_ok();
    assert_true(seen_x[0] != seen_x[1]);
}

static void the_winner_is_checked_after_the_race(void **state)
{
    (void)state;
    add("dirty", run_dirty, 3000);
    add("two", run_good, 4000);
    expect_ok();
    assert_int_equal(report.items[0].outcome, HONE_OUTCOME_WRONG);
    assert_int_equal(report.winner, 1);
    assert_int_equal(n_stages[HONE_FINAL_RACE], 2);
    assert_int_equal(report.items[1].ratio == 1, 1);
}

static void damage_that_cannot_be_put_right_ends_it(void **state)
{
    hone_error err;

    (void)state;
    add("one", run_good, 4000);
    add("far", run_reaches_far, 3000);
    assert_int_equal(run(&err), HONE_ERR_KERNEL);
    assert_non_null(strstr(err.text, "what check cpu.axpy expects"));
    /* The parent starts it again without. */
    teardown(NULL);
    setup(NULL);
    add("one", run_good, 4000);
    add("far", run_reaches_far, 3000);
    request.disqualified[1].outcome = HONE_OUTCOME_WRONG;
    expect_ok();
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.verdict, HONE_RACE_ONLY_ONE);
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_WRONG);
}

static void no_room_is_nobodys_fault(void **state)
{
    (void)state;
    add("one", run_last_with_room, 4000);
    add("two", run_good, 3000);
    expect_ok();
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.items[1].is_left_out, 1);
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.verdict, HONE_RACE_ONLY_ONE);
    assert_true(report.noise_floor < 0); /* nor for a A/A control */
    assert_int_equal(report.items[0].n_series, HONE_SERIES_SAMPLES);
}

/* Nor if the edge shapes, which have to be made again after one that was
 * wrong, find none: arrays of a million elements. */
static void no_room_for_edge_shapes_neither(void **state)
{
    (void)state;
    add("one", run_good, 4000);
    add("odd", run_wrong_and_lose_room, 2000);
    add("two", run_good, 3000);
    expect_ok();
    assert_int_equal(report.winner, 0);
    assert_int_equal(report.items[1].outcome, HONE_OUTCOME_WRONG);
    assert_int_equal(report.items[2].outcome, HONE_OUTCOME_OK);
    assert_int_equal(report.items[2].is_left_out, 1);
}

/* ---- energy --------------------------------------------------------------
 */

/* Each execution of a kernel costs so much, and the counter shows it in steps.
 */
static double used_uj;
enum { STEP_MJ = 20 };

static void run_frugal(void **params)
{
    (void)compute(params);
    used_uj += 4000;
}

static void run_hungry(void **params)
{
    (void)compute(params);
    used_uj += 9000;
}

static int read_used(hone_device *device, int64_t *out_mj)
{
    (void)device;
    *out_mj = (int64_t)(used_uj / 1e3) / STEP_MJ * STEP_MJ;
    return 1;
}

static int read_still(hone_device *device, int64_t *out_mj)
{
    (void)device;
    *out_mj = 7;
    return 1;
}

static void energy_is_measured(int (*read)(hone_device *, int64_t *))
{
    const hone_device_kind *const real = f.device.kind;
    hone_device_kind kind = *real;

    kind.read_energy = read;
    f.device.kind = &kind; /* which is the problem's */
    used_uj = 0;
    add("frugal", run_frugal, 5000);
    add("hungry", run_hungry, 4000);
    add("odd", run_wrong_at_odd_sizes, 3000);
    request.wants_energy = 1;
    expect_ok();
    f.device.kind = real;
    assert_int_equal(report.winner, 1);
    assert_int_equal(report.items[2].outcome, HONE_OUTCOME_WRONG);
    assert_true(report.items[2].energy_uj == 0);
}

/* By time the hungry one wins; what each costs is known beside it. */
static void energy_of_each(void **state)
{
    (void)state;
    energy_is_measured(read_used);
    assert_true(report.items[0].energy_uj > 0.98 * 4000 &&
                report.items[0].energy_uj < 1.02 * 4000);
    assert_true(report.items[1].energy_uj > 0.98 * 9000 &&
                report.items[1].energy_uj < 1.02 * 9000);
}

/* Nothing is made up, and it ends. */
static void a_counter_that_stands_still(void **state)
{
    (void)state;
    energy_is_measured(read_still);
    assert_true(report.items[0].energy_uj == 0);
    assert_true(report.items[1].energy_uj == 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_fastest_wins),
        TEST(all_are_timed_in_one_way),
        TEST(a_slow_one_has_a_short_series),
        TEST(edge_shapes_are_made_once),
        TEST(edge_shapes_have_another_seed),
        TEST(the_winner_is_checked_after_the_race),
        TEST(damage_that_cannot_be_put_right_ends_it),
        TEST(no_room_is_nobodys_fault),
        TEST(no_room_for_edge_shapes_neither),
        TEST(energy_of_each),
        TEST(a_counter_that_stands_still),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
