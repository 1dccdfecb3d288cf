/* SPDX-License-Identifier: Apache-2.0 */
/* Every statement of db/ and runtime/store/ is answered by the indexes that are
 * there for it: plans.golden has how. A line with SCAN reads a whole table: of
 * one that grows with use there is none but where all of it is asked for. */
#include "db/db_model.h"
#include "db_fixture.h"
#include "plans.h"

#include "db/db_internal.h"
#include "db/db_pack.h"
#include "db/db_shards.h"
#include "runtime/store/store_kind.h"
#include "tests/runtime/tuned_db.h"

#include <string.h>
#include <unistd.h>

/* ---- all of db/ ---------------------------------------------------------- */

static hone_status on_any(void *user, const void *row, hone_error *err)
{
    (void)user;
    (void)row;
    (void)err;
    return HONE_OK;
}

static hone_status on_trial(void *user, const hone_db_trial_row *row,
                            hone_error *err)
{
    return on_any(user, row, err);
}

static hone_status on_earlier(void *user, const hone_db_earlier *row,
                              hone_error *err)
{
    return on_any(user, row, err);
}

static hone_status on_ends(void *user, const hone_db_ends *row, hone_error *err)
{
    return on_any(user, row, err);
}

static hone_status on_ranked(void *user, const hone_db_ranked_row *row,
                             hone_error *err)
{
    return on_any(user, row, err);
}

static void write_results(db_fixture *f)
{
    const hone_db_ranked ranked[] = {
        {f->trial_id[1], 7000, 6990, 7010, "interval"},
        {f->trial_id[0], 8000, 0, 0, NULL}};
    const hone_db_session_summary summary = {.verdict = "decided"};
    const hone_db_baseline baseline = {
        .session_id = f->session_id, .name = "cublas", .time_ns = 5};
    const hone_db_decision decision = {.session_id = f->session_id,
                                       .trial_id = f->trial_id[0],
                                       .kind = "winner",
                                       .text = "why"};
    const hone_db_model model = {.op = "gemm_f16",
                                 .device_id = f->device_id,
                                 .types = "",
                                 .mode = "cold",
                                 .kind = "time",
                                 .text = "hone-model 1\n",
                                 .text_bytes = 13};
    hone_db_model_row row;
    int64_t id;

    assert_ok(hone__db_ranking_put(f->db, f->session_id, ranked, 2, why));
    assert_ok(hone__db_session_measured(f->db, f->session_id, &summary, why));
    assert_ok(hone__db_baseline_put(f->db, &baseline, &id, why));
    assert_ok(hone__db_decision_put(f->db, &decision, &id, why));
    assert_ok(hone__db_model_put(f->db, &model, why));
    assert_ok(hone__db_model_get(f->db, &model, &row, why));
    hone__text_free(&row.text);
    assert_ok(hone__db_session_finish(f->db, f->session_id, "done", why));
}

static void read_back(db_fixture *f)
{
    const hone_db_trial_key key = {f->device_id, f->problem_id, f->template_id,
                                   f->toolchain_id, "cold"};
    const hone_db_variant as = {.template_id = f->template_id,
                                .toolchain_id = f->toolchain_id,
                                .config = "BM=64",
                                .arch = "sm_90a",
                                .outcome = "ok",
                                .launch_plan = "hone-launch 1\n"};
    hone_db_launch launch = {0};
    hone_db_summary summary;
    int moved;

    assert_ok(hone__db_trials(f->db, &key, on_trial, NULL, why));
    assert_ok(hone__db_ends(f->db, &key, on_ends, NULL, why));
    assert_ok(hone__db_variants_earlier(f->db, &key, "sm_90a", "", on_earlier,
                                        NULL, why));
    assert_ok(hone__db_ranked_configs(f->db, "gemm_f16", NULL, "cuda", 3,
                                      on_ranked, NULL, why));
    assert_ok(hone__db_ranked_configs(f->db, "gemm_f16", "plain", "cuda", 3,
                                      on_ranked, NULL, why));
    /* Not a plan that could be launched, but a statement. */
    (void)hone__db_launch_get(f->db, f->variant_id[0], &launch, NULL);
    hone__db_launch_free(&launch);
    assert_ok(hone__db_variant_move(f->db, f->variant_id[0], &as, &moved, why));
    assert_ok(hone__db_inspect(f->path, INT64_MAX, &summary, why));
}

static hone_status on_unshared(void *user, const hone_db_unshared *row,
                               hone_error *err)
{
    return on_any(user, row, err);
}

/* A list that is shared out, and a session of its first shard. */
static void look_at_shards(db_fixture *f)
{
    const hone_db_listed line = {1, 2, "gemm_f16", "64,64,64", "gemm_f16"};
    char id[HONE_SHARD_LIST_ID];
    char mark[HONE_SHARD_MARK];
    hone_db_session session = {.device_id = f->device_id,
                               .problem_id = f->problem_id,
                               .template_id = f->template_id,
                               .mode = "cold",
                               .strategy = "auto",
                               .budget = mark};
    hone_text list = {0};
    hone_db_shards all;
    int64_t session_id;

    hone__db_shards_begin(2, &list);
    hone__db_shards_add(&line, &list);
    hone__db_shards_id(&list, id);
    hone__db_shards_mark(1, 2, id, &line, mark);
    assert_ok(hone__db_shards_put(f->db, &list, why));
    assert_ok(hone__db_session_begin(f->db, &session, &session_id, why));
    assert_ok(hone__db_shards_open(f->db, on_unshared, NULL, &all, why));
    assert_int_equal(all.n_lists, 1);
    assert_int_equal(all.n_problems, 2);
    assert_int_equal(all.n_open, 2);
    assert_int_equal(all.n_lost, 0);
    hone__text_free(&list);
}

static void test_plans_of_db(void **state)
{
    db_fixture *const f = *state;
    hone_text plans = {0};

    hone__db_close(f->db);
    plans_begin();
    assert_ok(hone__db_open(f->path, 0, &f->db, why));
    fixture_fill(f);
    write_results(f);
    read_back(f);
    look_at_shards(f);
    plans_end(f->path, &plans);
    assert_true(plans_are(&plans, "plans_db.golden"));
    hone__text_free(&plans);
}

/* ---- scripts --------------------------------------------------------------
 */

/* Rows of another file are found by indexes of ours, and what is old by those
 * of its own: all of a source is read, and for gc all templates, problems and
 * artifacts, but no table for each row of another. */
static void test_plans_of_scripts(void **state)
{
    db_fixture *const f = *state;
    hone_db_collected gone;
    hone_db_merged merged;
    hone_text plans = {0}, other = {0};
    const char *path;

    hone__text_printf(&other, "%s-other", f->path);
    path = hone__text_str(&other);
    write_results(f);
    hone__db_close(f->db);
    assert_ok(hone__db_open(path, HONE_DB_CREATE, &f->db, why));
    hone__db_close(f->db);
    plans_begin_live();
    assert_ok(hone__db_open(path, 0, &f->db, why));
    {
        const char *const paths[] = {f->path};

        assert_ok(hone__db_merge_files(f->db, paths, 1, &merged, why));
    }
    /* Not by `merged`: to ask for a plan sets changes() to 0. */
    assert_int_equal(fixture_integer(f->db, "SELECT count(*) FROM session"), 1);
    assert_ok(hone__db_gc(f->db, 0, &gone, why));
    plans_end(path, &plans);
    hone__db_close(f->db);
    assert_int_equal(unlink(path), 0);
    assert_ok(hone__db_open(f->path, 0, &f->db, why));
    assert_true(plans_are(&plans, "plans_scripts.golden"));
    hone__text_free(&plans);
    hone__text_free(&other);
}

/* ---- the runtime, and packs ------------------------------------------------
 */

static const char plan_text[] = "hone-launch 1\nop axpy\ndim n int\n"
                                "arg x in 4 n\narg y inout 4 n\nlaunch k\n"
                                "grid 1 ; 1 ; 1\nblock 256 ; 1 ; 1\n"
                                "pass x\npass y\nvalue i32 n\n";

static void make_tuned(const char *path)
{
    static const int64_t dims[] = {1000};
    const tuned_row row = {.dims = dims,
                           .n_dims = 1,
                           .launch_plan = plan_text,
                           .cubin = "a cubin",
                           .is_default = 1};
    hone_db *db = NULL;

    assert_ok(hone__db_open(path, HONE_DB_CREATE, &db, why));
    assert_ok(tuned_put(db, &row, why));
    hone__db_close(db);
}

static hone_status on_name(void *user, const char *name, hone_error *err)
{
    return on_any(user, name, err);
}

static double one(const void *user, const int64_t *dims)
{
    (void)user;
    return dims[0] > 0;
}

/* A shape that was tuned, and one that was not, in each way to answer. */
static void gather(hone_store *store, hone_store_op *op)
{
    static const hone_match_kind kinds[] = {
        HONE_MATCH_EXACT, HONE_MATCH_NEIGHBOUR, HONE_MATCH_DEFAULT,
        HONE_MATCH_FAMILY};
    static const int64_t dims[] = {1000, 999};
    hone_wanted wanted = {.arch = "sm_90",
                          .types = "",
                          .dims = dims,
                          .n_dims = 1,
                          .distance = one,
                          .most = 4};

    for (size_t i = 0; i < N_OF(kinds); i++) {
        wanted.kind = kinds[i];
        assert_ok(hone__store_gather(store, op, &wanted, why));
        wanted.dims = &dims[1];
    }
}

/* What choosers are read with; there is none. */
static void ask_choosers(hone_store *store, hone_store_op *op)
{
    hone_store_chooser of = {.device_name = ""};
    hone_text text = {0};

    assert_ok(hone__store_choosers(store, op, why));
    assert_null(op->choosers);
    assert_int_equal(store->kind->chooser_text(store, &of, &text, NULL),
                     HONE_ERR_DATABASE);
    assert_ok(hone__chooser_create("axpy", 1, 0, 0, &of.chooser, why));
    assert_ok(store->kind->read_members(store, op, &of, why));
    hone__chooser_free(of.chooser);
    hone__text_free(&text);
}

static void ask_runtime(const char *path)
{
    const hone_name_visitor visitor = {on_name, NULL};
    hone_text cubin = {0};
    hone_store *store = NULL;
    hone_store_op *op = NULL;

    assert_ok(hone__store_open(path, &store, why));
    assert_ok(hone__store_op(store, "axpy", &op, why));
    gather(store, op);
    assert_ok(hone__store_widen(store, op, why));
    assert_int_equal(op->n_rows, 2); /* a winner and a default */
    assert_ok(hone__store_runners_up(store, op, op->rows[0], why));
    ask_choosers(store, op);
    for (int64_t rank = 0; rank < 3; ++rank) {
        op->rows[0]->rank = rank; /* each has a statement; not all find it */
        (void)hone__store_cubin(store, op->rows[0], &cubin, NULL);
    }
    op->rows[0]->is_member = 1;
    (void)hone__store_cubin(store, op->rows[0], &cubin, NULL);
    assert_ok(
        hone__store_op_configured(store, "axpy", NULL, "BLOCK=256", &op, why));
    assert_ok(hone__store_gather(store, op, NULL, why));
    assert_ok(hone__store_widen(store, op, why));
    assert_ok(hone__store_visit_ops(store, &visitor, why));
    assert_ok(hone__store_visit_implementations(store, op, &visitor, why));
    hone__store_close(store);
    hone__text_free(&cubin);
}

static void make_pack(const char *path)
{
    const hone_db_pack_request request = {0};
    hone_db_pack_summary summary = {0};
    hone_text pack = {0};
    hone_db *db = NULL;

    assert_ok(hone__db_open(path, HONE_DB_READONLY, &db, why));
    assert_ok(hone__db_pack(db, &request, &pack, &summary, why));
    hone__db_pack_summary_free(&summary);
    hone__text_free(&pack);
    hone__db_close(db);
}

static void test_plans_of_runtime(void **state)
{
    db_fixture *const f = *state;
    char path[400];
    hone_text plans = {0};

    fixture_path(f, "tuned.db", path, sizeof path);
    make_tuned(path);
    plans_begin();
    ask_runtime(path);
    make_pack(path);
    plans_end(path, &plans);
    assert_true(plans_are(&plans, "plans_runtime.golden"));
    hone__text_free(&plans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_plans_of_db),
        CASE_FILLED(test_plans_of_scripts),
        CASE(test_plans_of_runtime),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
