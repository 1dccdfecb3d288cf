/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone diff` compares: the winners of a side, in the order of their
 * keys. */
#ifndef HONE_TOOLS_DIFF_H
#define HONE_TOOLS_DIFF_H

#include "db/db.h"
#include "runtime/base/alloc.h"
#include "tools/base/arguments.h"

typedef struct hone_side_row {             /* texts are in the side's arena */
    const char *op, *dims, *mode, *device; /* the key; device may be "" */
    const char *label, *config, *implementation;
    double time_ns;
    double low_ns,
        high_ns;       /* the interval of the final, else time and spread */
    double noise;      /* of its session; 0: not known */
    double vendor_ns;  /* the fastest library there; 0: not measured */
    double copy_ns;    /* a copy of the same bytes there; 0: not measured */
    int64_t clock_mhz; /* of the multiprocessors meanwhile; 0: not recorded */
} hone_side_row;

typedef struct hone_side {
    hone_arena arena;
    hone_side_row *rows;
    size_t n;
    hone_text drivers; /* "12080, 13000" */
    hone_text devices;
} hone_side;

/* `name` is a database, or of that of --db "session:N", "driver:VERSION" or
 * "device:NAME". Rows of a device have no device in their key. Free with
 * hone__side_free(), also after a failure. */
hone_status hone__side_read(const hone_options *options, const char *name,
                            hone_side *out, hone_error *err);
void hone__side_free(hone_side *side);

/* By key: as strcmp(). */
int hone__side_order(const hone_side_row *one, const hone_side_row *other);

#endif
