/* SPDX-License-Identifier: Apache-2.0 */
/* Where things are: templates, headers, database, cache. Option, then
 * environment, then default; of folders that are searched, one after the
 * other. */
#ifndef HONE_TOOLS_LOCATE_H
#define HONE_TOOLS_LOCATE_H

#include "runtime/base/text.h"
#include "tools/arguments.h"

/* Each appends a path (folders separated by colons for templates).
 * HONE_ERR_IO when neither the option, nor the environment, nor $HOME says
 * where. */
hone_status hone__locate_templates(const hone_options *options, hone_text *out,
                                   hone_error *err);
/* Folders of headers, marked as such. Nothing if none is named;
 * HONE_ERR_INPUT for one that is not there. */
hone_status hone__locate_includes(const hone_options *options, hone_text *out,
                                  hone_error *err);
hone_status hone__locate_db(const hone_options *options, hone_text *out,
                            hone_error *err);
hone_status hone__locate_cache(const hone_options *options, hone_text *out,
                               hone_error *err);

/* Create the cache folder with its CACHEDIR.TAG, so that backups leave it
 * out. HONE_ERR_IO. */
hone_status hone__cache_create(const char *folder, hone_error *err);

#endif
