/* SPDX-License-Identifier: Apache-2.0 */
/* Which problem, and what the runtime answers: see explain.h. No device is
 * asked, so that a database of another machine can be read. */
#include "tools/database/explain.h"

#include "runtime/base/alloc.h"
#include "runtime/store/store.h"
#include "tools/analysis/stored_launch.h"
#include "tools/inputs/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_NAME(name, value, spelling) [HONE_MATCH_##name] = spelling,
static const char *const match_names[] = {HONE_MATCH_MAP(MATCH_NAME)};
#undef MATCH_NAME

/* ---- the problem ------------------------------------------------------------
 */

/* The last one; where it was not named, of those that have a winner first: the
 * last one may have found no room, or be a portfolio's. */
static const char find_sql[] =
    "SELECT op, dims, label, mode, device_name, device_kind, driver_version,"
    " problem_id, device_id, (SELECT facts FROM device d"
    "  WHERE d.device_id = s.device_id), arch FROM session_v1 s"
    " WHERE op = ?1 AND (?2 = '' OR (dims >= ?2 AND dims < ?2 || '-'))"
    " AND (?3 IS NULL OR mode = ?3) ORDER BY ?2 = '' AND"
    " (problem_id, device_id, mode) NOT IN"
    " (SELECT problem_id, device_id, mode FROM ranking),"
    " session_id DESC LIMIT 1";

#define COPY(to, value) (void)snprintf((to), sizeof(to), "%s", (value).text)

static hone_status on_found(void *user, const hone_db_row *row, hone_error *err)
{
    const hone_db_value *v = row->values;
    hone_explained *about = user;

    (void)err;
    COPY(about->label, v[2]);
    COPY(about->mode, v[3]);
    COPY(about->device, v[4]);
    COPY(about->device_kind, v[5]);
    COPY(about->driver_version, v[6]);
    about->problem_id = v[7].integer;
    about->device_id = v[8].integer;
    about->n_dims = hone__stored_dims_read(v[1].text, about->dims);
    hone__stored_properties(v[9].text, v[10].text, &about->properties);
    return HONE_OK;
}

hone_status hone__explain_find(hone_explained *about, const char *dims,
                               const char *mode, hone_error *err)
{
    const hone_db_value values[] = {hone__db_text(about->op),
                                    hone__db_text(dims), hone__db_text(mode)};

    about->problem_id = 0;
    HONE_TRY(
        hone__db_query(about->db, find_sql, values, 3, on_found, about, err));
    if (about->problem_id)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "nothing was tuned of %s%s%s%s%s in '%s'; hone show "
                      "problems says what there is",
                      about->op, *dims ? " with dims " : "", dims,
                      mode ? " and mode " : "", mode ? mode : "", about->path);
}

/* ---- answers
 * ------------------------------------------------------------------ */

/* The largest of the sizes that `of_size` names, or of all, an eighth more, and
 * one. */
static void grow(const hone_explained *about, const int64_t *of_size,
                 int64_t *dims)
{
    size_t largest = about->n_dims;

    for (size_t i = 0; i < about->n_dims; ++i)
        if ((!of_size || of_size[i]) &&
            (largest == about->n_dims || dims[i] > dims[largest]))
            largest = i;
    if (largest < about->n_dims)
        dims[largest] += dims[largest] / 8 + 1;
}

/* Where the template is here: only what is a size is grown, and what follows
 * from sizes, such as a stride, follows. */
static int grow_by_template(const hone_options *options,
                            const hone_explained *about, int64_t *dims)
{
    hone_implementations impls = {0};
    hone_error ignored = {0};
    int64_t is_size[HONE_MAX_DIMS], grown[HONE_MAX_DIMS];
    int is_done = hone__load_implementations(options, about->op, &impls,
                                             &ignored) == HONE_OK &&
                  impls.n > 0 && impls.items[0]->n_dims == about->n_dims;

    if (is_done) {
        const hone_template *tmpl = impls.items[0];

        hone__template_known_dims(tmpl, about->dims, 0, is_size);
        for (size_t i = 0; i < about->n_dims; ++i)
            is_size[i] = is_size[i] == HONE_DIM_DEFAULT &&
                         !hone__template_dim_follows(tmpl, i, about->dims);
        memcpy(grown, about->dims, sizeof grown);
        grow(about, is_size, grown);
        for (size_t i = 0; i < about->n_dims; ++i)
            if (hone__template_dim_follows(tmpl, i, about->dims))
                grown[i] = HONE_DIM_DEFAULT;
        is_done = hone__template_complete_dims(tmpl, grown, about->n_dims, dims,
                                               &ignored) == HONE_OK;
    }
    hone__implementations_free(&impls);
    return is_done;
}

/* A shape near this one that nobody tuned, most likely. */
static void move_away(const hone_options *options, const hone_explained *about,
                      int64_t *dims)
{
    if (grow_by_template(options, about, dims))
        return;
    memcpy(dims, about->dims, sizeof about->dims);
    grow(about, NULL, dims);
}

static json_t *answer(const hone_explained *about, hone_store *store,
                      const char *what, const int64_t *dims)
{
    hone_target target = {.is_host = strcmp(about->device_kind, "cpu") == 0,
                          .properties = about->properties};
    const hone_query query = {.stores = &store,
                              .n_stores = 1,
                              .target = &target,
                              .op = about->op,
                              .dims = dims,
                              .n_dims = about->n_dims,
                              .compile = HONE_COMPILE_NEVER};
    hone_answer *found = hone__alloc(sizeof *found);
    hone_error err = {0};
    hone_text text = {0};
    json_t *row;

    COPY(target.name, ((hone_db_value){.text = about->device}));
    COPY(target.driver_version,
         ((hone_db_value){.text = about->driver_version}));
    for (size_t i = 0; i < about->n_dims; ++i)
        hone__text_printf(&text, "%s%lld", i ? "," : "", (long long)dims[i]);
    if (found && hone__match_find(&query, found, &err) == HONE_OK)
        row = hone__json("shape:s dims:s match:s implementation:s config:s "
                         "tuned_time_ns:p predicted_time_ns:p doubt:p reason:s",
                         what, hone__text_str(&text),
                         match_names[found->match.kind],
                         found->match.implementation, found->match.config,
                         (double)found->match.tuned_time_ns,
                         (double)found->match.predicted_time_ns,
                         found->match.doubt, found->match.reason);
    else
        row = hone__json("shape:s dims:s match:n reason:s", what,
                         hone__text_str(&text),
                         found ? err.text : "out of memory");
    hone__text_free(&text);
    hone__free(found);
    return row;
}

json_t *hone__explain_answers(const hone_options *options,
                              const hone_explained *about, hone_error *err)
{
    int64_t other[HONE_MAX_DIMS];
    hone_store *store = NULL;
    json_t *rows;

    if (strcmp(about->device_kind, "replay") == 0)
        return json_array(); /* nothing was compiled */
    if (hone__store_open(about->path, &store, err) != HONE_OK)
        return NULL;
    hone__store_select(store, strcmp(about->device_kind, "cpu") == 0);
    move_away(options, about, other);
    rows = hone__json_append(json_array(),
                             answer(about, store, "this", about->dims));
    rows = hone__json_append(rows, answer(about, store, "another", other));
    hone__store_close(store);
    return rows;
}
