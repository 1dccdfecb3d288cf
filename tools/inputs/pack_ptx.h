/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of variants for hone pack --with-ptx. */
#ifndef HONE_TOOLS_PACK_PTX_H
#define HONE_TOOLS_PACK_PTX_H

#include "db/db_pack.h"
#include "tools/inputs/inputs.h"
#include "tuner/compile/farm.h"

/* Starts as {.options = ..}. */
typedef struct hone_pack_ptx {
    const hone_options *options;
    hone_farm *farm;            /* NULL until the first compile */
    hone_text cache;            /* its folder */
    hone_implementations impls; /* of `op` */
    hone_text op;
    hone_compile_output output; /* of the last compile, once it is done */
    int is_done;
    size_t n_left_out; /* variants, and why the first of them */
    hone_text why;
} hone_pack_ptx;

/* hone_db_pack_request.make_ptx; `user` is a hone_pack_ptx. */
hone_status hone__pack_ptx_make(void *user, const hone_db_pack_source *source,
                                hone_text *out, hone_error *err);
/* Says what was left out, and frees all. */
void hone__pack_ptx_end(hone_pack_ptx *ptx);

#endif
