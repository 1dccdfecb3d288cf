/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of variance of functions whose shares are known, and blocks on a
 * multiprocessor that NVIDIA's calculator gives; peaks that data sheets give.
 */
#include "tools/analysis/cart.h"
#include "tools/analysis/importance.h"
#include "tools/analysis/occupancy.h"
#include "tools/analysis/roofline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- trials ---------------------------------------------------------------
 */

typedef double (*time_of)(int a, int b, int c);

/* All of 8 x 4 x 3, for two problems of which one takes a thousand times as
 * long. */
static void fill(hone_trials *trials, time_of f)
{
    memset(trials, 0, sizeof *trials);
    for (int problem = 0; problem < 2; ++problem)
        for (int i = 0; i < 96; ++i) {
            const int a = i % 8, b = i / 8 % 4, c = i / 32;
            char config[64];

            (void)snprintf(config, sizeof config, "A=%d,ONE=1,B=b%d,C=%d", a, b,
                           c * 100);
            assert_int_equal(hone__trials_add(trials, config, problem,
                                              f(a, b, c) * (problem ? 1000 : 1),
                                              NULL),
                             HONE_OK);
        }
    hone__trials_finish(trials);
}

/* In log time a counts 21/4 (the variance of 0..7), b 5/4 of 0..3. */
static double sum_of(int a, int b, int c)
{
    (void)c;
    return exp(a + b);
}

/* Neither of them alone tells anything. */
static double either(int a, int b, int c)
{
    (void)c;
    return exp((a & 1) == (b & 1));
}

static double share_of(const hone_trials *trials, const hone_importance *found,
                       const char *one, const char *other)
{
    for (size_t i = 0; i < found->n; ++i) {
        const size_t *p = found->shares[i].params;

        if (strcmp(trials->params[p[0]].name, one) == 0 &&
            strcmp(trials->params[p[1]].name, other) == 0)
            return found->shares[i].share;
    }
    fail_msg("no share of %s and %s", one, other);
    return 0;
}

static void test_shares_of_a_sum(void **state)
{
    static hone_importance found;
    hone_trials trials;

    (void)state;
    fill(&trials, sum_of);
    assert_int_equal(trials.n_params, 3); /* ONE explains nothing */
    assert_int_equal(trials.n_problems, 2);
    assert_int_equal(hone__importance(&trials, &found, NULL), HONE_OK);
    assert_int_equal(found.n_trials, 192);
    assert_true(found.fit > 0.97);
    assert_true(fabs(share_of(&trials, &found, "A", "A") - 21.0 / 26) < 0.03);
    assert_true(fabs(share_of(&trials, &found, "B", "B") - 5.0 / 26) < 0.03);
    assert_true(share_of(&trials, &found, "C", "C") < 0.01);
    assert_true(share_of(&trials, &found, "A", "B") < 0.03);
    assert_string_equal(
        trials.params[found.shares[0].params[0]].levels[found.shares[0].best],
        "0");
    hone__trials_free(&trials);
}

static void test_share_of_a_pair(void **state)
{
    static hone_importance found;
    hone_trials trials;

    (void)state;
    fill(&trials, either);
    assert_int_equal(hone__importance(&trials, &found, NULL), HONE_OK);
    assert_true(found.fit > 0.6);
    assert_true(share_of(&trials, &found, "A", "B") > 0.6);
    assert_true(share_of(&trials, &found, "A", "A") < 0.1);
    assert_true(share_of(&trials, &found, "B", "B") < 0.1);
    hone__trials_free(&trials);
}

/* What nothing explains is said to be so; of few trials nothing is said. */
static void test_noise_and_few(void **state)
{
    static hone_importance found;
    hone_trials trials;
    hone_chance chance = hone__chance(7);

    (void)state;
    fill(&trials, sum_of);
    for (size_t i = 0; i < trials.n; ++i)
        trials.rows[i].log_time = hone__chance_unit(&chance) - 0.5;
    assert_int_equal(hone__importance(&trials, &found, NULL), HONE_OK);
    assert_true(found.fit < 0.3);
    trials.n = HONE_IMPORTANCE_FEWEST - 1;
    assert_int_equal(hone__importance(&trials, &found, NULL), HONE_OK);
    assert_int_equal(found.n_trials, 0);
    hone__trials_free(&trials);
}

/* More values than a set has bits, more parameters than are looked at, none. */
static void test_many_levels(void **state)
{
    static hone_importance found;
    hone_trials trials = {0};

    (void)state;
    for (int i = 0; i < 300; ++i) {
        char config[512];
        int n = snprintf(config, sizeof config, "A=%d", i);

        for (int p = 0; p < 40; ++p)
            n += snprintf(config + n, sizeof config - (size_t)n, ",P%d=%d", p,
                          i % (p + 1));
        assert_int_equal(
            hone__trials_add(&trials, i ? config : "", 1, i + 1, NULL),
            HONE_OK);
    }
    hone__trials_finish(&trials);
    assert_true(trials.n_params <= HONE_TRIALS_MOST_PARAMS);
    assert_int_equal(hone__importance(&trials, &found, NULL), HONE_OK);
    for (size_t i = 0; i < found.n; ++i)
        assert_true(found.shares[i].share > -0.1 &&
                    found.shares[i].share < 1.01);
    hone__trials_free(&trials);
}

/* ---- occupancy -------------------------------------------------------------
 */

static void test_occupancy(void **state)
{
    static const struct {
        const char *arch;
        int64_t threads, registers, shared_bytes, blocks;
        const char *limited_by;
    } cases[] = {{"sm_90", 256, 32, 0, 8, "threads"},
                 {"sm_90", 256, 33, 0, 6, "registers"},
                 {"sm_90", 256, 128, 0, 2, "registers"},
                 {"sm_90", 384, 168, 200 << 10, 1, "registers"},
                 {"sm_90", 128, 64, 100 << 10, 2, "shared memory"},
                 {"sm_90", 32, 16, 0, 32, "blocks"},
                 {"sm_75", 256, 32, 20000, 3, "shared memory"},
                 {"sm_86", 256, 40, 0, 6, "threads"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        hone_properties device;
        hone_occupancy found;

        assert_int_equal(hone__properties_of_arch(cases[i].arch, &device, NULL),
                         HONE_OK);
        found = hone__occupancy(&device, cases[i].threads, cases[i].registers,
                                cases[i].shared_bytes);
        if (found.blocks != cases[i].blocks ||
            strcmp(found.limited_by, cases[i].limited_by) != 0)
            fail_msg("case %zu: %lld, %s", i, (long long)found.blocks,
                     found.limited_by);
    }
}

/* ---- peaks -----------------------------------------------------------------
 */

static void test_peaks(void **state)
{
    /* Of data sheets, in TFLOP/s, at their boost clock. */
    static const struct {
        int64_t sm, sm_count;
        double clock_mhz, tflops[HONE_N_UNITS];
    } cards[] = {{75, 40, 1590, {0.25, 8.1, 0, 65, 130}},       /* T4 */
                 {80, 108, 1410, {9.7, 19.5, 156, 312, 624}},   /* A100 */
                 {89, 142, 2520, {1.4, 91.6, 183, 362, 733}},   /* L40S */
                 {90, 132, 1830, {31, 62, 494, 989, 1979}},     /* H100 SXM */
                 {120, 170, 2410, {1.64, 105, 209, 419, 838}}}; /* RTX 5090 */

    (void)state;
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; ++i)
        for (int unit = 0; unit < HONE_N_UNITS; ++unit) {
            const hone_properties device = {
                .value = {[HONE_PROPERTY_sm] = cards[i].sm,
                          [HONE_PROPERTY_sm_count] = cards[i].sm_count}};
            const double peak = hone__peak_flops_per_s(&device, (hone_unit)unit,
                                                       cards[i].clock_mhz) *
                                1e-12;

            if (fabs(peak - cards[i].tflops[unit]) > 0.04 * peak)
                fail_msg("sm_%d %s: %g instead of %g", (int)cards[i].sm,
                         hone__unit_names[unit], peak, cards[i].tflops[unit]);
        }
    /* A card that nobody knows has no peak. */
    assert_true(hone__peak_flops_per_s(
                    &(hone_properties){.value = {[HONE_PROPERTY_sm] = 999}},
                    HONE_UNIT_F32, 1000) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shares_of_a_sum),
                                       cmocka_unit_test(test_share_of_a_pair),
                                       cmocka_unit_test(test_noise_and_few),
                                       cmocka_unit_test(test_many_levels),
                                       cmocka_unit_test(test_occupancy),
                                       cmocka_unit_test(test_peaks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
