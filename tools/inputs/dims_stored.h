/* SPDX-License-Identifier: Apache-2.0 */
/* --dims of commands that ask the database for rows. */
#ifndef HONE_TOOLS_DIMS_STORED_H
#define HONE_TOOLS_DIMS_STORED_H

#include "tools/base/arguments.h"

/* Append --dims as the database spells it, "4096,4096,4"; of an operation whose
 * templates are here with defaults filled in. Nothing without --dims; `op` may
 * be NULL. */
hone_status hone__dims_stored(const hone_options *options, const char *op,
                              hone_text *out, hone_error *err);

/* The same as it stands, whatever templates are here. */
hone_status hone__dims_spell(const char *text, hone_text *out, hone_error *err);

#endif
