/* SPDX-License-Identifier: Apache-2.0 */
/* What a stored launch plan needs and does at a shape, on a stored device. */
#ifndef HONE_TOOLS_STORED_LAUNCH_H
#define HONE_TOOLS_STORED_LAUNCH_H

#include "runtime/launch/launch_spec.h"

/* The launch with the most shared memory, of those the one with the most
 * threads: what others do, such as packing, is small beside it. */
typedef struct hone_stored_launch {
    int64_t threads; /* of a block; 0: no launch, or it is not known */
    int64_t blocks;
    int64_t dynamic_bytes;
    int64_t flops, bytes; /* of the whole plan; 0: not declared */
    unsigned types;       /* of its arrays: a bit for each type's code */
} hone_stored_launch;

/* All 0 of a plan that cannot be read or does not fit the shape. */
hone_stored_launch hone__stored_launch(const char *plan, const int64_t *dims,
                                       size_t n_dims,
                                       const hone_properties *device);

/* A device as its row has it, `facts` over what is usual of `arch`. */
void hone__stored_properties(const char *facts, const char *arch,
                             hone_properties *out);

/* "4096,4096,4"; returns how many. */
size_t hone__stored_dims_read(const char *text, int64_t out[HONE_MAX_DIMS]);

#endif
