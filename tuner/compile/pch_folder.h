/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for precompiled headers: one per compile process, since shared ones
 * race. They carry the process id, so that those of dead processes can be
 * found and removed. */
#ifndef HONE_TUNER_PCH_FOLDER_H
#define HONE_TUNER_PCH_FOLDER_H

#include <stddef.h>

/* Make this process's folder below $TMPDIR or /tmp. Returns `path`, or NULL
 * if none can be made (compiles then go without). */
const char *hone__pch_folder_make(char *path, size_t size);
/* Remove it and the files in it; NULL is a no-op. */
void hone__pch_folder_remove(const char *path);
/* Remove those of processes that are gone, e.g. killed. */
void hone__pch_folder_sweep(void);

#endif
