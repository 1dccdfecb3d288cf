/* SPDX-License-Identifier: Apache-2.0 */
/* The winners of a side: see diff.h. */
#include "tools/database/diff.h"

#include "runtime/base/grow.h"
#include "tools/base/option_value.h"
#include "tools/inputs/open_to_read.h"

#include <stdlib.h>
#include <string.h>

/* Of two drivers the later result counts. */
#define WINNERS                                                                \
    "SELECT w.op, w.dims, w.mode, w.device_name, w.label, w.config,"           \
    " w.template_name, w.time_ns, w.ci_low_ns, w.ci_high_ns,"                  \
    " (SELECT s.noise_floor FROM session s"                                    \
    "  WHERE s.session_id = w.session_id),"                                    \
    " (SELECT b.time_ns FROM baseline b WHERE b.session_id = w.session_id"     \
    "  AND b.name = 'memcpy'), w.driver_version, NULL,"                        \
    " (SELECT min(b.time_ns) FROM baseline b"                                  \
    "  WHERE b.session_id = w.session_id AND b.name <> 'memcpy'),"             \
    " (SELECT t.sm_clock_mhz FROM trial t WHERE t.trial_id = w.trial_id)"      \
    " FROM winner_v1 w"
#define IN_TIME " ORDER BY w.tuned_at, w.session_id"

/* Of a database: noise floors. */
enum { OLDEST_FORMAT = 2 };

/* What a session has in the ranking, else the best of its trials. */
static const char of_session[] =
    "SELECT p.op, p.dims, s.mode, d.name, p.label, v.config, k.name,"
    " coalesce(r.time_ns, t.time_ns), r.ci_low_ns, r.ci_high_ns,"
    " s.noise_floor, (SELECT b.time_ns FROM baseline b"
    "  WHERE b.session_id = s.session_id AND b.name = 'memcpy'),"
    " d.driver_version, t.spread_ns, (SELECT min(b.time_ns) FROM baseline b"
    "  WHERE b.session_id = s.session_id AND b.name <> 'memcpy'),"
    " t.sm_clock_mhz"
    " FROM session s"
    " JOIN problem p ON p.problem_id = s.problem_id"
    " JOIN device d ON d.device_id = s.device_id"
    " JOIN trial t ON t.trial_id = coalesce("
    "  (SELECT r.trial_id FROM ranking r WHERE r.problem_id = s.problem_id"
    "   AND r.device_id = s.device_id AND r.mode = s.mode AND r.rank = 1"
    "   AND r.session_id = s.session_id),"
    "  (SELECT b.trial_id FROM trial b WHERE b.session_id = s.session_id"
    "   AND b.outcome = 'ok' ORDER BY b.time_ns LIMIT 1))"
    " JOIN variant v ON v.variant_id = t.variant_id"
    " JOIN template k ON k.template_id = v.template_id"
    " LEFT JOIN ranking r ON r.trial_id = t.trial_id AND r.rank = 1"
    "  AND r.session_id = s.session_id WHERE s.session_id = CAST(?1 AS "
    "INTEGER)";

static const struct {
    const char *prefix; /* of the name; "": a file */
    const char *sql;
    int has_device;
    const char *noun;
} kinds[] = {{"session:", of_session, 1, "correct trial of session"},
             {"driver:", WINNERS " WHERE w.driver_version = ?1" IN_TIME, 1,
              "winner with driver"},
             {"device:", WINNERS " WHERE w.device_name = ?1" IN_TIME, 0,
              "winner on device"},
             {"", WINNERS IN_TIME, 1, "winner in"}};

/* ---- rows ---------------------------------------------------------------- */

typedef struct side_walk {
    hone_side *side;
    int has_device;
} side_walk;

static int lists(const hone_text *list, const char *word)
{
    const size_t length = strlen(word);
    const char *at = list->length ? list->data : "";

    while ((at = strstr(at, word)) != NULL) {
        if ((at == list->data || at[-1] == ' ') &&
            (at[length] == ',' || !at[length]))
            return 1;
        at += length;
    }
    return 0;
}

static void list(hone_text *out, const char *word)
{
    if (*word && !out->failed && !lists(out, word))
        hone__text_printf(out, "%s%s", out->length ? ", " : "", word);
}

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    const hone_db_value *v = row->values;
    side_walk *walk = user;
    hone_side *side = walk->side;
    hone_side_row *to;
    const double spread = v[13].kind == HONE_DB_NULL ? 0 : v[13].real;

    if (!HONE_GROW(side->rows, side->n))
        return hone__out_of_memory(err, "");
    to = &side->rows[side->n];
    *to = (hone_side_row){
        .op = hone__arena_strndup(&side->arena, v[0].text, v[0].size_bytes),
        .dims = hone__arena_strndup(&side->arena, v[1].text, v[1].size_bytes),
        .mode = hone__arena_strndup(&side->arena, v[2].text, v[2].size_bytes),
        .device =
            walk->has_device
                ? hone__arena_strndup(&side->arena, v[3].text, v[3].size_bytes)
                : "",
        .label = hone__arena_strndup(&side->arena, v[4].text, v[4].size_bytes),
        .config = hone__arena_strndup(&side->arena, v[5].text, v[5].size_bytes),
        .implementation =
            hone__arena_strndup(&side->arena, v[6].text, v[6].size_bytes),
        .time_ns = v[7].real,
        .low_ns = v[8].kind == HONE_DB_REAL ? v[8].real : v[7].real - spread,
        .high_ns = v[9].kind == HONE_DB_REAL ? v[9].real : v[7].real + spread,
        .noise = v[10].real,
        .copy_ns = v[11].real,
        .vendor_ns = v[14].real,
        .clock_mhz = v[15].integer};
    if (!to->op || !to->dims || !to->mode || !to->device || !to->label ||
        !to->config || !to->implementation)
        return hone__out_of_memory(err, "");
    ++side->n;
    list(&side->drivers, v[12].text);
    list(&side->devices, v[3].text);
    return HONE_OK;
}

int hone__side_order(const hone_side_row *one, const hone_side_row *other)
{
    int order = strcmp(one->op, other->op);

    order = order ? order : strcmp(one->dims, other->dims);
    order = order ? order : strcmp(one->mode, other->mode);
    return order ? order : strcmp(one->device, other->device);
}

/* Rows of one key stay in the order of time: the address tells it. */
static int by_key(const void *a, const void *b)
{
    const hone_side_row *one = *(hone_side_row *const *)a;
    const hone_side_row *other = *(hone_side_row *const *)b;
    const int order = hone__side_order(one, other);

    return order ? order : (one > other) - (one < other);
}

static hone_status sort(hone_side *side, hone_error *err)
{
    hone_side_row **order = hone__alloc((side->n + 1) * sizeof(void *));
    hone_side_row *sorted = hone__alloc((side->n + 1) * sizeof *sorted);
    size_t n = 0;

    if (!order || !sorted) {
        hone__free(order);
        hone__free(sorted);
        return hone__out_of_memory(err, "");
    }
    for (size_t i = 0; i < side->n; ++i)
        order[i] = &side->rows[i];
    if (side->n)
        qsort(order, side->n, sizeof *order, by_key);
    for (size_t i = 0; i < side->n; ++i) {
        n -= n && hone__side_order(&sorted[n - 1], order[i]) == 0;
        sorted[n++] = *order[i];
    }
    hone__free(order);
    hone__free(side->rows);
    side->rows = sorted;
    side->n = n;
    return HONE_OK;
}

/* ---- a side
 * ------------------------------------------------------------------ */

hone_status hone__side_read(const hone_options *options, const char *name,
                            hone_side *out, hone_error *err)
{
    hone_text path = {0};
    hone_db *db = NULL;
    hone_db_value value;
    hone_status status = HONE_OK;
    size_t kind = 0;
    side_walk walk = {out, 1};

    *out = (hone_side){.rows = NULL};
    while (strncmp(name, kinds[kind].prefix, strlen(kinds[kind].prefix)) != 0)
        ++kind;
    value = hone__db_text(name + strlen(kinds[kind].prefix));
    walk.has_device = kinds[kind].has_device;
    if (kinds[kind].sql == of_session &&
        (!*value.text || value.text[strspn(value.text, "0123456789")]))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'%s': a session is a number, as hone show sessions "
                          "has it",
                          name);
    if (*kinds[kind].prefix)
        status = hone__locate_db(options, &path, err);
    else
        hone__text_puts(&path, name);
    if (status == HONE_OK)
        status = hone__text_check(&path, err);
    if (status == HONE_OK)
        status = hone__open_to_read(hone__text_str(&path), &db, err);
    if (status == HONE_OK)
        status =
            hone__read_needs(db, hone__text_str(&path), OLDEST_FORMAT, err);
    if (status == HONE_OK)
        status =
            hone__db_query(db, kinds[kind].sql, &value,
                           *kinds[kind].prefix ? 1 : 0, on_winner, &walk, err);
    if (status == HONE_OK && !out->n)
        status = hone__fail(err, HONE_ERR_NOT_FOUND, "there is no %s %s%s%s",
                            kinds[kind].noun, value.text,
                            *kinds[kind].prefix ? " in " : "",
                            *kinds[kind].prefix ? hone__text_str(&path) : "");
    if (status == HONE_OK)
        status = sort(out, err);
    hone__db_close(db);
    hone__text_free(&path);
    return status;
}

void hone__side_free(hone_side *side)
{
    hone__arena_free(&side->arena);
    hone__free(side->rows);
    hone__text_free(&side->drivers);
    hone__text_free(&side->devices);
    *side = (hone_side){.rows = NULL};
}
