/* SPDX-License-Identifier: Apache-2.0 */
/* Choosers that a pack takes along, with their members: what the runtime would
 * launch by them. One that is damaged, or of another hone, is left out. */
#include "db/db_pack_parts.h"

#include <stdlib.h>
#include <string.h>

/* Columns of the query below; what hone__artifact_unpack() reads comes first.
 */
enum {
    SIZE_BYTES,
    DATA,
    SHA256,
    OP,
    TYPES,
    MODE,
    DEVICE_NAME,
    DEVICE_KIND,
    ARCH,
    DRIVER_VERSION,
    SM_COUNT
};

static const char choosers_sql[] =
    "SELECT size_bytes, data, sha256, op, types, mode, device_name,"
    " device_kind, arch, driver_version, sm_count FROM model_v1"
    " WHERE kind = 'chooser' AND device_kind IN ('cuda', 'cpu')";

/* As the runtime finds them (VIEW_MEMBERS of runtime/store/store_rows.c). */
static const char member_sql[] =
    "SELECT variant_id FROM launch_v1 l WHERE op = ?1 AND launch_sha256 = ?2"
    " AND template_name = ?3 AND NOT EXISTS (SELECT 1 FROM template newer"
    " JOIN template k ON k.template_id = l.template_id"
    " WHERE newer.op = k.op AND newer.name = k.name"
    " AND newer.last_put_unix_ns > k.last_put_unix_ns)"
    " ORDER BY launch_plan LIMIT 1";

static hone_status on_member(void *user, const hone_db_row *row,
                             hone_error *err)
{
    (void)err;
    *(int64_t *)user = row->values[0].integer;
    return HONE_OK;
}

static hone_status add_members(pack_input *in, const hone_chooser *chooser,
                               pack_chooser *out, hone_error *err)
{
    for (size_t i = 0; i < chooser->n_members; ++i) {
        const hone_chooser_member *member = &chooser->members[i];
        const hone_db_value values[] = {hone__db_text(chooser->op),
                                        hone__db_text(member->launch_sha256),
                                        hone__db_text(member->implementation)};
        pack_variant *variant = NULL;
        int64_t id = -1;

        HONE_TRY(hone__db_query(in->db, member_sql, values, N_OF(values),
                                on_member, &id, err));
        if (id >= 0)
            HONE_TRY(hone__pack_get_variant(in, id, &variant, err));
        if (variant && !variant->is_damaged)
            out->members[i] = variant;
    }
    out->n_members = chooser->n_members;
    return HONE_OK;
}

static hone_status fill(pack_input *in, sqlite3_stmt *row, pack_chooser *out,
                        hone_error *err)
{
    const struct {
        pack_text **to;
        int column;
    } texts[] = {{&out->op, OP},
                 {&out->types, TYPES},
                 {&out->device.name, DEVICE_NAME},
                 {&out->device.arch, ARCH},
                 {&out->device.driver_version, DRIVER_VERSION}};
    const char *mode = (const char *)sqlite3_column_text(row, MODE);
    const char *kind = (const char *)sqlite3_column_text(row, DEVICE_KIND);

    for (size_t i = 0; i < N_OF(texts); ++i) {
        const char *text =
            (const char *)sqlite3_column_text(row, texts[i].column);

        *texts[i].to = text ? hone__pack_keep_text(in, text) : NULL;
        if (!*texts[i].to)
            return hone__pack_no_memory(err);
    }
    if (!mode || !kind)
        return hone__pack_no_memory(err);
    out->is_cold = strcmp(mode, "cold") == 0;
    out->is_host = strcmp(kind, "cpu") == 0;
    out->device.sm_count = sqlite3_column_int64(row, SM_COUNT);
    return HONE_OK;
}

/* HONE_ERR_INPUT or damage: it is left out. */
static hone_status read_text(pack_input *in, sqlite3_stmt *row,
                             pack_chooser *out, hone_chooser **chooser,
                             hone_error *err)
{
    const char *sha256 = (const char *)sqlite3_column_text(row, SHA256);
    hone_text text = {0};
    hone_status status;

    *chooser = NULL;
    if (!sha256)
        return hone__pack_no_memory(err);
    status = hone__artifact_unpack(in->db, "the chooser of", out->op->text,
                                   sha256, row, &text, err);
    if (status == HONE_OK)
        status = hone__chooser_parse(hone__text_str(&text), chooser, err);
    if (status == HONE_OK) {
        out->text =
            hone__arena_strndup(&in->arena, hone__text_str(&text), text.length);
        status = out->text ? HONE_OK : hone__pack_no_memory(err);
    }
    hone__text_free(&text);
    return status;
}

static hone_status add_chooser(pack_input *in, sqlite3_stmt *row,
                               hone_error *err)
{
    pack_chooser made = {.text = NULL};
    hone_chooser *chooser = NULL;
    hone_error why = {0};
    hone_status status;

    HONE_TRY(fill(in, row, &made, err));
    if (!hone__pack_is_wanted(in, made.op->text, made.device.arch->text))
        return HONE_OK;
    status = read_text(in, row, &made, &chooser, &why);
    if (status == HONE_ERR_INPUT || hone__db_is_damage(&why)) {
        hone__chooser_free(chooser);
        if (!in->summary->n_damaged++)
            hone__text_printf(&in->summary->damage, "the chooser of %s: %s",
                              made.op->text, why.text);
        return HONE_OK;
    }
    if (status != HONE_OK && err)
        *err = why;
    if (status == HONE_OK)
        status = add_members(in, chooser, &made, err);
    hone__chooser_free(chooser);
    HONE_TRY(status);
    if (!HONE_GROW(in->choosers, in->n_choosers))
        return hone__pack_no_memory(err);
    in->choosers[in->n_choosers++] = made;
    return HONE_OK;
}

hone_status hone__pack_collect_choosers(pack_input *in, hone_error *err)
{
    sqlite3_stmt *statement = NULL;
    hone_status status = HONE_OK;
    int code = SQLITE_ROW;

    HONE_TRY(hone__db_prepare(in->db, "read it", choosers_sql, NULL, 0,
                              &statement, err));
    while (status == HONE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = add_chooser(in, statement, err);
    if (status == HONE_OK && code != SQLITE_DONE)
        status = hone__database_fail(in->db, code, "read it", err);
    (void)sqlite3_finalize(statement);
    return status;
}
