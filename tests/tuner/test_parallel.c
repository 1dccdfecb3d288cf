/* SPDX-License-Identifier: Apache-2.0 */
/* Loops on several threads: every piece once, the first failure by number. */
#include "tuner/process/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 2000 };

typedef struct loop_record {
    int calls[N];
    int64_t fails_from; /* these pieces fail */
    atomic_int n_running;
    atomic_int most_running;
} loop_record;

static hone_status piece(void *user, int64_t i, hone_error *err)
{
    loop_record *r = user;
    const int running = atomic_fetch_add(&r->n_running, 1) + 1;
    int most = atomic_load(&r->most_running);

    while (running > most &&
           !atomic_compare_exchange_weak(&r->most_running, &most, running))
        ;
    ++r->calls[i];
    (void)atomic_fetch_sub(&r->n_running, 1);
    return i < r->fails_from
               ? HONE_OK
               : hone__fail(err, HONE_ERR_INPUT, "piece %lld", (long long)i);
}

static void test_every_piece_once(void **state)
{
    static const struct {
        int64_t n;
        int n_threads;
    } cases[] = {{0, 4}, {1, 4}, {3, 1}, {3, 0}, {N, 1}, {N, 3}, {N, 5000}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        static loop_record r;
        const int allowed = cases[c].n_threads > 1 ? cases[c].n_threads : 1;

        memset(&r, 0, sizeof r);
        r.fails_from = N;
        assert_int_equal(
            hone__parallel_for(cases[c].n, cases[c].n_threads, piece, &r, NULL),
            HONE_OK);
        for (int64_t i = 0; i < N; ++i)
            assert_int_equal(r.calls[i], i < cases[c].n);
        assert_true(atomic_load(&r.most_running) <= allowed);
    }
}

static void test_first_failure(void **state)
{
    (void)state;
    for (int n_threads = 1; n_threads <= 8; ++n_threads) {
        static loop_record r;
        hone_error err = {0};
        int n_calls = 0;

        memset(&r, 0, sizeof r);
        r.fails_from = 700;
        assert_int_equal(hone__parallel_for(N, n_threads, piece, &r, &err),
                         HONE_ERR_INPUT);
        assert_string_equal(err.text, "piece 700");
        for (int i = 0; i < N; ++i)
            n_calls += r.calls[i];
        /* Each thread may have had one more piece under way. */
        assert_true(n_calls >= 701 && n_calls <= 700 + n_threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),
        cmocka_unit_test(test_first_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
