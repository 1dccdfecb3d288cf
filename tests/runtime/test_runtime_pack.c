/* SPDX-License-Identifier: Apache-2.0 */
/* Packs: what a database answers, its pack answers; the same input gives the
 * same bytes; a trusted SHA-256; several sources and the search path. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t cube[] = {64, 64, 64, HONE_TYPE_F32};

/* K = 64 is no multiple of 5: it cannot stand in for another shape. */
static void put_unfit(runtime_fixture *fixture, int64_t m)
{
    const int64_t dims[] = {m, 64, 65, HONE_TYPE_F32};
    char plan[2000];
    char *split;
    const tuned_row row = {.op = "gemm",
                           .dims = dims,
                           .n_dims = 4,
                           .types = "4",
                           .config = "BM=64,SPLIT=5",
                           .launch_plan = plan,
                           .cubin = gemm_cubin};

    (void)snprintf(plan, sizeof plan, "%s", gemm_plan);
    split = strstr(plan, "SPLIT 4");
    split[6] = '5';
    runtime_put(fixture, &row);
}

static void same_answer(const runtime_fixture *fixture, const pack_file *pack,
                        int64_t m, hone_match_kind kind, const char *config)
{
    const int64_t dims[] = {m, 64, 64, HONE_TYPE_F32};
    const hone_match a = pack_ask_file(fixture->path, "gemm", dims, 4);
    const hone_match b = pack_ask_file(pack->path, "gemm", dims, 4);

    assert_int_equal(b.kind, kind);
    assert_string_equal(b.config, config);
    assert_memory_equal(&a, &b, sizeof a);
}

static void answers_as_the_database(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    same_answer(fixture, &pack, 64, HONE_MATCH_EXACT, "BM=64,SPLIT=4");
    same_answer(fixture, &pack, 4096, HONE_MATCH_EXACT, "BM=64,SPLIT=4,V=128");
    same_answer(fixture, &pack, 192, HONE_MATCH_NEIGHBOUR,
                "BM=64,SPLIT=4,V=32");
    same_answer(fixture, &pack, 8192, HONE_MATCH_NEIGHBOUR,
                "BM=64,SPLIT=4,V=128");
    same_answer(fixture, &pack, 1000000, HONE_MATCH_DEFAULT, "BM=64,SPLIT=4");
    /* With the driver and the database gone from its path, it still runs. */
    assert_int_equal(unlink(fixture->path), 0);
    (void)pack_ask_file(pack.path, "axpy", (const int64_t[]){1024}, 1);
    hone__text_free(&pack.bytes);
}

/* A device of which nothing is in the pack takes what was tuned on others. */
static void answers_other_devices(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    fake_device(90, 16, "Fake H200 MIG 1g");
    same_answer(fixture, &pack, 64, HONE_MATCH_FAMILY, "BM=64,SPLIT=4");
    same_answer(fixture, &pack, 192, HONE_MATCH_FAMILY, "BM=64,SPLIT=4,V=32");
    same_answer(fixture, &pack, 1000000, HONE_MATCH_DEFAULT, "BM=64,SPLIT=4");
    hone__text_free(&pack.bytes);
}

static void unknown_operation(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    assert_hone(ctx, hone_open(pack.path, &ctx), HONE_OK);
    assert_int_equal(hone_plan_create(ctx, "fft", cube, 1, &plan, NULL),
                     HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "is not in pack '");
    assert_contains(hone_error_text(ctx), "which has axpy, gemm");
    assert_int_equal(hone_plan_create(ctx, "gemm", cube, 1, &plan, NULL),
                     HONE_ERR_DIMS);
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

/* More neighbours than are looked at once; the first ones do not resolve. */
static void looks_at_all_neighbours(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    assert_int_equal(hone__db_begin(fixture->db, NULL), HONE_OK);
    for (int64_t m = 1; m <= 200; ++m)
        put_unfit(fixture, 1024 + 16 * m);
    pack_put_gemm(fixture, 512, "BM=64,SPLIT=4", 0);
    assert_int_equal(hone__db_commit(fixture->db, NULL), HONE_OK);
    pack = pack_make(fixture, "a.pack");
    same_answer(fixture, &pack, 1024, HONE_MATCH_NEIGHBOUR, "BM=64,SPLIT=4");
    hone__text_free(&pack.bytes);
}

/* ---- the same bytes ------------------------------------------------------ */

static void same_input_same_bytes(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file first, second;

    pack_put_all(fixture);
    first = pack_make(fixture, "a.pack");
    second = pack_make(fixture, "b.pack");
    assert_string_equal(first.sha256, second.sha256);
    hone__text_free(&second.bytes);
    /* In another order, into a database that had more before. */
    hone__db_close(fixture->db);
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(
        hone__db_open(fixture->path, HONE_DB_CREATE, &fixture->db, NULL),
        HONE_OK);
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=128", axpy_cubin);
    pack_put_gemm(fixture, 4096, "BM=64,SPLIT=4,V=128", 0);
    pack_put_gemm(fixture, 128, "BM=64,SPLIT=4,V=16", 0);
    pack_put_gemm(fixture, 128, "BM=64,SPLIT=4,V=32", 0);
    pack_put_gemm(fixture, 64, "BM=64,SPLIT=4", 1);
    second = pack_make(fixture, "b.pack");
    assert_int_equal(first.bytes.length, second.bytes.length);
    assert_memory_equal(first.bytes.data, second.bytes.data,
                        first.bytes.length);
    hone__text_free(&first.bytes);
    hone__text_free(&second.bytes);
}

/* ---- pinned -------------------------------------------------------------- */

static hone_status open_pinned(const char *path, const char *sha256,
                               const char *part)
{
    const hone_source source = {.path = path, .sha256 = sha256};
    hone_ctx *ctx = NULL;
    const hone_status status = hone_sources_open(&source, 1, &ctx);

    assert_contains(hone_error_text(ctx), part);
    hone_close(ctx);
    return status;
}

static void pinned(void **state)
{
    runtime_fixture *fixture = *state;
    char other[HONE_SHA256_HEX];
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    assert_int_equal(open_pinned(pack.path, pack.sha256, ""), HONE_OK);
    memcpy(other, pack.sha256, sizeof other);
    other[63] = other[63] == '0' ? '1' : '0';
    assert_int_equal(open_pinned(pack.path, other, "is not the one"),
                     HONE_ERR_DATABASE);
    assert_int_equal(open_pinned(pack.path, "12", "is no SHA-256"),
                     HONE_ERR_ARGUMENT);
    assert_int_equal(open_pinned(fixture->path, pack.sha256, "is no pack"),
                     HONE_ERR_ARGUMENT);
    hone__text_free(&pack.bytes);
}

/* ---- several sources ----------------------------------------------------- */

static void first_that_knows_exactly(void **state)
{
    runtime_fixture *fixture = *state;
    hone_source sources[3];
    pack_file site, system;
    hone_match match;
    hone_ctx *ctx = NULL;

    pack_put_axpy(fixture, 1024, "BLOCK=256,V=64", axpy_cubin);
    pack_put_axpy(fixture, 65536, "BLOCK=256,V=512", axpy_cubin);
    system = pack_make(fixture, "system.pack");
    runtime_sql(fixture->path, "DELETE FROM ranking");
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=128", axpy_cubin);
    site = pack_make(fixture, "site.pack");
    runtime_sql(fixture->path, "DELETE FROM ranking");
    pack_put_axpy(fixture, 4096, "BLOCK=256,V=256", axpy_cubin);
    sources[0] = (hone_source){.path = fixture->path};
    sources[1] = (hone_source){.path = site.path};
    sources[2] = (hone_source){.pack = system.bytes.data,
                               .pack_bytes = system.bytes.length};
    assert_hone(ctx, hone_sources_open(sources, 3, &ctx), HONE_OK);
    match = pack_ask(ctx, "axpy", (const int64_t[]){1024}, 1);
    assert_string_equal(match.config, "BLOCK=256,V=128");
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_contains(match.reason, "; from ");
    assert_contains(match.reason, site.path);
    /* An exact one of the last before a neighbour of the first. */
    match = pack_ask(ctx, "axpy", (const int64_t[]){65536}, 1);
    assert_string_equal(match.config, "BLOCK=256,V=512");
    /* Of neighbours the nearest, of equally near ones the first. */
    match = pack_ask(ctx, "axpy", (const int64_t[]){48 * 1024}, 1);
    assert_string_equal(match.config, "BLOCK=256,V=512");
    assert_int_equal(match.kind, HONE_MATCH_NEIGHBOUR);
    match = pack_ask(ctx, "axpy", (const int64_t[]){1024 + 16}, 1);
    assert_string_equal(match.config, "BLOCK=256,V=128");
    match = pack_ask(ctx, "axpy", (const int64_t[]){4096 + 16}, 1);
    assert_string_equal(match.config, "BLOCK=256,V=256");
    hone_close(ctx);
    hone__text_free(&site.bytes);
    hone__text_free(&system.bytes);
}

static pack_file pack_of_default(runtime_fixture *fixture, const char *name,
                                 const char *config, const char *kind)
{
    const tuned_row row = {
        .config = config, .launch_plan = axpy_plan, .cubin = axpy_cubin};
    char sql[80];

    runtime_sql(fixture->path, "UPDATE variant SET is_default = 0");
    runtime_put_default(fixture, &row);
    (void)snprintf(sql, sizeof sql, "UPDATE template SET kind = '%s'", kind);
    runtime_sql(fixture->path, sql);
    return pack_make(fixture, name);
}

/* The default of the first place, but for the reference implementation. */
static void defaults_of_several(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file files[3] = {
        pack_of_default(fixture, "a.pack", "BLOCK=256,V=1", "reference"),
        pack_of_default(fixture, "b.pack", "BLOCK=256,V=2", "template"),
        pack_of_default(fixture, "c.pack", "BLOCK=256,V=3", "template")};
    static const char *const expected[] = {"BLOCK=256,V=2", "BLOCK=256,V=2",
                                           "BLOCK=256,V=3"};

    for (size_t i = 0; i < 3; ++i) {
        /* In turns: a b c, b c a, c a b. */
        const hone_source sources[] = {{.path = files[i].path},
                                       {.path = files[(i + 1) % 3].path},
                                       {.path = files[(i + 2) % 3].path}};
        hone_ctx *ctx = NULL;
        hone_match match;

        assert_hone(ctx, hone_sources_open(sources, 3, &ctx), HONE_OK);
        match = pack_ask(ctx, "axpy", (const int64_t[]){1024}, 1);
        assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
        assert_string_equal(match.config, expected[i]);
        hone_close(ctx);
    }
    for (size_t i = 0; i < 3; ++i)
        hone__text_free(&files[i].bytes);
}

static void wrong_sources(void **state)
{
    const hone_source none = {.path = NULL};
    const hone_source both = {.path = "a", .pack = "b", .pack_bytes = 1};
    hone_ctx *ctx = NULL;

    (void)state;
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(hone_sources_open(i ? NULL : &none, i, &ctx),
                         HONE_ERR_ARGUMENT);
        assert_contains(hone_error_text(ctx), "there are no sources");
        assert_non_null(ctx);
        hone_close(ctx);
        ctx = NULL;
    }
    assert_int_equal(hone_sources_open(&none, 1, NULL), HONE_ERR_ARGUMENT);
    assert_int_equal(hone_sources_open(&none, 1, &ctx), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(ctx), "source 0 has neither");
    hone_close(ctx);
    assert_int_equal(hone_sources_open(&both, 1, &ctx), HONE_ERR_ARGUMENT);
    hone_close(ctx);
}

/* A path of the environment, with what it gives for axpy at 1024. */
static void expect_path(const char *name, const char *value, const char *config)
{
    assert_int_equal(setenv(name, value, 1), 0);
    assert_string_equal(
        pack_ask_file(NULL, "axpy", (const int64_t[]){1024}, 1).config, config);
    assert_int_equal(unsetenv(name), 0);
}

static void search_path(void **state)
{
    runtime_fixture *fixture = *state;
    char list[1000], folder[400];
    pack_file a, b;
    hone_ctx *ctx = NULL;

    (void)unsetenv("HONE_DB");
    assert_int_equal(setenv("XDG_DATA_HOME", fixture->folder, 1), 0);
    assert_int_equal(setenv("XDG_DATA_DIRS", fixture->folder, 1), 0);
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=64", axpy_cubin);
    a = pack_make(fixture, "a.pack");
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=128", axpy_cubin);
    b = pack_make(fixture, "b.pack");
    pack_put_axpy(fixture, 1024, "BLOCK=256,V=256", axpy_cubin);
    assert_int_equal(hone_open(NULL, &ctx), HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "there is no database '");
    hone_close(ctx);
    (void)snprintf(list, sizeof list, "/no/such:%s:%s", b.path, a.path);
    expect_path("HONE_PATH", list, "BLOCK=256,V=128");
    expect_path("HONE_DB", fixture->path, "BLOCK=256,V=256");
    expect_path("HONE_DB", a.path, "BLOCK=256,V=64");
    /* Of the site or the system. */
    (void)snprintf(folder, sizeof folder, "%s/hone", fixture->folder);
    assert_int_equal(hone__folder_create(folder, NULL), HONE_OK);
    (void)snprintf(folder, sizeof folder, "%s/hone/hone.pack", fixture->folder);
    assert_int_equal(rename(b.path, folder), 0);
    expect_path("XDG_DATA_DIRS", fixture->folder, "BLOCK=256,V=128");
    /* What is there and cannot be used is an error. */
    assert_int_equal(setenv("XDG_DATA_DIRS", fixture->folder, 1), 0);
    assert_int_equal(truncate(folder, 100), 0);
    assert_int_equal(hone_open(NULL, &ctx), HONE_ERR_DATABASE);
    hone_close(ctx);
    assert_int_equal(unlink(folder), 0);
    (void)snprintf(folder, sizeof folder, "%s/hone", fixture->folder);
    (void)rmdir(folder);
    assert_int_equal(setenv("HONE_PATH", "/no/such", 1), 0);
    assert_int_equal(hone_open(NULL, &ctx), HONE_ERR_NOT_FOUND);
    assert_contains(hone_error_text(ctx), "/no/such");
    hone_close(ctx);
    /* Linked in is behind all of them; it is for the rest of the process, so
     * its bytes stay. */
    assert_int_equal(hone_pack_register(a.bytes.data, a.bytes.length), HONE_OK);
    assert_int_equal(hone_pack_register(a.bytes.data, a.bytes.length), HONE_OK);
    expect_path("HONE_PATH", "/no/such", "BLOCK=256,V=64");
    expect_path("HONE_PATH", fixture->path, "BLOCK=256,V=256");
    (void)unsetenv("XDG_DATA_HOME");
    (void)unsetenv("XDG_DATA_DIRS");
    hone__text_free(&b.bytes);
}

/* ---- memory -------------------------------------------------------------- */

static hone_status open_and_plan(const runtime_fixture *fixture)
{
    const int64_t dims[] = {192, 64, 64, HONE_TYPE_F32};
    char path[400];
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_status status;

    (void)snprintf(path, sizeof path, "%s/a.pack", fixture->folder);
    status = hone_sources_open(
        (const hone_source[]){{.path = path}, {.path = fixture->path}}, 2,
        &ctx);
    if (status == HONE_OK)
        status = hone_plan_create(ctx, "gemm", dims, 4, &plan, NULL);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static void short_of_memory(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    hone__text_free(&pack.bytes);
    runtime_short_of_memory(fixture, open_and_plan);
}

static void writer_short_of_memory(void **state)
{
    runtime_fixture *fixture = *state;
    hone_status status = HONE_ERR_NO_MEMORY;
    pack_file good;

    pack_put_all(fixture);
    good = pack_make(fixture, "a.pack");
    for (long n = 0; status == HONE_ERR_NO_MEMORY; ++n) {
        hone_db_pack_summary summary;
        hone_text bytes = {0};
        hone_error err = {0};

        hone__alloc_fail_after(n);
        status = hone__db_pack(fixture->db, &(hone_db_pack_request){.n_ops = 0},
                               &bytes, &summary, &err);
        (void)hone__alloc_fail_end();
        if (status == HONE_OK)
            assert_string_equal(summary.sha256, good.sha256);
        hone__db_pack_summary_free(&summary);
        hone__text_free(&bytes);
        assert_true(n < 10000);
    }
    assert_int_equal(status, HONE_OK);
    hone__text_free(&good.bytes);
}

int main(void)
{
#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, runtime_setup, runtime_teardown)
    const struct CMUnitTest tests[] = {
        TEST(answers_as_the_database),
        TEST(answers_other_devices),
        TEST(unknown_operation),
        TEST(looks_at_all_neighbours),
        TEST(same_input_same_bytes),
        TEST(pinned),
        TEST(first_that_knows_exactly),
        TEST(defaults_of_several),
        TEST(wrong_sources),
        TEST(search_path),
        TEST(short_of_memory),
        TEST(writer_short_of_memory),
    };

    return cmocka_run_group_tests_name("runtime pack", tests, NULL, NULL);
}
