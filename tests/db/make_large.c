/* SPDX-License-Identifier: Apache-2.0 */
/* make_large FILE [N_TRIALS]: a database of any size, to measure what a trial
 * costs on the disk and how long questions take. The same number gives the same
 * rows.
 *
 * Ten trials a session, of which nine are right and five meet in a final, with
 * all that `hone tune` writes about them; one session for each problem, each of
 * two devices and each mode. So a tenth of the trials win. Rows come by
 * recursive queries: a call for each would take an hour. */

#include "db/db_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_OPS = 20, N_OF_OP = 200, N_EACH = 10 };

static void must(hone_status status, const hone_error *err)
{
    if (status == HONE_OK)
        return;
    (void)fprintf(stderr, "make_large: %s\n", err->text);
    exit(1);
}

/* ---- what is measured: through db/ as the tuner does it -------------------
 */

static const char plan[] = "hone-launch 1\n"
                           "op op_%d\n"
                           "dim M int\ndim N int\ndim K int\n"
                           "param TILE_M 64\nparam TILE_N %d\nparam TILE_K 32\n"
                           "param STAGES 4\nparam WARPS_M 2\nparam WARPS_N 4\n"
                           "param SWIZZLE 8\nparam SPLIT 1\n"
                           "arg A in 2 M*K\narg B in 2 K*N\n"
                           "arg C inout 4 M*N\n"
                           "require K >= 1\n"
                           "launch gemm\n"
                           "grid ceildiv(N,64) ; ceildiv(M,64) ; 1\n"
                           "block 256 ; 1 ; 1\n"
                           "pass A\npass B\npass C\n"
                           "value i32 M\nvalue i32 N\nvalue i32 K\n"
                           "work flops 2*M*N*K\n"
                           "work bytes 2*M*K+2*K*N+4*M*N\n";

static void put_variant(hone_db *db, int op, int i, hone_db_variant *variant)
{
    char config[160];
    char text[1000];
    hone_error err = {0};
    int64_t id;

    (void)snprintf(config, sizeof config,
                   "TILE_M=64,TILE_N=%d,TILE_K=32,STAGES=4,WARPS_M=2,"
                   "WARPS_N=4,SWIZZLE=8,SPLIT=1",
                   i);
    (void)snprintf(text, sizeof text, plan, op, i);
    variant->config = config;
    variant->launch_plan = text;
    variant->registers = 64 + i % 128;
    variant->is_default = i == 0;
    must(hone__db_variant_put(db, variant, &id, &err), &err);
}

static void put_template(hone_db *db, int op)
{
    hone_error err = {0};
    char name[16];
    char sha256[HONE_SHA256_HEX];
    hone_db_variant variant = {.arch = "sm_90a",
                               .options = "--std=c++17\n-DNDEBUG",
                               .outcome = "ok",
                               .compile_time_ns = 900000000,
                               .cubin_sha256 = sha256};
    const hone_db_template tmpl = {.op = name,
                                   .name = name,
                                   .sha256 = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
                                             "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                                   .source = "__global__ void gemm() {}",
                                   .source_bytes = 25};

    (void)snprintf(name, sizeof name, "op_%d", op);
    must(hone__db_template_put(db, &tmpl, &variant.template_id, &err), &err);
    must(hone__db_toolchain_put(db, "nvrtc", "13.0", &variant.toolchain_id,
                                &err),
         &err);
    must(hone__db_artifact_put(db, "cubin", name, strlen(name), sha256, &err),
         &err);
    for (int i = 0; i < N_OF_OP; i++)
        put_variant(db, op, i, &variant);
}

static void put_subjects(hone_db *db)
{
    hone_error err = {0};

    for (int i = 0; i < 2; i++) {
        const hone_db_device device = {.kind = "cuda",
                                       .name =
                                           i ? "NVIDIA H100" : "NVIDIA H200",
                                       .arch = "sm_90",
                                       .sm_count = 132,
                                       .memory_bytes = 80000000000,
                                       .l2_bytes = 50000000,
                                       .driver_version = "13000"};
        int64_t id;

        must(hone__db_device_put(db, &device, &id, &err), &err);
    }
    for (int op = 0; op < N_OPS; op++)
        put_template(db, op);
}

/* ---- rows by the million --------------------------------------------------
 * `s` counts sessions, `k` the trials of one; `ns` is a trial's time. */

#define COUNT_TO(n)                                                            \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL"                               \
    " SELECT i + 1 FROM n WHERE i + 1 < " n ")"
#define SAMPLE "ns * (1 + (i * 7919 + %d) %% 97 / 10000.0)"

static const char problems[] =
    "INSERT INTO problem (op, dims, label) " COUNT_TO(
        "(SELECT n / 40 FROM size)") " SELECT 'op_' || (i % 20), m || ',' || n "
                                     "|| ',' || k,"
                                     " 'M=' || m || ' N=' || n || ' K=' || k "
                                     "FROM (SELECT i,"
                                     " 64 * (1 + i / 20 % 32) AS m, 64 * (1 + "
                                     "i / 640 % 32) AS n,"
                                     " 64 * (1 + i / 20480) AS k FROM n)";

static const char sessions[] =
    "INSERT INTO session (device_id, problem_id, template_id, mode, strategy,"
    " seed, budget, status, started_unix_s, finished_unix_s, hone_version,"
    " event_floor_ns, noise_floor, warm_up_ns, gpu_busy_ns, gpu_wall_ns,"
    " verdict, stopped) " COUNT_TO(
        "(SELECT n / 10 FROM size)") " SELECT 1 + i % 2, 1 + i / 4, 1 + i / 4 "
                                     "% 20,"
                                     " iif(i / 2 % 2, 'hot', 'cold'), 'basin', "
                                     "i, '60s', 'done',"
                                     " 1800000000 + i, 1800000060 + i, "
                                     "'0.1.0', 1500.5, 0.004, 250000000,"
                                     " 30000000000, 60000000000, 'decided', "
                                     "'budget' FROM n";

/* One trial in ten is wrong; the first is the default; five of the others are
 * given up after two samples. */
static const char trials_head[] =
    "INSERT INTO trial (session_id, variant_id, outcome, message, time_ns,"
    " spread_ns, n_samples, samples_ns, launches_per_sample, error_ratio,"
    " verified, sm_clock_mhz, power_mw, temperature_c, throttle_reasons,"
    " started_unix_ns, gpu_time_ns, timing, n_discarded, "
    "sample_time_ns) " COUNT_TO(
        "(SELECT n FROM size)") " SELECT 1 + i / 10, 200 * (i / 40 % 20) + 1 +"
                                " iif(k, (i / 10 * 31 + k * 17) % 199 + 1, 0),"
                                " iif(k = 9, 'wrong', 'ok'), iif(k = 9, "
                                "'C[12,7]: 1.5 instead of 1.25"
                                " (error 3.1e+04 times the bound), 4096 of "
                                "4194304 elements', NULL),"
                                " iif(k = 9, NULL, ns), iif(k = 9, NULL, ns * "
                                "0.003),"
                                " CASE WHEN k = 9 THEN 0 WHEN k BETWEEN 1 AND "
                                "5 THEN 2 ELSE 24 END,"
                                " CASE WHEN k = 9 THEN NULL WHEN k BETWEEN 1 "
                                "AND 5"
                                " THEN printf('[%.6g,%.6g]', ns, ns * 1.0007) "
                                "ELSE printf('[";
static const char trials_tail[] =
    ") END, 16, 0.0312 + i % 100 / 1000.0, 1, 1980, 550000 + i % 1000, 61, 0,"
    " 1800000000000000000 + i * 6000000000, 3000000000 + i % 1000000,"
    " 'graph', 0, 2000000000 + i % 1000000 FROM (SELECT i, i % 10 AS k,"
    " round(4000 + (i / 10 * 7919) % 900000 * (1 + (i % 10 * 37) % 11 / 10.0), "
    "3)"
    " AS ns FROM n)";

static const char of_trials[] =
    "INSERT INTO decision (session_id, trial_id, variant_id, against_trial_id,"
    " kind, ratio, n_samples, text, at_unix_ns)"
    " SELECT session_id, trial_id, variant_id,"
    " iif(trial_id % 10 = 1, NULL, session_id * 10 - 9),"
    " CASE WHEN trial_id % 10 = 1 THEN 'incumbent' WHEN n_samples = 2 THEN"
    " 'screened' ELSE 'contender' END,"
    " iif(trial_id % 10 = 1, NULL, 1.25 + trial_id % 1000 / 7000.0), n_samples,"
    " CASE WHEN trial_id % 10 = 1 THEN"
    " printf('the best so far: %.6g ns in %d samples', time_ns, n_samples)"
    " WHEN n_samples = 2 THEN"
    " 'dropped after 2 samples: 1.71 times the best so far'"
    " ELSE 'kept through 24 samples: 1.336 times the best so far' END,"
    " started_unix_ns FROM trial WHERE outcome = 'ok'";

/* Five finalists, of whom one wins. */
static const char of_finals[] =
    "INSERT INTO decision (session_id, trial_id, variant_id, against_trial_id,"
    " kind, ratio, ratio_low, ratio_high, n_samples, text, at_unix_ns)"
    " SELECT session_id, trial_id, variant_id, NULL, 'finalist', NULL, NULL,"
    " NULL, 0, 'in the final: place 2 of 9 by its trial, 1.0312 times the "
    "best',"
    " started_unix_ns FROM trial WHERE trial_id % 10 BETWEEN 5 AND 9"
    " UNION ALL SELECT session_id, trial_id, variant_id,"
    " iif(trial_id % 10 = 5, NULL, session_id * 10 - 5),"
    " iif(trial_id % 10 = 5, 'winner', 'dropped'), 1.0312, 1.0301, 1.0323, 64,"
    " iif(trial_id % 10 = 5, 'decided: the next of 5 finalists takes 3.1 %"
    " longer; 64 interleaved rounds, noise floor 0.4 %',"
    " 'slower than the fastest finalist beyond doubt after 64 rounds: 1.0301"
    " to 1.0323 times'), started_unix_ns"
    " FROM trial WHERE trial_id % 10 BETWEEN 5 AND 9 UNION ALL"
    " SELECT session_id, NULL, NULL, NULL, 'stopped', NULL, NULL, NULL, 0,"
    " 'the budget of 60s is spent', 1800000000000000000 FROM session";

static const char rankings[] =
    "INSERT INTO ranking (problem_id, device_id, mode, rank, trial_id,"
    " session_id, time_ns, ci_low_ns, ci_high_ns, decided_by, ranked_unix_s)"
    " SELECT problem_id, device_id, mode, r, 10 * s.session_id - 10 + t,"
    " s.session_id, x.time_ns, iif(r < 6, x.time_ns * 0.998, NULL),"
    " iif(r < 6, x.time_ns * 1.002, NULL), CASE WHEN r = 1 THEN"
    " 'decided: the next of 5 finalists takes 3.1 % longer; 64 interleaved"
    " rounds, noise floor 0.4 %' WHEN r < 6 THEN 'order of the final'"
    " ELSE 'time of its trial' END, finished_unix_s"
    " FROM session s, (SELECT column1 AS r, column2 AS t FROM (VALUES (1, 5),"
    " (2, 6), (3, 7), (4, 8), (5, 9), (6, 1), (7, 2), (8, 3), (9, 4)))"
    " JOIN trial x ON x.trial_id = 10 * s.session_id - 10 + t";

static void put_trials(hone_db *db)
{
    hone_text sql = {0};
    hone_error err = {0};

    hone__text_puts(&sql, trials_head);
    for (int i = 0; i < 24; i++)
        hone__text_puts(&sql, i ? ",%.6g" : "%.6g");
    hone__text_puts(&sql, "]'");
    for (int i = 0; i < 24; i++)
        hone__text_printf(&sql, ", " SAMPLE, 31 * i);
    hone__text_puts(&sql, trials_tail);
    must(hone__db_exec(db, hone__text_str(&sql), "put trials", &err), &err);
    hone__text_free(&sql);
}

static void put_rows(hone_db *db, long long n_trials)
{
    char size[80];
    hone_error err = {0};

    (void)snprintf(size, sizeof size,
                   "CREATE TEMP TABLE size AS SELECT %lld AS n", n_trials);
    must(hone__db_exec(db, size, "say how many", &err), &err);
    must(hone__db_exec(db, problems, "put problems", &err), &err);
    must(hone__db_exec(db, sessions, "put sessions", &err), &err);
    put_trials(db);
    must(hone__db_exec(db, of_trials, "put decisions", &err), &err);
    must(hone__db_exec(db, of_finals, "put decisions", &err), &err);
    must(hone__db_exec(db, rankings, "put rankings", &err), &err);
}

int main(int argc, char **argv)
{
    const long long n = argc > 2 ? atoll(argv[2]) : 10000;
    hone_error err = {0};
    hone_db *db = NULL;

    if (argc < 2 || n < 40 || n % 40) {
        (void)fprintf(stderr, "make_large FILE [N_TRIALS]: a multiple of 40\n");
        return 2;
    }
    must(hone__db_open(argv[1], HONE_DB_CREATE, &db, &err), &err);
    must(
        hone__db_exec(db,
                      "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;"
                      "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -2000000",
                      "be fast", &err),
        &err);
    must(hone__db_begin(db, &err), &err);
    put_subjects(db);
    put_rows(db, n);
    must(hone__db_commit(db, &err), &err);
    must(hone__db_exec(db, "PRAGMA journal_mode = WAL", "end", &err), &err);
    hone__db_close(db);
    return 0;
}
