/* SPDX-License-Identifier: Apache-2.0 */
/* Choosers whose members say what they cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/runtime/choose_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static hone_chooser_guesses predict(const choose_fixture *f, int64_t m,
                                    int64_t n)
{
    const int64_t dims[] = {m, n, n};
    const hone_launch_case at = choose_at(f, dims);
    hone_chooser_guesses guesses;

    hone__chooser_predict(f->chooser, &at, &guesses);
    return guesses;
}

/* Steps of ten: features of sizes do not know them. */
static double stepped_ns(const int64_t *dims)
{
    return 700 * ceil((double)(dims[0] * dims[1]) / 655360);
}

static void add_estimate(hone_chooser *c, const char *text)
{
    hone_error err = {0};

    if (hone__chooser_add_estimate(c, text, strlen(text), &err) != HONE_OK)
        fail_msg("%s", err.text);
}

/* Member 0 takes what it costs, up to a factor, at sizes that were not
 * measured; member 1 costs what cannot be evaluated there. */
static void follows_costs(void **state)
{
    choose_fixture f;
    hone_chooser_guesses guesses;
    hone_launch_case plan;
    hone_chooser *c;

    (void)state;
    choose_begin(&f, 12);
    c = f.chooser;
    add_estimate(c, "d0*d1");
    add_estimate(c, "ceildiv(e0,655360)*2");
    add_estimate(c, "1000000/(d0%100)");
    c->members[0].cost = 2;
    c->members[1].cost = 3;
    for (size_t i = 0; i < c->n_problems; ++i)
        c->time_ns[i * CHOOSE_MEMBERS] = stepped_ns(&c->dims[i * CHOOSE_DIMS]);
    plan = choose_at(&f, NULL);
    assert_int_equal(hone__chooser_prepare(c, &plan, NULL), HONE_OK);
    for (int64_t m = 100; m <= 8000; m += 700)
        for (int64_t n = 64; n <= 8000; n += 333) {
            const int64_t dims[] = {m, n, n};

            guesses = predict(&f, m, n);
            assert_true(guesses.of[0].doubt >= 0);
            assert_true(fabs(guesses.of[0].log_ns - log(stepped_ns(dims))) <
                        0.02);
            assert_true(guesses.of[1].doubt < 0);
            assert_true(guesses.of[2].doubt >= 0);
        }
    guesses = predict(&f, 101, 64);
    assert_true(guesses.of[1].doubt >= 0);
    choose_end(&f);
}

/* Members of places that are far are not looked at; one without places is. */
static void asks_the_nearest(void **state)
{
    choose_fixture f;
    hone_chooser_guesses guesses;
    hone_launch_case plan;

    (void)state;
    choose_begin(&f, 12);
    choose_add_costs(f.chooser);
    choose_add_places(f.chooser);
    plan = choose_at(&f, NULL);
    assert_int_equal(hone__chooser_prepare(f.chooser, &plan, NULL), HONE_OK);
    for (int64_t m = 16; m <= 8192; m *= m == 128 ? 16 : 2) {
        const int is_small = m <= 128;

        guesses = predict(&f, m, m);
        assert_true((guesses.of[0].doubt >= 0) == is_small);
        assert_true((guesses.of[1].doubt >= 0) == !is_small);
        assert_true(guesses.of[2].doubt >= 0);
    }
    choose_end(&f);
}

/* Half as long again as it costs at small sizes, of which each place says
 * another part, and four fifths of it at large ones. */
static double beside_at(int64_t size)
{
    const double at = size < 64 ? 64 : size > 87 ? 87 : (double)size;

    return size < 1000 ? log(1.5) + 0.02 * (at - 64) : log(0.8);
}

/* What the sixteen nearest places say at a small size: octaves of three sizes,
 * half octaves of alignments. */
static double beside_near(int64_t size)
{
    enum { SMALL = 24, NEAREST = 16 };
    double far[SMALL], sum = 0, weights = 0;

    for (int i = 0; i < SMALL; ++i) {
        const double octaves = log((64.0 + i) / (double)size) / log(2);
        const double halves = 0.5 * (__builtin_ctz((64U + (unsigned)i) | 16) -
                                     __builtin_ctzll((uint64_t)size | 16));

        far[i] = 3 * (octaves * octaves + halves * halves);
    }
    for (int i = 0; i < SMALL; ++i) {
        int n_nearer = 0;

        for (int j = 0; j < SMALL; ++j)
            n_nearer += far[j] < far[i] || (j < i && !(far[i] < far[j]));
        if (n_nearer >= NEAREST)
            continue;
        sum += beside_at(64 + i) / (0.25 + far[i]);
        weights += 1 / (0.25 + far[i]);
    }
    return sum / weights;
}

static void begin_beside(choose_fixture *f)
{
    hone_chooser *c;

    choose_begin(f, 12);
    c = f->chooser;
    choose_add_costs(c);
    choose_add_places(c);
    for (size_t i = 0; i < c->n_places; ++i)
        c->places[i].beside[0] = (float)beside_at(c->places[i].dims[0]);
    c->beside = hone__arena_alloc(&c->arena, c->n_problems * CHOOSE_MEMBERS *
                                                 sizeof *c->beside);
    assert_non_null(c->beside);
    for (size_t i = 0; i < c->n_problems; ++i) {
        const int64_t *dims = &c->dims[i * CHOOSE_DIMS];
        const double beside = beside_at(dims[0]);

        /* Member 0 takes what it costs, and that. */
        c->beside[i * CHOOSE_MEMBERS] = beside;
        c->time_ns[i * CHOOSE_MEMBERS] =
            ((double)(dims[0] * dims[1] / 64) + 1) * exp(beside);
    }
}

/* What places say of their members is in predictions, of the places that are
 * near, and a text that was read predicts the same. */
static void knows_more_than_costs(void **state)
{
    choose_fixture f, read;
    hone_launch_case plan;
    hone_text text = {0};

    (void)state;
    begin_beside(&f);
    plan = choose_at(&f, NULL);
    assert_int_equal(hone__chooser_prepare(f.chooser, &plan, NULL), HONE_OK);
    read = f;
    assert_int_equal(hone__chooser_write(f.chooser, &text, NULL), HONE_OK);
    assert_int_equal(
        hone__chooser_parse(hone__text_str(&text), &read.chooser, NULL),
        HONE_OK);
    assert_null(read.chooser->beside);
    assert_int_equal(hone__chooser_prepare(read.chooser, &plan, NULL), HONE_OK);
    for (int64_t size = 64; size <= 87; ++size) {
        const double cost = (double)(size * size / 64) + 1;
        const double guess = predict(&f, size, size).of[0].log_ns;

        assert_true(fabs(guess - log(cost) - beside_near(size)) < 0.02);
        assert_true(fabs(predict(&read, size, size).of[0].log_ns - guess) <
                    1e-3);
    }
    hone__chooser_free(read.chooser);
    hone__text_free(&text);
    choose_end(&f);
}

/* A member with few times is predicted as by a chooser that has no other
 * problems: either way of inverting what is known. */
static void knows_few_times(void **state)
{
    (void)state;
    for (size_t n_known = 3; n_known <= 12; ++n_known) {
        choose_fixture all, few;
        hone_launch_case plan;

        choose_begin(&all, 12);
        choose_begin(&few, n_known);
        for (size_t i = n_known; i < 12; ++i)
            all.chooser->time_ns[i * CHOOSE_MEMBERS + 1] = 0;
        plan = choose_at(&all, NULL);
        assert_int_equal(hone__chooser_prepare(all.chooser, &plan, NULL),
                         HONE_OK);
        plan = choose_at(&few, NULL);
        assert_int_equal(hone__chooser_prepare(few.chooser, &plan, NULL),
                         HONE_OK);
        assert_true(fabs(predict(&all, 100, 300).of[1].log_ns -
                         predict(&few, 100, 300).of[1].log_ns) < 1e-6);
        choose_end(&few);
        choose_end(&all);
    }
}

#define TWO_OF(version)                                                        \
    "hone-chooser " version "\nop rows\ndims 2\nmember 0 "                     \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef rows\n"  \
    "member 1 "                                                                \
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef rows\n"

#define TWO TWO_OF("3")
#define TWO_NOW TWO_OF("4")

static void names_each_mistake(void **state)
{
    static const struct {
        const char *text;
        int line;
    } mistakes[] = {
        {TWO "estimate\n", 6},
        {TWO "estimate d0*\n", 6},
        {TWO "estimate d2\n", 6},
        {TWO "estimate e0\n", 6},
        {TWO "estimate d0x\n", 6},
        {TWO "estimate d0\nestimate d+1\n", 7},
        {TWO "estimate d0\ncost 0 1\n", 7},
        {TWO "estimate d0\ncost 2 0\n", 7},
        {TWO "cost 0 0\n", 6},
        {TWO "estimate d0\ncost 0 0 0\n", 7},
        {TWO "place\n", 6},
        {TWO "place 1 0\n", 6},
        {TWO "place 1,2 2\n", 6},
        {TWO "place 1,2 0 0 1 1 0 1 0 1 1\n", 6},
        {TWO "place 1,2 0\nplace 1,2 0 \n", 7},
        {TWO_NOW "place 1,2 0\n", 6},
        {TWO_NOW "place 1,2 0 0\n", 6},
        {TWO_NOW "place 1,2 0 1000 1\n", 6},
        {TWO_NOW "place 1,2 0 1000001\n", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i) {
        hone_chooser *chooser = NULL;
        hone_error err = {0};
        char part[64];

        (void)snprintf(part, sizeof part, "from line %d on", mistakes[i].line);
        assert_int_equal(hone__chooser_parse(mistakes[i].text, &chooser, &err),
                         HONE_ERR_INPUT);
        assert_null(chooser);
        if (!strstr(err.text, part))
            fail_msg("'%s' is not in: %s", part, err.text);
    }
}

static void is_bounded(void **state)
{
    choose_fixture f;
    hone_error err = {0};

    (void)state;
    choose_begin(&f, 3);
    for (size_t i = 0; i < HONE_CHOOSER_ESTIMATES; ++i)
        add_estimate(f.chooser, "d0");
    assert_int_equal(hone__chooser_add_estimate(f.chooser, "d0", 2, &err),
                     HONE_ERR_ARGUMENT);
    hone__chooser_keep_estimates(f.chooser, 1);
    add_estimate(f.chooser, "e0");
    assert_int_equal(hone__chooser_add_estimate(f.chooser, "e2", 2, &err),
                     HONE_ERR_INPUT);
    {
        const int64_t dims[CHOOSE_DIMS] = {1, 1, 1};
        const size_t members[HONE_CHOOSER_AT_PLACE + 1] = {0};
        const size_t none[] = {CHOOSE_MEMBERS};
        const float beside[HONE_CHOOSER_AT_PLACE + 1] = {0};

        assert_int_equal(
            hone__chooser_add_place(f.chooser, dims, members, beside,
                                    HONE_CHOOSER_AT_PLACE + 1, &err),
            HONE_ERR_ARGUMENT);
        assert_int_equal(
            hone__chooser_add_place(f.chooser, dims, none, beside, 1, &err),
            HONE_ERR_ARGUMENT);
        for (size_t i = 0; i < HONE_CHOOSER_PLACES; ++i)
            assert_int_equal(
                hone__chooser_add_place(f.chooser, dims, members, beside,
                                        HONE_CHOOSER_AT_PLACE, &err),
                HONE_OK);
        assert_int_equal(
            hone__chooser_add_place(f.chooser, dims, members, beside, 1, &err),
            HONE_ERR_ARGUMENT);
    }
    choose_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_costs),
        cmocka_unit_test(asks_the_nearest),
        cmocka_unit_test(knows_more_than_costs),
        cmocka_unit_test(knows_few_times),
        cmocka_unit_test(names_each_mistake),
        cmocka_unit_test(is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
