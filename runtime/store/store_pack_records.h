/* SPDX-License-Identifier: Apache-2.0 */
/* Rows made of the records of a pack. One is made when it is first asked for,
 * and kept with its operation; records that name what is not there make damaged
 * rows. */
#ifndef HONE_RUNTIME_STORE_PACK_RECORDS_H
#define HONE_RUNTIME_STORE_PACK_RECORDS_H

#include "runtime/store/store_pack.h"

/* Winners of one operation for the same types, with their dims. */
typedef struct hone_pack_view {
    const hone_pack *pack;
    const char *types;
    size_t n_dims;
    uint32_t first; /* of all winners of the pack */
    uint32_t n;
    const hone_pack_winner *winners; /* `n`, and n_dims of these for each */
    const int64_t *dims;
} hone_pack_view;

/* Group `i` of the pack; 0: there is no such group, or its winners are not in
 * the pack. */
int hone__pack_view_open(const hone_pack *pack, uint64_t i,
                         hone_pack_view *out);

static inline const int64_t *hone__pack_view_dims(const hone_pack_view *view,
                                                  uint32_t i)
{
    return view->dims + (size_t)i * view->n_dims;
}

/* Add the row of winner `i` of the view, of default `i` of the pack (none there
 * adds nothing). HONE_ERR_NO_MEMORY. */
hone_status hone__store_pack_add_winner(const hone_pack_view *view,
                                        hone_store_op *op, uint32_t i,
                                        hone_error *err);
hone_status hone__store_pack_add_default(const hone_pack *pack,
                                         hone_store_op *op, uint32_t i,
                                         hone_error *err);

/* A row of variant `i` that is of no winner and no default; not added. */
hone_status hone__store_pack_make_row(const hone_pack *pack, hone_store_op *op,
                                      uint32_t i, hone_store_row **out,
                                      hone_error *err);

hone_status hone__store_pack_no_memory(hone_error *err);

#endif
