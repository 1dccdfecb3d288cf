/* SPDX-License-Identifier: Apache-2.0 */
/* What a merge says of lists that were shared out: see merge.h. */
#include "tools/database/merge.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/base/message.h"
#include "tools/base/output.h"

#include <stdio.h>
#include <string.h>

/* ---- two files of one shard ------------------------------------------------
 */

typedef struct known_mark {
    char mark[HONE_SHARD_MARK];
    int64_t first_unix_s;
    const char *path;
} known_mark;

typedef struct known_marks {
    known_mark *items;
    size_t n;
    const char *path; /* that is read */
} known_marks;

/* A copy of a file has the same sessions, and is no second one. */
static hone_status on_mark(void *user, const char *mark, int64_t first_unix_s,
                           hone_error *err)
{
    known_marks *known = user;

    for (size_t i = 0; i < known->n; ++i)
        if (strcmp(known->items[i].mark, mark) == 0 &&
            known->items[i].path != known->path) {
            if (known->items[i].first_unix_s != first_unix_s)
                hone__message_note("%s and %s are both %s: all of both is "
                                   "taken; was one of them to be another "
                                   "shard?",
                                   known->items[i].path, known->path, mark);
            return HONE_OK;
        }
    if (!HONE_GROW(known->items, known->n))
        return hone__out_of_memory(err, "");
    known->items[known->n] =
        (known_mark){.first_unix_s = first_unix_s, .path = known->path};
    (void)snprintf(known->items[known->n++].mark, HONE_SHARD_MARK, "%s", mark);
    return HONE_OK;
}

hone_status hone__merge_say_twice(const char *const *paths, size_t n,
                                  hone_error *err)
{
    known_marks known = {0};
    hone_status status = HONE_OK;

    for (size_t i = 0; i < n && status == HONE_OK; ++i) {
        hone_db *db = NULL;

        known.path = paths[i];
        status = hone__db_open(paths[i], HONE_DB_READONLY, &db, err);
        if (status == HONE_OK)
            status = hone__db_shards_marks(db, on_mark, &known, err);
        hone__db_close(db);
    }
    hone__free(known.items);
    return status;
}

/* ---- what is open ----------------------------------------------------------
 */

static json_t *problem_row(const hone_db_unshared *row)
{
    json_t *problem =
        hone__json("op:s dims:s name:s", row->op, row->dims, row->name);

    return row->n_parts > 1 ? hone__json_add(problem, "part:i of_parts:i",
                                             row->part, row->n_parts)
                            : problem;
}

/* In text: the first of them. */
static void add_words(hone_merge_shard *shard, const hone_db_unshared *row)
{
    enum { MOST = 3 };

    if (shard->n_open > MOST)
        return;
    hone__text_printf(&shard->words, "%s%s %s", shard->n_open > 1 ? ", " : "",
                      row->name, row->dims);
    if (row->n_parts > 1)
        hone__text_printf(&shard->words, " (part %d of %d)", row->part,
                          row->n_parts);
}

/* Another list: shards by their number. */
static int begin_list(hone_merge_open *open, const hone_db_unshared *row)
{
    hone__free(open->places);
    open->places =
        hone__alloc(((size_t)row->n_shards + 1) * sizeof *open->places);
    (void)snprintf(open->list, sizeof open->list, "%s", row->list);
    return open->places != NULL;
}

/* NULL: no memory. */
static hone_merge_shard *shard_of(hone_merge_open *open,
                                  const hone_db_unshared *row)
{
    size_t *place;

    if (strcmp(open->list, row->list) != 0 && !begin_list(open, row))
        return NULL;
    place = &open->places[row->shard];
    if (*place)
        return &open->items[*place - 1];
    if (!HONE_GROW(open->items, open->n))
        return NULL;
    open->items[open->n] = (hone_merge_shard){.shard = row->shard,
                                              .n_shards = row->n_shards,
                                              .is_begun = row->is_begun,
                                              .problems = json_array()};
    (void)snprintf(open->items[open->n].list, HONE_SHARD_LIST_ID, "%s",
                   row->list);
    *place = ++open->n;
    return &open->items[*place - 1];
}

static hone_status on_open(void *user, const hone_db_unshared *row,
                           hone_error *err)
{
    hone_merge_shard *shard = shard_of(user, row);

    if (!shard)
        return hone__out_of_memory(err, "");
    ++shard->n_open;
    add_words(shard, row);
    shard->problems = hone__json_append(shard->problems, problem_row(row));
    return HONE_OK;
}

hone_status hone__merge_open_read(hone_db *db, hone_merge_open *out,
                                  hone_error *err)
{
    *out = (hone_merge_open){0};
    HONE_TRY(hone__db_shards_open(db, on_open, out, &out->all, err));
    for (size_t i = 0; i < out->n; ++i)
        out->n_missing += !out->items[i].is_begun;
    return HONE_OK;
}

void hone__merge_open_free(hone_merge_open *open)
{
    for (size_t i = 0; i < open->n; ++i) {
        json_decref(open->items[i].problems);
        hone__text_free(&open->items[i].words);
    }
    hone__free(open->items);
    hone__free(open->places);
    *open = (hone_merge_open){0};
}

void hone__merge_open_rows(hone_merge_open *open, hone_output *output)
{
    for (size_t i = 0; i < open->n; ++i) {
        hone_merge_shard *shard = &open->items[i];
        char which[40];

        (void)snprintf(which, sizeof which, "%d/%d", shard->shard,
                       shard->n_shards);
        if (shard->n_open > 3)
            hone__text_printf(&shard->words, " and %lld more",
                              (long long)shard->n_open - 3);
        hone__output_row(
            output,
            hone__json("shard:s state:s list:s open:I words:s problems:o",
                       which, shard->is_begun ? "not finished" : "missing",
                       shard->list, shard->n_open,
                       hone__text_str(&shard->words),
                       json_incref(shard->problems)));
    }
}

void hone__merge_open_say(const hone_merge_open *open, const char *db)
{
    if (open->all.n_lost)
        hone__message_note("of %lld lists of problems that were shared out the "
                           "database does not have the text: what is missing "
                           "of them is not known",
                           (long long)open->all.n_lost);
    if (open->all.n_open)
        hone__message_negative(
            "%lld of %lld shards are missing, and %lld problems or parts of "
            "them are not tuned: run these shards again; 'hone tune --shapes "
            "FILE --missing-from %s' lists the problems without a winner",
            (long long)open->n_missing, (long long)open->all.n_shards,
            (long long)open->all.n_open, db);
}
