/* SPDX-License-Identifier: Apache-2.0 */
/* What answers where no cubin of a store runs on the device: PTX that the
 * driver compiles, the reference implementation, a sentence. Everything is
 * asked of a database and of its pack. */
#include "tests/runtime/pack_fixture.h"

#include "runtime/base/alloc.h"

#include <stdio.h>
#include <string.h>

/* No driver takes it. */
static const char bad_code[] = "axpy\n";

static void put(runtime_fixture *fixture, tuned_row row)
{
    static const int64_t dims[] = {1024};

    row.op = "axpy";
    row.launch_plan = axpy_plan;
    row.cubin = row.cubin ? row.cubin : axpy_cubin;
    if (row.time_ns == 0) {
        runtime_put_default(fixture, &row);
        return;
    }
    row.dims = dims;
    row.n_dims = 1;
    runtime_put(fixture, &row);
}

static hone_match ask(const char *path, int64_t n, hone_status expected)
{
    hone_match match = {.kind = HONE_MATCH_EXACT};
    hone_plan *plan = NULL;
    hone_ctx *ctx = NULL;

    assert_hone(ctx, hone_open(path, &ctx), HONE_OK);
    assert_hone(ctx, hone_plan_create(ctx, "axpy", &n, 1, &plan, &match),
                expected);
    if (expected != HONE_OK)
        (void)snprintf(match.reason, sizeof match.reason, "%s",
                       hone_error_text(ctx));
    hone_plan_destroy(plan);
    hone_close(ctx);
    return match;
}

/* The database says so, and its pack. */
static void expect(const runtime_fixture *fixture, int64_t n,
                   hone_match_kind kind, const char *config, const char *part)
{
    pack_file pack = pack_make(fixture, "a.pack");

    for (int i = 0; i < 2; ++i) {
        const hone_match match = ask(i ? pack.path : fixture->path, n, HONE_OK);

        if (match.kind != kind || strcmp(match.config, config) != 0)
            print_error("%s\n", match.reason);
        assert_string_equal(match.config, config);
        assert_int_equal(match.kind, kind);
        assert_contains(match.reason, part);
        assert_true((match.compile_time_ns > 0) ==
                    (strstr(match.reason, "compiled by the driver") != NULL));
    }
    hone__text_free(&pack.bytes);
}

static void refuse(const runtime_fixture *fixture, const char *part)
{
    pack_file pack = pack_make(fixture, "a.pack");

    for (int i = 0; i < 2; ++i)
        assert_contains(
            ask(i ? pack.path : fixture->path, 1024, HONE_ERR_NOT_FOUND).reason,
            part);
    hone__text_free(&pack.bytes);
}

static void ptx_runs_on_what_is_newer(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "compute_80", .config = "A=80"});
    fake_device(75, 40, "Fake T4");
    refuse(fixture, "nothing tuned for axpy on sm_75");
    fake_device(80, 108, "Fake A100");
    expect(fixture, 1024, HONE_MATCH_PTX, "A=80", "for compute_80");
    fake_device(120, 170, "Fake 5090");
    expect(fixture, 1024, HONE_MATCH_PTX, "A=80", "default variant of ");
    put(fixture, (tuned_row){.compile_arch = "compute_90", .config = "A=90"});
    expect(fixture, 1024, HONE_MATCH_PTX, "A=90", "compiled by the driver in ");
    /* A cubin that runs goes before it. */
    put(fixture, (tuned_row){.compile_arch = "sm_120", .config = "A=120"});
    expect(fixture, 1024, HONE_MATCH_DEFAULT, "A=120", "for sm_120");
}

static void ptx_for_one_architecture_alone(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "compute_100a", .config = "A=1"});
    put(fixture, (tuned_row){.compile_arch = "compute_100f", .config = "A=2"});
    fake_device(120, 170, "Fake 5090");
    refuse(fixture, " has it for compute_100a");
    fake_device(103, 148, "Fake B300");
    expect(fixture, 1024, HONE_MATCH_PTX, "A=2", "for compute_100f");
}

/* A winner near the shape before the default variant, whatever it was measured
 * on; of the cubin that runs, nothing was measured here. */
static void ptx_of_winners(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "compute_90", .config = "A=1"});
    put(fixture, (tuned_row){.compile_arch = "compute_90",
                             .config = "A=2",
                             .label = "n=1024",
                             .time_ns = 1000});
    fake_device(100, 148, "Fake B200");
    expect(fixture, 1024, HONE_MATCH_PTX, "A=2",
           "tuned on Fake H200 for n=1024, for compute_90");
    expect(fixture, 2048, HONE_MATCH_PTX, "A=2", "tuned on Fake H200");
    expect(fixture, 1 << 20, HONE_MATCH_PTX, "A=1", "default variant");
    put(fixture, (tuned_row){.compile_arch = "sm_100", .config = "A=3"});
    expect(fixture, 1024, HONE_MATCH_DEFAULT, "A=3", "for sm_100");
}

/* What the driver does not compile is passed over, and said. */
static void ptx_that_is_refused(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "compute_90",
                             .config = "A=2",
                             .cubin = bad_code,
                             .time_ns = 1000});
    fake_device(100, 148, "Fake B200");
    refuse(fixture, "no kernel of axpy can run dims 1024 on sm_100");
    put(fixture, (tuned_row){.compile_arch = "compute_90", .config = "A=1"});
    expect(fixture, 1024, HONE_MATCH_PTX, "A=1", "1 better left out: ");
}

static void references_come_last(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "sm_100", .config = "A=1"});
    runtime_sql(fixture->path, "UPDATE template SET kind = 'reference'");
    fake_device(100, 148, "Fake B200");
    expect(fixture, 1024, HONE_MATCH_REFERENCE, "A=1",
           "the reference implementation of ");
    fake_device(120, 170, "Fake 5090");
    put(fixture, (tuned_row){.compile_arch = "compute_90", .config = "A=2"});
    runtime_sql(fixture->path, "UPDATE template SET kind = 'reference'");
    expect(fixture, 1024, HONE_MATCH_REFERENCE, "A=2",
           "compiled by the driver");
    fake_device(100, 148, "Fake B200");
    expect(fixture, 1024, HONE_MATCH_REFERENCE, "A=1", "for sm_100");
    runtime_sql(fixture->path, "UPDATE template SET kind = 'template'");
    expect(fixture, 1024, HONE_MATCH_DEFAULT, "A=1", "default variant");
}

/* One configuration: its cubin before its PTX. */
static void ptx_of_a_configuration(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t n = 1024;
    hone_plan *plan = NULL;
    hone_match match;
    hone_ctx *ctx;

    put(fixture, (tuned_row){.compile_arch = "compute_80", .config = "A=1"});
    for (int i = 0; i < 2; ++i) {
        ctx = runtime_open(fixture);
        assert_hone(ctx,
                    hone_plan_create_config(ctx, "axpy", &n, 1, NULL, "A=1",
                                            &plan, &match),
                    HONE_OK);
        assert_int_equal(match.kind, HONE_MATCH_DEFAULT);
        assert_true((match.compile_time_ns > 0) == !i);
        hone_plan_destroy(plan);
        hone_close(ctx);
        put(fixture, (tuned_row){.compile_arch = "sm_90", .config = "A=1"});
    }
}

/* It is compiled once for all plans of a context. */
static void ptx_is_compiled_once(void **state)
{
    runtime_fixture *fixture = *state;
    hone_plan *plans[2] = {NULL, NULL};
    hone_match matches[2];
    hone_ctx *ctx;

    put(fixture, (tuned_row){.compile_arch = "compute_80", .config = "A=1"});
    ctx = runtime_open(fixture);
    for (int64_t i = 0; i < 2; ++i)
        assert_hone(ctx,
                    hone_plan_create(ctx, "axpy", &(int64_t){1024 << i}, 1,
                                     &plans[i], &matches[i]),
                    HONE_OK);
    assert_int_equal(fake_n_modules(), 1);
    assert_true(matches[0].compile_time_ns == matches[1].compile_time_ns);
    hone_plan_destroy(plans[0]);
    hone_plan_destroy(plans[1]);
    hone_close(ctx);
}

/* ---- packs with PTX -------------------------------------------------------
 */

/* As the compiler does: for A=2 it has none. */
static hone_status make_ptx(void *user, const hone_db_pack_source *source,
                            hone_text *out, hone_error *err)
{
    int *n_calls = user;

    (void)err;
    ++*n_calls;
    assert_string_equal(source->op, "axpy");
    assert_string_equal(source->types, "");
    assert_string_equal(source->ptx_arch, "compute_90");
    assert_int_equal(strlen(source->template_sha256), 64);
    if (strcmp(source->config, "A=2") != 0)
        hone__text_append(out, axpy_cubin, strlen(axpy_cubin) + 1);
    return HONE_OK;
}

static void pack_with_ptx(const runtime_fixture *fixture, char path[400],
                          hone_db_pack_summary *summary)
{
    int n_calls = 0;
    const hone_db_pack_request request = {.make_ptx = make_ptx,
                                          .user = &n_calls};
    hone_text bytes = {0};

    assert_int_equal(
        hone__db_pack(fixture->db, &request, &bytes, summary, NULL), HONE_OK);
    assert_int_equal(n_calls, 3); /* once for each variant */
    (void)snprintf(path, 400, "%s/ptx.pack", fixture->folder);
    assert_int_equal(hone__file_replace(path, bytes.data, bytes.length, NULL),
                     HONE_OK);
    hone__text_free(&bytes);
}

static void packs_with_ptx(void **state)
{
    runtime_fixture *fixture = *state;
    hone_db_pack_summary summary;
    hone_match match;
    char path[400];

    put(fixture, (tuned_row){.config = "A=1"});
    put(fixture, (tuned_row){.config = "A=2", .time_ns = 1000});
    put(fixture, (tuned_row){.config = "A=3", .time_ns = 2000, .mode = "hot"});
    put(fixture, (tuned_row){.compile_arch = "sm_90a",
                             .config = "A=4",
                             .sm_count = 78,
                             .time_ns = 3000});
    pack_with_ptx(fixture, path, &summary);
    assert_int_equal(summary.n_ptx, 2);
    assert_int_equal(summary.n_variants, 4 + 2);
    /* What it answered without, it answers with. */
    match = ask(path, 1024, HONE_OK);
    assert_int_equal(match.kind, HONE_MATCH_EXACT);
    assert_string_equal(match.config, "A=2");
    assert_int_equal(match.compile_time_ns, 0);
    fake_device(120, 170, "Fake 5090");
    match = ask(path, 1024, HONE_OK);
    assert_int_equal(match.kind, HONE_MATCH_PTX);
    assert_string_equal(match.config, "A=3");
    match = ask(path, 1 << 20, HONE_OK);
    assert_string_equal(match.config, "A=1");
    assert_contains(match.reason, "for compute_90");
    hone__db_pack_summary_free(&summary);
}

static hone_status life(const runtime_fixture *fixture)
{
    const int64_t n = 1024;
    hone_plan *plan = NULL;
    hone_ctx *ctx = NULL;
    hone_status status = hone_open(fixture->path, &ctx);

    if (status == HONE_OK)
        status = hone_plan_create(ctx, "axpy", &n, 1, &plan, NULL);
    hone_plan_destroy(plan);
    hone_close(ctx);
    return status;
}

/* Short of memory is no reason to take the next best. */
static void every_allocation(void **state)
{
    runtime_fixture *fixture = *state;

    put(fixture, (tuned_row){.compile_arch = "compute_90", .config = "A=1"});
    put(fixture, (tuned_row){.compile_arch = "compute_90",
                             .config = "A=2",
                             .time_ns = 1000});
    fake_device(100, 148, "Fake B200");
    runtime_short_of_memory(fixture, life);
}

#define TEST(test)                                                             \
    cmocka_unit_test_setup_teardown(test, runtime_setup, runtime_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ptx_runs_on_what_is_newer),
        TEST(ptx_for_one_architecture_alone),
        TEST(ptx_of_winners),
        TEST(ptx_that_is_refused),
        TEST(references_come_last),
        TEST(ptx_of_a_configuration),
        TEST(ptx_is_compiled_once),
        TEST(every_allocation),
        TEST(packs_with_ptx),
    };

    return cmocka_run_group_tests_name("fallback", tests, NULL, NULL);
}
