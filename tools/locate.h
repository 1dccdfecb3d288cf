/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are: templates, database, cache. Option, then environment,
 * then default. */
#ifndef HONE_TOOLS_LOCATE_H
#define HONE_TOOLS_LOCATE_H

#include "runtime/base/text.h"
#include "tools/arguments.h"

/* Each appends a path (folders separated by colons for templates).
 * HONE_ERR_IO when neither the option, nor the environment, nor $HOME says
 * where. */
hone_status hone__locate_templates(const hone_options *options, hone_text *out,
                                   hone_error *err);
hone_status hone__locate_db(const hone_options *options, hone_text *out,
                            hone_error *err);
hone_status hone__locate_cache(const hone_options *options, hone_text *out,
                               hone_error *err);

/* Create the cache folder with its CACHEDIR.TAG, so that backups leave it
 * out. HONE_ERR_IO. */
hone_status hone__cache_create(const char *folder, hone_error *err);

#endif
