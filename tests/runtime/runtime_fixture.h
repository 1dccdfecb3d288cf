/* SPDX-License-Identifier: Apache-2.0 */
/* A folder with a database, and the fake driver behind the runtime. */
#ifndef HONE_TESTS_RUNTIME_RUNTIME_FIXTURE_H
#define HONE_TESTS_RUNTIME_RUNTIME_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/hone.h"
#include "tests/runtime/fake_cuda.h"
#include "tests/runtime/tuned_db.h"

/* y = alpha*x + y: one dim, one launch, three args. */
extern const char axpy_plan[];
extern const char axpy_cubin[];
/* C = A*B in two launches: three dims and a type, 64 KB of shared memory,
 * one workspace that depends on the shape and one that is zeroed. */
extern const char gemm_plan[];
extern const char gemm_cubin[];

typedef struct runtime_fixture {
    char folder[256];
    char path[300];          /* folder/hone.db */
    hone_db *db;             /* open for writing */
    hone_cu_context context; /* current in the test's thread */
} runtime_fixture;

/* Test setup and teardown: an empty database, a fresh fake driver with one
 * context that is current. Teardown checks that nothing is left on it. */
int runtime_setup(void **state);
int runtime_teardown(void **state);

/* Write a winner or default; asserts success. */
void runtime_put(runtime_fixture *fixture, const tuned_row *row);
void runtime_put_default(runtime_fixture *fixture, const tuned_row *row);
/* SQL past our own checks, as another program would. */
void runtime_sql(const char *path, const char *sql);
/* Open the fixture's database; asserts success. */
hone_ctx *runtime_open(const runtime_fixture *fixture);

/* With one failed allocation after the other, `life` is HONE_ERR_NO_MEMORY and
 * leaves nothing on the device, until there is memory for all of it. */
void runtime_short_of_memory(const runtime_fixture *fixture,
                             hone_status (*life)(const runtime_fixture *));

/* The call's status is as expected; else prints the thread's sentence. */
#define assert_hone(ctx, expression, expected)                                 \
    do {                                                                       \
        const hone_status assert_got = (expression);                           \
        if (assert_got != (expected))                                          \
            print_error("%s: %s\n", hone_status_name(assert_got),              \
                        hone_error_text(ctx));                                 \
        assert_int_equal(assert_got, expected);                                \
    } while (0)

/* `text` contains `part`. */
#define assert_contains(text, part)                                            \
    do {                                                                       \
        if (!strstr(text, part))                                               \
            print_error("'%s' is not in: %s\n", part, text);                   \
        assert_non_null(strstr(text, part));                                   \
    } while (0)

#endif
