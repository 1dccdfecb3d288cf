/* SPDX-License-Identifier: Apache-2.0 */
/* Packs that are not as they were written: refused with a reason, or the rest
 * answers, whatever byte it is. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/store/pack_format.h"

#include <stdio.h>
#include <string.h>

/* Refused, or another answer, or the right one: never anything else. */
static hone_status try_pack(const void *bytes, size_t size_bytes)
{
    static const int64_t dims[] = {64, 64, 64, HONE_TYPE_F32};
    const hone_source source = {.pack = bytes, .pack_bytes = size_bytes};
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_match match;
    hone_status status = hone_sources_open(&source, 1, &ctx);

    if (status == HONE_OK) {
        status = hone_plan_create(ctx, "gemm", dims, 4, &plan, &match);
        if (status == HONE_OK)
            assert_true(match.kind != HONE_MATCH_EXACT ||
                        strcmp(match.config, "BM=64,SPLIT=4") == 0);
        else
            assert_contains(hone_error_text(ctx), "damaged");
        hone_plan_destroy(plan);
    } else {
        assert_contains(hone_error_text(ctx), "'linked in'");
    }
    hone_close(ctx);
    return status;
}

static void every_byte_flipped(void **state)
{
    runtime_fixture *fixture = *state;
    size_t n_refused = 0, n_index = 0;
    hone_pack_header header;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    memcpy(&header, pack.bytes.data, sizeof header);
    n_index = (size_t)header.index_bytes;
    assert_int_equal(try_pack(pack.bytes.data, pack.bytes.length), HONE_OK);
    for (size_t i = 0; i < pack.bytes.length; ++i) {
        hone_status status;

        pack.bytes.data[i] = (char)(pack.bytes.data[i] ^ (1 << i % 8));
        status = try_pack(pack.bytes.data, pack.bytes.length);
        if (i < n_index)
            assert_int_equal(status, HONE_ERR_DATABASE);
        n_refused += status != HONE_OK;
        pack.bytes.data[i] = (char)(pack.bytes.data[i] ^ (1 << i % 8));
    }
    assert_true(n_refused >= n_index);
    hone__text_free(&pack.bytes);
}

static void every_length(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    for (size_t n = 1; n < pack.bytes.length; ++n)
        assert_int_equal(try_pack(pack.bytes.data, n), HONE_ERR_DATABASE);
    /* As a file, some of them, and one byte too many. */
    for (size_t n = 1; n < pack.bytes.length; n += n < 300 ? 1 : 97) {
        hone_ctx *ctx = NULL;

        assert_int_equal(
            hone__file_replace(pack.path, pack.bytes.data, n, NULL), HONE_OK);
        assert_int_equal(hone_open(pack.path, &ctx), HONE_ERR_DATABASE);
        assert_contains(hone_error_text(ctx), "it breaks off");
        hone_close(ctx);
    }
    hone__text_append(&pack.bytes, "x", 1);
    assert_int_equal(try_pack(pack.bytes.data, pack.bytes.length),
                     HONE_ERR_DATABASE);
    hone__text_free(&pack.bytes);
}

/* The cubin of the exact shape is damaged: the next best answers, and says so;
 * where it was all there is, the error says what and where. */
static void damaged_blob(void **state)
{
    runtime_fixture *fixture = *state;
    hone_pack_header header;
    hone_match match;
    pack_file pack;
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;

    pack_put_axpy(fixture, 1024, "BLOCK=256,V=128", axpy_cubin);
    pack_put_axpy(fixture, 2048, "BLOCK=256,V=256",
                  "axpy 0 4,8,8,4,8\nother 0 4");
    pack = pack_make(fixture, "a.pack");
    memcpy(&header, pack.bytes.data, sizeof header);
    for (uint64_t i = 0; i < header.parts[HONE_PACK_BLOBS].n; ++i) {
        hone_pack_blob blob;
        const char *record = pack.bytes.data +
                             header.parts[HONE_PACK_BLOBS].offset +
                             i * sizeof blob;

        memcpy(&blob, record, sizeof blob);
        pack.bytes.data[blob.offset + blob.stored_bytes - 1] ^= 1;
        if (i != 1)
            continue;
        /* Plan and cubin of the first winner. */
        pack_write(&pack);
        match = pack_ask_file(pack.path, "axpy", (const int64_t[]){1024}, 1);
        assert_int_equal(match.kind, HONE_MATCH_NEIGHBOUR);
        assert_contains(match.reason, "1 better left out: damaged in the pack");
    }
    pack_write(&pack);
    assert_hone(ctx, hone_open(pack.path, &ctx), HONE_OK);
    assert_int_equal(
        hone_plan_create(ctx, "axpy", (const int64_t[]){1024}, 1, &plan, NULL),
        HONE_ERR_DATABASE);
    assert_contains(hone_error_text(ctx), "checksum is wrong (bytes ");
    assert_contains(hone_error_text(ctx), pack.path);
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

static void refuse_file(const char *path, const void *bytes, size_t size_bytes,
                        const char *part)
{
    hone_ctx *ctx = NULL;

    assert_int_equal(hone__file_replace(path, bytes, size_bytes, NULL),
                     HONE_OK);
    assert_int_equal(hone_open(path, &ctx), HONE_ERR_DATABASE);
    assert_contains(hone_error_text(ctx), part);
    assert_contains(hone_error_text(ctx), path);
    hone_close(ctx);
}

static void foreign_and_newer(void **state)
{
    runtime_fixture *fixture = *state;
    hone_ctx *ctx = NULL;
    static _Alignas(8) const char foreign[] = "not a pack";
    _Alignas(8) char odd[64] = HONE_PACK_MAGIC;
    pack_file pack;

    pack_put_all(fixture);
    pack = pack_make(fixture, "a.pack");
    refuse_file(pack.path, "PK\3\4 and more of it, and more", 30,
                "not a database");
    pack.bytes.data[8] = 3;
    refuse_file(pack.path, pack.bytes.data, pack.bytes.length,
                "has format 3 and this hone reads up to 2");
    /* The first twelve bytes tell, however a newer header goes on. */
    refuse_file(pack.path, pack.bytes.data, 12, "has format 3");
    pack.bytes.data[8] = 1;
    assert_int_equal(hone_pack_register(foreign, 10), HONE_ERR_DATABASE);
    assert_int_equal(hone_pack_register(NULL, 10), HONE_ERR_ARGUMENT);
    memmove(odd + 1, odd, 12);
    assert_int_equal(hone_pack_register(odd + 1, 12), HONE_ERR_ARGUMENT);
    assert_contains(hone_error_text(NULL), "multiple of 8");
    assert_int_equal(hone_open("/no/such.pack", &ctx), HONE_ERR_NOT_FOUND);
    hone_close(ctx);
    hone__text_free(&pack.bytes);
}

int main(void)
{
#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, runtime_setup, runtime_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_byte_flipped),
        TEST(every_length),
        TEST(damaged_blob),
        TEST(foreign_and_newer),
    };

    return cmocka_run_group_tests_name("runtime pack damage", tests, NULL,
                                       NULL);
}
