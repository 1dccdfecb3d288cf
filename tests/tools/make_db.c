/* SPDX-License-Identifier: Apache-2.0 */
/* make_db FILE: a small database with known contents, for the tests of
 * `hone show`: two problems of saxpy, one of gemm, on one device; the
 * second saxpy problem has no winner. */
#include "db/db.h"

#include <stdio.h>
#include <string.h>

typedef struct made {
    hone_db *db;
    int64_t device;
    int64_t toolchain;
    hone_error err;
} made;

static hone_status trial(made *m, int64_t session, int64_t template_id,
                         const char *config, const char *outcome,
                         double time_ns, int64_t *out_trial)
{
    const hone_db_variant variant = {.template_id = template_id,
                                     .toolchain_id = m->toolchain,
                                     .config = config,
                                     .arch = "sm_90",
                                     .outcome = "ok",
                                     .registers = 32,
                                     .launch_plan = "hone-launch 1\n",
                                     .is_default =
                                         strcmp(config, "BLOCK=128") == 0};
    int64_t id;

    HONE_TRY(hone__db_variant_put(m->db, &variant, &id, &m->err));
    return hone__db_trial_put(
        m->db,
        &(hone_db_trial){.session_id = session,
                         .variant_id = id,
                         .outcome = outcome,
                         .message = time_ns > 0 ? NULL : "off by one",
                         .time_ns = time_ns,
                         .error_ratio = 0.5,
                         .verified = time_ns > 0,
                         .started_unix_ns = 1,
                         .timing = "graph",
                         .n_discarded = 2,
                         .sample_time_ns = 7000},
        out_trial, &m->err);
}

/* Why the fast variant won: two decisions, and a verdict. */
static hone_status decide(made *m, int64_t session, int64_t fast, int64_t slow,
                          const char *verdict)
{
    const hone_db_session_summary properties = {.event_floor_ns = -1,
                                                .noise_floor = 0.25,
                                                .warm_up_ns = -1,
                                                .device_busy_ns = 70,
                                                .device_wall_ns = 100,
                                                .verdict = verdict};
    int64_t id;

    HONE_TRY(hone__db_decision_put(
        m->db,
        &(hone_db_decision){.session_id = session,
                            .trial_id = slow,
                            .kind = "finalist",
                            .text = "one of the two fastest"},
        &id, &m->err));
    HONE_TRY(hone__db_decision_put(
        m->db,
        &(hone_db_decision){.session_id = session,
                            .trial_id = fast,
                            .against_trial_id = slow,
                            .kind = "winner",
                            .ratio = 0.625,
                            .ratio_low = 0.5,
                            .ratio_high = 0.75,
                            .n_samples = 40,
                            .text = "40 % faster, \"by far\""},
        &id, &m->err));
    return hone__db_session_measured(m->db, session, &properties, &m->err);
}

/* The final found the slow one, which is the default, faster than its trial
 * was. */
static hone_status rank(made *m, int64_t session, int64_t fast, int64_t slow)
{
    const hone_db_ranked ranked[] = {{fast, 1500, 0, 0, "by far"},
                                     {slow, 2250, 0, 0, "order of the final"}};

    return hone__db_ranking_put(m->db, session, ranked, 2, &m->err);
}

/* One problem with a fast, a slow and a wrong variant. */
static hone_status problem(made *m, const char *op, const int64_t *dims,
                           size_t n_dims, const char *label, int has_winner)
{
    char hash[HONE_SHA256_HEX];
    int64_t template_id, problem_id, session, fast, slow, other;

    memset(hash, op[0] == 's' ? 'a' : 'b', 64);
    hash[64] = '\0';
    HONE_TRY(hone__db_template_put(
        m->db, &(hone_db_template){op, op, NULL, hash, "x", 1}, &template_id,
        &m->err));
    HONE_TRY(hone__db_problem_put(m->db,
                                  &(hone_db_problem){op, dims, n_dims, label},
                                  &problem_id, &m->err));
    HONE_TRY(hone__db_session_begin(m->db,
                                    &(hone_db_session){m->device, problem_id,
                                                       template_id, "cold",
                                                       "random", 1, "60s"},
                                    &session, &m->err));
    HONE_TRY(trial(m, session, template_id, "BLOCK=64", "wrong", 0, &other));
    if (has_winner) {
        HONE_TRY(
            trial(m, session, template_id, "BLOCK=128", "ok", 2500, &slow));
        HONE_TRY(
            trial(m, session, template_id, "BLOCK=256", "ok", 1500, &fast));
        HONE_TRY(rank(m, session, fast, slow));
        HONE_TRY(decide(m, session, fast, slow,
                        n_dims == 3 ? "too_noisy" : "decided"));
    }
    return hone__db_session_finish(m->db, session, "done", &m->err);
}

static hone_status fill(made *m, const char *path)
{
    static const int64_t small[] = {1000, 4}, large[] = {2000, 5},
                         square[] = {64, 64, 64};
    const hone_db_device device = {"cuda",  "Test GPU", "sm_90", 132,
                                   1 << 30, 1 << 20,    "13000", NULL};

    HONE_TRY(hone__db_open(path, HONE_DB_CREATE, &m->db, &m->err));
    HONE_TRY(hone__db_device_put(m->db, &device, &m->device, &m->err));
    HONE_TRY(
        hone__db_toolchain_put(m->db, "nvrtc", "13.0", &m->toolchain, &m->err));
    HONE_TRY(problem(m, "saxpy", small, 2, "n=1000 T=f32", 1));
    HONE_TRY(problem(m, "saxpy", large, 2, "n=2000 T=f64", 0));
    return problem(m, "gemm", square, 3, "M=64 N=64 K=64", 1);
}

int main(int argc, char **argv)
{
    made m = {0};
    hone_status status = HONE_ERR_ARGUMENT;

    if (argc == 2)
        status = fill(&m, argv[1]);
    if (status != HONE_OK)
        (void)fprintf(stderr, "make_db: %s\n", m.err.text);
    hone__db_close(m.db);
    return status != HONE_OK;
}
