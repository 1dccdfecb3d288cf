/* SPDX-License-Identifier: Apache-2.0 */
/* Variants, and their launch plans in two parts: see schema_9.sql. */
#include "db/db_internal.h"
#include "runtime/store/launch_hash.h"

#include <string.h>

/* ---- launch plans ------------------------------------------------------- */

static int begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* The lines for the parameters stand together (runtime/launch/launch_spec.h).
 * A plan without any is a head alone. */
void hone__db_launch_split(const char *plan, hone_db_launch_split *out)
{
    const char *at = plan ? plan : "";
    const char *from;

    out->head = at;
    while (*at && !begins(at, "param "))
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    from = at;
    while (begins(at, "param ") || begins(at, "unstated "))
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    out->head_bytes = (size_t)(from - out->head);
    out->lines = from;
    out->lines_bytes = (size_t)(at - from);
    out->tail = at;
}

hone_db_value hone__db_launch_lines(const hone_db_launch_split *split)
{
    return (hone_db_value){.kind = HONE_DB_TEXT,
                           .text = split->lines,
                           .size_bytes = split->lines_bytes};
}

hone_status hone__db_launch_form_put(hone_db *db,
                                     const hone_db_launch_split *split,
                                     int64_t *out_id, hone_error *err)
{
    const hone_db_value values[] = {{.kind = HONE_DB_TEXT,
                                     .text = split->head,
                                     .size_bytes = split->head_bytes},
                                    hone__db_text(split->tail)};

    return hone__db_find_or_put(
        db, "store a launch plan",
        "SELECT form_id FROM launch_form WHERE head = ?1 AND tail = ?2",
        "INSERT INTO launch_form (head, tail) VALUES (?1, ?2)"
        " ON CONFLICT (head, tail) DO UPDATE SET head = head"
        " RETURNING form_id",
        values, N_OF(values), out_id, err);
}

/* ---- variant ------------------------------------------------------------ */

static const char find_variant[] =
    "SELECT variant_id FROM variant"
    " WHERE template_id = ?1 AND toolchain_id = ?2 AND config = ?3"
    " AND types = ?4 AND arch = ?5 AND options = ?6 AND compile_key IS ?7"
    " AND outcome = ?8 AND registers IS ?9 AND spill_bytes IS ?10"
    " AND static_shared_bytes IS ?11"
    " AND (?12 IS NULL OR compile_time_ns = ?12)"
    " AND cubin_sha256 IS ?13 AND log_sha256 IS ?14 AND launch_lines = ?15"
    " AND is_default = ?16 AND compiler_warnings = ?17"
    " AND launch_sha256 IS ?18 AND launch_form_id = ?19";

/* A variant that comes from a cache keeps what its compile once took. */
static const char put_variant[] =
    "INSERT INTO variant (template_id, toolchain_id, config, types, arch,"
    " options, compile_key, outcome, registers, spill_bytes,"
    " static_shared_bytes, compile_time_ns, cubin_sha256, log_sha256,"
    " launch_lines, is_default, compiler_warnings, launch_sha256,"
    " launch_form_id)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
    " ?15, ?16, ?17, ?18, ?19)"
    " ON CONFLICT (template_id, toolchain_id, config, types, arch, options)"
    " DO UPDATE SET compile_key = excluded.compile_key,"
    " outcome = excluded.outcome, registers = excluded.registers,"
    " spill_bytes = excluded.spill_bytes,"
    " static_shared_bytes = excluded.static_shared_bytes,"
    " compile_time_ns = coalesce(excluded.compile_time_ns, compile_time_ns),"
    " cubin_sha256 = excluded.cubin_sha256,"
    " log_sha256 = excluded.log_sha256,"
    " launch_lines = excluded.launch_lines,"
    " is_default = excluded.is_default,"
    " compiler_warnings = excluded.compiler_warnings,"
    " launch_sha256 = excluded.launch_sha256,"
    " launch_form_id = excluded.launch_form_id"
    " RETURNING variant_id";

hone_status hone__db_variant_put(hone_db *db, const hone_db_variant *variant,
                                 int64_t *out_id, hone_error *err)
{
    const int is_launched =
        variant->cubin_sha256 || hone__launch_is_vendors(variant->launch_plan);
    char launch[HONE_SHA256_HEX];
    hone_db_launch_split split;
    int64_t form_id;

    HONE_TRY(hone__db_need("variant", "arch", variant->arch, err));
    HONE_TRY(hone__db_need("variant", "outcome", variant->outcome, err));
    HONE_TRY(hone__launch_hash(
        &(hone_launch_parts){variant->config, variant->types, variant->arch,
                             variant->cubin_sha256, variant->launch_plan},
        launch, err));
    /* By itself: a form without variants is in nobody's way. */
    hone__db_launch_split(variant->launch_plan, &split);
    HONE_TRY(hone__db_launch_form_put(db, &split, &form_id, err));
    {
        const int compiled = strcmp(variant->outcome, "ok") == 0;
        const hone_db_value values[] = {
            hone__db_integer(variant->template_id),
            hone__db_integer(variant->toolchain_id),
            hone__db_text_or_empty(variant->config),
            hone__db_text_or_empty(variant->types),
            hone__db_text(variant->arch),
            hone__db_text_or_empty(variant->options),
            hone__db_text(variant->compile_key),
            hone__db_text(variant->outcome),
            hone__db_integer_if(compiled && variant->registers >= 0,
                                variant->registers),
            hone__db_integer_if(compiled && variant->spill_bytes >= 0,
                                variant->spill_bytes),
            hone__db_integer_if(compiled && variant->static_shared_bytes >= 0,
                                variant->static_shared_bytes),
            hone__db_integer_if(variant->compile_time_ns > 0,
                                variant->compile_time_ns),
            hone__db_text(variant->cubin_sha256),
            hone__db_text(variant->log_sha256),
            hone__db_launch_lines(&split),
            hone__db_integer(variant->is_default ? 1 : 0),
            hone__db_text_or_empty(variant->compiler_warnings),
            hone__db_text(is_launched ? launch : NULL),
            hone__db_integer(form_id)};

        return hone__db_find_or_put(db, "store a variant", find_variant,
                                    put_variant, values, N_OF(values), out_id,
                                    err);
    }
}

hone_status hone__db_untried_withdraw(hone_db *db, hone_error *err)
{
    return hone__db_exec(
        db,
        "UPDATE variant SET is_default = 0 WHERE is_default = 1"
        " AND options = '" HONE_DB_FOR_ANY_LENGTH "' AND EXISTS"
        " (SELECT 1 FROM variant w WHERE w.template_id = variant.template_id"
        "   AND w.arch = variant.arch AND w.is_default = 1 AND"
        "   (SELECT t.outcome FROM trial t WHERE t.variant_id = w.variant_id"
        "     ORDER BY t.trial_id DESC LIMIT 1) IN ('wrong', 'fault'))",
        "withdraw what was found wrong", err);
}
