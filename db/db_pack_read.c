/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting what a pack is made of: winners of the latest templates, behind
 * each that is damaged or a function of a vendor's library the places up to one
 * that is neither, and defaults; each variant looked at as before a launch. */
#include "db/db_pack_parts.h"

#include "runtime/store/launch_hash.h"

#include <stdlib.h>
#include <string.h>

hone_status hone__pack_no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " while making a pack");
}

pack_text *hone__pack_keep_text(pack_input *in, const char *text)
{
    const size_t length = strlen(text);
    const uint64_t hash = hone__hash64(text, length);
    const uint64_t tag = hash + !hash;
    hone_table_walk walk = hone__table_walk(&in->texts, tag);
    pack_text *kept;

    while ((kept = hone__table_next(&walk)) != NULL)
        if (strcmp(kept->text, text) == 0)
            return kept;
    kept = hone__arena_alloc(&in->arena, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = (pack_text){.text = hone__arena_strndup(&in->arena, text, length),
                        .offset = HONE_PACK_NONE,
                        .blob = HONE_PACK_NONE};
    if (!kept->text || hone__table_put(&in->texts, tag, kept, NULL) != HONE_OK)
        return NULL;
    return kept;
}

/* ---- variants ------------------------------------------------------------ */

typedef struct variant_walk {
    pack_input *in;
    pack_variant *out;
    int found;
} variant_walk;

static const char variant_sql[] =
    "SELECT op, template_name, config, types, arch, coalesce(cubin_sha256, ''),"
    " launch_plan, launch_sha256, is_default, template_sha256"
    " FROM launch_v1 WHERE variant_id = ?1";

static hone_status on_variant(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *const values = row->values;
    variant_walk *walk = user;
    pack_variant *out = walk->out;
    pack_text **const to[] = {
        &out->op,           &out->implementation, &out->config, &out->types,
        &out->compile_arch, &out->cubin_sha256,   &out->plan};

    for (size_t i = 0; i < N_OF(to); ++i) {
        *to[i] = hone__pack_keep_text(walk->in, values[i].text);
        if (!*to[i])
            return hone__pack_no_memory(err);
    }
    if (values[7].kind == HONE_DB_TEXT) {
        out->launch_sha256 = hone__pack_keep_text(walk->in, values[7].text);
        if (!out->launch_sha256)
            return hone__pack_no_memory(err);
    }
    out->template_sha256 = hone__pack_keep_text(walk->in, values[9].text);
    if (!out->template_sha256)
        return hone__pack_no_memory(err);
    out->is_default = values[8].integer != 0;
    out->is_vendors = hone__launch_is_vendors(out->plan->text);
    walk->found = 1;
    return HONE_OK;
}

/* Would the runtime launch it? HONE_ERR_DATABASE or HONE_ERR_INPUT: no. */
static hone_status check_variant(pack_input *in, const pack_variant *variant,
                                 hone_error *err)
{
    const hone_launch_parts parts = {
        variant->config->text, variant->types->text,
        variant->compile_arch->text, variant->cubin_sha256->text,
        variant->plan->text};
    hone_launch_spec *spec = NULL;
    hone_text cubin = {0};
    hone_status status = hone__launch_verify(
        &parts, variant->launch_sha256 ? variant->launch_sha256->text : NULL,
        variant->op->text, &spec, err);

    hone__launch_spec_free(spec);
    if (status == HONE_OK && !variant->is_vendors)
        status = hone__db_artifact_get(in->db, variant->cubin_sha256->text,
                                       &cubin, err);
    hone__text_free(&cubin);
    return status;
}

/* A damaged one is left out, and so are the rows that have it. */
static hone_status judge_variant(pack_input *in, pack_variant *variant,
                                 hone_error *err)
{
    hone_db_pack_summary *summary = in->summary;
    hone_error why = {0};
    const hone_status status = check_variant(in, variant, &why);

    if (status == HONE_OK)
        return HONE_OK;
    if (status == HONE_ERR_INPUT || status == HONE_ERR_NOT_FOUND ||
        hone__db_is_damage(&why)) {
        variant->is_damaged = 1;
        if (!summary->n_damaged++)
            hone__text_printf(&summary->damage, "%s of %s: %s",
                              variant->config->text, variant->op->text,
                              why.text);
        return HONE_OK;
    }
    if (err)
        *err = why;
    return status;
}

hone_status hone__pack_get_variant(pack_input *in, int64_t id,
                                   pack_variant **out, hone_error *err)
{
    const uint64_t tag = hone__table_tag((uint64_t)id + 1);
    const hone_db_value values[] = {hone__db_integer(id)};
    variant_walk walk = {.in = in};

    *out = hone__table_find(&in->variants, tag);
    if (*out)
        return HONE_OK;
    walk.out = *out = hone__arena_alloc(&in->arena, sizeof **out);
    if (!*out)
        return hone__pack_no_memory(err);
    walk.out->number = HONE_PACK_NONE;
    HONE_TRY(
        hone__db_query(in->db, variant_sql, values, 1, on_variant, &walk, err));
    if (!walk.found)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "database '%s' is damaged: there is no variant %lld "
                          "of a template",
                          in->db->path, (long long)id);
    HONE_TRY(judge_variant(in, walk.out, err));
    return hone__table_put(&in->variants, tag, walk.out, err);
}

/* ---- what is asked for --------------------------------------------------- */

static int is_one_of(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (strcmp(text, list[i]) == 0)
            return 1;
    return n == 0;
}

int hone__pack_is_wanted(const pack_input *in, const char *op, const char *arch)
{
    const hone_db_pack_request *request = in->request;

    return is_one_of(op, request->ops, request->n_ops) &&
           is_one_of(arch, request->archs, request->n_archs);
}

/* ---- winners ------------------------------------------------------------- */

#define RANKED_COLUMNS                                                         \
    "SELECT op, arch, device_kind, dims, label, device_name, driver_version,"  \
    " sm_count, mode, rank, time_ns, variant_id, problem_id, device_id"        \
    " FROM ranked_v1"

/* Columns of it. */
enum {
    OP,
    ARCH,
    DEVICE_KIND,
    DIMS,
    LABEL,
    DEVICE_NAME,
    DRIVER_VERSION,
    SM_COUNT,
    MODE,
    RANK,
    TIME_NS,
    VARIANT_ID,
    PROBLEM_ID,
    DEVICE_ID
};

#define HAS_CODE                                                               \
    " (cubin_sha256 IS NOT NULL"                                               \
    " OR instr(launch_plan, char(10) || 'vendor ') > 0)"

static const char winners_sql[] =
    RANKED_COLUMNS " WHERE rank = 1 AND template_is_latest = 1"
                   " AND device_kind IN ('cuda', 'cpu') AND" HAS_CODE;
static const char places_sql[] =
    RANKED_COLUMNS " WHERE problem_id = ?1 AND device_id = ?2 AND mode = ?3"
                   " AND rank > 1 AND template_is_latest = 1"
                   " AND" HAS_CODE " ORDER BY rank";
/* As the runtime takes them (runtime/store/store_rows.c). */
static const char defaults_sql[] =
    "SELECT op, arch, preference, variant_id FROM default_v2 v WHERE" HAS_CODE
    " AND NOT EXISTS (SELECT 1 FROM template k JOIN template newer"
    " ON newer.op = k.op AND newer.name = k.name"
    " AND newer.last_put_unix_ns > k.last_put_unix_ns"
    " WHERE k.op = v.op AND k.name = v.implementation"
    " AND k.sha256 = v.template_sha256)";

/* "4096,4096,4"; 0 if it is no such list. */
static int read_dims(pack_input *in, const char *text, pack_winner *out)
{
    int64_t dims[HONE_MAX_DIMS];
    int64_t *kept;
    size_t n = 0;

    for (const char *at = text;; ++at) {
        char *end = NULL;

        if (n == HONE_MAX_DIMS)
            return 0;
        dims[n++] = strtoll(at, &end, 10);
        if (end == at || (*end && *end != ','))
            return 0;
        at = end;
        if (!*at)
            break;
    }
    kept = hone__arena_alloc(&in->arena, n * sizeof *kept);
    if (kept)
        memcpy(kept, dims, n * sizeof *kept);
    out->dims = kept;
    out->n_dims = n;
    return 1;
}

/* `*out` is the winner that was added, NULL: it was left out. */
static hone_status add_winner(pack_input *in, const hone_db_value *values,
                              pack_variant **out, hone_error *err)
{
    pack_winner winner = {.is_host =
                              strcmp(values[DEVICE_KIND].text, "cpu") == 0,
                          .is_cold = strcmp(values[MODE].text, "cold") == 0,
                          .rank = values[RANK].integer,
                          .time_ns = values[TIME_NS].real,
                          .device.sm_count = values[SM_COUNT].integer};

    *out = NULL;
    HONE_TRY(hone__pack_get_variant(in, values[VARIANT_ID].integer,
                                    &winner.variant, err));
    if (!read_dims(in, values[DIMS].text, &winner))
        return HONE_OK;
    winner.op = hone__pack_keep_text(in, values[OP].text);
    winner.label = hone__pack_keep_text(in, values[LABEL].text);
    winner.device.name = hone__pack_keep_text(in, values[DEVICE_NAME].text);
    winner.device.arch = hone__pack_keep_text(in, values[ARCH].text);
    winner.device.driver_version =
        hone__pack_keep_text(in, values[DRIVER_VERSION].text);
    if (!winner.dims || !winner.op || !winner.label || !winner.device.name ||
        !winner.device.arch || !winner.device.driver_version ||
        !HONE_GROW(in->winners, in->n_winners))
        return hone__pack_no_memory(err);
    *out = winner.variant;
    if (!winner.variant->is_damaged)
        in->winners[in->n_winners++] = winner;
    return HONE_OK;
}

/* The places behind a winner that may not be launched where the pack is read:
 * up to the first that needs no library and is whole. */
typedef struct place_walk {
    pack_input *in;
    int is_done;
} place_walk;

static hone_status on_place(void *user, const hone_db_row *row, hone_error *err)
{
    place_walk *walk = user;
    pack_variant *variant;

    if (walk->is_done)
        return HONE_OK;
    HONE_TRY(add_winner(walk->in, row->values, &variant, err));
    walk->is_done = variant && !variant->is_vendors && !variant->is_damaged;
    return HONE_OK;
}

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *const values = row->values;
    const hone_db_value ranking[] = {values[PROBLEM_ID], values[DEVICE_ID],
                                     values[MODE]};
    place_walk walk = {.in = user};

    if (!hone__pack_is_wanted(walk.in, values[OP].text, values[ARCH].text))
        return HONE_OK;
    HONE_TRY(on_place(&walk, row, err));
    return walk.is_done ? HONE_OK
                        : hone__db_query(walk.in->db, places_sql, ranking, 3,
                                         on_place, &walk, err);
}

static hone_status on_default(void *user, const hone_db_row *row,
                              hone_error *err)
{
    const hone_db_value *const values = row->values;
    pack_input *in = user;
    pack_default made = {.is_host = strcmp(values[1].text, "cpu") == 0,
                         .preference = values[2].real};

    if (!hone__pack_is_wanted(in, values[0].text, values[1].text))
        return HONE_OK;
    HONE_TRY(hone__pack_get_variant(in, values[3].integer, &made.variant, err));
    made.op = hone__pack_keep_text(in, values[0].text);
    made.arch = hone__pack_keep_text(in, values[1].text);
    if (!made.op || !made.arch || !HONE_GROW(in->defaults, in->n_defaults))
        return hone__pack_no_memory(err);
    if (!made.variant->is_damaged)
        in->defaults[in->n_defaults++] = made;
    return HONE_OK;
}

hone_status hone__pack_collect(pack_input *in, hone_error *err)
{
    HONE_TRY(hone__db_query(in->db, winners_sql, NULL, 0, on_winner, in, err));
    HONE_TRY(
        hone__db_query(in->db, defaults_sql, NULL, 0, on_default, in, err));
    return hone__pack_collect_choosers(in, err);
}

void hone__pack_input_free(pack_input *in)
{
    hone__table_free(&in->texts);
    hone__table_free(&in->variants);
    hone__free(in->winners);
    hone__free(in->defaults);
    hone__free(in->choosers);
    hone__arena_free(&in->arena);
}
