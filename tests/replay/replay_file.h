/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the tests, removed by replay_file_remove(). */
#ifndef HONE_TESTS_REPLAY_FILE_H
#define HONE_TESTS_REPLAY_FILE_H

#include <stddef.h>

typedef struct replay_file {
    char path[64];
} replay_file;

/* A new file with these bytes. */
void replay_file_write(replay_file *file, const void *bytes, size_t size);
/* The same, compressed; the last `cut` bytes of the file are left out. */
void replay_file_gzip(replay_file *file, const char *text, size_t cut);
void replay_file_remove(const replay_file *file);

#endif
