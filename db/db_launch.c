/* SPDX-License-Identifier: Apache-2.0 */
/* What a stored variant is launched with, checked as the runtime does it. */
#include "db/db_internal.h"
#include "runtime/store/launch_hash.h"

int hone__db_is_damage(const hone_error *err)
{
    return err->status == HONE_ERR_DATABASE && err->domain == HONE_DOMAIN_NONE;
}

void hone__db_launch_free(hone_db_launch *launch)
{
    hone__text_free(&launch->config);
    hone__text_free(&launch->launch_plan);
    hone__text_free(&launch->cubin);
}

typedef struct launch_walk {
    hone_db *db;
    hone_db_launch *out;
    char cubin_sha256[HONE_SHA256_HEX];
    int found;
} launch_walk;

static const char launch_sql[] =
    "SELECT v.config, v.types, v.arch, coalesce(v.cubin_sha256, ''),"
    " v.launch_plan, v.launch_sha256, k.op"
    " FROM variant v JOIN template k ON k.template_id = v.template_id"
    " WHERE v.variant_id = ?1";

static hone_status on_launch(void *user, size_t n_columns,
                             const char *const *names,
                             const hone_db_value *values, hone_error *err)
{
    launch_walk *const walk = user;
    hone_db_launch *const out = walk->out;
    const hone_launch_parts parts = {values[0].text, values[1].text,
                                     values[2].text, values[3].text,
                                     values[4].text};
    hone_launch_spec *spec = NULL;
    hone_error why = {0};
    const hone_status status = hone__launch_verify(
        &parts, values[5].kind == HONE_DB_TEXT ? values[5].text : NULL,
        values[6].text, &spec, &why);

    (void)n_columns;
    (void)names;
    hone__launch_spec_free(spec);
    if (status == HONE_ERR_NO_MEMORY)
        return hone__fail(err, status, "%s", why.text);
    if (status != HONE_OK)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: the launch plan of "
                          "%.200s: %.300s; tuning again stores a good one",
                          walk->db->path, parts.config, why.text);
    walk->found = 1;
    (void)sqlite3_snprintf((int)sizeof walk->cubin_sha256, walk->cubin_sha256,
                           "%s", parts.cubin_sha256);
    hone__text_puts(&out->config, parts.config);
    hone__text_puts(&out->launch_plan, parts.launch_plan);
    HONE_TRY(hone__text_check(&out->config, err));
    return hone__text_check(&out->launch_plan, err);
}

hone_status hone__db_launch_get(hone_db *db, int64_t variant_id,
                                hone_db_launch *out, hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(variant_id)};
    launch_walk walk = {.db = db, .out = out};
    hone_status status;

    *out = (hone_db_launch){{NULL, 0, 0, 0}, {NULL, 0, 0, 0}, {NULL, 0, 0, 0}};
    status = hone__db_query(db, launch_sql, values, 1, on_launch, &walk, err);
    if (status == HONE_OK && !walk.found)
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' is damaged: there is no variant "
                            "%lld of a template",
                            db->path, (long long)variant_id);
    if (status == HONE_OK)
        status = hone__db_artifact_get(db, walk.cubin_sha256, &out->cubin, err);
    if (status == HONE_ERR_NOT_FOUND && walk.found)
        status = hone__fail(err, HONE_ERR_DATABASE,
                            "database '%s' is damaged: the cubin of %.200s is "
                            "not there; tuning again stores a good one",
                            db->path, hone__text_str(&out->config));
    if (status != HONE_OK)
        hone__db_launch_free(out);
    return status;
}
