/* SPDX-License-Identifier: Apache-2.0 */
/* A database answers from the rows that it reads step by step as it would from
 * all of its rows: random databases, asked both ways. */
#include "tests/runtime/runtime_fixture.h"

#include "runtime/base/alloc.h"
#include "runtime/base/device_properties.h"
#include "runtime/store/store.h"

#include <stdio.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

static int64_t draw(int64_t most)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int64_t)(random_state % (uint64_t)most);
}

/* ---- random databases ---------------------------------------------------- */

/* Near each other as often as not, of all alignments. */
static int64_t draw_size(void)
{
    return (draw(12) + 1) << draw(8);
}

static int64_t tuned[1024][4]; /* the problems of the last one */
static int n_tuned;

static void put_winner(hone_db *db, int n_devices)
{
    static const struct {
        const char *name;
        const char *arch;
        int64_t sm_count;
    } devices[] = {{"Fake H200", "sm_90", 132},
                   {"Fake H100", "sm_90", 114},
                   {"Fake A100", "sm_80", 108},
                   {"Fake B200", "sm_100", 148}};
    static const char *const texts[] = {
        "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
        "b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2"};
    const int is_f16 = draw(3) == 0;
    const int64_t dims[] = {draw_size(), draw_size(), draw_size(),
                            is_f16 ? HONE_TYPE_F16 : HONE_TYPE_F32};
    const size_t device = (size_t)draw(n_devices);
    char config[32], types[8];
    hone_error err = {0};
    tuned_row row = {.op = "gemm",
                     .dims = dims,
                     .n_dims = 4,
                     .types = types,
                     .label = config,
                     .config = config,
                     .mode = draw(4) ? "cold" : "hot",
                     .device_name = devices[device].name,
                     .arch = devices[device].arch,
                     .sm_count = devices[device].sm_count,
                     .template_sha256 = texts[draw(8) == 0],
                     .is_default = draw(6) == 0,
                     .launch_plan = gemm_plan,
                     .cubin = gemm_cubin,
                     .time_ns = 1000.0 + (double)draw(5)};

    memcpy(tuned[n_tuned++], dims, sizeof dims);
    (void)snprintf(config, sizeof config, "A=%d,B=%d", (int)draw(40),
                   (int)draw(2));
    (void)snprintf(types, sizeof types, "%d", (int)dims[3]);
    assert_int_equal(tuned_put(db, &row, &err), HONE_OK);
    if (draw(12) == 0)
        assert_int_equal(tuned_put_default(db, &row, &err), HONE_OK);
}

static void fill(runtime_fixture *fixture, int n_winners, int n_devices)
{
    hone_error err = {0};

    n_tuned = 0;
    assert_int_equal(hone__db_begin(fixture->db, &err), HONE_OK);
    for (int i = 0; i < n_winners; ++i)
        put_winner(fixture->db, n_devices);
    assert_int_equal(hone__db_commit(fixture->db, &err), HONE_OK);
    if (draw(2))
        runtime_sql(fixture->path, "UPDATE variant SET launch_lines ="
                                   " launch_lines || 'x'"
                                   " WHERE variant_id % 7 = 3");
}

/* ---- asking -------------------------------------------------------------- */

static hone_target target_here(void)
{
    hone_target target = {.name = "Fake H200", .driver_version = "13000"};

    assert_int_equal(
        hone__properties_of_arch("sm_90a", &target.properties, NULL), HONE_OK);
    target.properties.value[HONE_PROPERTY_sm_count] = 132;
    return target;
}

/* How many kernels of an older template were met is of what was read. */
static void leave_out_count(char *text)
{
    static const char end[] = " kernels of an older template are left out)";
    char *to = strstr(text, end);
    char *from = to;

    while (from && from[0] != '(')
        --from;
    if (to)
        memmove(from - 1, to + strlen(end), strlen(to + strlen(end)) + 1);
}

/* What is answered, as text. */
static void ask(hone_store *store, const int64_t *dims, int is_whole,
                char out[2048])
{
    const hone_target target = target_here();
    hone_error err = {0};
    hone_answer answer;
    hone_status status;
    hone_store_op *op;

    if (is_whole) {
        assert_int_equal(hone__store_op(store, "gemm", &op, &err), HONE_OK);
        assert_int_equal(hone__store_widen(store, op, &err), HONE_OK);
        assert_true(op->is_whole);
    }
    status = hone__match_find(&(hone_query){.stores = &store,
                                            .n_stores = 1,
                                            .target = &target,
                                            .op = "gemm",
                                            .dims = dims,
                                            .n_dims = 4},
                              &answer, &err);
    (void)snprintf(out, 2048, "%s %s", hone_status_name(status),
                   status == HONE_OK ? answer.match.reason : "");
    if (status == HONE_OK)
        (void)snprintf(out + strlen(out), 2048 - strlen(out),
                       " | %d %s %s %g %zu", (int)answer.match.kind,
                       answer.row->config, answer.row->label,
                       answer.row->time_ns, answer.n_left_out);
    leave_out_count(out);
}

static hone_store *open_store(const runtime_fixture *fixture)
{
    hone_store *store = NULL;
    hone_error err = {0};

    assert_int_equal(hone__store_open(fixture->path, &store, &err), HONE_OK);
    return store;
}

/* Each problem of a store that knows nothing, of one that knows all, and of
 * one that was asked others before. */
static void compare(const runtime_fixture *fixture, int counts[8])
{
    hone_store *all = open_store(fixture);
    hone_store *used = open_store(fixture);

    for (int i = 0; i < 20; ++i) {
        const int64_t drawn[] = {draw_size(), draw_size(), draw_size(),
                                 draw(3) ? HONE_TYPE_F32 : HONE_TYPE_F16};
        const int64_t *dims = draw(4) ? drawn : tuned[draw(n_tuned)];
        hone_store *fresh = open_store(fixture);
        char of_all[2048], of_fresh[2048], of_used[2048];
        const char *kind;

        ask(all, dims, 1, of_all);
        ask(fresh, dims, 0, of_fresh);
        ask(used, dims, 0, of_used);
        assert_string_equal(of_fresh, of_all);
        assert_string_equal(of_used, of_all);
        kind = strstr(of_all, " | ");
        ++counts[kind ? kind[3] - '0' : 7];
        hone__store_close(fresh);
    }
    hone__store_close(all);
    hone__store_close(used);
}

static void as_from_all_rows(void **state)
{
    int counts[8] = {0};

    (void)state;
    for (int round = 0; round < 12; ++round) {
        void *fixture = NULL;

        assert_int_equal(runtime_setup(&fixture), 0);
        fill(fixture, round % 6 == 5 ? 600 : 20 + (int)draw(100),
             1 + round % 4);
        compare(fixture, counts);
        assert_int_equal(runtime_teardown(&fixture), 0);
    }
    /* All ways were met. */
    print_message("exact %d, neighbour %d, default %d, family %d, none %d\n",
                  counts[HONE_MATCH_EXACT], counts[HONE_MATCH_NEIGHBOUR],
                  counts[HONE_MATCH_DEFAULT], counts[HONE_MATCH_FAMILY],
                  counts[7]);
    assert_true(counts[HONE_MATCH_EXACT] && counts[HONE_MATCH_NEIGHBOUR] &&
                counts[HONE_MATCH_DEFAULT] && counts[HONE_MATCH_FAMILY]);
}

/* How much is read: not all for the first shapes that nobody tuned. */
static void reads_what_is_near(void **state)
{
    runtime_fixture *fixture = *state;
    const int64_t dims[] = {1 << 20, 1 << 20, 1 << 20, HONE_TYPE_F32};
    const int64_t near[] = {64, 128, 128, HONE_TYPE_F32};
    hone_store *store;
    hone_store_op *op;
    hone_error err = {0};
    char text[2048];

    for (int i = 0; i < 100; ++i) {
        const int64_t at[] = {64, 64, 64 + 16 * i, HONE_TYPE_F32};
        const tuned_row row = {.op = "gemm",
                               .dims = at,
                               .n_dims = 4,
                               .types = "4",
                               .config = "A=1",
                               .launch_plan = gemm_plan,
                               .cubin = gemm_cubin};

        runtime_put(fixture, &row);
    }
    runtime_put_default(fixture, &(tuned_row){.op = "gemm",
                                              .types = "4",
                                              .config = "A=2",
                                              .launch_plan = gemm_plan,
                                              .cubin = gemm_cubin});
    store = open_store(fixture);
    ask(store, near, 0, text);
    assert_contains(text, "| 1 A=1");
    ask(store, dims, 0, text);
    assert_contains(text, "| 2 A=2");
    assert_int_equal(hone__store_op(store, "gemm", &op, &err), HONE_OK);
    assert_false(op->is_whole);
    /* From the ninth on. */
    for (int64_t i = 1; i <= 8; ++i)
        ask(store, (const int64_t[]){1 << 20, 1 << 20, i, HONE_TYPE_F32}, 0,
            text);
    assert_true(op->is_whole);
    hone__store_close(store);
}

/* Eight problems far from all, then a read of all rows that fails at any of its
 * allocations: the operation is there when it is asked for again. */
static void asked_again_after_a_failure(void **state)
{
    const int64_t far[] = {1000000, 64, 64, HONE_TYPE_F32};
    hone_status status = HONE_ERR_NO_MEMORY;

    for (int64_t m = 64; m <= 512; m *= 2)
        runtime_put(*state,
                    &(tuned_row){.op = "gemm",
                                 .dims = (const int64_t[]){m, 64, 64, 4},
                                 .n_dims = 4,
                                 .types = "4",
                                 .config = "BM=64,SPLIT=4",
                                 .launch_plan = gemm_plan,
                                 .is_default = 1,
                                 .cubin = gemm_cubin});
    for (long n = 0; status != HONE_OK; ++n) {
        hone_ctx *ctx = runtime_open(*state);
        hone_plan *plan = NULL;

        assert_in_range(n, 0, 500);
        for (int64_t i = 1; i <= 8; ++i) {
            const int64_t dims[] = {2000000 + i * 16, 64, 64, HONE_TYPE_F32};

            assert_hone(ctx,
                        hone_plan_create(ctx, "gemm", dims, 4, &plan, NULL),
                        HONE_OK);
            hone_plan_destroy(plan);
        }
        hone__alloc_fail_once(n);
        status = hone_plan_create(ctx, "gemm", far, 4, &plan, NULL);
        (void)hone__alloc_fail_end();
        assert_true(status == HONE_OK || status == HONE_ERR_NO_MEMORY);
        hone_plan_destroy(plan);
        assert_hone(ctx, hone_plan_create(ctx, "gemm", far, 4, &plan, NULL),
                    HONE_OK);
        hone_plan_destroy(plan);
        hone_close(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_from_all_rows),
        cmocka_unit_test_setup_teardown(reads_what_is_near, runtime_setup,
                                        runtime_teardown),
        cmocka_unit_test_setup_teardown(asked_again_after_a_failure,
                                        runtime_setup, runtime_teardown),
    };

    return cmocka_run_group_tests_name("near", tests, NULL, NULL);
}
