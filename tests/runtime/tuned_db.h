/* SPDX-License-Identifier: Apache-2.0 */
/* Databases for the tests of the runtime, written through db/ as the tuner
 * does it. */
#ifndef HONE_TESTS_RUNTIME_TUNED_DB_H
#define HONE_TESTS_RUNTIME_TUNED_DB_H

#include "db/db.h"

/* One winner. Members that are 0 or NULL take the value in brackets. */
typedef struct tuned_row {
    const char *op; /* ["axpy"] */
    const int64_t *dims;
    size_t n_dims;
    const char *label;        /* ["a shape"] */
    const char *device_kind;  /* ["cuda"] */
    const char *device_name;  /* ["Fake H200"] */
    const char *arch;         /* of the device ["sm_90"] */
    int64_t sm_count;         /* [132] */
    const char *mode;         /* ["cold"] */
    const char *compile_arch; /* [arch] */
    const char *config;       /* ["BLOCK=256"] */
    const char *types;        /* [""] */
    const char *launch_plan;
    const char *cubin;           /* NULL: a function of a vendor's library */
    size_t cubin_bytes;          /* [its length as a string] */
    const char *template_sha256; /* 64 digits [a1a1..] */
    int is_default;
    double time_ns; /* [1000] */
} tuned_row;

/* Write a winner, or only the variant (for default_v1). */
hone_status tuned_put(hone_db *db, const tuned_row *row, hone_error *err);
hone_status tuned_put_default(hone_db *db, const tuned_row *row,
                              hone_error *err);

#endif
