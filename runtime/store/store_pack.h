/* SPDX-License-Identifier: Apache-2.0 */
/* A pack as a store: a row is made of its records when it is asked for, and
 * kept. */
#ifndef HONE_RUNTIME_STORE_PACK_H
#define HONE_RUNTIME_STORE_PACK_H

#include "runtime/store/pack.h"
#include "runtime/store/store_kind.h"

typedef struct hone_store_pack {
    hone_store store; /* first: what is passed around */
    hone_pack pack;
} hone_store_pack;

static inline const hone_pack *hone__store_pack(const hone_store *store)
{
    return &((const hone_store_pack *)(const void *)store)->pack;
}

/* ---- store_pack_rows.c: of the table of functions -------------------------
 */
hone_status hone__store_pack_read_op(hone_store *store, hone_store_op *op,
                                     hone_error *err);
hone_status hone__store_pack_gather(hone_store *store, hone_store_op *op,
                                    const hone_wanted *wanted, hone_error *err);

/* ---- store_pack_variants.c: likewise --------------------------------------
 */
hone_status hone__store_pack_visit_implementations(
    const hone_store *store, const hone_store_op *op,
    const hone_name_visitor *visitor, hone_error *err);

/* ---- store_pack_choosers.c: likewise --------------------------------------
 */
hone_status hone__store_pack_read_choosers(hone_store *store, hone_store_op *op,
                                           hone_error *err);
hone_status hone__store_pack_chooser_text(const hone_store *store,
                                          const hone_store_chooser *chooser,
                                          hone_text *out, hone_error *err);
hone_status hone__store_pack_read_members(hone_store *store, hone_store_op *op,
                                          hone_store_chooser *chooser,
                                          hone_error *err);

#endif
