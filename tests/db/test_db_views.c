/* SPDX-License-Identifier: Apache-2.0 */
/* The views are the interface of other programs: their columns are pinned by
 * views.golden, and what they answer is checked on one small tuning run. */
#include "db_fixture.h"

#include <string.h>
#include <zstd.h>

static void rank(db_fixture *f)
{
    const hone_db_ranked ranked[] = {
        {f->trial_id[1], 7000, 6990, 7010, "interval"},
        {f->trial_id[0], 8000, 0, 0, NULL}};

    assert_ok(hone__db_ranking_put(f->db, f->session_id, ranked, 2, why));
}

static int setup_ranked(void **state)
{
    if (fixture_setup(state))
        return -1;
    fixture_open(*state);
    fixture_fill(*state);
    rank(*state);
    return 0;
}

/* Columns may be appended to a view, nothing else, and then the golden file
 * is changed by hand. */
static void test_columns_are_pinned(void **state)
{
    const db_fixture *const f = *state;
    hone_text golden = {0};
    hone_text actual = {0};

    assert_ok(hone__text_read_file(&golden, "views.golden", why));
    fixture_rows(f->db,
                 "SELECT v.name || '.' || c.name FROM sqlite_schema v,"
                 " pragma_table_info(v.name) c WHERE v.type = 'view'"
                 " ORDER BY v.name, c.cid",
                 &actual);
    assert_string_equal(hone__text_str(&actual), hone__text_str(&golden));
    hone__text_free(&actual);
    hone__text_free(&golden);
}

/* FORMAT.md names every view and every column, as code. */
static void test_columns_are_documented(void **state)
{
    const db_fixture *const f = *state;
    hone_text format = {0};
    hone_text names = {0};

    assert_ok(hone__text_read_file(&format, "../../db/FORMAT.md", why));
    fixture_rows(f->db,
                 "SELECT DISTINCT '`' || c.name || '`' FROM sqlite_schema v,"
                 " pragma_table_info(v.name) c WHERE v.type = 'view' UNION"
                 " SELECT '### ' || name || ':' FROM sqlite_schema"
                 " WHERE type = 'view' UNION SELECT '`' || name || '`'"
                 " FROM sqlite_schema WHERE type = 'table'",
                 &names);
    for (char *name = names.data; *name;) {
        char *const end = strchr(name, '\n');

        *end = '\0';
        if (!strstr(format.data, name))
            fail_msg("db/FORMAT.md does not document %s", name);
        name = end + 1;
    }
    hone__text_free(&names);
    hone__text_free(&format);
}

/* ---- winner_v1 ----------------------------------------------------------
 */

static void test_winner(void **state)
{
    const db_fixture *const f = *state;

    assert_rows(f->db,
                "SELECT op, dims, label, mode, device_name, device_kind,"
                " arch, sm_count, driver_version, config, time_ns, ci_low_ns,"
                " ci_high_ns, default_time_ns, decided_by, is_default,"
                " registers, toolchain, compile_arch, template_name,"
                " template_is_latest, launch_plan FROM winner_v1",
                "gemm_f16|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|"
                "cuda|sm_90|132|13000|BM=128|7000|6990|7010|8000|"
                "interval|0|101|nvrtc 13.0|sm_90a|gemm_f16.cu|1|"
                "hone-launch 1\n\n");
    assert_rows(f->db,
                "SELECT count(*) FROM winner_v1"
                " WHERE tuned_at > '2020-01-01 00:00:00'",
                "1\n");
}

/* Another trial of the default variant, in a session of its own. */
static void default_is_tried_again(db_fixture *f, double time_ns)
{
    hone_db_session later = {.device_id = f->device_id,
                             .problem_id = f->problem_id,
                             .template_id = f->template_id,
                             .mode = "cold"};
    hone_db_trial trial = {.variant_id = f->variant_id[0],
                           .outcome = "ok",
                           .time_ns = time_ns,
                           .verified = 1};
    int64_t id;

    assert_ok(hone__db_session_begin(f->db, &later, &trial.session_id, why));
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
}

/* Both times are of the final, whatever was measured elsewhere; ranks that
 * the final did not see have nothing to be compared with. */
static void test_a_row_is_one_measurement(void **state)
{
    static const char rows[] = "SELECT config, time_ns, default_time_ns,"
                               " gain, verdict FROM winner_v1";
    static const hone_db_session_summary noisy = {
        -1, 0.01, -1, -1, -1, .verdict = "too_noisy"};
    db_fixture *const f = *state;
    hone_db_ranked ranked[] = {{f->trial_id[0], 8000, 0, 0, "the default"},
                               {f->trial_id[1], 9000, 0, 0, HONE_DB_BY_TRIAL}};

    assert_ok(hone__db_session_finish(f->db, f->session_id, "done", why));
    assert_rows(f->db, rows, "BM=128|7000|8000|1.14286|\n");
    default_is_tried_again(f, 500000);
    assert_rows(f->db, rows, "BM=128|7000|8000|1.14286|\n");
    assert_ok(hone__db_ranking_put(f->db, f->session_id, ranked, 2, why));
    assert_ok(hone__db_session_measured(f->db, f->session_id, &noisy, why));
    assert_rows(f->db, rows, "BM=64|8000|8000|1|too_noisy\n");
    assert_rows(f->db,
                "SELECT default_time_ns, verdict FROM ranked_v1"
                " ORDER BY rank",
                "8000|too_noisy\n|too_noisy\n");
}

/* Nothing raced: what there is are trials, and the row says so. */
static void test_winner_without_a_final(void **state)
{
    db_fixture *const f = *state;
    const hone_db_ranked ranked = {f->trial_id[1], 7123.25, 0, 0,
                                   HONE_DB_BY_TRIAL};

    assert_ok(hone__db_ranking_put(f->db, f->session_id, &ranked, 1, why));
    assert_ok(
        hone__db_session_finish(f->db, f->session_id, "interrupted", why));
    assert_rows(f->db,
                "SELECT time_ns, default_time_ns, verdict FROM winner_v1",
                "7123.25|8123.25|interrupted\n");
}

static hone_status check_cubin(void *user, const hone_db_row *row,
                               hone_error *err)
{
    char bytes[64];
    char sha256[HONE_SHA256_HEX];
    const size_t n = ZSTD_decompress(bytes, sizeof bytes, row->values[0].text,
                                     row->values[0].size_bytes);

    (void)err;
    assert_false(ZSTD_isError(n));
    assert_int_equal(n, row->values[1].integer);
    hone__sha256_hex(bytes, n, sha256);
    assert_string_equal(sha256, row->values[2].text);
    assert_memory_equal(bytes, user, n);
    return HONE_OK;
}

static void test_cubin_is_there(void **state)
{
    const db_fixture *const f = *state;
    char winner[] = "BM=128";
    char fallback[] = "BM=64";

    assert_ok(hone__db_query(f->db,
                             "SELECT cubin, cubin_size_bytes, cubin_sha256"
                             " FROM winner_v1",
                             NULL, 0, check_cubin, winner, why));
    assert_ok(hone__db_query(f->db,
                             "SELECT cubin, cubin_size_bytes, cubin_sha256"
                             " FROM default_v1",
                             NULL, 0, check_cubin, fallback, why));
}

/* One row per problem, device and mode, whatever else is in there. */
static void test_one_winner_per_mode_and_device(void **state)
{
    db_fixture *const f = *state;
    hone_db_session hot = {.device_id = f->device_id,
                           .problem_id = f->problem_id,
                           .template_id = f->template_id,
                           .mode = "hot"};
    hone_db_trial trial = {.variant_id = f->variant_id[0],
                           .outcome = "ok",
                           .time_ns = 6000,
                           .verified = 1};
    hone_db_device other = fixture_device;

    for (int i = 0; i < 2; i++) { /* hot here, then hot on another device */
        hone_db_ranked ranked = {0, 6000, 0, 0, NULL};

        assert_ok(hone__db_session_begin(f->db, &hot, &trial.session_id, why));
        assert_ok(hone__db_trial_put(f->db, &trial, &ranked.trial_id, why));
        assert_ok(
            hone__db_ranking_put(f->db, trial.session_id, &ranked, 1, why));
        other.name = "NVIDIA H100";
        assert_ok(hone__db_device_put(f->db, &other, &hot.device_id, why));
    }
    assert_rows(f->db,
                "SELECT device_name, mode, config, time_ns FROM winner_v1"
                " ORDER BY 1, 2",
                "NVIDIA H100|hot|BM=64|6000\n"
                "NVIDIA H200|cold|BM=128|7000\n"
                "NVIDIA H200|hot|BM=64|6000\n");
}

static void test_winner_of_an_edited_template(void **state)
{
    db_fixture *const f = *state;
    hone_db_template edited = {.op = "gemm_f16",
                               .name = "gemm_f16.cu",
                               .sha256 = "ff112233445566778899aabbccddeeff"
                                         "00112233445566778899aabbccddeeff",
                               .source = "edited",
                               .source_bytes = 6};
    int64_t id;

    assert_ok(hone__db_template_put(f->db, &edited, &id, why));
    assert_rows(f->db, "SELECT template_is_latest FROM winner_v1", "0\n");
    edited.sha256 = fixture_sha256; /* edited back */
    assert_ok(hone__db_template_put(f->db, &edited, &id, why));
    assert_int_equal(id, f->template_id);
    assert_rows(f->db, "SELECT template_is_latest FROM winner_v1", "1\n");
}

/* ---- default_v1 ---------------------------------------------------------
 */

static void test_default_of_every_arch_and_type(void **state)
{
    static const struct {
        const char *arch;
        const char *types;
        int has_cubin;
    } cases[] = {{"sm_100f", "", 1},
                 {"sm_80", "4", 1},
                 {"sm_80", "5", 1},
                 {"sm_89", "", 0}};
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .outcome = "ok",
                               .is_default = 1};
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    hone__sha256_hex("BM=64", 5, sha256);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        variant.arch = cases[i].arch;
        variant.types = cases[i].types;
        variant.cubin_sha256 = cases[i].has_cubin ? sha256 : NULL;
        assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    }
    assert_rows(f->db,
                "SELECT op, arch, types, config, compile_arch"
                " FROM default_v1 ORDER BY 2, 3",
                "gemm_f16|sm_100||BM=64|sm_100f\n"
                "gemm_f16|sm_80|4|BM=64|sm_80\n"
                "gemm_f16|sm_80|5|BM=64|sm_80\n"
                "gemm_f16|sm_90||BM=64|sm_90a\n");
}

static void test_default_is_of_the_latest_template(void **state)
{
    db_fixture *const f = *state;
    const hone_db_template newer = {.op = "gemm_f16",
                                    .name = "gemm_f16.cu",
                                    .sha256 =
                                        "ff112233445566778899aabbccddeeff"
                                        "00112233445566778899aabbccddeeff",
                                    .source = "edited",
                                    .source_bytes = 6};
    hone_db_variant variant = {.toolchain_id = f->toolchain_id,
                               .config = "BM=32",
                               .arch = "sm_90",
                               .outcome = "ok",
                               .is_default = 1};
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    assert_ok(hone__db_template_put(f->db, &newer, &variant.template_id, why));
    assert_rows(f->db, "SELECT config FROM default_v1", "BM=64\n");
    hone__sha256_hex("BM=64", 5, sha256);
    variant.cubin_sha256 = sha256;
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_rows(f->db, "SELECT config, template_sha256 FROM default_v1",
                "BM=32|ff112233445566778899aabbccddeeff"
                "00112233445566778899aabbccddeeff\n");
}

/* ---- the others ---------------------------------------------------------
 */

static void test_trial_view(void **state)
{
    const db_fixture *const f = *state;

    assert_rows(f->db,
                "SELECT op, dims, mode, device_name, config, outcome,"
                " message, time_ns, n_samples, verified, sm_clock_mhz,"
                " power_mw, registers, started_at, strategy FROM trial_v1"
                " WHERE outcome <> 'ok' OR is_default ORDER BY trial_id",
                "gemm_f16|4096,4096,512|cold|NVIDIA H200|BM=64|ok||8123.25|"
                "3|1|1980|400000|100|2023-11-14 22:13:20.000|random\n"
                "gemm_f16|4096,4096,512|cold|NVIDIA H200|BM=256|compile|"
                "line 3: no such type||0|0|1980|400000||"
                "2023-11-14 22:13:20.000|random\n");
    assert_rows(f->db, "SELECT count(*) FROM trial_v1", "3\n");
}

static void test_baseline_view_has_the_last(void **state)
{
    db_fixture *const f = *state;
    hone_db_baseline baseline = {.session_id = f->session_id,
                                 .name = "cublaslt",
                                 .label = "cuBLASLt (best of 8)",
                                 .algorithm = 2,
                                 .n_algorithms = 8,
                                 .time_ns = 9000};
    int64_t id;

    assert_ok(hone__db_baseline_put(f->db, &baseline, &id, why));
    baseline.name = "cublas";
    assert_ok(hone__db_baseline_put(f->db, &baseline, &id, why));
    fixture_fill(f); /* a second session */
    baseline.session_id = f->session_id;
    baseline.time_ns = 9500;
    assert_ok(hone__db_baseline_put(f->db, &baseline, &id, why));
    assert_rows(f->db,
                "SELECT op, dims, mode, name, baseline_label, algorithm,"
                " time_ns, session_id FROM baseline_v1 ORDER BY name",
                "gemm_f16|4096,4096,512|cold|cublas|cuBLASLt (best of 8)|2|"
                "9500|2\n"
                "gemm_f16|4096,4096,512|cold|cublaslt|cuBLASLt (best of 8)|"
                "2|9000|1\n");
}

static void test_coverage(void **state)
{
    db_fixture *const f = *state;

    fixture_fill(f); /* the same problem again */
    assert_rows(f->db,
                "SELECT op, device_name, arch, mode, n_problems, n_winners,"
                " n_trials, n_ok FROM coverage_v1",
                "gemm_f16|NVIDIA H200|sm_90|cold|1|1|6|4\n");
}

static void test_views_of_an_empty_database(void **state)
{
    static const char *const views[] = {
        "SELECT * FROM winner_v1", "SELECT * FROM default_v1",
        "SELECT * FROM trial_v1", "SELECT * FROM baseline_v1",
        "SELECT * FROM coverage_v1"};
    db_fixture *const f = *state;

    fixture_open(f);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        assert_rows(f->db, views[i], "");
}

/* Looking a winner up must not get slower with the size of the file. */
static void test_winner_is_found_by_index(void **state)
{
    db_fixture *const f = *state;
    hone_text plan = {0};

    fixture_rows(f->db,
                 "EXPLAIN QUERY PLAN SELECT config, cubin FROM winner_v1"
                 " WHERE op = 'a' AND dims = '1' AND arch = 'sm_90'"
                 " AND sm_count = 132 AND mode = 'cold'",
                 &plan);
    assert_null(strstr(hone__text_str(&plan), "SCAN"));
    hone__text_free(&plan);
}

#define RANKED(name)                                                           \
    cmocka_unit_test_setup_teardown(name, setup_ranked, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKED(test_columns_are_pinned),
        RANKED(test_columns_are_documented),
        RANKED(test_winner),
        RANKED(test_a_row_is_one_measurement),
        RANKED(test_winner_without_a_final),
        RANKED(test_cubin_is_there),
        RANKED(test_one_winner_per_mode_and_device),
        RANKED(test_winner_of_an_edited_template),
        RANKED(test_default_of_every_arch_and_type),
        RANKED(test_default_is_of_the_latest_template),
        RANKED(test_trial_view),
        RANKED(test_baseline_view_has_the_last),
        RANKED(test_coverage),
        RANKED(test_winner_is_found_by_index),
        cmocka_unit_test_setup_teardown(test_views_of_an_empty_database,
                                        fixture_setup, fixture_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
