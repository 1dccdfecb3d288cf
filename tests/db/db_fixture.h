/* SPDX-License-Identifier: Apache-2.0 */
/* A database in a folder of its own, empty or with one small tuning run. */
#ifndef HONE_TESTS_DB_DB_FIXTURE_H
#define HONE_TESTS_DB_DB_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "db/db.h"

enum { N_VARIANTS = 3 }; /* the first is the default; the last fails */

typedef struct db_fixture {
    char folder[256];
    char path[300]; /* folder/hone.db */
    hone_db *db;    /* NULL until fixture_open() */
    int64_t device_id;
    int64_t template_id;
    int64_t problem_id;
    int64_t toolchain_id;
    int64_t variant_id[N_VARIANTS];
    int64_t session_id;
    int64_t trial_id[N_VARIANTS];
} db_fixture;

/* Group setup and teardown of cmocka: an empty folder, removed again. */
int fixture_setup(void **state);
int fixture_setup_filled(void **state); /* the same, opened and filled */
int fixture_teardown(void **state);

void fixture_open(db_fixture *fixture); /* creates the database */
void fixture_fill(db_fixture *fixture); /* one session, three trials */
/* A file as version 1 wrote it, with the same rows, a baseline and a ranking;
 * version_1.sql. Not opened. */
void fixture_version_1(db_fixture *fixture);

extern const hone_db_device fixture_device;
extern const char fixture_sha256[HONE_SHA256_HEX]; /* the template's */

/* The status is as expected; prints the sentence if it is not. */
#define assert_status(expression, expected)                                    \
    do {                                                                       \
        hone_error assert_why = {0};                                           \
        hone_error *const why = &assert_why;                                   \
        const hone_status assert_got = (expression);                           \
        if (assert_got != (expected))                                          \
            print_error("%s: %s\n", hone_status_name(assert_got), why->text);  \
        assert_int_equal(assert_got, expected);                                \
    } while (0)

#define assert_ok(expression) assert_status(expression, HONE_OK)

/* First column of the first row. */
int64_t fixture_integer(hone_db *db, const char *sql);
double fixture_real(hone_db *db, const char *sql);
/* Columns and rows as the sqlite3 shell prints them: "a|b\nc|d\n". */
void fixture_rows(hone_db *db, const char *sql, hone_text *out);
void assert_rows(hone_db *db, const char *sql, const char *expected);
/* Write through SQLite directly, past our checks. Returns SQLite's extended
 * code; enforces foreign keys. */
int fixture_sql(const db_fixture *fixture, const char *sql);
void fixture_path(const db_fixture *fixture, const char *name, char *out,
                  size_t size_bytes);

#define CASE(name)                                                             \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
#define CASE_FILLED(name)                                                      \
    cmocka_unit_test_setup_teardown(name, fixture_setup_filled,                \
                                    fixture_teardown)

#endif
