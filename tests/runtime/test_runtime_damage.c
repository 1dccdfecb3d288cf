/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are not what was stored: they are left out, whatever it is that
 * has changed in them, the next one answers, and the match says so. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t tuned_n = 1024;

static void put(runtime_fixture *fixture, int64_t n, const char *config)
{
    char cubin[64];
    const tuned_row row = {.dims = &n,
                           .n_dims = 1,
                           .label = config,
                           .config = config,
                           .launch_plan = axpy_plan,
                           .cubin = cubin};

    /* Each its own, so that one of them can be damaged. */
    (void)snprintf(cubin, sizeof cubin, "%s%.*s", axpy_cubin,
                   (int)strlen(config), "            ");
    runtime_put(fixture, &row);
}

static void put_default(runtime_fixture *fixture, const char *config)
{
    const tuned_row row = {
        .config = config, .launch_plan = axpy_plan, .cubin = axpy_cubin};

    runtime_put_default(fixture, &row);
}

/* The trial that was put first has the second place of the only ranking. */
static void rank_first_second(const runtime_fixture *fixture)
{
    runtime_sql(fixture->path,
                "INSERT INTO ranking SELECT problem_id, device_id, mode, 2,"
                " (SELECT min(trial_id) FROM trial), session_id, 1000, NULL,"
                " NULL, '', ranked_unix_s FROM ranking");
}

static hone_match ask(const runtime_fixture *fixture, int64_t n)
{
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;
    hone_match match = {.kind = HONE_MATCH_EXACT};

    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                HONE_OK);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return match;
}

static void expect(const runtime_fixture *fixture, hone_match_kind kind,
                   const char *config, const char *reason)
{
    const hone_match match = ask(fixture, tuned_n);

    if (match.kind != kind || strcmp(match.config, config) != 0)
        print_error("%s: %s\n", match.config, match.reason);
    assert_int_equal(match.kind, kind);
    assert_string_equal(match.config, config);
    assert_contains(match.reason, reason);
}

/* What the row shares with others, changed for it alone. Follows: which rows.
 */
#define IN_FORM(changed)                                                       \
    "INSERT INTO launch_form (head, tail) SELECT " changed                     \
    " FROM launch_form WHERE form_id = 1;"                                     \
    "UPDATE variant SET launch_form_id ="                                      \
    " (SELECT max(form_id) FROM launch_form)"

static const char left_out[] = "1 better left out: damaged in the database";

/* Every column that a launch relies on, one after the other. */
static void any_part_of_a_row(void **state)
{
    static const char *const damages[] = {
        IN_FORM("head, replace(tail, 'block BLOCK', 'block BLOCJ')"),
        IN_FORM("replace(head, 'dim n', 'dim m'), tail"),
        "UPDATE variant SET launch_form_id = NULL",
        "UPDATE variant SET launch_lines ="
        " replace(launch_lines, 'param BLOCK 256', 'param BLOCK 257')",
        IN_FORM("head, replace(tail, 'n*4', 'n*5')"),
        "UPDATE variant SET launch_lines = ''",
        "UPDATE variant SET config = 'BLOCK=257'",
        "UPDATE variant SET config = 'BLOCK=256,VEC=2'",
        "UPDATE variant SET config = ''",
        "UPDATE variant SET types = '4'",
        "UPDATE variant SET arch = 'sm_80'",
        "UPDATE variant SET cubin_sha256 = (SELECT sha256 FROM artifact WHERE"
        " kind = 'source')",
        "UPDATE variant SET launch_sha256 ="
        " replace(launch_sha256, substr(launch_sha256, 9, 1), 'x')",
        "UPDATE artifact SET data = x'28b52ffd' WHERE sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE variant_id = 1)",
        "UPDATE artifact SET size_bytes = size_bytes + 1 WHERE sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE variant_id = 1)",
        "DELETE FROM artifact WHERE sha256 ="
        " (SELECT cubin_sha256 FROM variant WHERE variant_id = 1)",
        "UPDATE problem SET dims = '1,4'",
    };
    runtime_fixture *fixture = *state;

    put(fixture, tuned_n, "BLOCK=256");
    put_default(fixture, "A=1");
    expect(fixture, HONE_MATCH_EXACT, "BLOCK=256", "tuned for these");
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        char sql[600];

        (void)snprintf(sql, sizeof sql, "%s%s", damages[i],
                       strstr(damages[i], "UPDATE variant")
                           ? " WHERE variant_id = 1"
                           : "");
        runtime_sql(fixture->path, "PRAGMA foreign_keys = OFF;"
                                   "CREATE TABLE v AS SELECT * FROM variant;"
                                   "CREATE TABLE a AS SELECT * FROM artifact;"
                                   "CREATE TABLE p AS SELECT * FROM problem");
        runtime_sql(fixture->path, sql);
        expect(fixture, HONE_MATCH_DEFAULT, "A=1", "default variant");
        runtime_sql(fixture->path, "PRAGMA foreign_keys = OFF;"
                                   "DELETE FROM variant; DELETE FROM artifact;"
                                   "DELETE FROM problem;"
                                   "INSERT INTO problem SELECT * FROM p;"
                                   "INSERT INTO artifact SELECT * FROM a;"
                                   "INSERT INTO variant SELECT * FROM v;"
                                   "DROP TABLE v; DROP TABLE a; DROP TABLE p");
        expect(fixture, HONE_MATCH_EXACT, "BLOCK=256", "tuned for these");
    }
}

static void set_plan(sqlite3 *db, const char *plan, size_t length)
{
    sqlite3_stmt *put_plan = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "UPDATE variant SET launch_lines = ?1, launch_form_id = NULL"
            " WHERE variant_id = 1",
            -1, &put_plan, NULL),
        SQLITE_OK);
    assert_int_equal(
        sqlite3_bind_text(put_plan, 1, plan, (int)length, SQLITE_STATIC),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(put_plan), SQLITE_DONE);
    (void)sqlite3_finalize(put_plan);
}

/* A bit of every byte of the stored launch plan. */
static void any_byte_of_a_plan(void **state)
{
    runtime_fixture *fixture = *state;
    const size_t length = strlen(axpy_plan);
    hone_ctx *ctx = runtime_open(fixture);
    sqlite3 *db = NULL;
    char plan[600];

    put(fixture, tuned_n, "BLOCK=256");
    put_default(fixture, "A=1");
    assert_true(length < sizeof plan);
    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    for (size_t i = 0; i <= length; ++i) {
        hone_plan *answer = NULL;
        hone_match match;

        memcpy(plan, axpy_plan, length + 1);
        if (i < length) /* else it is whole again */
            plan[i] ^= (char)(1 << i % 8);
        set_plan(db, plan, length);
        assert_hone(ctx,
                    hone_plan_create(ctx, "axpy", &tuned_n, 1, &answer, &match),
                    HONE_OK);
        if (strcmp(match.config, i < length ? "A=1" : "BLOCK=256") != 0)
            fail_msg("byte %zu: %s: %s", i, match.config, match.reason);
        hone_plan_destroy(answer);
    }
    (void)sqlite3_close(db);
    hone_close(ctx);
}

#define DAMAGE(config)                                                         \
    "UPDATE artifact SET data = x'28b52ffd' WHERE sha256 ="                    \
    " (SELECT cubin_sha256 FROM variant WHERE config = '" config "')"

/* The second of the same problem, then another shape, then the default. */
static void the_next_one_answers(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, tuned_n, "A=22");
    put(fixture, tuned_n, "A=1");
    rank_first_second(fixture);
    put(fixture, 2 * tuned_n, "A=333");
    put_default(fixture, "A=4444");
    expect(fixture, HONE_MATCH_EXACT, "A=1", "tuned for these");
    runtime_sql(fixture->path, DAMAGE("A=1"));
    expect(fixture, HONE_MATCH_EXACT, "A=22", left_out);
    runtime_sql(fixture->path, DAMAGE("A=22"));
    expect(fixture, HONE_MATCH_NEIGHBOUR, "A=333", "2 better left out");
    runtime_sql(fixture->path, DAMAGE("A=333"));
    expect(fixture, HONE_MATCH_DEFAULT, "A=4444", "3 better left out");
}

/* What a launch plan says of the dims is not asked of a damaged one. */
static void dims_are_those_of_a_whole_row(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, tuned_n, "A=1");
    put(fixture, 2 * tuned_n, "A=22");
    runtime_sql(fixture->path,
                IN_FORM("head, replace(tail, 'dim n int', 'dim n int\ndim m "
                        "int')") " WHERE config = 'A=1'");
    expect(fixture, HONE_MATCH_NEIGHBOUR, "A=22", left_out);
}

static void nothing_is_left(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = runtime_open(fixture);
    hone_plan *plan = NULL;

    put(fixture, tuned_n, "A=1");
    runtime_sql(fixture->path, DAMAGE("A=1"));
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &tuned_n, 1, &plan, NULL),
                HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "is damaged: the cubin of A=1");
    assert_contains(hone_error_text(ctx), "run: hone tune axpy --dims 1024");
    runtime_sql(fixture->path, "UPDATE variant SET launch_lines = 'x'");
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &tuned_n, 1, &plan, NULL),
                HONE_ERR_DATABASE);
    assert_contains(hone_error_text(ctx), "is damaged: the launch plan of A=1");
    runtime_sql(fixture->path, "UPDATE problem SET dims = '1,,2'");
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &tuned_n, 1, &plan, NULL),
                HONE_ERR_DATABASE);
    assert_contains(hone_error_text(ctx), "the dims of the winners of 'axpy'");
    hone_close(ctx);
}

/* Rows of an older database have no hash. Their params are compared. */
static void rows_without_a_hash(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, tuned_n, "BLOCK=256");
    put_default(fixture, "A=1");
    runtime_sql(fixture->path, "UPDATE variant SET launch_sha256 = NULL");
    expect(fixture, HONE_MATCH_EXACT, "BLOCK=256", "tuned for these");
    runtime_sql(fixture->path, "UPDATE variant SET launch_lines ="
                               " replace(launch_lines, 'BLOCK 256',"
                               " 'BLOCK 320') WHERE variant_id = 1");
    expect(fixture, HONE_MATCH_DEFAULT, "A=1", left_out);
    runtime_sql(
        fixture->path,
        IN_FORM(
            "replace(head, 'op axpy', 'op axpz'), tail") ", launch_lines = "
                                                         "replace(launch_lines,"
                                                         " 'BLOCK 320',"
                                                         " 'BLOCK 256') WHERE "
                                                         "variant_id = 1");
    expect(fixture, HONE_MATCH_DEFAULT, "A=1", left_out);
}

static void any_allocation_may_fail(void **state)
{
    runtime_fixture *fixture = *state;
    hone_status status = HONE_ERR_NO_MEMORY;

    put(fixture, tuned_n, "A=22");
    put(fixture, tuned_n, "A=1");
    rank_first_second(fixture);
    put_default(fixture, "A=333");
    runtime_sql(fixture->path, DAMAGE("A=1"));
    for (long n = 0; status != HONE_OK; ++n) {
        hone_plan *plan = NULL;
        hone_match match = {.kind = HONE_MATCH_EXACT};
        hone_ctx *ctx = NULL;

        assert_true(n < 1000);
        hone__alloc_fail_after(n);
        status = hone_open(fixture->path, &ctx);
        if (status == HONE_OK)
            status = hone_plan_create(ctx, "axpy", &tuned_n, 1, &plan, &match);
        hone__alloc_fail_after(-1);
        if (status == HONE_OK)
            assert_string_equal(match.config, "A=22");
        else
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        hone_plan_destroy(plan);
        hone_close(ctx);
    }
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(any_part_of_a_row),
        WITH_DATABASE(any_byte_of_a_plan),
        WITH_DATABASE(the_next_one_answers),
        WITH_DATABASE(dims_are_those_of_a_whole_row),
        WITH_DATABASE(nothing_is_left),
        WITH_DATABASE(rows_without_a_hash),
        WITH_DATABASE(any_allocation_may_fail),
    };

    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
