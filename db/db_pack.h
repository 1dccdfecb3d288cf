/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a pack: what launches need of a database, as the bytes of one
 * read-only file (runtime/store/pack_format.h, hone-pack(5)). The same input
 * gives the same bytes. */
#ifndef HONE_DB_DB_PACK_H
#define HONE_DB_DB_PACK_H

#include "db/db.h"

/* A variant as its template gives it. */
typedef struct hone_db_pack_source {
    const char *op;
    const char *implementation;
    const char *template_sha256;
    const char *config;
    const char *types;    /* codes of the dims that are fixed: "4,0" */
    const char *ptx_arch; /* what is wanted: "compute_90" */
} hone_db_pack_source;

typedef struct hone_db_pack_request {
    const char *const *ops; /* none: all */
    size_t n_ops;
    const char *const *archs; /* of devices, "sm_90", "cpu"; none: all */
    size_t n_archs;
    int without_dictionaries; /* to measure what they are worth */
    /* Appends the PTX of a variant; nothing: it has none. NULL: without. */
    hone_status (*make_ptx)(void *user, const hone_db_pack_source *source,
                            hone_text *out, hone_error *err);
    void *user;
} hone_db_pack_request;

typedef struct hone_db_pack_summary {
    size_t n_ops;
    size_t n_winners;
    size_t n_defaults;
    size_t n_choosers;
    size_t n_variants;
    size_t n_cubins;
    size_t n_ptx;        /* variants that are in it as PTX as well */
    size_t n_damaged;    /* variants that were left out for it */
    size_t cubin_bytes;  /* before they were compressed */
    size_t stored_bytes; /* and after that */
    size_t index_bytes;
    char sha256[HONE_SHA256_HEX]; /* of the pack */
    hone_text damage;             /* what is wrong with the first of them */
} hone_db_pack_summary;

/* Append the pack's bytes. HONE_ERR_NOT_FOUND: nothing that was asked for is
 * in the database, the sentence says what is. `summary` is to be freed whatever
 * comes back. */
hone_status hone__db_pack(hone_db *db, const hone_db_pack_request *request,
                          hone_text *out, hone_db_pack_summary *summary,
                          hone_error *err);
void hone__db_pack_summary_free(hone_db_pack_summary *summary);

#endif
