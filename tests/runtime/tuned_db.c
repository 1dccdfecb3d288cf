/* SPDX-License-Identifier: Apache-2.0 */
/* Writing rows for the tests of the runtime: see tuned_db.h. */
#include "tests/runtime/tuned_db.h"

#include <string.h>

#define EITHER(value, otherwise) ((value) ? (value) : (otherwise))

/* Is there a line "param NAME .." in the plan, or a "NAME=" in the list? */
static int has(const char *text, const char *before, const char *name,
               size_t length, char after)
{
    const size_t n = strlen(before);

    for (const char *at = text; (at = strstr(at, before)); ++at) {
        if (strncmp(at + n, name, length) == 0 && at[n + length] == after)
            return 1;
    }
    return 0;
}

/* Params that the plan lacks, as statements. */
static void add_params(const char *plan, const char *config, hone_text *out)
{
    for (const char *pair = config; *pair;) {
        const int length = (int)strcspn(pair, ",");
        const int name = (int)strcspn(pair, "=");
        const char *value = pair + name + 1;
        const int is_number = *value >= '0' && *value <= '9';

        if (!has(plan, "\nparam ", pair, (size_t)name, ' ')) {
            if (!is_number)
                hone__text_printf(out, "symbol %.*s 1000\n", length - name - 1,
                                  value);
            hone__text_printf(out, "param %.*s %.*s\n", name, pair,
                              length - name - 1, value);
        }
        pair += length + (pair[length] == ',');
    }
}

/* The plan for this operation, with the params of the configuration and no
 * others: rows of tests are told apart by configurations that their plans know
 * nothing of. */
static void plan_for(const char *plan, const char *op, const char *config,
                     hone_text *out)
{
    hone_text pairs = {0};

    hone__text_printf(&pairs, ",%s", config);
    for (const char *line = plan; *line;) {
        const size_t length = strcspn(line, "\n") + 1;
        const size_t name = strcspn(line + 6, " ");

        if (strncmp(line, "op ", 3) == 0) {
            hone__text_printf(out, "op %s\n", op);
            add_params(plan, config, out);
        } else if (strncmp(line, "param ", 6) == 0 &&
                   !has(pairs.data, ",", line + 6, name, '=')) {
            hone__text_printf(out, "let %.*s", (int)length - 6, line + 6);
        } else {
            hone__text_append(out, line, length);
        }
        line += length;
    }
    hone__text_free(&pairs);
}

static hone_status put_variant(hone_db *db, const tuned_row *row,
                               int64_t *out_template, int64_t *out_variant,
                               hone_error *err)
{
    const char *op = EITHER(row->op, "axpy");
    hone_db_template tmpl = {op, "axpy.cu", NULL, NULL, "// source", 9};
    hone_db_variant variant = {
        .config = EITHER(row->config, "BLOCK=256"),
        .types = row->types,
        .arch = EITHER(row->compile_arch, EITHER(row->arch, "sm_90")),
        .outcome = "ok",
        .registers = 32,
        .is_default = row->is_default,
    };
    char sha256[HONE_SHA256_HEX];
    hone_text plan = {0};
    hone_status status;

    tmpl.sha256 =
        EITHER(row->template_sha256, "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
                                     "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
    HONE_TRY(hone__db_template_put(db, &tmpl, out_template, err));
    variant.template_id = *out_template;
    HONE_TRY(hone__db_toolchain_put(db, "nvrtc", "13.0", &variant.toolchain_id,
                                    err));
    if (row->cubin) {
        HONE_TRY(hone__db_artifact_put(
            db, "cubin", row->cubin,
            EITHER(row->cubin_bytes, strlen(row->cubin) + 1), sha256, err));
        variant.cubin_sha256 = sha256;
    }
    plan_for(row->launch_plan, op, variant.config, &plan);
    variant.launch_plan = plan.data;
    status = hone__db_variant_put(db, &variant, out_variant, err);
    hone__text_free(&plan);
    return status;
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
