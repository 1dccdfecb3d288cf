/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a pack, version 2; hone-pack(5) and README.md explain them.
 *
 * A header, tables of records of fixed size, and texts are the index: it is
 * used as it lies in the file, little-endian, every table at a multiple of 8
 * bytes. Behind it are blobs, which are compressed: launch plans and cubins.
 * One hash covers the header, one the rest of the index, one each blob. */
#ifndef HONE_RUNTIME_PACK_FORMAT_H
#define HONE_RUNTIME_PACK_FORMAT_H

#include <stdint.h>

/* Eight bytes; what a transfer as text would change is among them. */
#define HONE_PACK_MAGIC "\211honepk\n"

enum {
    HONE_PACK_VERSION = 2,
    HONE_PACK_ALIGN_BYTES = 8,
    HONE_PACK_MOST_BLOB_BYTES = 64 << 20 /* of a cubin or launch plan */
};
/* Of a file. */
#define HONE_PACK_MOST_BYTES (INT64_C(16) << 30)

#define HONE_PACK_NONE UINT32_MAX /* no blob, no text */

typedef enum hone_pack_part {
    HONE_PACK_OPS,      /* hone_pack_op */
    HONE_PACK_GROUPS,   /* hone_pack_group */
    HONE_PACK_DIMS,     /* int64_t */
    HONE_PACK_WINNERS,  /* hone_pack_winner */
    HONE_PACK_DEFAULTS, /* hone_pack_default */
    HONE_PACK_STANDINS, /* uint32_t: winners that are default variants */
    HONE_PACK_VARIANTS, /* hone_pack_variant */
    HONE_PACK_DEVICES,  /* hone_pack_device */
    HONE_PACK_BLOBS,    /* hone_pack_blob */
    HONE_PACK_TEXTS,    /* bytes: strings that end with NUL, the last one too */
    HONE_PACK_CHOOSERS, /* hone_pack_chooser; this and the next since version 2
                         */
    HONE_PACK_MEMBERS,  /* uint32_t: variants, or none */
    HONE_PACK_N_PARTS
} hone_pack_part;

/* Those of version 1, whose header is shorter for it. */
enum { HONE_PACK_N_PARTS_1 = HONE_PACK_CHOOSERS };

/* What a blob was compressed with. */
typedef enum hone_pack_dictionary {
    HONE_PACK_OF_PLANS,
    HONE_PACK_OF_CUBINS,
    HONE_PACK_N_DICTIONARIES
} hone_pack_dictionary;

typedef struct hone_pack_extent {
    uint64_t offset; /* in the file */
    uint64_t n;      /* records */
} hone_pack_extent;

typedef struct hone_pack_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t file_bytes;
    uint64_t index_bytes; /* the header too; blobs are behind */
    uint32_t dictionaries[HONE_PACK_N_DICTIONARIES]; /* blobs, or none */
    hone_pack_extent parts[HONE_PACK_N_PARTS];
    uint64_t index_hash;  /* XXH3 of the index without the header */
    uint64_t header_hash; /* XXH3 of all before this member */
} hone_pack_header;

/* Texts are said by their offset in HONE_PACK_TEXTS, records by number. */

/* An operation on one kind of device. */
typedef struct hone_pack_op {
    uint32_t name;
    uint32_t is_host; /* 1: of the cpu device */
    uint32_t first_group;
    uint32_t n_groups;
    uint32_t first_default;
    uint32_t n_defaults;
    uint32_t first_standin;
    uint32_t n_standins;
} hone_pack_op;

/* Its winners for the same types, sorted by dims. */
typedef struct hone_pack_group {
    uint32_t types; /* "4" */
    uint32_t n_dims;
    uint32_t first_winner;
    uint32_t n_winners;
    uint64_t first_dim; /* n_dims each, in the order of the winners */
} hone_pack_group;

typedef struct hone_pack_winner {
    uint32_t variant;
    uint32_t device;
    uint32_t label;
    uint16_t rank; /* 1, or more where it stands behind a vendor's function */
    uint16_t is_cold; /* measured in cold mode */
    double time_ns;
} hone_pack_winner;

typedef struct hone_pack_default {
    uint32_t variant;
    uint32_t reserved; /* 0 */
    double preference; /* db/FORMAT.md, default_v2 */
} hone_pack_default;

typedef struct hone_pack_variant {
    uint32_t implementation;
    uint32_t config;
    uint32_t types;
    uint32_t compile_arch;
    uint32_t cubin_sha256;  /* "": a function of a vendor's library */
    uint32_t launch_sha256; /* HONE_PACK_NONE: it has none */
    uint32_t plan;          /* a blob */
    uint32_t cubin;         /* a blob, or HONE_PACK_NONE */
    uint32_t is_default;
    uint32_t reserved; /* 0 */
} hone_pack_variant;

typedef struct hone_pack_device {
    uint32_t name;
    uint32_t driver_version;
    uint32_t arch;
    uint32_t sm_count;
} hone_pack_device;

/* What chooses between variants for shapes that nobody tuned, of one operation,
 * device and mode: its text names the members, which are in the same order. */
typedef struct hone_pack_chooser {
    uint32_t op;
    uint32_t is_host; /* 1: of the cpu device */
    uint32_t types;
    uint32_t device;
    uint32_t is_cold; /* measured in cold mode */
    uint32_t blob;
    uint32_t first_member;
    uint32_t n_members;
} hone_pack_chooser;

typedef struct hone_pack_blob {
    uint64_t offset; /* in the file */
    uint64_t stored_bytes;
    uint64_t size_bytes; /* the same as stored_bytes: not compressed */
    uint64_t hash;       /* XXH3 of the stored bytes */
    uint32_t dictionary; /* hone_pack_dictionary, or HONE_PACK_NONE */
    uint32_t reserved;   /* 0 */
} hone_pack_blob;

_Static_assert(sizeof(hone_pack_header) == 248 && sizeof(hone_pack_op) == 32 &&
                   sizeof(hone_pack_group) == 24 &&
                   sizeof(hone_pack_winner) == 24 &&
                   sizeof(hone_pack_default) == 16 &&
                   sizeof(hone_pack_variant) == 40 &&
                   sizeof(hone_pack_device) == 16 &&
                   sizeof(hone_pack_chooser) == 32 &&
                   sizeof(hone_pack_blob) == 40,
               "records lie in the file as they are declared");

/* Bytes of a record of each part. */
static const uint32_t hone__pack_record_bytes[HONE_PACK_N_PARTS] = {
    sizeof(hone_pack_op),      sizeof(hone_pack_group),
    sizeof(int64_t),           sizeof(hone_pack_winner),
    sizeof(hone_pack_default), sizeof(uint32_t),
    sizeof(hone_pack_variant), sizeof(hone_pack_device),
    sizeof(hone_pack_blob),    1,
    sizeof(hone_pack_chooser), sizeof(uint32_t)};

#endif
