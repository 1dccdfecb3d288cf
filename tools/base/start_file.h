/* SPDX-License-Identifier: Apache-2.0 */
/* --start FILE: configurations to begin with, one a line. */
#ifndef HONE_TOOLS_START_FILE_H
#define HONE_TOOLS_START_FILE_H

#include "runtime/base/text.h"
#include "tools/base/arguments.h"
#include "tuner/search/start.h"

typedef struct hone_start_file {
    hone_start start; /* borrows the rest */
    hone_start_item *items;
    hone_text *texts;
    size_t n;
} hone_start_file;

/* The file of --start; without the option nothing. A line is
 * "A=1,B=2" or a JSON object; empty ones and what follows a # are passed over
 * (behind JSON nothing may follow). What is left out of the spaces later is
 * said as a note. HONE_ERR_INPUT with the line of the first that is neither,
 * also for a file without any; HONE_ERR_IO. Free also on failure. */
hone_status hone__start_read(const hone_options *options, hone_start_file *out,
                             hone_error *err);
void hone__start_free(hone_start_file *file);

#endif
