/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's function that is right at one length of transforms is the answer
 * at the others, where nothing was tuned. */
#include "tests/db/db_fixture.h"

#include "tests/tuner/shipped_template.h"
#include "tuner/session/tune_scales.h"

#include <string.h>

typedef struct subject {
    db_fixture *f;
    hone_template *tmpl;
    hone_scales scales;
} subject;

static subject begin(db_fixture *f, const char *file, const char *function,
                     const int64_t *dims)
{
    const hone_db_template row = {.op = "fft",
                                  .name = "cufft",
                                  .kind = "vendor",
                                  .sha256 = fixture_sha256,
                                  .source = "o",
                                  .source_bytes = 1};
    hone_template *const of = shipped_template(file);
    subject s = {.f = f};

    assert_ok(hone__template_of_vendor(of, function, &s.tmpl, why));
    hone__template_free(of);
    s.scales = (hone_scales){
        .db = f->db, .tmpl = s.tmpl, .dims = dims, .arch = "sm_90"};
    assert_ok(hone__db_template_put(f->db, &row, &s.scales.template_id, why));
    return s;
}

/* A trial of the default at `types`. */
static void try(const subject *s, const char *types, const char *outcome)
{
    const hone_db_variant variant = {.template_id = s->scales.template_id,
                                     .toolchain_id = s->f->toolchain_id,
                                     .config = "ALGORITHM=0",
                                     .types = types,
                                     .arch = "sm_90",
                                     .options = "for some problem",
                                     .outcome = "ok",
                                     .registers = -1,
                                     .launch_plan = "hone-launch 1\n",
                                     .is_default = 1};
    const int is_ok = strcmp(outcome, "ok") == 0;
    hone_db_trial trial = {.session_id = s->f->session_id,
                           .outcome = outcome,
                           .time_ns = is_ok ? 100 : 0,
                           .verified = is_ok,
                           .started_unix_ns = 1};
    int64_t id;

    assert_ok(hone__db_variant_put(s->f->db, &variant, &trial.variant_id, why));
    assert_ok(hone__db_trial_put(s->f->db, &trial, &id, why));
}

#define LENGTHS                                                                \
    "SELECT group_concat(types, ' ') FROM (SELECT types FROM default_v2 "      \
    "WHERE op = 'fft' AND implementation = 'cufft' AND arch = 'sm_90' AND "    \
    "types GLOB '*,2' ORDER BY types + 0)"
#define ALL                                                                    \
    "16,2 32,2 64,2 128,2 256,2 512,2 1024,2 2048,2 4096,2 8192,2 16384,2 "    \
    "32768,2 65536,2\n"

static void test_everywhere(void **state)
{
    static const int64_t dims[] = {64, 300, 2, 1, 64},
                         other[] = {128, 300, 2, 1, 128};
    subject s = begin(*state, "fft/fft_plain.cu", "cufft.c2c", dims);
    const hone_db_variant member = {.template_id = s.scales.template_id,
                                    .toolchain_id = s.f->toolchain_id,
                                    .config = "ALGORITHM=0",
                                    .types = "128,2",
                                    .arch = "sm_90",
                                    .options = "for any problem",
                                    .outcome = "ok",
                                    .registers = -1,
                                    .launch_plan = "hone-launch 1\n"};
    int64_t id;

    /* Nothing was tried: nobody knows. */
    assert_ok(hone__tune_settle_scales(&s.scales, why));
    assert_rows(s.f->db, LENGTHS, "\n");
    try(&s, "32,2", "ok");
    try(&s, "64,2", "ok");
    /* Of a chooser elsewhere, which knows it by the hash of its plan. */
    assert_ok(hone__db_variant_put(s.f->db, &member, &id, why));
    for (int i = 0; i < 2; ++i) { /* again: nothing is there twice */
        assert_ok(hone__tune_settle_scales(&s.scales, why));
        assert_rows(s.f->db, LENGTHS, ALL);
        assert_rows(
            s.f->db,
            "SELECT count(*), sum(is_default), sum(options = "
            "'for any length') FROM variant WHERE config = 'ALGORITHM=0'",
            "14|13|11\n");
    }
    assert_rows(s.f->db,
                "SELECT is_default, launch_plan FROM launch_v1"
                " WHERE options = 'for any problem'",
                "0|hone-launch 1\n\n");
    /* What programs read. */
    assert_rows(s.f->db,
                "SELECT preference, config, cubin_sha256 IS NULL,"
                " instr(launch_plan, char(10) || 'vendor cufft.c2c' ||"
                " char(10)) > 0, launch_sha256 IS NOT NULL"
                " FROM default_v2 WHERE types = '1024,2'",
                "0|ALGORITHM=0|1|1|1\n");
    /* Found wrong where it was tried later: it is trusted nowhere else. */
    try(&s, "64,2", "wrong");
    assert_ok(hone__tune_settle_scales(&s.scales, why));
    assert_rows(s.f->db, LENGTHS, "32,2\n");
    /* Nor after it is right somewhere else. */
    try(&s, "128,2", "ok");
    s.scales.dims = other;
    assert_ok(hone__tune_settle_scales(&s.scales, why));
    assert_rows(s.f->db, LENGTHS, "32,2 128,2\n");
    hone__template_free(s.tmpl);
}

/* What was wrong in one database is trusted nowhere in one that takes it. */
static void test_merged(void **state)
{
    static const int64_t dims[] = {64, 300, 2, 1, 64};
    db_fixture *const f = *state;
    db_fixture other = *f;
    subject s = begin(f, "fft/fft_plain.cu", "cufft.c2c", dims), wrong;
    const char *const paths[] = {other.path};
    hone_db_merged merged;

    try(&s, "64,2", "ok");
    assert_ok(hone__tune_settle_scales(&s.scales, why));
    assert_rows(f->db, LENGTHS, ALL);
    fixture_path(f, "other.db", other.path, sizeof other.path);
    fixture_open(&other);
    fixture_fill(&other);
    wrong = begin(&other, "fft/fft_plain.cu", "cufft.c2c", dims);
    try(&wrong, "256,2", "wrong");
    hone__db_close(other.db);
    assert_int_equal(
        fixture_sql(&other, "UPDATE session SET started_unix_s = 7"), 0);
    assert_ok(hone__db_merge_files(f->db, paths, 1, &merged, why));
    assert_rows(f->db, LENGTHS, "64,2\n");
    hone__template_free(wrong.tmpl);
    hone__template_free(s.tmpl);
}

/* An operation without scales. */
static void test_nowhere(void **state)
{
    static const int64_t dims[] = {128, 64, 512, HONE_TYPE_F16, HONE_TYPE_F16};
    subject s = begin(*state, "gemm/gemm_simt.cu", "cublas.gemm", dims);

    try(&s, "1,1", "ok");
    assert_ok(hone__tune_settle_scales(&s.scales, why));
    assert_rows(s.f->db,
                "SELECT count(*) FROM variant WHERE config = 'ALGORITHM=0'",
                "1\n");
    hone__template_free(s.tmpl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {CASE_FILLED(test_everywhere),
                                       CASE_FILLED(test_merged),
                                       CASE_FILLED(test_nowhere)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
