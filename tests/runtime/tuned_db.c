/* SPDX-License-Identifier: Apache-2.0 */
/* Writing rows for the tests of the runtime: see tuned_db.h. */
#include "tests/runtime/tuned_db.h"

#include <string.h>

#define EITHER(value, otherwise) ((value) ? (value) : (otherwise))

static hone_status put_variant(hone_db *db, const tuned_row *row,
                               int64_t *out_template, int64_t *out_variant,
                               hone_error *err)
{
    const char *op = EITHER(row->op, "axpy");
    hone_db_template tmpl = {op, "axpy.cu", NULL, "// source", 9};
    hone_db_variant variant = {
        .config = EITHER(row->config, "BLOCK=256"),
        .types = row->types,
        .arch = EITHER(row->compile_arch, EITHER(row->arch, "sm_90")),
        .outcome = "ok",
        .registers = 32,
        .launch_plan = row->launch_plan,
        .is_default = row->is_default,
    };
    char sha256[HONE_SHA256_HEX];

    tmpl.sha256 =
        EITHER(row->template_sha256, "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
                                     "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
    HONE_TRY(hone__db_template_put(db, &tmpl, out_template, err));
    variant.template_id = *out_template;
    HONE_TRY(hone__db_toolchain_put(db, "nvrtc", "13.0", &variant.toolchain_id,
                                    err));
    HONE_TRY(hone__db_artifact_put(
        db, "cubin", row->cubin,
        EITHER(row->cubin_bytes, strlen(row->cubin) + 1), sha256, err));
    variant.cubin_sha256 = sha256;
    return hone__db_variant_put(db, &variant, out_variant, err);
}

hone_status tuned_put_default(hone_db *db, const tuned_row *row,
                              hone_error *err)
{
    tuned_row copy = *row;
    int64_t ids[2];

    copy.is_default = 1;
    return put_variant(db, &copy, &ids[0], &ids[1], err);
}

hone_status tuned_put(hone_db *db, const tuned_row *row, hone_error *err)
{
    const hone_db_device device = {.kind = EITHER(row->device_kind, "cuda"),
                                   .name =
                                       EITHER(row->device_name, "Fake H200"),
                                   .arch = EITHER(row->arch, "sm_90"),
                                   .sm_count = EITHER(row->sm_count, 132),
                                   .driver_version = "13000"};
    const hone_db_problem problem = {EITHER(row->op, "axpy"), row->dims,
                                     row->n_dims,
                                     EITHER(row->label, "a shape")};
    hone_db_session session = {.mode = EITHER(row->mode, "cold"),
                               .strategy = "exhaustive"};
    hone_db_trial trial = {.outcome = "ok",
                           .time_ns = row->time_ns > 0 ? row->time_ns : 1000.0,
                           .n_samples = 0,
                           .launches_per_sample = 1,
                           .verified = 1};
    hone_db_ranked ranked = {.time_ns =
                                 row->time_ns > 0 ? row->time_ns : 1000.0};

    HONE_TRY(
        put_variant(db, row, &session.template_id, &trial.variant_id, err));
    HONE_TRY(hone__db_device_put(db, &device, &session.device_id, err));
    HONE_TRY(hone__db_problem_put(db, &problem, &session.problem_id, err));
    HONE_TRY(hone__db_session_begin(db, &session, &trial.session_id, err));
    HONE_TRY(hone__db_trial_put(db, &trial, &ranked.trial_id, err));
    HONE_TRY(hone__db_ranking_put(db, trial.session_id, &ranked, 1, err));
    return hone__db_session_finish(db, trial.session_id, "done", err);
}
