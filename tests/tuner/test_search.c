/* SPDX-License-Identifier: Apache-2.0 */
/* Every search strategy, asked and told in every way: no configuration comes
 * twice, each comes once, the same seed gives the same order. */
#include "tuner/search/search.h"

#include "gen/space.h"
#include "gen/parse/template.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a space with constraints -------------------------------------------
 */

static const char source[] =
    "#pragma hone op f(n) \"x\"\n"
    "#pragma hone arg x: inout f32[n]\n"
    "#pragma hone param A in 1..7 default 3\n"
    "#pragma hone param B in {1, 2, 4, 8}\n"
    "#pragma hone param C in 0..4\n"
    "#pragma hone param D in {3}\n"
    "#pragma hone require A != B\n"
    "#pragma hone require A*B + C <= 24\n"
    "#pragma hone require C != 2 || A > 2\n"
    "#pragma hone launch f grid(1) block(A)\n"
    "extern \"C\" __global__ void f(float *x, long long n) {}\n";

typedef struct fixture {
    hone_template *tmpl;
    hone_space *space;
    hone_search_space view;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    hone_diagnostics diagnostics = {0};
    hone_error err = {.status = HONE_OK};
    hone_properties properties;

    f = (fixture){0};
    if (hone__template_read("t.cu", "", source, strlen(source), &f.tmpl,
                            &diagnostics, &err) != HONE_OK ||
        hone__properties_of_arch("sm_90", &properties, &err) != HONE_OK ||
        hone__space_create(f.tmpl, NULL, &properties, &f.space, &err) !=
            HONE_OK)
        return -1;
    f.view = hone__search_space_of(f.space);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;

    hone__space_free(f->space);
    hone__template_free(f->tmpl);
    return 0;
}

/* Smooth, with a dip, and a third of it fails. */
static double answer_of(const hone_search_space *view, int64_t index)
{
    int v[8];
    double time_ns;

    view->get(view->user, index, v);
    if ((v[0] + v[1] + v[2]) % 3 == 0)
        return 0;
    time_ns = 100 + 10 * abs(v[0] - 4) + 7 * abs(v[1] - 1) + 3 * v[2];
    return time_ns;
}

/* ---- asking and telling -------------------------------------------------
 */

typedef struct walk {
    const char *name;
    uint64_t seed;
    const int64_t *first;
    size_t n_first;
    int64_t batch; /* asked for before the first answer */
    int64_t budget;
} walk;

/* Fills `order` with the whole space; returns how many came. */
static int64_t run(const hone_search_space *view, const walk *w, int64_t *order)
{
    hone_search *search = NULL;
    char *seen = calloc((size_t)view->count, 1);
    int64_t n_asked = 0;
    int64_t n_told = 0;

    assert_non_null(seen);
    assert_int_equal(
        hone__search_open(w->name, view,
                          &(hone_search_options){.seed = w->seed,
                                                 .first = w->first,
                                                 .n_first = w->n_first,
                                                 .budget_trials = w->budget},
                          &search, NULL),
        HONE_OK);
    for (;;) {
        int64_t index = -1;

        if (n_asked < n_told + w->batch) {
            assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
            if (index >= 0) {
                assert_in_range(index, 0, view->count - 1);
                if (seen[index])
                    fail_msg("%s: %lld came twice", w->name, (long long)index);
                seen[index] = 1;
                order[n_asked++] = index;
                continue;
            }
        }
        if (n_told == n_asked)
            break;
        assert_int_equal(hone__search_tell(search, order[n_told],
                                           answer_of(view, order[n_told]),
                                           NULL),
                         HONE_OK);
        ++n_told;
    }
    hone__search_close(search);
    free(seen);
    return n_asked;
}

static void test_each_once(void **state)
{
    static const int64_t batches[] = {1, 7, 1000};
    const fixture *f = *state;
    const hone_search_space *view = &f->view;
    int64_t order[256], again[256];
    const char *name, *summary;
    size_t n_strategies = 0;

    assert_in_range(view->count, 50, 256);
    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        ++n_strategies;
        assert_true(strlen(summary) > 10);
        for (size_t b = 0; b < 3; ++b) {
            const int64_t first[] = {-1, 11, 5, 11};
            const walk w = {name, 1, first, 4, batches[b], 0};

            assert_int_equal(run(view, &w, order), view->count);
            assert_int_equal(order[0], 11);
            assert_int_equal(order[1], 5);
            assert_int_equal(run(view, &w, again), view->count);
            assert_memory_equal(order, again,
                                (size_t)view->count * sizeof order[0]);
        }
    }
    assert_true(n_strategies >= 3);
}

static void test_seeds_differ(void **state)
{
    const fixture *f = *state;
    int64_t a[256], b[256];
    const char *name, *summary;

    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        const walk one = {name, 1, NULL, 0, 1, 0};
        const walk two = {name, 2, NULL, 0, 1, 0};

        (void)run(&f->view, &one, a);
        (void)run(&f->view, &two, b);
        if (strcmp(name, "exhaustive") == 0)
            for (int64_t k = 0; k < f->view.count; ++k)
                assert_int_equal(a[k], k);
        else
            assert_memory_not_equal(a, b, 20 * sizeof a[0]);
    }
}

/* What an earlier run knows is not asked for again, and counts. */
static void test_told_from_elsewhere(void **state)
{
    const fixture *f = *state;
    const char *name, *summary;

    for (size_t i = 0; hone__search_strategy(i, &name, &summary); ++i) {
        hone_search *search = NULL;
        int64_t n = 0;

        assert_int_equal(hone__search_open(name, &f->view,
                                           &(hone_search_options){.seed = 3},
                                           &search, NULL),
                         HONE_OK);
        for (int64_t k = 0; k < f->view.count; k += 2) {
            const double lie = 1;

            assert_int_equal(
                hone__search_tell(search, k, answer_of(&f->view, k), NULL),
                HONE_OK);
            assert_int_equal(hone__search_tell(search, k, lie, NULL), HONE_OK);
            assert_false(hone__search_is_new(search, k));
        }
        assert_true(hone__search_is_new(search, 1));
        for (;;) {
            int64_t index;

            assert_int_equal(hone__search_next(search, &index, NULL), HONE_OK);
            if (index < 0)
                break;
            assert_int_equal(index % 2, 1);
            assert_int_equal(hone__search_tell(search, index,
                                               answer_of(&f->view, index),
                                               NULL),
                             HONE_OK);
            ++n;
        }
        assert_int_equal(n, f->view.count / 2);
        hone__search_close(search);
    }
}

static void test_names(void **state)
{
    const fixture *f = *state;
    hone_search *search = NULL;
    hone_error err = {0};

    assert_int_equal(hone__search_open("magic", &f->view,
                                       &(hone_search_options){.seed = 1},
                                       &search, &err),
                     HONE_ERR_ARGUMENT);
    assert_null(search);
    assert_non_null(strstr(err.text, "'magic'"));
    assert_non_null(strstr(err.text, "exhaustive, random"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_told_from_elsewhere),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
