/* SPDX-License-Identifier: Apache-2.0 */
/* What the launch of a stored variant relies on, the one hash over it, and the
 * look at it before it is launched: the same for a database and a pack. */
#ifndef HONE_RUNTIME_LAUNCH_HASH_H
#define HONE_RUNTIME_LAUNCH_HASH_H

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/launch/launch_spec.h"

/* All that the launch of a stored variant relies on, with one hash over it:
 * written with the row, compared before anything of it is launched. */
typedef struct hone_launch_parts { /* NULL is "" */
    const char *config;
    const char *types;
    const char *compile_arch;
    const char *cubin_sha256;
    const char *launch_plan;
} hone_launch_parts;

/* Is it for a function of a vendor's library? Then the variant has no cubin,
 * and can be launched all the same. */
int hone__launch_is_vendors(const char *launch_plan);

/* SHA-256 of config, types, compile_arch and cubin_sha256, each followed by a
 * newline, and the launch plan. HONE_ERR_NO_MEMORY. */
hone_status hone__launch_hash(const hone_launch_parts *parts,
                              char out_sha256[HONE_SHA256_HEX],
                              hone_error *err);

/* Is it what was stored: has it this hash, and is the plan of this operation
 * and for this configuration? NULL: nobody can say whether it has. Rows from
 * before format version 4 have none, also in a file that was migrated since,
 * until they are stored again; to refuse them would be to measure them again.
 * Of these the operation and the params are compared, and the cubin has its own
 * hash; that the two belong together, and the rest of the plan, is taken as it
 * is. The hash is against damage, not against somebody who writes to the file.
 * HONE_ERR_DATABASE: no, and `err` completes "the launch plan is damaged: ".
 * HONE_ERR_INPUT: this hone cannot read the plan. `*spec` is its plan, parsed
 * here if it is NULL. */
hone_status hone__launch_verify(const hone_launch_parts *parts,
                                const char *launch_sha256, const char *op,
                                hone_launch_spec **spec, hone_error *err);

#endif
