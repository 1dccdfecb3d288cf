/* SPDX-License-Identifier: Apache-2.0 */
/* What is measured: devices, templates, problems, toolchains. Each has an
 * identity, and putting it again gives the same row. */
#include "db/db_internal.h"

#include <stdlib.h>

/* ---- device ------------------------------------------------------------- */

hone_status hone__db_device_fingerprint(const hone_db_device *device,
                                        char out_hex[HONE_SHA256_HEX],
                                        hone_error *err)
{
    hone_text lines = {0};
    hone_status status;

    HONE_TRY(hone__db_need("device", "kind", device->kind, err));
    HONE_TRY(hone__db_need("device", "name", device->name, err));
    HONE_TRY(hone__db_need("device", "arch", device->arch, err));
    hone__text_printf(
        &lines, "%s\n%s\n%s\n%lld\n%lld\n%lld\n%s\n", device->kind,
        device->name, device->arch, (long long)device->sm_count,
        (long long)device->memory_bytes, (long long)device->l2_bytes,
        device->driver_version ? device->driver_version : "");
    status = hone__text_check(&lines, err);
    if (status == HONE_OK)
        hone__sha256_hex(lines.data, lines.length, out_hex);
    hone__text_free(&lines);
    return status;
}

hone_status hone__db_device_put(hone_db *db, const hone_db_device *device,
                                int64_t *out_id, hone_error *err)
{
    char fingerprint[HONE_SHA256_HEX];

    HONE_TRY(hone__db_device_fingerprint(device, fingerprint, err));
    {
        const hone_db_value values[] = {
            hone__db_text(fingerprint),
            hone__db_text(device->properties_json ? device->properties_json
                                                  : "{}"),
            hone__db_text(device->kind),
            hone__db_text(device->name),
            hone__db_text(device->arch),
            hone__db_integer(device->sm_count),
            hone__db_integer(device->memory_bytes),
            hone__db_integer(device->l2_bytes),
            hone__db_text_or_empty(device->driver_version)};

        return hone__db_find_or_put(
            db, "store a device",
            "SELECT device_id FROM device"
            " WHERE fingerprint = ?1 AND facts = ?2",
            "INSERT INTO device (fingerprint, facts, kind, name, arch,"
            " sm_count, memory_bytes, l2_bytes, driver_version)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            " ON CONFLICT (fingerprint) DO UPDATE SET facts = excluded.facts"
            " RETURNING device_id",
            values, 9, out_id, err);
    }
}

/* ---- template ----------------------------------------------------------- */

static hone_status put_template_row(hone_db *db, const hone_db_template *tmpl,
                                    int64_t *out_id, hone_error *err)
{
    char source[HONE_SHA256_HEX];

    HONE_TRY(hone__db_artifact_put(db, "source", tmpl->source,
                                   tmpl->source_bytes, source, err));
    {
        const hone_db_value values[] = {
            hone__db_text(tmpl->op),
            hone__db_text(tmpl->name),
            hone__db_text(tmpl->sha256),
            hone__db_text(source),
            hone__db_integer(hone__db_now_unix_ns()),
            hone__db_text(tmpl->kind ? tmpl->kind : "template")};

        return hone__db_run(
            db, "store a template",
            "INSERT INTO template (op, name, sha256, source_sha256,"
            " last_put_unix_ns, kind) VALUES (?1, ?2, ?3, ?4, max(?5,"
            " (SELECT coalesce(max(last_put_unix_ns), 0) + 1 FROM template"
            " WHERE op = ?1)), ?6)"
            " ON CONFLICT (op, name, sha256) DO UPDATE SET"
            " source_sha256 = excluded.source_sha256,"
            " last_put_unix_ns = excluded.last_put_unix_ns,"
            " kind = excluded.kind"
            " RETURNING template_id",
            values, 6, out_id, err);
    }
}

hone_status hone__db_template_put(hone_db *db, const hone_db_template *tmpl,
                                  int64_t *out_id, hone_error *err)
{
    int nested;

    HONE_TRY(hone__db_need("template", "op", tmpl->op, err));
    HONE_TRY(hone__db_need("template", "name", tmpl->name, err));
    HONE_TRY(hone__db_need("template", "sha256", tmpl->sha256, err));
    HONE_TRY(hone__db_need("template", "source", tmpl->source, err));
    HONE_TRY(hone__db_enter(db, &nested, err));
    return hone__db_leave(db, nested, put_template_row(db, tmpl, out_id, err),
                          err);
}

/* ---- problem and toolchain ---------------------------------------------- */

void hone__db_dims_text(const int64_t *dims, size_t n_dims, hone_text *out)
{
    for (size_t i = 0; i < n_dims; i++)
        hone__text_printf(out, "%s%lld", i ? "," : "", (long long)dims[i]);
}

int hone__db_dims_read(const char *text, size_t n_dims, int64_t *out)
{
    for (size_t i = 0; i < n_dims; ++i) {
        char *end = NULL;

        out[i] = strtoll(text, &end, 10);
        if (end == text || *end != (i + 1 < n_dims ? ',' : '\0'))
            return 0;
        text = end + 1;
    }
    return 1;
}

hone_status hone__db_problem_put(hone_db *db, const hone_db_problem *problem,
                                 int64_t *out_id, hone_error *err)
{
    hone_text dims = {0};
    hone_status status;

    HONE_TRY(hone__db_need("problem", "op", problem->op, err));
    hone__db_dims_text(problem->dims, problem->n_dims, &dims);
    status = hone__text_check(&dims, err);
    if (status == HONE_OK) {
        const hone_db_value values[] = {hone__db_text(problem->op),
                                        hone__db_text(hone__text_str(&dims)),
                                        hone__db_text_or_empty(problem->label)};

        status = hone__db_find_or_put(
            db, "store a problem",
            "SELECT problem_id FROM problem"
            " WHERE op = ?1 AND dims = ?2 AND label = ?3",
            "INSERT INTO problem (op, dims, label) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (op, dims) DO UPDATE SET label = excluded.label"
            " RETURNING problem_id",
            values, 3, out_id, err);
    }
    hone__text_free(&dims);
    return status;
}

hone_status hone__db_toolchain_put(hone_db *db, const char *name,
                                   const char *version, int64_t *out_id,
                                   hone_error *err)
{
    const hone_db_value values[] = {hone__db_text(name),
                                    hone__db_text(version)};

    HONE_TRY(hone__db_need("toolchain", "name", name, err));
    HONE_TRY(hone__db_need("toolchain", "version", version, err));
    return hone__db_find_or_put(
        db, "store a toolchain",
        "SELECT toolchain_id FROM toolchain"
        " WHERE name = ?1 AND version = ?2",
        "INSERT INTO toolchain (name, version) VALUES (?1, ?2)"
        " ON CONFLICT (name, version) DO UPDATE SET version = version"
        " RETURNING toolchain_id",
        values, 2, out_id, err);
}
