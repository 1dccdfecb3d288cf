/* SPDX-License-Identifier: Apache-2.0 */
/* What a database and a pack each do in their own way: one row of functions
 * each. Everything above them (which row answers, is it what was stored, what
 * is said about it) exists once. */
#ifndef HONE_RUNTIME_STORE_KIND_H
#define HONE_RUNTIME_STORE_KIND_H

#include "runtime/store/store.h"

typedef struct hone_store_kind {
    const char *noun;   /* "database" */
    const char *mend;   /* what mends a damaged one, completes a sentence */
    const char *remedy; /* the same in brackets of a match's reason */
    /* Gives back what the store has, and the store. */
    void (*close)(hone_store *store);
    /* Forget what is not so any more. NULL: nothing ever changes. */
    hone_status (*refresh)(hone_store *store, hone_error *err);
    /* A new op, of which only the name is known: as many rows as tell its
     * dims, or all. */
    hone_status (*read_op)(hone_store *store, hone_store_op *op,
                           hone_error *err);
    /* See hone__store_gather(). NULL: read_op() has read all. */
    hone_status (*gather)(hone_store *store, hone_store_op *op,
                          const hone_wanted *wanted, hone_error *err);
    /* See hone__store_widen(). NULL: read_op() has read all that it wants. */
    hone_status (*widen)(hone_store *store, hone_store_op *op, hone_error *err);
    /* See hone__store_runners_up(). NULL: all are gathered. */
    hone_status (*runners_up)(hone_store *store, hone_store_op *op,
                              hone_store_row *winner, hone_error *err);
    /* See hone__store_choosers(). NULL: there are none. */
    hone_status (*read_choosers)(hone_store *store, hone_store_op *op,
                                 hone_error *err);
    /* Append a chooser's text. HONE_ERR_DATABASE: it is not what was stored. */
    hone_status (*chooser_text)(const hone_store *store,
                                const hone_store_chooser *chooser,
                                hone_text *out, hone_error *err);
    /* Fill in the rows of its members. */
    hone_status (*read_members)(hone_store *store, hone_store_op *op,
                                hone_store_chooser *chooser, hone_error *err);
    /* Text of the row's launch plan. NULL: it is there from the beginning. */
    hone_status (*read_plan)(const hone_store *store, hone_store_op *op,
                             const hone_store_row *row, hone_error *err);
    /* Is the row's cubin there and whole? */
    hone_status (*check_cubin)(const hone_store *store,
                               const hone_store_row *row, hone_error *err);
    /* Append it; its SHA-256 is compared. */
    hone_status (*cubin)(const hone_store *store, const hone_store_row *row,
                         hone_text *out, hone_error *err);
    hone_status (*visit_ops)(hone_store *store,
                             const hone_name_visitor *visitor, hone_error *err);
    /* See hone__store_visit_implementations(). NULL: read_op() has read all. */
    hone_status (*visit_implementations)(const hone_store *store,
                                         const hone_store_op *op,
                                         const hone_name_visitor *visitor,
                                         hone_error *err);
} hone_store_kind;

/* `path` is a file whose beginning was looked at. */
hone_status hone__store_open_database(const char *path, hone_store **out,
                                      hone_error *err);
hone_status hone__store_open_pack(const hone_store_source *source,
                                  hone_store **out, hone_error *err);

#endif
