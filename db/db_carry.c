/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of a template's earlier texts that the current one has as well:
 * they become its own, with all of their trials. */
#include "db/db_internal.h"
#include "runtime/store/launch_hash.h"

#include <string.h>

/* Those with trials of the key's problem, and what the runtime may launch of
 * others. */
static const char earlier_sql[] =
    "SELECT v.variant_id, v.config, coalesce(v.compile_key, ''),"
    " EXISTS (SELECT 1 FROM trial t JOIN session s"
    "  ON s.session_id = t.session_id WHERE t.variant_id = v.variant_id"
    "  AND s.problem_id = ?1 AND s.device_id = ?2 AND s.mode = ?3) AS tried"
    " FROM template own JOIN template k ON k.op = own.op"
    " AND k.name = own.name AND k.template_id <> own.template_id"
    " JOIN variant v ON v.template_id = k.template_id"
    " WHERE own.template_id = ?4 AND v.toolchain_id = ?5 AND v.arch = ?6"
    " AND v.types = ?7 AND (tried OR v.is_default"
    " OR EXISTS (SELECT 1 FROM trial t JOIN ranking r"
    "  ON r.trial_id = t.trial_id WHERE t.variant_id = v.variant_id))"
    " ORDER BY v.config, k.last_put_unix_ns DESC";

typedef struct earlier_walk {
    hone_db_earlier_fn callback;
    void *user;
} earlier_walk;

static hone_status on_earlier(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const earlier_walk *const todo = user;
    const hone_db_value *const v = row->values;
    const hone_db_earlier variant = {v[0].integer, v[1].text, v[2].text,
                                     (int)v[3].integer};

    return todo->callback(todo->user, &variant, err);
}

hone_status hone__db_variants_earlier(hone_db *db, const hone_db_trial_key *key,
                                      const char *arch, const char *types,
                                      hone_db_earlier_fn callback, void *user,
                                      hone_error *err)
{
    const hone_db_value values[] = {hone__db_integer(key->problem_id),
                                    hone__db_integer(key->device_id),
                                    hone__db_text(key->mode),
                                    hone__db_integer(key->template_id),
                                    hone__db_integer(key->toolchain_id),
                                    hone__db_text(arch),
                                    hone__db_text_or_empty(types)};
    earlier_walk todo = {callback, user};

    return hone__db_query(db, earlier_sql, values,
                          sizeof values / sizeof values[0], on_earlier, &todo,
                          err);
}

/* ---- one of them --------------------------------------------------------
 */

typedef struct move_walk {
    const hone_db_variant *as;
    char launch_sha256[HONE_SHA256_HEX]; /* as it will be; "": no cubin */
    int is_whole;
} move_walk;

/* Is the row what was stored? A new hash must not call good what is damaged. */
static hone_status on_move(void *user, const hone_db_row *row, hone_error *err)
{
    move_walk *const walk = user;
    const hone_db_value *const v = row->values;
    hone_launch_parts parts = {v[0].text, v[1].text, v[2].text, v[3].text,
                               v[4].text};

    walk->is_whole =
        v[3].kind == HONE_DB_NULL && !hone__launch_is_vendors(v[4].text);
    if (walk->is_whole)
        return HONE_OK;
    HONE_TRY(hone__launch_hash(&parts, walk->launch_sha256, err));
    walk->is_whole = strcmp(walk->launch_sha256, v[5].text) == 0;
    parts.launch_plan = walk->as->launch_plan;
    return hone__launch_hash(&parts, walk->launch_sha256, err);
}

static hone_status move(hone_db *db, int64_t variant_id,
                        const hone_db_variant *as, int *out_moved,
                        hone_error *err)
{
    static const char doing[] = "keep a variant";
    const hone_db_value id = hone__db_integer(variant_id);
    move_walk walk = {.as = as};
    int64_t other = 0, form_id;
    hone_db_launch_split split;

    HONE_TRY(hone__db_query(db,
                            "SELECT config, types, arch, cubin_sha256,"
                            " launch_plan, launch_sha256 FROM launch_v1"
                            " WHERE variant_id = ?1",
                            &id, 1, on_move, &walk, err));
    *out_moved = walk.is_whole;
    if (!walk.is_whole)
        return HONE_OK;
    hone__db_launch_split(as->launch_plan, &split);
    HONE_TRY(hone__db_launch_form_put(db, &split, &form_id, err));
    {
        const hone_db_value values[] = {
            id,
            hone__db_integer(as->template_id),
            hone__db_launch_lines(&split),
            hone__db_integer_if(as->is_default >= 0, as->is_default),
            hone__db_text(walk.launch_sha256[0] ? walk.launch_sha256 : NULL),
            hone__db_integer(form_id)};

        HONE_TRY(hone__db_run(
            db, doing,
            "SELECT n.variant_id FROM variant v JOIN variant n"
            " ON n.template_id = ?2 AND n.toolchain_id = v.toolchain_id"
            " AND n.config = v.config AND n.types = v.types"
            " AND n.arch = v.arch AND n.options = v.options"
            " WHERE v.variant_id = ?1",
            values, 2, &other, err));
        if (!other)
            return hone__db_run(db, doing,
                                "UPDATE variant SET template_id = ?2,"
                                " launch_lines = ?3, is_default ="
                                " coalesce(?4, is_default),"
                                " launch_sha256 = ?5, launch_form_id = ?6"
                                " WHERE variant_id = ?1",
                                values, sizeof values / sizeof values[0], NULL,
                                err);
    }
    {
        const hone_db_value values[] = {id, hone__db_integer(other)};

        return hone__db_run(
            db, doing, "UPDATE trial SET variant_id = ?2 WHERE variant_id = ?1",
            values, 2, NULL, err);
    }
}

hone_status hone__db_variant_move(hone_db *db, int64_t variant_id,
                                  const hone_db_variant *as, int *out_moved,
                                  hone_error *err)
{
    int nested;

    HONE_TRY(hone__db_enter(db, &nested, err));
    return hone__db_leave(db, nested, move(db, variant_id, as, out_moved, err),
                          err);
}
