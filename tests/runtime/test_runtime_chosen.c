/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime makes of a chooser: who answers a shape that nobody tuned,
 * who is passed over, and what is said of it; a database and its pack alike. */
#include "tests/runtime/chosen_fixture.h"
#include "tests/runtime/pack_fixture.h"
#include "tests/runtime/vendor_fixture.h"

#include "runtime/base/hash.h"
#include "runtime/store/pack_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of their times at large shapes. FIFTH asks that K is a multiple
 * of 5. */
enum { FIFTH, LARGE, SMALL, DEFAULT, MEMBERS };
static const char *const configs[MEMBERS] = {
    "BM=64,SPLIT=5", "BM=64,SPLIT=4", "BM=64,SPLIT=4,V=1", "BM=64,SPLIT=4,V=2"};
static const int64_t type[] = {HONE_TYPE_F32};

static double time_of(size_t member, const int64_t *dims)
{
    const double size = (double)dims[0] * (double)dims[1] * (double)dims[2];

    if (member == SMALL)
        return 1000 + size * 0.002;
    if (member == FIFTH)
        return 2000 + size * 0.0005;
    return (3000 + size * 0.001) * (member == DEFAULT ? 1.25 : 1);
}

static const chosen_put usual = {.op = "gemm",
                                 .types = "4",
                                 .n_dims = 4,
                                 .configs = configs,
                                 .n_members = MEMBERS,
                                 .time_ns = time_of};

/* Each member is the winner of a shape. */
static void put_members(runtime_fixture *fixture, int64_t sm_count)
{
    char fifth[2000];

    (void)snprintf(fifth, sizeof fifth, "%s", gemm_plan);
    strstr(fifth, "SPLIT 4")[6] = '5';
    for (size_t j = 0; j < MEMBERS; ++j) {
        const int64_t dims[] = {64 << j, 60, 60, HONE_TYPE_F32};

        runtime_put(fixture,
                    &(tuned_row){.op = "gemm",
                                 .dims = dims,
                                 .n_dims = 4,
                                 .types = "4",
                                 .label = configs[j],
                                 .config = configs[j],
                                 .is_default = j == DEFAULT,
                                 .sm_count = sm_count,
                                 .time_ns = 1000,
                                 .launch_plan = j == FIFTH ? fifth : gemm_plan,
                                 .cubin = gemm_cubin});
    }
}

static void put_chooser(runtime_fixture *fixture, double gain_error)
{
    chosen_put put = usual;

    put.gain_error = gain_error;
    put_members(fixture, 0);
    chosen_put_chooser(fixture, &put, chosen_make(fixture, &put, 60, type));
}

/* What a database says, and its pack. */
static hone_match ask(const runtime_fixture *fixture, int64_t m, int64_t n,
                      int64_t k)
{
    const int64_t dims[] = {m, n, k, HONE_TYPE_F32};
    const hone_match a = pack_ask_file(fixture->path, "gemm", dims, 4);
    hone_db_pack_summary summary;
    pack_file pack = {.bytes = {0}};
    hone_error err = {0};
    hone_match b;

    (void)snprintf(pack.path, sizeof pack.path, "%s/x.pack", fixture->folder);
    if (hone__db_pack(fixture->db, &(hone_db_pack_request){.n_ops = 0},
                      &pack.bytes, &summary, &err) != HONE_OK)
        fail_msg("%s", err.text);
    pack_write(&pack);
    b = pack_ask_file(pack.path, "gemm", dims, 4);
    /* What is damaged is not in the pack. */
    if (!summary.n_damaged)
        assert_memory_equal(&a, &b, sizeof a);
    else
        assert_string_equal(a.config, b.config);
    hone__db_pack_summary_free(&summary);
    hone__text_free(&pack.bytes);
    return a;
}

static hone_match answers(const runtime_fixture *fixture, int64_t m, int64_t n,
                          int64_t k, hone_match_kind kind, size_t member)
{
    const int64_t dims[] = {m, n, k};
    const hone_match match = ask(fixture, m, n, k);

    if (match.kind != kind || strcmp(match.config, configs[member]) != 0)
        print_error("%s\n", match.reason);
    assert_string_equal(match.config, configs[member]);
    assert_int_equal(match.kind, kind);
    if (kind == HONE_MATCH_CHOSEN) {
        const double predicted = (double)match.predicted_time_ns;

        assert_true(fabs(log(predicted / time_of(member, dims))) < 0.3);
        assert_true(match.doubt > 0 && match.doubt < 1);
        assert_int_equal(match.tuned_time_ns, 0);
    } else if (kind != HONE_MATCH_FAMILY) {
        assert_int_equal(match.predicted_time_ns, 0);
        assert_true(match.doubt == 0);
    }
    return match;
}

static void chooses(void **state)
{
    runtime_fixture *fixture = *state;
    hone_match match;

    put_chooser(fixture, 0);
    match = answers(fixture, 48, 32, 40, HONE_MATCH_CHOSEN, SMALL);
    assert_contains(match.reason, "predicted ");
    assert_contains(match.reason, " from 60 problems on Fake H200; ");
    assert_contains(match.reason, " % more (doubt ");
    assert_contains(match.reason, configs[DEFAULT]);
    /* A multiple of 5, then one that is none. */
    (void)answers(fixture, 2000, 1000, 1000, HONE_MATCH_CHOSEN, FIFTH);
    (void)answers(fixture, 2000, 1000, 1004, HONE_MATCH_CHOSEN, LARGE);
    /* What was tuned is known. */
    match = answers(fixture, 64, 60, 60, HONE_MATCH_EXACT, FIFTH);
    assert_contains(match.reason, "tuned for these dimensions");
}

static void keeps_within_reach(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t reach[] = {1024, 4096, 4096, 4096};
    hone_chooser *chooser;

    put_members(fixture, 0);
    chooser = chosen_make(fixture, &usual, 60, type);
    assert_int_equal(hone__chooser_set_reach(chooser, LARGE, reach, NULL),
                     HONE_OK);
    chosen_put_chooser(fixture, &usual, chooser);
    (void)answers(fixture, 1024, 1000, 1004, HONE_MATCH_CHOSEN, LARGE);
    (void)answers(fixture, 1028, 1000, 1004, HONE_MATCH_CHOSEN, DEFAULT);
    /* Beyond all: as without a chooser. */
    (void)answers(fixture, 4100, 1000, 1004, HONE_MATCH_DEFAULT, DEFAULT);
}

static void takes_the_default_in_doubt(void **state)
{
    runtime_fixture *fixture = *state;
    hone_match match;

    put_chooser(fixture, 0.9);
    match = answers(fixture, 2000, 1000, 1004, HONE_MATCH_CHOSEN, DEFAULT);
    assert_contains(match.reason, " % less (doubt ");
    assert_contains(match.reason, configs[FIFTH]);
}

static void passes_over_damage(void **state)
{
    runtime_fixture *fixture = *state;
    hone_match match;

    put_chooser(fixture, 0);
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_lines = launch_lines || 'x'"
                " WHERE config = 'BM=64,SPLIT=4'");
    match = answers(fixture, 2000, 1000, 1004, HONE_MATCH_CHOSEN, DEFAULT);
    assert_contains(match.reason, "1 better left out: damaged in the database");
}

/* Members that are not there, or of an older template. */
static void passes_over_what_is_gone(void **state)
{
    static const char template_sha256[] =
        "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";
    const int64_t newer[] = {64, 64, 64, HONE_TYPE_F32};
    const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
    pack_file pack;
    runtime_fixture *fixture = *state;
    hone_match match;

    put_chooser(fixture, 0);
    runtime_sql(fixture->path,
                "UPDATE variant SET launch_sha256 = upper(launch_sha256)"
                " WHERE config = 'BM=64,SPLIT=4'");
    (void)answers(fixture, 2000, 1000, 1004, HONE_MATCH_CHOSEN, DEFAULT);
    runtime_put(fixture, &(tuned_row){.op = "gemm",
                                      .dims = newer,
                                      .n_dims = 4,
                                      .types = "4",
                                      .config = "BM=64,SPLIT=4,V=9",
                                      .is_default = 1,
                                      .template_sha256 = template_sha256,
                                      .launch_plan = gemm_plan,
                                      .cubin = gemm_cubin});
    match = pack_ask_file(fixture->path, "gemm", dims, 4);
    assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
    assert_string_equal(match.config, "BM=64,SPLIT=4,V=9");
    pack = pack_make(fixture, "a.pack");
    match = pack_ask_file(pack.path, "gemm", dims, 4);
    assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
    assert_string_equal(match.config, "BM=64,SPLIT=4,V=9");
    hone__text_free(&pack.bytes);
}

/* On a device with another number of multiprocessors. */
static void chooses_for_the_family(void **state)
{
    runtime_fixture *fixture = *state;
    hone_match match;

    put_members(fixture, 114);
    chosen_put_chooser(fixture, &usual, chosen_make(fixture, &usual, 60, type));
    match = answers(fixture, 2000, 1000, 1004, HONE_MATCH_FAMILY, LARGE);
    assert_contains(match.reason, "nothing is tuned on sm_90 with 132");
    assert_contains(match.reason, "predicted ");
    assert_true(match.predicted_time_ns > 0 && match.doubt > 0);
    (void)answers(fixture, 48, 32, 40, HONE_MATCH_FAMILY, SMALL);
    /* Beyond its reach a default. */
    match = answers(fixture, 8000, 1000, 1004, HONE_MATCH_DEFAULT, DEFAULT);
    assert_int_equal(match.predicted_time_ns, 0);
}

/* Cold before hot, whichever was stored first. */
static double hot_time_of(size_t member, const int64_t *dims)
{
    return time_of(member == SMALL   ? LARGE
                   : member == LARGE ? SMALL
                                     : member,
                   dims);
}

static void prefers_cold(void **state)
{
    runtime_fixture *fixture = *state;
    chosen_put hot = usual;

    hot.time_ns = hot_time_of;
    hot.mode = "hot";
    put_members(fixture, 0);
    chosen_put_chooser(fixture, &hot, chosen_make(fixture, &hot, 60, type));
    assert_string_equal(ask(fixture, 2000, 1000, 1004).config, configs[SMALL]);
    chosen_put_chooser(fixture, &usual, chosen_make(fixture, &usual, 60, type));
    (void)answers(fixture, 2000, 1000, 1004, HONE_MATCH_CHOSEN, LARGE);
}

/* Of other types, or of other dims than the plans: nobody is misled. */
static void asks_no_other_types(void **state)
{
    runtime_fixture *fixture = *state;
    chosen_put other = usual;

    other.types = "1";
    put_members(fixture, 0);
    chosen_put_chooser(fixture, &other, chosen_make(fixture, &other, 60, type));
    (void)answers(fixture, 2000, 1000, 1004, HONE_MATCH_DEFAULT, DEFAULT);
    other.types = "4";
    other.n_dims = 3;
    chosen_put_chooser(fixture, &other, chosen_make(fixture, &other, 60, NULL));
    assert_contains(
        answers(fixture, 2000, 1000, 1004, HONE_MATCH_DEFAULT, DEFAULT).reason,
        "the chooser is not used: chooser of gemm: it has 3 dims");
}

static void says_what_is_wrong_with_a_text(void **state)
{
    static const struct {
        const char *text;
        const char *reason;
    } cases[] = {
        {"hone-chooser 5\nop gemm\ndims 4\n", "cannot read it from line 1 on"},
        {"hone-chooser 1\nop axpy\ndims 4\n", "it is of another operation"},
        {"hone-chooser 1\nop gemm\ndims 4\nnoise nan\n",
         "cannot read it from line 4 on"},
    };
    runtime_fixture *fixture = *state;

    put_members(fixture, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
        hone_match match;

        runtime_sql(fixture->path, "DELETE FROM model");
        chosen_store(fixture, &usual, cases[i].text);
        match = pack_ask_file(fixture->path, "gemm", dims, 4);
        assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
        assert_contains(match.reason, "the chooser is not used: ");
        assert_contains(match.reason, cases[i].reason);
    }
    runtime_sql(fixture->path, "UPDATE model SET data = x'28b52ffd00'");
    {
        const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
        const hone_match match = pack_ask_file(fixture->path, "gemm", dims, 4);

        assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
        assert_contains(match.reason, "is damaged: a chooser for Fake H200");
    }
}

/* A chooser without members, or whose members have no times. */
static void has_nothing_to_offer(void **state)
{
    runtime_fixture *fixture = *state;

    put_members(fixture, 0);
    chosen_store(fixture, &usual, "hone-chooser 1\nop gemm\ndims 4\n");
    (void)answers(fixture, 2000, 1000, 1004, HONE_MATCH_DEFAULT, DEFAULT);
}

/* ---- packs ---------------------------------------------------------------
 */

/* A bit of the chooser's blob, which is the last one. */
static void pack_is_damaged(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
    pack_file pack;
    hone_match match;

    put_chooser(fixture, 0);
    pack = pack_make(fixture, "a.pack");
    assert_string_equal(pack_ask_file(pack.path, "gemm", dims, 4).config,
                        configs[LARGE]);
    pack.bytes.data[pack.bytes.length - 1] ^= 4;
    pack_write(&pack);
    match = pack_ask_file(pack.path, "gemm", dims, 4);
    assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
    assert_contains(match.reason,
                    "the chooser is not used: its checksum is wrong (bytes ");
    hone__text_free(&pack.bytes);
}

/* As a hone wrote it that knew no choosers: two parts fewer in the header. */
static void make_version_1(hone_text *bytes)
{
    enum { LESS = (HONE_PACK_N_PARTS - HONE_PACK_N_PARTS_1) * 16 };
    hone_pack_header header;
    const size_t hashes = sizeof header - 16;
    char *data = bytes->data;
    const char *index;
    uint64_t hash;

    memcpy(&header, data, sizeof header);
    header.version = 1;
    header.header_bytes -= LESS;
    header.file_bytes -= LESS;
    header.index_bytes -= LESS;
    for (size_t i = 0; i < HONE_PACK_N_PARTS; ++i)
        header.parts[i].offset -= LESS;
    memmove(data + hashes - LESS, data + hashes, bytes->length - hashes);
    bytes->length -= LESS;
    for (size_t i = 0; i < header.parts[HONE_PACK_BLOBS].n; ++i) {
        hone_pack_blob blob;
        char *at =
            data + header.parts[HONE_PACK_BLOBS].offset + i * sizeof blob;

        memcpy(&blob, at, sizeof blob);
        blob.offset -= LESS;
        memcpy(at, &blob, sizeof blob);
    }
    memcpy(data, &header, hashes - LESS);
    index = data + sizeof header - LESS;
    hash = hone__hash64(index, header.index_bytes - (sizeof header - LESS));
    memcpy(data + hashes - LESS, &hash, sizeof hash);
    hash = hone__hash64(data, sizeof header - LESS - 8);
    memcpy(data + sizeof header - LESS - 8, &hash, sizeof hash);
}

static void older_packs_open(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t known[] = {64, 60, 60, HONE_TYPE_F32};
    const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
    pack_file pack;

    put_chooser(fixture, 0);
    pack = pack_make(fixture, "a.pack");
    make_version_1(&pack.bytes);
    pack_write(&pack);
    assert_int_equal(pack_ask_file(pack.path, "gemm", known, 4).kind,
                     HONE_MATCH_EXACT);
    assert_int_equal(pack_ask_file(pack.path, "gemm", dims, 4).kind,
                     HONE_MATCH_DEFAULT);
    hone__text_free(&pack.bytes);
}

/* ---- memory, other libraries ---------------------------------------------
 */

static hone_status life_of(const char *path)
{
    const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
    hone_ctx *ctx = NULL;
    hone_plan *plan = NULL;
    hone_match match = {.config = ""};
    hone_status status = hone_open(path, &ctx);

    if (status == HONE_OK)
        status = hone_plan_create(ctx, "gemm", dims, 4, &plan, &match);
    if (status == HONE_OK)
        assert_string_equal(match.config, configs[LARGE]);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

static hone_status life_of_database(const runtime_fixture *fixture)
{
    return life_of(fixture->path);
}

static hone_status life_of_pack(const runtime_fixture *fixture)
{
    char path[400];

    (void)snprintf(path, sizeof path, "%s/a.pack", fixture->folder);
    return life_of(path);
}

static void fails_without_memory(void **state)
{
    runtime_fixture *fixture = *state;
    pack_file pack;

    put_chooser(fixture, 0);
    pack = pack_make(fixture, "a.pack");
    runtime_short_of_memory(fixture, life_of_database);
    runtime_short_of_memory(fixture, life_of_pack);
    hone__text_free(&pack.bytes);
}

/* Once it failed for lack of memory, it can be asked again. */
static void goes_on_after_failures(void **state)
{
    const int64_t dims[] = {2000, 1000, 1004, HONE_TYPE_F32};
    runtime_fixture *fixture = *state;
    hone_ctx *ctx;
    hone_status status = HONE_ERR_NO_MEMORY;

    put_chooser(fixture, 0);
    ctx = runtime_open(fixture);
    for (long n = 0; status != HONE_OK && n < 2000; ++n) {
        hone_plan *plan = NULL;
        hone_match match = {.config = ""};

        hone__alloc_fail_once(n);
        status = hone_plan_create(ctx, "gemm", dims, 4, &plan, &match);
        (void)hone__alloc_fail_end();
        if (status == HONE_OK)
            assert_string_equal(match.config, configs[LARGE]);
        hone_plan_destroy(plan);
    }
    assert_int_equal(status, HONE_OK);
    hone_close(ctx);
}

/* A library that cannot be used gives way to a kernel. */
static double library_time(size_t member, const int64_t *dims)
{
    return (member ? 1500 : 1000) + 0.01 * (double)(dims[0] * dims[1]);
}

static void passes_over_a_library(void **state)
{
    static const char *const members[] = {"LIBRARY=1", "LIBRARY=0"};
    const chosen_put put = {.op = "axpy",
                            .types = "",
                            .n_dims = 3,
                            .configs = members,
                            .n_members = 2,
                            .time_ns = library_time};
    const int64_t dims[] = {3, 8, 2400};
    runtime_fixture *fixture = *state;
    hone_match match;

    vendor_put_chosen(state, "cublaslt.gemm", 0);
    chosen_put_chooser(fixture, &put, chosen_make(fixture, &put, 30, NULL));
    match = pack_ask_file(fixture->path, "axpy", dims, 3);
    assert_int_equal(match.kind, HONE_MATCH_CHOSEN);
    assert_string_equal(match.config, "LIBRARY=1");
    (void)setenv("FAKE_BLAS_FAIL", "cublasLtMatmulAlgoGetHeuristic", 1);
    match = pack_ask_file(fixture->path, "axpy", dims, 3);
    assert_int_equal(match.kind, HONE_MATCH_CHOSEN);
    assert_string_equal(match.config, "LIBRARY=0");
    assert_contains(match.reason, "1 better left out: cublasLt");
    (void)unsetenv("FAKE_BLAS_FAIL");
}

#define TEST(name)                                                             \
    cmocka_unit_test_setup_teardown(name, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(chooses),
        TEST(keeps_within_reach),
        TEST(takes_the_default_in_doubt),
        TEST(passes_over_damage),
        TEST(passes_over_what_is_gone),
        TEST(chooses_for_the_family),
        TEST(prefers_cold),
        TEST(asks_no_other_types),
        TEST(says_what_is_wrong_with_a_text),
        TEST(has_nothing_to_offer),
        TEST(pack_is_damaged),
        TEST(older_packs_open),
        TEST(fails_without_memory),
        TEST(goes_on_after_failures),
        VENDOR_TEST(passes_over_a_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
