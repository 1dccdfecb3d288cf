/* SPDX-License-Identifier: Apache-2.0 */
/* The database as the runtime opens it: what is refused and how it says so,
 * read-only places, changes while it is open, damage. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/store/database.h"
#include "runtime/store/store.h"
#include "runtime/launch/launch_body.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int64_t million[] = {1000000};

static void put_axpy(runtime_fixture *fixture)
{
    const tuned_row row = {.dims = million,
                           .n_dims = 1,
                           .launch_plan = axpy_plan,
                           .cubin = axpy_cubin};

    runtime_put(fixture, &row);
}

static void write_file(const char *path, const char *text)
{
    hone_error error = {0};

    if (hone__file_replace(path, text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static void refuse(const char *path, hone_status expected, const char *part)
{
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    const int64_t n = 1;

    assert_int_equal(hone_open(path, &ctx), expected);
    assert_non_null(ctx);
    assert_contains(hone_error_text(ctx), part);
    assert_contains(hone_error_text(ctx), path);
    /* It can still be asked, and says why it has nothing. */
    assert_int_equal(hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL),
                     HONE_ERR_DATABASE);
    assert_contains(hone_error_text(ctx), "no database is open");
    hone_close(ctx);
}

static void what_is_no_database(void **state)
{
    runtime_fixture *fixture = *state;
    char path[400];

    (void)snprintf(path, sizeof path, "%s/other", fixture->folder);
    refuse(path, HONE_ERR_NOT_FOUND, "there is no database");
    refuse(fixture->folder, HONE_ERR_DATABASE, "is a folder");
    write_file(path, "this is no database, however long the text may be: it "
                     "has more than the sixteen bytes of a magic number\n");
    refuse(path, HONE_ERR_DATABASE, "not a database");
    write_file(path, "");
    refuse(path, HONE_ERR_NOT_FOUND, "is empty");
    (void)unlink(path);
    runtime_sql(path, "CREATE TABLE t (a); PRAGMA user_version = 1;");
    refuse(path, HONE_ERR_DATABASE, "not a database of hone");
    (void)unlink(path);
    runtime_sql(path, "PRAGMA application_id = 0x686f6e65;"
                      "PRAGMA user_version = 100;");
    refuse(path, HONE_ERR_DATABASE, "use the newer hone");
    runtime_sql(path, "PRAGMA user_version = 0;");
    refuse(path, HONE_ERR_DATABASE, "format version is 0");
}

static void cut_file(void **state)
{
    runtime_fixture *fixture = *state;
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_error error = {0};

    put_axpy(fixture);
    hone__db_close(fixture->db);
    fixture->db = NULL;
    assert_int_equal(truncate(fixture->path, 8192), 0);
    if (hone__store_open(fixture->path, &store, &error) == HONE_OK)
        assert_int_equal(hone__store_op(store, "axpy", &op, &error),
                         HONE_ERR_DATABASE);
    assert_int_equal(error.status, HONE_ERR_DATABASE);
    assert_contains(error.text, fixture->path);
    hone__store_close(store);
}

static void rows_and_cubin(void **state)
{
    runtime_fixture *fixture = *state;
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_text cubin = {0};
    const hone_launch_spec *spec = NULL;

    put_axpy(fixture);
    assert_int_equal(hone__store_open(fixture->path, &store, NULL), HONE_OK);
    assert_int_equal(hone__store_op(store, "axpy", &op, NULL), HONE_OK);
    assert_int_equal(op->n_rows, 1);
    assert_int_equal(op->rows[0]->n_dims, 1);
    assert_true(op->rows[0]->dims[0] == 1000000);
    assert_string_equal(op->rows[0]->arch, "sm_90");
    assert_int_equal(op->rows[0]->sm_count, 132);
    assert_true(op->rows[0]->is_cold);
    assert_int_equal(hone__store_spec(store, op, op->rows[0], &spec, NULL),
                     HONE_OK);
    assert_string_equal(spec->op, "axpy");
    assert_int_equal(hone__store_cubin(store, op->rows[0], &cubin, NULL),
                     HONE_OK);
    assert_string_equal(cubin.data, axpy_cubin);
    hone__text_clear(&cubin);
    assert_int_equal(hone__store_list_ops(store, &cubin, NULL), HONE_OK);
    assert_string_equal(cubin.data, "axpy");
    hone__text_free(&cubin);
    assert_int_equal(hone__store_op(store, "none", &op, NULL), HONE_OK);
    assert_int_equal(op->n_rows, 0);
    hone__store_close(store);
}

static void sees_what_is_written_later(void **state)
{
    runtime_fixture *fixture = *state;
    hone_store *store = NULL;
    hone_store_op *op = NULL;

    assert_int_equal(hone__store_open(fixture->path, &store, NULL), HONE_OK);
    assert_int_equal(hone__store_op(store, "axpy", &op, NULL), HONE_OK);
    assert_int_equal(op->n_rows, 0);
    put_axpy(fixture);
    assert_int_equal(hone__store_op(store, "axpy", &op, NULL), HONE_OK);
    assert_int_equal(op->n_rows, 1);
    hone__store_close(store);
}

static void older_templates_are_left_out(void **state)
{
    runtime_fixture *fixture = *state;
    const tuned_row newer = {.dims = million,
                             .n_dims = 1,
                             .mode = "hot",
                             .launch_plan = axpy_plan,
                             .cubin = axpy_cubin,
                             .template_sha256 =
                                 "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"
                                 "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"};
    hone_store *store = NULL;
    hone_store_op *op = NULL;

    put_axpy(fixture);
    runtime_put(fixture, &newer);
    assert_int_equal(hone__store_open(fixture->path, &store, NULL), HONE_OK);
    assert_int_equal(hone__store_op(store, "axpy", &op, NULL), HONE_OK);
    assert_int_equal(op->n_rows, 1);
    assert_int_equal(op->n_outdated, 1);
    assert_false(op->rows[0]->is_cold);
    hone__store_close(store);
}

static void damaged_cubin(void **state)
{
    static const char *const damages[] = {
        "UPDATE artifact SET data = x'0102030405' WHERE kind = 'cubin'",
        "UPDATE artifact SET size_bytes = 0 WHERE kind = 'cubin'",
        "UPDATE artifact SET size_bytes = 1 << 50 WHERE kind = 'cubin'",
        "UPDATE artifact SET size_bytes = 3 WHERE kind = 'cubin'",
        /* A good frame with other bytes. */
        ("UPDATE artifact SET size_bytes = 9, data = (SELECT s.data FROM "
         "artifact s WHERE s.kind = 'source') WHERE kind = 'cubin'"),
    };
    runtime_fixture *fixture = *state;

    put_axpy(fixture);
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; ++i) {
        hone_store *store = NULL;
        hone_store_op *op = NULL;
        hone_text cubin = {0};
        hone_error error = {0};

        runtime_sql(fixture->path, damages[i]);
        assert_int_equal(hone__store_open(fixture->path, &store, NULL),
                         HONE_OK);
        assert_int_equal(hone__store_op(store, "axpy", &op, NULL), HONE_OK);
        assert_int_equal(hone__store_cubin(store, op->rows[0], &cubin, &error),
                         HONE_ERR_DATABASE);
        assert_contains(error.text, "is damaged");
        assert_int_equal(cubin.length, 0);
        hone__text_free(&cubin);
        hone__store_close(store);
    }
}

/* A function of the program that a view of the file must not reach. */
static int n_marks;
static void mark(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    (void)values;
    ++n_marks;
    sqlite3_result_int(context, 1);
}

static int add_mark(sqlite3 *db, char **message,
                    const struct sqlite3_api_routines *routines)
{
    (void)message;
    (void)routines;
    return sqlite3_create_function(db, "mark", 0, SQLITE_UTF8, NULL, mark, NULL,
                                   NULL);
}

static void views_only_compute(void **state)
{
    runtime_fixture *fixture = *state;
    hone_store *store = NULL;
    hone_store_op *op = NULL;
    hone_error error = {0};

    put_axpy(fixture);
    runtime_sql(fixture->path,
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
                " replace(sql, 'ranking r ON ', 'ranking r ON mark() AND ')"
                " WHERE name = 'ranked_v1'");
    assert_int_equal(sqlite3_auto_extension((void (*)(void))add_mark),
                     SQLITE_OK);
    assert_int_equal(hone__store_open(fixture->path, &store, NULL), HONE_OK);
    assert_int_equal(hone__store_op(store, "axpy", &op, &error),
                     HONE_ERR_DATABASE);
    sqlite3_reset_auto_extension();
    assert_contains(error.text, "unsafe use of mark");
    assert_int_equal(n_marks, 0);
    hone__store_close(store);
}

static void odd_file_names(void **state)
{
    runtime_fixture *fixture = *state;
    char path[400];
    hone_store *store = NULL;

    (void)snprintf(path, sizeof path, "%s/a?mode=rw#b%%41 c.db",
                   fixture->folder);
    hone__db_close(fixture->db);
    fixture->db = NULL;
    assert_int_equal(rename(fixture->path, path), 0);
    assert_int_equal(hone__store_open(path, &store, NULL), HONE_OK);
    assert_string_equal(store->path, path);
    hone__store_close(store);
}

/* In a child that is not root: does the database answer there? */
static int answers_for_nobody(const char *path)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        hone_store *store = NULL;
        hone_store_op *op = NULL;
        hone_error error = {0};
        const int dropped =
            geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);

        if (!dropped || hone__store_open(path, &store, &error) ||
            hone__store_op(store, "axpy", &op, &error) || op->n_rows != 1) {
            (void)fprintf(stderr, "%s\n", error.text);
            _exit(strstr(error.text, "unfinished changes") ? 2 : 1);
        }
        hone__store_close(store);
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void read_only_folder(void **state)
{
    runtime_fixture *fixture = *state;
    char path[400];
    struct stat info;
    int answer;

    put_axpy(fixture);
    hone__db_close(fixture->db);
    fixture->db = NULL;
    assert_int_equal(chmod(fixture->path, 0444), 0);
    assert_int_equal(chmod(fixture->folder, 0555), 0);
    answer = answers_for_nobody(fixture->path);
    assert_int_equal(chmod(fixture->folder, 0755), 0);
    assert_int_equal(answer, 0);
    (void)snprintf(path, sizeof path, "%s-shm", fixture->path);
    assert_int_not_equal(stat(path, &info), 0);
    /* A journal without its shared memory: rows would be missing. */
    (void)snprintf(path, sizeof path, "%s-wal", fixture->path);
    write_file(path, "what a writer left");
    assert_int_equal(chmod(fixture->folder, 0555), 0);
    answer = answers_for_nobody(fixture->path);
    assert_int_equal(chmod(fixture->folder, 0755), 0);
    assert_int_equal(answer, 2);
}

static void default_place(void **state)
{
    hone_text path = {0};
    hone_error error = {0};

    (void)state;
    (void)setenv("HONE_DB", "/a/b.db", 1);
    (void)setenv("XDG_DATA_HOME", "/data", 1);
    (void)setenv("HOME", "/home/x", 1);
    assert_int_equal(hone__default_database(&path, &error), HONE_OK);
    assert_string_equal(path.data, "/a/b.db");
    (void)unsetenv("HONE_DB");
    hone__text_clear(&path);
    assert_int_equal(hone__default_database(&path, &error), HONE_OK);
    assert_string_equal(path.data, "/data/hone/hone.db");
    (void)setenv("XDG_DATA_HOME", "relative", 1);
    hone__text_clear(&path);
    assert_int_equal(hone__default_database(&path, &error), HONE_OK);
    assert_string_equal(path.data, "/home/x/.local/share/hone/hone.db");
    (void)unsetenv("XDG_DATA_HOME");
    (void)unsetenv("HOME");
    assert_int_equal(hone__default_database(&path, &error), HONE_ERR_NOT_FOUND);
    assert_contains(error.text, "HONE_DB");
    hone__text_free(&path);
}

static void environment_names_the_database(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = NULL;

    (void)setenv("HONE_DB", fixture->path, 1);
    assert_hone(ctx, hone_open(NULL, &ctx), HONE_OK);
    hone_close(ctx);
    (void)unsetenv("HONE_DB");
}

static void memory_may_run_out(void **state)
{
    runtime_fixture *fixture = *state;
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    put_axpy(fixture);
    for (; status != HONE_OK && n < 1000; ++n) {
        hone_store *store = NULL;
        hone_store_op *op = NULL;
        hone_text cubin = {0};
        hone_error error = {0};

        hone__alloc_fail_after(n);
        status = hone__store_open(fixture->path, &store, &error);
        if (status == HONE_OK)
            status = hone__store_op(store, "axpy", &op, &error);
        if (status == HONE_OK)
            status = hone__store_cubin(store, op->rows[0], &cubin, &error);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        hone__text_free(&cubin);
        hone__store_close(store);
    }
    assert_in_range(n, 5, 999);
}

#define WITH_DATABASE(test)                                                    \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(what_is_no_database),
        WITH_DATABASE(cut_file),
        WITH_DATABASE(rows_and_cubin),
        WITH_DATABASE(sees_what_is_written_later),
        WITH_DATABASE(older_templates_are_left_out),
        WITH_DATABASE(damaged_cubin),
        WITH_DATABASE(views_only_compute),
        WITH_DATABASE(odd_file_names),
        WITH_DATABASE(read_only_folder),
        WITH_DATABASE(default_place),
        WITH_DATABASE(environment_names_the_database),
        WITH_DATABASE(memory_may_run_out),
    };

    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
