/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of writing a pack share: db_pack_read.c collects rows,
 * db_pack_order.c sorts them, db_pack_write.c makes records of them. */
#ifndef HONE_DB_DB_PACK_PARTS_H
#define HONE_DB_DB_PACK_PARTS_H

#include "db/db_internal.h"
#include "db/db_pack.h"
#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "runtime/base/table.h"
#include "runtime/choose/chooser.h"
#include "runtime/store/pack_format.h"

/* A text that is kept once, and what was made of it so far. */
typedef struct pack_text {
    const char *text;
    uint32_t offset;  /* these two HONE_PACK_NONE: not in the pack yet */
    uint32_t blob;    /* a launch plan's, or of the cubin with this SHA-256 */
    const char *code; /* with this SHA-256, where no database has it */
    size_t code_bytes;
} pack_text;

typedef struct pack_variant {
    pack_text *op;
    pack_text *implementation;
    pack_text *config;
    pack_text *types;
    pack_text *compile_arch;
    pack_text *cubin_sha256;
    pack_text *launch_sha256; /* NULL: from before format version 4 */
    pack_text *plan;
    int is_default;
    int is_vendors;
    int is_damaged;
    pack_text *template_sha256;
    int is_ptx_asked;
    struct pack_variant *ptx; /* the same as PTX; NULL: there is none */
    uint32_t number;          /* HONE_PACK_NONE: not in the pack yet */
} pack_variant;

typedef struct pack_device {
    pack_text *name;
    pack_text *driver_version;
    pack_text *arch;
    int64_t sm_count;
} pack_device;

typedef struct pack_winner {
    pack_text *op;
    int is_host;
    size_t n_dims;
    const int64_t *dims;
    pack_text *label;
    pack_device device;
    int is_cold;
    int64_t rank;
    double time_ns;
    pack_variant *variant; /* whose types are the row's */
} pack_winner;

typedef struct pack_default {
    pack_text *op;
    int is_host;
    pack_text *arch;
    double preference;
    pack_variant *variant;
} pack_default;

typedef struct pack_chooser {
    pack_text *op;
    int is_host;
    pack_text *types;
    pack_device device;
    int is_cold;
    const char *text;
    size_t n_members;
    pack_variant *members[HONE_CHOOSER_MEMBERS]; /* NULL: it is left out */
} pack_chooser;

/* All that a pack is made of. */
typedef struct pack_input {
    hone_db *db;
    const hone_db_pack_request *request;
    hone_db_pack_summary *summary;
    hone_arena arena;
    hone_table texts;    /* by the hash of their bytes */
    hone_table variants; /* by variant_id */
    pack_winner *winners;
    size_t n_winners;
    pack_default *defaults;
    size_t n_defaults;
    pack_chooser *choosers;
    size_t n_choosers;
} pack_input;

hone_status hone__pack_no_memory(hone_error *err);

/* ---- db_pack_read.c -------------------------------------------------------
 */
hone_status hone__pack_collect(pack_input *in, hone_error *err);
int hone__pack_is_wanted(const pack_input *in, const char *op,
                         const char *arch);
hone_status hone__pack_get_variant(pack_input *in, int64_t id,
                                   pack_variant **out, hone_error *err);
/* The text, kept; NULL without memory. */
pack_text *hone__pack_keep_text(pack_input *in, const char *text);
void hone__pack_input_free(pack_input *in);

/* ---- db_pack_choosers.c ---------------------------------------------------
 */
hone_status hone__pack_collect_choosers(pack_input *in, hone_error *err);

/* ---- db_pack_ptx.c --------------------------------------------------------
 */
/* Beside the rows that were collected those with PTX, if it is asked for. */
hone_status hone__pack_add_ptx(pack_input *in, hone_error *err);
/* Append the code with this SHA-256. */
hone_status hone__pack_code(const pack_input *in, const pack_text *sha256,
                            hone_text *out, hone_error *err);

/* ---- db_pack_blob.c: compressed bytes behind the index --------------------
 */
typedef struct pack_blobs {
    hone_text records; /* hone_pack_blob, offsets from the first blob */
    hone_text bytes;
    uint32_t dictionaries[HONE_PACK_N_DICTIONARIES];
    struct ZSTD_CCtx_s *compressor;
    struct ZSTD_CDict_s *prepared[HONE_PACK_N_DICTIONARIES];
} pack_blobs;

hone_status hone__pack_blobs_begin(pack_blobs *blobs, hone_error *err);
void hone__pack_blobs_free(pack_blobs *blobs);
/* Make a dictionary of samples that lie one behind the other, where there are
 * enough of them. Before the first blob that is of its kind. */
hone_status hone__pack_blobs_train(pack_blobs *blobs, hone_pack_dictionary kind,
                                   const hone_text *samples,
                                   const size_t *sample_bytes, size_t n,
                                   hone_error *err);
hone_status hone__pack_blobs_add(pack_blobs *blobs, hone_pack_dictionary kind,
                                 const void *bytes, size_t size_bytes,
                                 uint32_t *out, hone_error *err);

/* ---- db_pack_samples.c ----------------------------------------------------
 */
/* A dictionary of what the input has, by the function above. */
hone_status hone__pack_train(const pack_input *in, pack_blobs *blobs,
                             hone_pack_dictionary kind, hone_error *err);

/* ---- db_pack_order.c ------------------------------------------------------
 */
/* Winners, defaults and choosers: by operation, then in the order of the file.
 */
void hone__pack_sort(pack_input *in);
/* Are two rows in one group of an operation, and if not, which comes first? */
int hone__pack_compare_groups(const pack_winner *a, const pack_winner *b);
int hone__pack_compare_numbers(double a, double b);

/* ---- db_pack_write.c ------------------------------------------------------
 */
hone_status hone__pack_write(pack_input *in, hone_text *out, hone_error *err);

#endif
