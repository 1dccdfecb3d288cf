/* SPDX-License-Identifier: Apache-2.0 */
/* What a session measured, its decisions, how trials were timed; and that a
 * trial with all that belongs to it is one durable step. */
#define _DEFAULT_SOURCE /* syscall() */
#include "db_fixture.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- decisions ----------------------------------------------------------
 */

static void test_decision_and_its_view(void **state)
{
    db_fixture *const f = *state;
    const hone_db_decision compared = {.session_id = f->session_id,
                                       .trial_id = f->trial_id[1],
                                       .against_trial_id = f->trial_id[0],
                                       .kind = "winner",
                                       .ratio = 0.875,
                                       .ratio_low = 0.87,
                                       .ratio_high = 0.88,
                                       .n_samples = 40,
                                       .text = "12.5 % faster"};
    const hone_db_decision gated = {.session_id = f->session_id,
                                    .variant_id = f->variant_id[2],
                                    .kind = "gated",
                                    .text = "too many registers"};
    const hone_db_decision noisy = {.session_id = f->session_id,
                                    .kind = "too_noisy",
                                    .text = "the clock jumps"};
    int64_t id;

    assert_ok(hone__db_decision_put(f->db, &compared, &id, why));
    assert_int_equal(id, 1);
    assert_ok(hone__db_decision_put(f->db, &gated, &id, why));
    assert_ok(hone__db_decision_put(f->db, &noisy, &id, why));
    assert_int_equal(id, 3);
    /* The variant is the trial's; what is unknown is NULL. */
    assert_rows(f->db,
                "SELECT op, dims, label, mode, device_name, device_kind,"
                " session_id, kind, config, against_config, ratio,"
                " ratio_low, ratio_high, n_samples, text, variant_id"
                " FROM decision_v1 ORDER BY decision_id",
                "gemm_f16|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|"
                "cuda|1|winner|BM=128|BM=64|0.875|0.87|0.88|40|12.5 % faster|"
                "2\n"
                "gemm_f16|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|"
                "cuda|1|gated|BM=256|||||0|too many registers|3\n"
                "gemm_f16|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|"
                "cuda|1|too_noisy||||||0|the clock jumps|\n");
    assert_rows(f->db,
                "SELECT count(*) FROM decision_v1"
                " WHERE at > '2020-01-01 00:00:00.000'"
                " AND at_unix_ns > 1577836800000000000",
                "3\n");
}

static void test_every_kind_is_taken(void **state)
{
    static const char *const kinds[] = {
        "gated",     "deferred", "screened",  "contender",
        "incumbent", "finalist", "refuted",   "dropped",
        "tied",      "winner",   "too_noisy", "alarm",
        "discarded", "retried",  "seeded",    "stopped"};
    db_fixture *const f = *state;
    int64_t id;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const hone_db_decision decision = {.session_id = f->session_id,
                                           .trial_id = f->trial_id[0],
                                           .kind = kinds[i],
                                           .text = "so it is"};

        assert_ok(hone__db_decision_put(f->db, &decision, &id, why));
    }
    assert_rows(f->db, "SELECT count(DISTINCT kind) FROM decision", "16\n");
}

static void test_decision_is_refused(void **state)
{
    db_fixture *const f = *state;
    const hone_db_decision good = {.session_id = f->session_id,
                                   .trial_id = f->trial_id[0],
                                   .kind = "screened",
                                   .text = "slower"};
    const struct {
        size_t offset; /* of the member that is wrong */
        int64_t id;
        const char *text;
        hone_status expected;
        int native;
    } cases[] = {
        {offsetof(hone_db_decision, session_id), 99, NULL, HONE_ERR_DATABASE,
         SQLITE_CONSTRAINT_FOREIGNKEY},
        {offsetof(hone_db_decision, trial_id), 99, NULL, HONE_ERR_DATABASE,
         SQLITE_CONSTRAINT_FOREIGNKEY},
        {offsetof(hone_db_decision, variant_id), 99, NULL, HONE_ERR_DATABASE,
         SQLITE_CONSTRAINT_FOREIGNKEY},
        {offsetof(hone_db_decision, against_trial_id), 99, NULL,
         HONE_ERR_DATABASE, SQLITE_CONSTRAINT_FOREIGNKEY},
        {offsetof(hone_db_decision, n_samples), -1, NULL, HONE_ERR_DATABASE,
         SQLITE_CONSTRAINT_CHECK},
        {offsetof(hone_db_decision, kind), 0, "Guessed it", HONE_ERR_DATABASE,
         SQLITE_CONSTRAINT_CHECK},
        {offsetof(hone_db_decision, kind), 0, NULL, HONE_ERR_ARGUMENT, 0},
        {offsetof(hone_db_decision, text), 0, "", HONE_ERR_ARGUMENT, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hone_db_decision bad = good;
        hone_error err = {0};
        int64_t id = 7;

        if (cases[i].id)
            memcpy((char *)&bad + cases[i].offset, &cases[i].id,
                   sizeof cases[i].id);
        else
            memcpy((char *)&bad + cases[i].offset, &cases[i].text,
                   sizeof cases[i].text);
        assert_int_equal(hone__db_decision_put(f->db, &bad, &id, &err),
                         cases[i].expected);
        assert_int_equal(err.native, cases[i].native);
    }
    assert_rows(f->db, "SELECT count(*) FROM decision", "0\n");
}

/* ---- what a session measured --------------------------------------------
 */

static void test_session_summary(void **state)
{
    static const char summary[] =
        "SELECT event_floor_ns, noise_floor, warm_up_ns, device_busy_ns,"
        " device_wall_ns, verdict FROM session_v1";
    db_fixture *const f = *state;
    hone_db_session_summary known = {-1, -1, -1, -1, -1, NULL, NULL};

    assert_rows(f->db, summary, "|||||\n");
    known.event_floor_ns = 5400.5;
    known.warm_up_ns = 0; /* zero is a measurement */
    assert_ok(hone__db_session_measured(f->db, f->session_id, &known, why));
    assert_rows(f->db, summary, "5400.5||0|||\n");
    /* Later: the rest; what is not known now stays. */
    known =
        (hone_db_session_summary){NAN, 0.004, -1, 70, 100, "tied", "budget"};
    assert_ok(hone__db_session_measured(f->db, f->session_id, &known, why));
    assert_rows(f->db, summary, "5400.5|0.004|0|70|100|tied\n");
    assert_status(hone__db_session_measured(f->db, 99, &known, why),
                  HONE_ERR_ARGUMENT);
    known.verdict = "perhaps";
    assert_status(hone__db_session_measured(f->db, f->session_id, &known, why),
                  HONE_ERR_DATABASE);
    assert_rows(f->db, summary, "5400.5|0.004|0|70|100|tied\n");
}

static void test_session_view(void **state)
{
    db_fixture *const f = *state;

    assert_rows(f->db,
                "SELECT op, dims, label, mode, device_name, template_name,"
                " strategy, budget, status, n_trials, duration_s IS NULL"
                " FROM session_v1",
                "gemm_f16|4096,4096,512|M=4096 N=4096 K=512|cold|NVIDIA H200|"
                "gemm_f16.cu|random|200|running|3|1\n");
}

/* ---- how a trial was timed ----------------------------------------------
 */

static void test_timing(void **state)
{
    static const char last[] =
        "SELECT timing, n_discarded, sample_time_ns FROM trial_v1"
        " ORDER BY trial_id DESC LIMIT 1";
    db_fixture *const f = *state;
    hone_db_trial trial = {.session_id = f->session_id,
                           .variant_id = f->variant_id[0],
                           .outcome = "ok",
                           .time_ns = 5,
                           .timing = "graph",
                           .sample_time_ns = 70};
    int64_t id;

    assert_rows(f->db, last, "||\n"); /* the fixture does not say */
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    assert_rows(f->db, last, "graph|0|70\n");
    trial.timing = NULL;
    trial.n_discarded = 2;
    trial.sample_time_ns = 0;
    assert_ok(hone__db_trial_put(f->db, &trial, &id, why));
    assert_rows(f->db, last, "|2|\n");
    trial.timing = "sundial";
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_DATABASE);
    trial.timing = "host";
    trial.n_discarded = -1;
    assert_status(hone__db_trial_put(f->db, &trial, &id, why),
                  HONE_ERR_DATABASE);
}

static void test_compiler_warnings(void **state)
{
    static const char warnings[] =
        "SELECT compiler_warnings FROM trial_v1 WHERE trial_id = 1";
    db_fixture *const f = *state;
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = "BM=64",
                               .arch = "sm_90a",
                               .outcome = "ok",
                               .compiler_warnings = "C7510,C7515"};
    int64_t id;

    assert_rows(f->db, warnings, "\n");
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_int_equal(id, f->variant_id[0]); /* no part of the identity */
    assert_rows(f->db, warnings, "C7510,C7515\n");
    variant.compiler_warnings = "C7510"; /* nothing else changes */
    assert_ok(hone__db_variant_put(f->db, &variant, &id, why));
    assert_rows(f->db, warnings, "C7510\n");
}

/* ---- one step -----------------------------------------------------------
 */

/* SQLite's calls of these functions come here, and go on to the system. */
static int n_syncs;

__attribute__((visibility("default"))) int fsync(int fd);
__attribute__((visibility("default"))) int fdatasync(int fd);

int fsync(int fd)
{
    n_syncs++;
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    n_syncs++;
    return (int)syscall(SYS_fdatasync, fd);
}

/* All that one trial leaves behind; `config` makes it a new variant. */
static hone_status put_all(const db_fixture *f, const char *config,
                           const char *kind, hone_error *err)
{
    hone_db_variant variant = {.template_id = f->template_id,
                               .toolchain_id = f->toolchain_id,
                               .config = config,
                               .arch = "sm_90a",
                               .outcome = "ok"};
    hone_db_trial trial = {
        .session_id = f->session_id, .outcome = "ok", .time_ns = 5};
    hone_db_decision decision = {
        .session_id = f->session_id, .kind = kind, .text = "so it is"};
    const hone_db_session_summary summary = {-1, 0.01, -1, -1, -1, NULL, NULL};
    char sha256[HONE_SHA256_HEX];
    int64_t id;

    HONE_TRY(hone__db_artifact_put(f->db, "cubin", config, strlen(config),
                                   sha256, err));
    variant.cubin_sha256 = sha256;
    HONE_TRY(hone__db_variant_put(f->db, &variant, &trial.variant_id, err));
    HONE_TRY(hone__db_trial_put(f->db, &trial, &decision.trial_id, err));
    HONE_TRY(hone__db_decision_put(f->db, &decision, &id, err));
    HONE_TRY(hone__db_session_measured(f->db, f->session_id, &summary, err));
    return hone__db_ranking_put(
        f->db, f->session_id,
        &(hone_db_ranked){.trial_id = decision.trial_id, .time_ns = 5}, 1, err);
}

static void test_one_commit_is_one_sync(void **state)
{
    db_fixture *const f = *state;
    hone_error err = {0};
    int n_alone;

    n_syncs = 0;
    assert_ok(put_all(f, "BM=1", "incumbent", why));
    n_alone = n_syncs; /* one for every put, each durable by itself */
    assert_true(n_alone >= 6);
    n_syncs = 0;
    assert_ok(hone__db_begin(f->db, why));
    assert_ok(put_all(f, "BM=2", "incumbent", why));
    assert_int_equal(n_syncs, 0);
    assert_ok(hone__db_commit(f->db, &err));
    assert_int_equal(n_syncs, 1);
    assert_rows(f->db, "SELECT config FROM winner_v1", "BM=2\n");
}

/* Somebody else waits for the disk: the commit does not, and what it wrote is
 * in the file that it names. */
static void test_sync_elsewhere(void **state)
{
    db_fixture *const f = *state;
    const char *log = hone__db_sync_elsewhere(f->db);
    const hone_db_decision row = {
        .session_id = f->session_id, .kind = "tied", .text = "later"};
    int64_t id = 0;
    struct stat file;

    assert_non_null(log);
    assert_non_null(strstr(log, "-wal"));
    n_syncs = 0;
    assert_ok(hone__db_decision_put(f->db, &row, &id, why));
    assert_int_equal(n_syncs, 0);
    assert_int_equal(stat(log, &file), 0);
    assert_true(file.st_size > 0);
    assert_ok(hone__db_sync_here(f->db, why));
    assert_ok(hone__db_decision_put(f->db, &row, &id, why));
    assert_int_equal(n_syncs, 1);
}

/* The last put but two is refused: nothing of the others stays. */
static void test_all_or_nothing(void **state)
{
    static const char counts[] =
        "SELECT (SELECT count(*) FROM artifact),"
        " (SELECT count(*) FROM variant), (SELECT count(*) FROM trial),"
        " (SELECT count(*) FROM decision), (SELECT count(*) FROM ranking)";
    db_fixture *const f = *state;

    assert_ok(hone__db_begin(f->db, why));
    assert_status(put_all(f, "BM=3", "no kind", why), HONE_ERR_DATABASE);
    hone__db_rollback(f->db);
    assert_rows(f->db, counts, "4|3|3|0|0\n");
    assert_ok(hone__db_begin(f->db, why));
    assert_ok(put_all(f, "BM=3", "incumbent", why));
    assert_ok(hone__db_commit(f->db, why));
    assert_rows(f->db, counts, "5|4|4|1|1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE_FILLED(test_decision_and_its_view),
        CASE_FILLED(test_every_kind_is_taken),
        CASE_FILLED(test_decision_is_refused),
        CASE_FILLED(test_session_summary),
        CASE_FILLED(test_session_view),
        CASE_FILLED(test_timing),
        CASE_FILLED(test_compiler_warnings),
        CASE_FILLED(test_one_commit_is_one_sync),
        CASE_FILLED(test_sync_elsewhere),
        CASE_FILLED(test_all_or_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
