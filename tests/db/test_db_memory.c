/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails in turn, ours and SQLite's: the answer is always
 * "out of memory", nothing leaks, and the database stays whole. */
#include "db_fixture.h"

#include "db/db_internal.h"

#include "runtime/base/alloc.h"
#include "tests/fail_every.h"

#include <sqlite3.h>
#include <string.h>

/* ---- SQLite's memory through ours ---------------------------------------
 */

enum { HEADER_BYTES = 16 }; /* keeps the size, and the alignment */

static void *sq_malloc(int size)
{
    char *const block = hone__alloc((size_t)size + HEADER_BYTES);

    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEADER_BYTES;
}

static void sq_free(void *pointer)
{
    if (pointer)
        hone__free((char *)pointer - HEADER_BYTES);
}

static int sq_size(void *pointer)
{
    int size = 0;

    if (pointer)
        memcpy(&size, (char *)pointer - HEADER_BYTES, sizeof size);
    return size;
}

static void *sq_realloc(void *pointer, int size)
{
    char *const block = hone__realloc((char *)pointer - HEADER_BYTES,
                                      (size_t)size + HEADER_BYTES);

    if (!block)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + HEADER_BYTES;
}

static int sq_roundup(int size)
{
    return (size + 7) & ~7;
}

static int sq_init(void *user)
{
    (void)user;
    return SQLITE_OK;
}

static void sq_shutdown(void *user)
{
    (void)user;
}

static int install_memory(void **state)
{
    static const sqlite3_mem_methods methods = {
        sq_malloc,  sq_free, sq_realloc,  sq_size,
        sq_roundup, sq_init, sq_shutdown, NULL};

    (void)state;
    if (sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        return -1;
    return sqlite3_initialize() == SQLITE_OK ? 0 : -1;
}

/* ---- what may run out of memory -----------------------------------------
 */

static hone_status count_trial(void *user, const hone_db_trial_row *row,
                               hone_error *err)
{
    (void)err;
    *(int64_t *)user += row->trial_id > 0;
    return HONE_OK;
}

static hone_status count_row(void *user, const hone_db_row *row,
                             hone_error *err)
{
    (void)err;
    *(int64_t *)user += row->n_columns > 0;
    return HONE_OK;
}

static hone_status put_subjects(hone_db *db, db_fixture *f, hone_error *err)
{
    const hone_db_template tmpl = {.op = "scale",
                                   .name = "scale.cu",
                                   .sha256 = fixture_sha256,
                                   .source = "text",
                                   .source_bytes = 4};
    const hone_db_problem problem = {
        .op = "scale", .dims = (const int64_t[]){1024}, .n_dims = 1};
    hone_db_variant variant = {.config = "A=1",
                               .arch = "sm_90",
                               .outcome = "ok",
                               .launch_plan =
                                   "hone-launch 1\nop scale\nparam A 1\n"
                                   "launch k\ngrid 1\nblock 1\n",
                               .is_default = 1};
    char sha256[HONE_SHA256_HEX];

    HONE_TRY(hone__db_device_put(db, &fixture_device, &f->device_id, err));
    HONE_TRY(hone__db_template_put(db, &tmpl, &f->template_id, err));
    HONE_TRY(hone__db_problem_put(db, &problem, &f->problem_id, err));
    HONE_TRY(
        hone__db_toolchain_put(db, "nvrtc", "13.0", &f->toolchain_id, err));
    HONE_TRY(hone__db_artifact_put(db, "cubin", "cubin", 5, sha256, err));
    variant.template_id = f->template_id;
    variant.toolchain_id = f->toolchain_id;
    variant.cubin_sha256 = sha256;
    return hone__db_variant_put(db, &variant, &f->variant_id[0], err);
}

static hone_status put_results(hone_db *db, db_fixture *f, hone_error *err)
{
    const double samples_ns[] = {1, 2, 3};
    const hone_db_session session = {.device_id = f->device_id,
                                     .problem_id = f->problem_id,
                                     .template_id = f->template_id,
                                     .mode = "hot"};
    hone_db_trial trial = {.variant_id = f->variant_id[0],
                           .outcome = "ok",
                           .time_ns = 2,
                           .samples_ns = samples_ns,
                           .n_samples = 3};
    hone_db_baseline baseline = {.name = "memcpy", .time_ns = 2};
    const hone_db_session_summary summary = {5, 0.01,      1,       1,
                                             1, "decided", "budget"};
    hone_db_decision decision = {.kind = "winner", .text = "the only one"};
    hone_db_ranked ranked = {0, 2, 0, 0, NULL};
    int64_t id;

    HONE_TRY(hone__db_session_begin(db, &session, &f->session_id, err));
    trial.session_id = f->session_id;
    baseline.session_id = f->session_id;
    decision.session_id = f->session_id;
    HONE_TRY(hone__db_trial_put(db, &trial, &ranked.trial_id, err));
    HONE_TRY(hone__db_baseline_put(db, &baseline, &id, err));
    HONE_TRY(hone__db_ranking_put(db, f->session_id, &ranked, 1, err));
    decision.trial_id = ranked.trial_id;
    HONE_TRY(hone__db_decision_put(db, &decision, &id, err));
    HONE_TRY(hone__db_session_measured(db, f->session_id, &summary, err));
    return hone__db_session_finish(db, f->session_id, "done", err);
}

static hone_status read_back(hone_db *db, const db_fixture *f, hone_error *err)
{
    const hone_db_trial_key key = {f->device_id, f->problem_id, f->template_id,
                                   f->toolchain_id, "hot"};
    hone_db_launch launch;
    int64_t n = 0;

    HONE_TRY(hone__db_trials(db, &key, count_trial, &n, err));
    HONE_TRY(hone__db_query(db, "SELECT * FROM winner_v1", NULL, 0, count_row,
                            &n, err));
    HONE_TRY(hone__db_launch_get(db, f->variant_id[0], &launch, err));
    hone__db_launch_free(&launch);
    return HONE_OK;
}

static hone_status everything(db_fixture *f, hone_error *err)
{
    hone_db *db;
    hone_status status;

    HONE_TRY(hone__db_open(f->path, HONE_DB_CREATE, &db, err));
    status = put_subjects(db, f, err);
    if (status == HONE_OK)
        status = put_results(db, f, err);
    if (status == HONE_OK)
        status = read_back(db, f, err);
    hone__db_close(db);
    if (status != HONE_OK)
        return status;
    HONE_TRY(hone__db_open(f->path, HONE_DB_READONLY, &db, err));
    status = read_back(db, f, err);
    hone__db_close(db);
    return status;
}

/* A file of version 1: read as it is, then migrated. */
static hone_status migrate(db_fixture *f, hone_error *err)
{
    hone_status status;
    int64_t n = 0;
    hone_db *db;

    HONE_TRY(hone__db_open(f->path, HONE_DB_READONLY, &db, err));
    status = hone__db_query(db,
                            "SELECT timing FROM trial_v1 UNION ALL"
                            " SELECT text FROM decision_v1",
                            NULL, 0, count_row, &n, err);
    hone__db_close(db);
    if (status != HONE_OK)
        return status;
    HONE_TRY(hone__db_open(f->path, 0, &db, err));
    hone__db_close(db);
    return HONE_OK;
}

/* A file of version 1 into another, which is there or not. */
static hone_status merge(db_fixture *f, hone_error *err)
{
    const char *const paths[] = {f->path};
    hone_db_merged merged;
    hone_status status;
    char path[300];
    hone_db *db;

    fixture_path(f, "merged.db", path, sizeof path);
    HONE_TRY(hone__db_open(path, HONE_DB_CREATE, &db, err));
    status = hone__db_merge_files(db, paths, 1, &merged, err);
    hone__db_close(db);
    return status;
}

/* Number of the first allocation that may fail: there is none behind it. */
static long fail_in_turn(db_fixture *f,
                         hone_status (*body)(db_fixture *, hone_error *))
{
    /* Every one at first, or every few, then a sample: there are 100,000. */
    long step = fail_every();
    long n = 0;

    for (;; n += step) {
        hone_error err = {0};
        hone_status status;

        hone__alloc_fail_after(n);
        status = body(f, &err);
        hone__alloc_fail_after(-1);
        if (status == HONE_OK)
            break;
        if (status != HONE_ERR_NO_MEMORY)
            print_error("allocation %ld: %s: %s\n", n, hone_status_name(status),
                        err.text);
        assert_int_equal(status, HONE_ERR_NO_MEMORY);
        assert_int_equal(err.status, HONE_ERR_NO_MEMORY);
        assert_non_null(strstr(err.text, "memory"));
        if (n >= 150)
            step = 997;
    }
    return n;
}

static void test_every_allocation_fails(void **state)
{
    db_fixture *const f = *state;

    assert_true(fail_in_turn(f, everything) > 400);
    fixture_open(f);
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    assert_rows(f->db, "SELECT count(*) FROM winner_v1", "1\n");
}

static void test_every_allocation_of_a_migration_fails(void **state)
{
    db_fixture *const f = *state;

    fixture_version_1(f);
    assert_true(fail_in_turn(f, migrate) > 400);
    fixture_open(f);
    assert_int_equal(fixture_integer(f->db, "PRAGMA user_version"),
                     HONE_DB_VERSION);
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
    assert_rows(f->db, "SELECT count(*) FROM winner_v1", "1\n");
}

static void test_every_allocation_of_a_merge_fails(void **state)
{
    db_fixture *const f = *state;

    fixture_version_1(f);
    assert_true(fail_in_turn(f, merge) > 400);
    fixture_path(f, "merged.db", f->path, sizeof f->path);
    fixture_open(f);
    assert_rows(f->db, "PRAGMA integrity_check", "ok\n");
    assert_rows(f->db, "PRAGMA foreign_key_check", "");
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
    assert_rows(f->db, "SELECT count(*) FROM winner_v1", "1\n");
    assert_rows(f->db, "SELECT n_trials FROM coverage_v1", "3\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_allocation_fails,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(
            test_every_allocation_of_a_migration_fails, fixture_setup,
            fixture_teardown),
        cmocka_unit_test_setup_teardown(test_every_allocation_of_a_merge_fails,
                                        fixture_setup, fixture_teardown),
    };

    return cmocka_run_group_tests(tests, install_memory, NULL);
}
