/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up and tear-down of the runtime's tests: see runtime_fixture.h. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"

#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char axpy_plan[] = "hone-launch 1\n"
                         "op axpy\n"
                         "dim n int\n"
                         "param BLOCK 256\n"
                         "arg alpha scalar 4\n"
                         "arg x in 4 n\n"
                         "arg y inout 4 n\n"
                         "launch axpy\n"
                         "grid ceildiv(n,BLOCK)\n"
                         "block BLOCK\n"
                         "pass alpha\n"
                         "pass x\n"
                         "pass y\n"
                         "value i32 n\n"
                         "value i64 n*4\n"
                         "work flops 2*n\n"
                         "work bytes 12*n\n";
const char axpy_cubin[] = "axpy 0 4,8,8,4,8";

const char gemm_plan[] = "hone-launch 1\n"
                         "op gemm\n"
                         "dim M int\n"
                         "dim N int\n"
                         "dim K int\n"
                         "dim T type 4\n"
                         "param BM 64\n"
                         "param SPLIT 4\n"
                         "let BLOCKS ceildiv(M,BM)*ceildiv(N,BM)\n"
                         "arg A in T M*K\n"
                         "arg B in T K*N\n"
                         "arg C out T M*N\n"
                         "require K % SPLIT == 0\n"
                         "workspace partial 4 K > 64 ? SPLIT*M*N : 0\n"
                         "workspace ticket 10 zero BLOCKS\n"
                         "launch gemm_main\n"
                         "grid ceildiv(N,BM) ; ceildiv(M,BM) ; SPLIT\n"
                         "block 32 ; 4\n"
                         "shared BM*BM*16\n"
                         "pass A\n"
                         "pass B\n"
                         "pass C\n"
                         "pass partial\n"
                         "pass ticket\n"
                         "value i32 K/SPLIT\n"
                         "launch gemm_reduce\n"
                         "if K > 64\n"
                         "grid BLOCKS\n"
                         "block 256\n"
                         "pass partial\n"
                         "pass C\n";
const char gemm_cubin[] = "gemm_main 1024 8,8,8,8,8,4\ngemm_reduce 0 8,8";

int runtime_setup(void **state)
{
    runtime_fixture *fixture = calloc(1, sizeof *fixture);
    hone_error error = {0};

    (void)setenv("HONE_CUDA_LIBRARY", FAKE_CUDA_PATH, 1);
    (void)unsetenv("HONE_DEVICE");
    (void)snprintf(fixture->folder, sizeof fixture->folder, "%s",
                   "/tmp/hone-runtime-XXXXXX");
    if (!mkdtemp(fixture->folder))
        return -1;
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/hone.db",
                   fixture->folder);
    if (hone__db_open(fixture->path, HONE_DB_CREATE, &fixture->db, &error)) {
        print_error("%s\n", error.text);
        return -1;
    }
    fake_reset();
    fixture->context = fake_context_create();
    *state = fixture;
    return 0;
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        char file[600];

        (void)snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(file);
    }
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

int runtime_teardown(void **state)
{
    runtime_fixture *fixture = *state;
    const long left =
        fake_n_modules() + fake_n_allocations() + fake_n_streams();

    hone__alloc_fail_after(-1);
    hone__db_close(fixture->db);
    remove_folder(fixture->folder);
    free(fixture);
    if (left)
        print_error("%ld driver objects are left\n", left);
    return left ? -1 : 0;
}

void runtime_put(runtime_fixture *fixture, const tuned_row *row)
{
    hone_error error = {0};

    if (tuned_put(fixture->db, row, &error))
        fail_msg("%s", error.text);
}

void runtime_put_default(runtime_fixture *fixture, const tuned_row *row)
{
    hone_error error = {0};

    if (tuned_put_default(fixture->db, row, &error))
        fail_msg("%s", error.text);
}

void runtime_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL))
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    (void)sqlite3_close(db);
}

hone_ctx *runtime_open(const runtime_fixture *fixture)
{
    hone_ctx *ctx = NULL;

    assert_hone(ctx, hone_open(fixture->path, &ctx), HONE_OK);
    return ctx;
}

void runtime_short_of_memory(const runtime_fixture *fixture,
                             hone_status (*life)(const runtime_fixture *))
{
    hone_status status = HONE_ERR_NO_MEMORY;
    long n = 0;

    for (; status != HONE_OK && n < 2000; ++n) {
        hone__alloc_fail_after(n);
        status = life(fixture);
        hone__alloc_fail_after(-1);
        if (status != HONE_OK)
            assert_int_equal(status, HONE_ERR_NO_MEMORY);
        assert_int_equal(fake_n_modules(), 0);
        assert_int_equal(fake_n_allocations(), 0);
    }
    assert_in_range(n, 20, 1999);
}
