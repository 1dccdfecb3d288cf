/* SPDX-License-Identifier: Apache-2.0 */
/* Every error that hone.h documents, function by function: provoked, with a
 * sentence. public_errors.sh compares the table below with the header. What is
 * a run's on the cpu device or a library's has a comment in another test. */
#include "tests/runtime/host_fixture.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const int64_t cube[] = {64, 64, 64, HONE_TYPE_F32};
static uint64_t x_device = 0x1000;
static void *gemm_args[] = {&x_device, &x_device, &x_device};
static char said[1024]; /* by the call that failed */

/* ---- what goes wrong ----------------------------------------------------- */

static ssize_t no_read(int file, void *to, size_t n, off_t at)
{
    (void)file;
    (void)to;
    (void)n;
    (void)at;
    errno = ESTALE; /* SQLite takes EIO for damage */
    return -1;
}

static int no_sleep(sqlite3_vfs *vfs, int us)
{
    (void)vfs;
    return us;
}

/* Whoever reads a database meets a disk that fails. */
static void break_disk(int on)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    const sqlite3_syscall_ptr call =
        on ? (sqlite3_syscall_ptr)(void (*)(void))no_read : NULL;

    (void)vfs->xSetSystemCall(vfs, "pread", call);
    (void)vfs->xSetSystemCall(vfs, "pread64", call);
}

/* The database, of one file and in nobody's hands; closes the fixture's. */
static void make_plain(runtime_fixture *fixture)
{
    hone__db_close(fixture->db);
    fixture->db = NULL;
    runtime_sql(fixture->path, "PRAGMA journal_mode = DELETE");
}

/* Another process writes to it, for longer than anybody waits. */
static sqlite3 *lock(runtime_fixture *fixture)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

static void put_gemm(runtime_fixture *fixture)
{
    const tuned_row row = {.op = "gemm",
                           .dims = cube,
                           .n_dims = 4,
                           .types = "4",
                           .config = "BM=64,SPLIT=4",
                           .launch_plan = gemm_plan,
                           .cubin = gemm_cubin};

    runtime_put(fixture, &row);
}

static void damage_all(runtime_fixture *fixture)
{
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_lines = launch_lines || 'x'");
}

/* A context with gemm in it, and why its last call failed. */
static hone_ctx *open_gemm(runtime_fixture *fixture)
{
    put_gemm(fixture);
    return runtime_open(fixture);
}

static hone_status end(hone_ctx *ctx, hone_status status)
{
    (void)snprintf(said, sizeof said, "%s", hone_error_text(ctx));
    hone_close(ctx);
    return status;
}

/* ---- calls ---------------------------------------------------------------
 *
 * Each in the state that it is made to fail in. */
typedef hone_status call_function(hone_ctx *ctx);

static hone_status call_list(hone_ctx *ctx)
{
    hone_names *names = NULL;
    const hone_status status = hone_operation_list(ctx, &names);

    hone_names_free(names);
    return status;
}

static hone_status call_describe_with(hone_ctx *ctx, const char *op,
                                      const int64_t *dims, size_t n_dims)
{
    hone_operation *operation = NULL;
    const hone_status status =
        hone_operation_describe(ctx, op, dims, n_dims, &operation);

    hone_operation_free(operation);
    return status;
}

static hone_status call_describe(hone_ctx *ctx)
{
    return call_describe_with(ctx, "gemm", cube, 4);
}

static hone_status call_create_with(hone_ctx *ctx, const char *op,
                                    const int64_t *dims, size_t n_dims)
{
    hone_plan *plan = NULL;
    const hone_status status =
        hone_plan_create(ctx, op, dims, n_dims, &plan, NULL);

    hone_plan_destroy(plan);
    return status;
}

static hone_status call_create(hone_ctx *ctx)
{
    return call_create_with(ctx, "gemm", cube, 4);
}

static hone_status call_release(hone_ctx *ctx)
{
    return hone_stream_release(ctx, NULL);
}

/* The same four ways to fail of calls that read the database or ask the
 * driver. */
static hone_status while_locked(runtime_fixture *fixture, call_function *call)
{
    hone_ctx *ctx;
    sqlite3 *other;
    hone_status status;

    put_gemm(fixture);
    make_plain(fixture);
    ctx = runtime_open(fixture);
    other = lock(fixture);
    status = call(ctx);
    (void)sqlite3_close(other);
    return end(ctx, status);
}

static hone_status without_disk(runtime_fixture *fixture, call_function *call)
{
    hone_ctx *ctx;
    hone_status status;

    put_gemm(fixture);
    make_plain(fixture);
    ctx = runtime_open(fixture);
    break_disk(1);
    status = call(ctx);
    break_disk(0);
    return end(ctx, status);
}

static hone_status without_memory(runtime_fixture *fixture, call_function *call)
{
    hone_ctx *ctx = open_gemm(fixture);
    hone_status status;

    hone__alloc_fail_after(0);
    status = call(ctx);
    hone__alloc_fail_after(-1);
    return end(ctx, status);
}

static hone_status when_driver_fails(runtime_fixture *fixture,
                                     call_function *call)
{
    hone_ctx *ctx = open_gemm(fixture);
    hone_status status;

    fake_fail_call(1, HONE_CU_LAUNCH_FAILED);
    status = call(ctx);
    fake_fail_call(0, 0);
    return end(ctx, status);
}

static hone_status without_context(runtime_fixture *fixture,
                                   call_function *call)
{
    hone_ctx *ctx = open_gemm(fixture);
    hone_status status;

    (void)cuCtxSetCurrent(NULL);
    status = call(ctx);
    (void)cuCtxSetCurrent(fixture->context);
    return end(ctx, status);
}

static hone_status when_damaged(runtime_fixture *fixture, call_function *call)
{
    hone_ctx *ctx = open_gemm(fixture);

    damage_all(fixture);
    return end(ctx, call(ctx));
}

/* Opening failed, and the context is used all the same. */
static hone_status when_not_open(runtime_fixture *fixture, call_function *call)
{
    hone_ctx *ctx = NULL;

    (void)fixture;
    assert_int_equal(hone_open("/nowhere/hone.db", &ctx), HONE_ERR_NOT_FOUND);
    return end(ctx, call(ctx));
}

#define VARIANT(name, way, call)                                               \
    static hone_status name(runtime_fixture *fixture)                          \
    {                                                                          \
        return way(fixture, call);                                             \
    }
VARIANT(list_busy, while_locked, call_list)
VARIANT(list_io, without_disk, call_list)
VARIANT(list_no_memory, without_memory, call_list)
VARIANT(list_not_open, when_not_open, call_list)
VARIANT(describe_busy, while_locked, call_describe)
VARIANT(describe_io, without_disk, call_describe)
VARIANT(describe_no_memory, without_memory, call_describe)
VARIANT(describe_damaged, when_damaged, call_describe)
VARIANT(create_busy, while_locked, call_create)
VARIANT(create_io, without_disk, call_create)
VARIANT(create_no_memory, without_memory, call_create)
VARIANT(create_damaged, when_damaged, call_create)
VARIANT(create_no_context, without_context, call_create)
VARIANT(create_driver_fails, when_driver_fails, call_create)
VARIANT(release_no_memory, without_memory, call_release)
VARIANT(release_no_context, without_context, call_release)
VARIANT(release_driver_fails, when_driver_fails, call_release)

/* ---- NULL and other values that are none ----------------------------------
 */

#define OF_NULL(name, call)                                                    \
    static hone_status name(runtime_fixture *fixture)                          \
    {                                                                          \
        (void)fixture;                                                         \
        return end(NULL, call);                                                \
    }
OF_NULL(log_level, hone_log_set(NULL, NULL, (hone_log_level)7))
OF_NULL(open_null, hone_open("a.db", NULL))
OF_NULL(sources_null, hone_sources_open(NULL, 0, NULL))
OF_NULL(register_null, hone_pack_register(NULL, 8))
OF_NULL(select_null, hone_device_select(NULL, "cpu"))
OF_NULL(compile_null, hone_compile_select(NULL, "now"))
OF_NULL(pending_null, hone_compile_pending(NULL, NULL))
OF_NULL(release_null, hone_stream_release(NULL, NULL))
OF_NULL(list_null, hone_operation_list(NULL, NULL))
OF_NULL(describe_null, call_describe(NULL))
OF_NULL(create_null, call_create(NULL))
OF_NULL(bytes_null, hone_plan_workspace_bytes(NULL, NULL))
OF_NULL(plan_refresh_null, hone_plan_refresh(NULL))
OF_NULL(refresh_null, hone_refresh(NULL))
OF_NULL(prepare_null, hone_plan_prepare(NULL, NULL))
OF_NULL(run_null, hone_plan_run(NULL, gemm_args, 3, NULL))
OF_NULL(limit_null, hone_plan_limit(NULL, 1))

/* ---- opening ------------------------------------------------------------- */

static hone_status open_file(const char *path)
{
    hone_ctx *ctx = NULL;
    const hone_status status = hone_open(path, &ctx);

    return end(ctx, status);
}

static hone_status open_nowhere(runtime_fixture *fixture)
{
    (void)fixture;
    return open_file("/nowhere/hone.db");
}

static hone_status open_foreign(runtime_fixture *fixture)
{
    char path[400];

    (void)snprintf(path, sizeof path, "%s/foreign", fixture->folder);
    assert_int_equal(hone__file_replace(path, "no database", 11, NULL),
                     HONE_OK);
    return open_file(path);
}

static hone_status open_locked(runtime_fixture *fixture)
{
    sqlite3 *other;
    hone_status status;

    make_plain(fixture);
    other = lock(fixture);
    status = open_file(fixture->path);
    (void)sqlite3_close(other);
    return status;
}

static hone_status open_unread(runtime_fixture *fixture)
{
    hone_status status;

    make_plain(fixture);
    break_disk(1);
    status = open_file(fixture->path);
    break_disk(0);
    return status;
}

static hone_status open_no_memory(runtime_fixture *fixture)
{
    hone_status status;

    hone__alloc_fail_after(0);
    status = open_file(fixture->path);
    hone__alloc_fail_after(-1);
    return status;
}

static hone_status sources_foreign(runtime_fixture *fixture)
{
    static const uint64_t foreign[8] = {1};
    const hone_source source = {.pack = foreign, .pack_bytes = sizeof foreign};
    hone_ctx *ctx = NULL;
    const hone_status status = hone_sources_open(&source, 1, &ctx);

    (void)fixture;
    return end(ctx, status);
}

static hone_status register_foreign(runtime_fixture *fixture)
{
    static const uint64_t foreign[8] = {1};

    (void)fixture;
    return end(NULL, hone_pack_register(foreign, sizeof foreign));
}

static hone_status register_no_memory(runtime_fixture *fixture)
{
    hone_status status;

    hone__alloc_fail_after(0);
    status = register_foreign(fixture);
    hone__alloc_fail_after(-1);
    return status;
}

/* ---- dims, operations, launch plans ---------------------------------------
 */

#define OF_GEMM(name, call)                                                    \
    static hone_status name(runtime_fixture *fixture)                          \
    {                                                                          \
        hone_ctx *ctx = open_gemm(fixture);                                    \
                                                                               \
        return end(ctx, call);                                                 \
    }
OF_GEMM(describe_dims, call_describe_with(ctx, "gemm", cube, 2))
OF_GEMM(describe_unknown, call_describe_with(ctx, "fft", cube, 2))
OF_GEMM(create_dims, call_create_with(ctx, "gemm", cube, 2))
OF_GEMM(create_unknown, call_create_with(ctx, "fft", cube, 2))

static hone_status describe_overflow(runtime_fixture *fixture)
{
    static const int64_t huge[] = {INT64_C(1) << 31, INT64_C(1) << 31, 1};
    hone_ctx *ctx = open_gemm(fixture);

    return end(ctx, call_describe_with(ctx, "gemm", huge, 3));
}

static hone_status create_overflow(runtime_fixture *fixture)
{
    static const char plan[] = "hone-launch 1\nop two\ndim n int\n"
                               "arg x inout 4 n\n"
                               "workspace a 9 9223372036854775552\n"
                               "launch k\ngrid 1\nblock 1\npass a\n";
    const tuned_row row = {.op = "two",
                           .dims = cube,
                           .n_dims = 1,
                           .launch_plan = plan,
                           .cubin = "k 0 8"};

    runtime_put(fixture, &row);
    {
        hone_ctx *ctx = runtime_open(fixture);

        return end(ctx, call_create_with(ctx, "two", cube, 1));
    }
}

static hone_status describe_newer(runtime_fixture *fixture)
{
    const tuned_row row = {.dims = cube,
                           .n_dims = 1,
                           .launch_plan = "hone-launch 9\n",
                           .config = "A=9",
                           .cubin = axpy_cubin};
    hone_ctx *ctx = runtime_open(fixture);

    runtime_put(fixture, &row);
    return end(ctx, call_describe_with(ctx, "axpy", NULL, 0));
}

static hone_status create_too_large(runtime_fixture *fixture)
{
    const tuned_row row = {.dims = cube,
                           .n_dims = 1,
                           .launch_plan = "hone-launch 2\nop axpy\ndim n int\n"
                                          "launch together\ngrid 1000\n"
                                          "block 64\ncooperative\n",
                           .cubin = "together 0"};
    hone_ctx *ctx = runtime_open(fixture);

    runtime_put(fixture, &row);
    fake_occupancy(1, 1);
    return end(ctx, call_create_with(ctx, "axpy", cube, 1));
}

static hone_status create_no_code(runtime_fixture *fixture)
{
    hone_ctx *ctx = host_open(fixture);

    host_put(fixture, (tuned_row){.cubin = "not an object"});
    return end(ctx,
               call_create_with(ctx, "axpy", (const int64_t[]){HOST_N}, 1));
}

static hone_status config_unknown(runtime_fixture *fixture)
{
    hone_ctx *ctx = open_gemm(fixture);
    hone_plan *plan = NULL;

    return end(ctx, hone_plan_create_config(ctx, "gemm", cube, 4, NULL, "A=1",
                                            &plan, NULL));
}

/* ---- running ------------------------------------------------------------- */

/* A plan with a workspace is prepared, or run. */
static hone_status with_plan(runtime_fixture *fixture, int is_run,
                             size_t memory_bytes, int is_captured)
{
    hone_ctx *ctx = open_gemm(fixture);
    hone_plan *plan = NULL;
    hone_status status;

    assert_hone(ctx, hone_plan_create(ctx, "gemm", cube, 4, &plan, NULL),
                HONE_OK);
    fake_memory(memory_bytes);
    fake_capture(is_captured);
    status = is_run ? hone_plan_run(plan, gemm_args, 3, NULL)
                    : hone_plan_prepare(plan, NULL);
    fake_capture(0);
    (void)snprintf(said, sizeof said, "%s", hone_error_text(ctx));
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

#define OF_PLAN(name, is_run, memory_bytes, is_captured)                       \
    static hone_status name(runtime_fixture *fixture)                          \
    {                                                                          \
        return with_plan(fixture, is_run, memory_bytes, is_captured);          \
    }
OF_PLAN(prepare_captured, 0, 1 << 30, 1)
OF_PLAN(prepare_no_memory, 0, 16, 0)
OF_PLAN(run_captured, 1, 1 << 30, 1)
OF_PLAN(run_no_memory, 1, 16, 0)

/* ---- the table ----------------------------------------------------------- */

#define ROW(function, status, provoke)                                         \
    {                                                                          \
#function, status, provoke                                             \
    }
static const struct {
    const char *function;
    hone_status status;
    hone_status (*provoke)(runtime_fixture *);
} rows[] = {
    ROW(hone_log_set, HONE_ERR_ARGUMENT, log_level),
    ROW(hone_open, HONE_ERR_ARGUMENT, open_null),
    ROW(hone_open, HONE_ERR_BUSY, open_locked),
    ROW(hone_open, HONE_ERR_DATABASE, open_foreign),
    ROW(hone_open, HONE_ERR_IO, open_unread),
    ROW(hone_open, HONE_ERR_NOT_FOUND, open_nowhere),
    ROW(hone_open, HONE_ERR_NO_MEMORY, open_no_memory),
    ROW(hone_sources_open, HONE_ERR_ARGUMENT, sources_null),
    ROW(hone_sources_open, HONE_ERR_DATABASE, sources_foreign),
    ROW(hone_pack_register, HONE_ERR_ARGUMENT, register_null),
    ROW(hone_pack_register, HONE_ERR_DATABASE, register_foreign),
    ROW(hone_pack_register, HONE_ERR_NO_MEMORY, register_no_memory),
    ROW(hone_device_select, HONE_ERR_ARGUMENT, select_null),
    ROW(hone_compile_select, HONE_ERR_ARGUMENT, compile_null),
    ROW(hone_compile_pending, HONE_ERR_ARGUMENT, pending_null),
    ROW(hone_stream_release, HONE_ERR_ARGUMENT, release_null),
    ROW(hone_stream_release, HONE_ERR_CUDA, release_driver_fails),
    ROW(hone_stream_release, HONE_ERR_NO_GPU, release_no_context),
    ROW(hone_stream_release, HONE_ERR_NO_MEMORY, release_no_memory),
    ROW(hone_operation_list, HONE_ERR_ARGUMENT, list_null),
    ROW(hone_operation_list, HONE_ERR_BUSY, list_busy),
    ROW(hone_operation_list, HONE_ERR_DATABASE, list_not_open),
    ROW(hone_operation_list, HONE_ERR_IO, list_io),
    ROW(hone_operation_list, HONE_ERR_NO_MEMORY, list_no_memory),
    ROW(hone_operation_describe, HONE_ERR_ARGUMENT, describe_null),
    ROW(hone_operation_describe, HONE_ERR_BUSY, describe_busy),
    ROW(hone_operation_describe, HONE_ERR_DATABASE, describe_damaged),
    ROW(hone_operation_describe, HONE_ERR_DIMS, describe_dims),
    ROW(hone_operation_describe, HONE_ERR_INPUT, describe_newer),
    ROW(hone_operation_describe, HONE_ERR_IO, describe_io),
    ROW(hone_operation_describe, HONE_ERR_NOT_FOUND, describe_unknown),
    ROW(hone_operation_describe, HONE_ERR_NO_MEMORY, describe_no_memory),
    ROW(hone_operation_describe, HONE_ERR_OVERFLOW, describe_overflow),
    ROW(hone_plan_create, HONE_ERR_ARGUMENT, create_null),
    ROW(hone_plan_create, HONE_ERR_BUSY, create_busy),
    ROW(hone_plan_create, HONE_ERR_CUDA, create_driver_fails),
    ROW(hone_plan_create, HONE_ERR_DATABASE, create_damaged),
    ROW(hone_plan_create, HONE_ERR_DIMS, create_dims),
    ROW(hone_plan_create, HONE_ERR_INPUT, create_too_large),
    ROW(hone_plan_create, HONE_ERR_IO, create_io),
    ROW(hone_plan_create, HONE_ERR_NOT_FOUND, create_unknown),
    ROW(hone_plan_create, HONE_ERR_NO_GPU, create_no_context),
    ROW(hone_plan_create, HONE_ERR_NO_MEMORY, create_no_memory),
    ROW(hone_plan_create, HONE_ERR_OVERFLOW, create_overflow),
    ROW(hone_plan_create, HONE_ERR_UNSUPPORTED, create_no_code),
    ROW(hone_plan_create_config, HONE_ERR_NOT_FOUND, config_unknown),
    ROW(hone_plan_workspace_bytes, HONE_ERR_ARGUMENT, bytes_null),
    ROW(hone_plan_refresh, HONE_ERR_ARGUMENT, plan_refresh_null),
    ROW(hone_refresh, HONE_ERR_ARGUMENT, refresh_null),
    ROW(hone_plan_prepare, HONE_ERR_ARGUMENT, prepare_null),
    ROW(hone_plan_prepare, HONE_ERR_CUDA, prepare_captured),
    ROW(hone_plan_prepare, HONE_ERR_NO_MEMORY, prepare_no_memory),
    ROW(hone_plan_run, HONE_ERR_ARGUMENT, run_null),
    ROW(hone_plan_run, HONE_ERR_CUDA, run_captured),
    ROW(hone_plan_run, HONE_ERR_NO_MEMORY, run_no_memory),
    ROW(hone_plan_limit, HONE_ERR_ARGUMENT, limit_null),
};

static void every_documented_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        void *fixture = NULL;
        hone_status status;

        assert_int_equal(runtime_setup(&fixture), 0);
        said[0] = '\0';
        status = rows[i].provoke(fixture);
        if (status != rows[i].status || strlen(said) < 10)
            print_error("%s: %s, not %s: '%s'\n", rows[i].function,
                        hone_status_name(status),
                        hone_status_name(rows[i].status), said);
        assert_int_equal(status, rows[i].status);
        assert_true(strlen(said) >= 10);
        assert_int_equal(runtime_teardown(&fixture), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_documented_error),
    };

    /* Who waits for a lock does not wait for long. */
    sqlite3_vfs_find(NULL)->xSleep = no_sleep;
    return cmocka_run_group_tests_name("errors", tests, host_load_objects,
                                       host_free_objects);
}
