/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are read without a lock, and hazard pointers: against a plain
 * array, with readers meanwhile (run it under the tsan preset), and with
 * threads that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/base/alloc.h"
#include "runtime/base/hazard.h"
#include "runtime/base/table.h"

#include <pthread.h>
#include <stdlib.h>

enum { N_KEYS = 300, N_STEPS = 50000 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Few low bits: most keys begin at the same places and meet. */
static uint64_t tag_of(size_t key)
{
    return 1 + key % 5 + ((uint64_t)key << 20);
}

static void against_an_array(void **state)
{
    static int objects[N_KEYS];
    int is_in[N_KEYS] = {0};
    hone_table table = {.body = NULL};
    uint64_t random = 88172645463325252u;
    size_t n = 0;

    (void)state;
    for (int step = 0; step < N_STEPS; ++step) {
        const size_t key = next_random(&random) % N_KEYS;

        if (!is_in[key])
            assert_int_equal(
                hone__table_put(&table, tag_of(key), &objects[key], NULL),
                HONE_OK);
        else
            hone__table_remove(&table, tag_of(key), &objects[key]);
        is_in[key] = !is_in[key];
        n += is_in[key] ? 1 : (size_t)-1;
        assert_int_equal(table.n, n);
        for (size_t k = key; k < key + 7; ++k)
            assert_ptr_equal(hone__table_find(&table, tag_of(k % N_KEYS)),
                             is_in[k % N_KEYS] ? &objects[k % N_KEYS] : NULL);
    }
    /* It does not grow for what was removed. */
    assert_in_range(hone__table_size(&table), 64, 1024);
    hone__table_remove(&table, 77, &objects[0]);
    hone__table_free(&table);
    assert_null(hone__table_find(&table, tag_of(0)));
    hone__table_remove(&table, tag_of(0), &objects[0]);
    assert_int_equal(hone__table_size(&table), 0);
}

/* Where all is removed, nothing is left to be looked through. */
static void given_up_entries_are_free_again(void **state)
{
    static int object;
    hone_table table = {.body = NULL};
    size_t n_tags = 0;

    (void)state;
    for (uint64_t round = 0; round < 1000; ++round) {
        for (uint64_t i = 0; i < 7; ++i)
            assert_int_equal(
                hone__table_put(&table, 3 + i + 100 * round, &object, NULL),
                HONE_OK);
        for (uint64_t i = 0; i < 7; ++i)
            hone__table_remove(&table, 3 + i + 100 * round, &object);
    }
    for (size_t i = 0; i < hone__table_size(&table); ++i)
        n_tags += atomic_load(&table.body)->entries[i].tag != 0;
    assert_int_equal(n_tags, 0);
    hone__table_free(&table);
}

static void one_tag_for_many(void **state)
{
    static int objects[40];
    hone_table table = {.body = NULL};
    hone_table_walk walk;
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < 40; ++i)
        assert_int_equal(hone__table_put(&table, 9, &objects[i], NULL),
                         HONE_OK);
    hone__table_remove(&table, 9, &objects[17]);
    walk = hone__table_walk(&table, 9);
    for (int *found; (found = hone__table_next(&walk)) != NULL; ++n) {
        assert_true(hone__table_still(&walk, found));
        hone__table_remove(&table, 9, found);
        assert_false(hone__table_still(&walk, found));
        assert_ptr_not_equal(found, &objects[17]);
    }
    assert_int_equal(n, 39);
    hone__table_free(&table);
    hone__alloc_fail_after(0);
    assert_int_equal(hone__table_put(&table, 9, &objects[0], NULL),
                     HONE_ERR_NO_MEMORY);
    hone__alloc_fail_after(-1);
    assert_null(hone__table_find(&table, 9));
}

/* ---- with readers -------------------------------------------------------- */

enum { N_READERS = 3, N_LIVES = 20000, MAGIC = 0x5eed };

/* Freed when it was taken out and nobody protects it. */
typedef struct thing {
    uint64_t tag;
    int magic;
    struct thing *next;
} thing;

typedef struct world {
    hone_table table;
    atomic_int is_over;
    atomic_int n_bad;
    atomic_int n_found;
    atomic_int n_ready;
} world;

static void *read_often(void *user)
{
    world *w = user;
    uint64_t random = 88172645463325252u + (uintptr_t)&random;

    w->n_bad += hone__hazard_get(NULL) != HONE_OK;
    ++w->n_ready;
    while (!atomic_load(&w->is_over)) {
        const uint64_t tag = tag_of(next_random(&random) % 32);
        hone_table_walk walk = hone__table_walk(&w->table, tag);
        thing *found = hone__table_next(&walk);

        if (!found)
            continue;
        hone__hazard_protect(hone__hazard_own.hazard, found);
        if (!hone__table_still(&walk, found))
            continue;
        w->n_bad += found->tag != tag || found->magic != MAGIC;
        ++w->n_found;
    }
    return NULL;
}

static void free_unprotected(thing **list)
{
    assert_true(hone__hazard_sync());
    while (*list) {
        thing *t = *list;

        if (hone__hazard_protects(t)) {
            list = &t->next;
            continue;
        }
        *list = t->next;
        t->magic = 0;
        free(t);
    }
}

static void live_and_die(world *w)
{
    thing *in[32] = {NULL};
    thing *retired = NULL;
    uint64_t random = 1234567u;

    for (int i = 0; i < N_LIVES || !atomic_load(&w->n_found); ++i) {
        const size_t key = next_random(&random) % 32;
        thing *t = in[key];

        if (t) {
            hone__table_remove(&w->table, t->tag, t);
            t->next = retired;
            retired = t;
            in[key] = NULL;
        } else {
            t = in[key] = malloc(sizeof *t);
            assert_non_null(t);
            *t = (thing){tag_of(key), MAGIC, NULL};
            assert_int_equal(hone__table_put(&w->table, t->tag, t, NULL),
                             HONE_OK);
        }
        if (i % 5 == 0)
            free_unprotected(&retired);
    }
    atomic_store(&w->is_over, 1);
    for (size_t i = 0; i < 32; ++i) {
        if (in[i]) {
            hone__table_remove(&w->table, in[i]->tag, in[i]);
            in[i]->next = retired;
            retired = in[i];
        }
    }
    while (retired) {
        thing *next = retired->next;

        /* Readers are told to end, but may still look at one. */
        if (hone__hazard_sync() && !hone__hazard_protects(retired)) {
            free(retired);
            retired = next;
        }
    }
}

static void readers_meanwhile(void **state)
{
    world w = {.is_over = 0};
    pthread_t threads[N_READERS];

    (void)state;
    for (int i = 0; i < N_READERS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &w), 0);
    while (atomic_load(&w.n_ready) < N_READERS)
        ;
    live_and_die(&w);
    for (int i = 0; i < N_READERS; ++i)
        (void)pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&w.n_bad), 0);
    hone__table_free(&w.table);
}

static void readers_with_fences(void **state)
{
    const int before = atomic_load(&hone__hazard_fences);

    atomic_store(&hone__hazard_fences, 1);
    readers_meanwhile(state);
    atomic_store(&hone__hazard_fences, before);
}

static void *protect_and_end(void *user)
{
    if (hone__hazard_get(NULL) != HONE_OK)
        return NULL;
    hone__hazard_protect(hone__hazard_own.hazard, user);
    return hone__hazard_protects(user) ? hone__hazard_own.hazard : NULL;
}

/* A thread's protection ends with it, and its record serves the next. */
static void a_thread_ends(void **state)
{
    static int object;
    void *hazards[2];

    (void)state;
    for (int i = 0; i < 2; ++i) {
        pthread_t thread;

        assert_int_equal(
            pthread_create(&thread, NULL, protect_and_end, &object), 0);
        assert_int_equal(pthread_join(thread, &hazards[i]), 0);
        assert_non_null(hazards[i]);
        assert_false(hone__hazard_protects(&object));
    }
    assert_ptr_equal(hazards[0], hazards[1]);
}

static int start(void **state)
{
    (void)state;
    hone__hazard_start();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_an_array),
        cmocka_unit_test(given_up_entries_are_free_again),
        cmocka_unit_test(one_tag_for_many),
        cmocka_unit_test(readers_meanwhile),
        cmocka_unit_test(readers_with_fences),
        cmocka_unit_test(a_thread_ends),
    };

    return cmocka_run_group_tests_name("table", tests, start, NULL);
}
