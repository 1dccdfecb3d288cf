/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary folders of compile processes, for precompiled headers and units:
 * one each, since shared ones race. A process keeps a lock on a file in its
 * folder for as long as it lives, so that others, also in another container
 * or on another machine with the same disk, see which folders are left
 * behind. */
#ifndef HONE_TUNER_WORK_FOLDER_H
#define HONE_TUNER_WORK_FOLDER_H

#include <stddef.h>

/* Make this process's folder below $TMPDIR or /tmp. Returns `path`, or NULL
 * if none can be made (compiles then go without). The lock is let go when the
 * process ends. */
const char *hone__work_folder_make(char *path, size_t size);
/* Remove it and what is in it; NULL is a no-op. */
void hone__work_folder_remove(const char *path);
/* Remove this user's folders of processes that are gone, e.g. killed. */
void hone__work_folder_sweep(void);

#endif
