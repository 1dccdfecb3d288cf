/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text, and reading whole files. */
#ifndef HONE_RUNTIME_TEXT_H
#define HONE_RUNTIME_TEXT_H

#include "runtime/base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Starts as {0}. After a failed allocation `failed` stays set, later calls do
 * nothing, and the writer checks once at the end. `data` is NUL-terminated
 * once anything was appended; may hold NUL bytes of its own. */
typedef struct hone_text {
    char *data;
    size_t length;
    size_t capacity;
    int failed;
} hone_text;

void hone__text_append(hone_text *text, const char *bytes, size_t length);
void hone__text_puts(hone_text *text, const char *string);
void hone__text_printf(hone_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Append `word` as a shell takes it: in quotes if it needs them. */
void hone__shell_word(const char *word, hone_text *text);
/* Empty it; keeps the memory, and `failed`. */
void hone__text_clear(hone_text *text);
void hone__text_free(hone_text *text); /* back to {0} */
/* The contents as a string, "" when empty; borrowed. */
const char *hone__text_str(const hone_text *text);
/* HONE_ERR_NO_MEMORY if an append failed. */
hone_status hone__text_check(const hone_text *text, hone_error *err);
/* Fail with the text as the sentence, and free it. HONE_ERR_NO_MEMORY if the
 * text is not whole. */
hone_status hone__text_fail(hone_text *text, hone_status status,
                            hone_error *err);

/* What a text file may have: templates, headers, lists of shapes, definitions
 * of spaces. */
enum { HONE_MOST_FILE_BYTES = 256 << 20 };

/* What a file is that is none, by its st_mode: "folder", "pipe", .. */
const char *hone__file_noun(unsigned mode);
/* Open a file to read it. What is none (a folder, a pipe, a socket, a device)
 * or is longer is HONE_ERR_IO at once, with a sentence and an errno. */
hone_status hone__file_open(const char *path, int64_t most_bytes, int *out,
                            hone_error *err);
/* Append a file. HONE_ERR_IO says which file and why (errno kept). */
hone_status hone__text_read_file(hone_text *text, const char *path,
                                 hone_error *err);
hone_status hone__text_read_most(hone_text *text, const char *path,
                                 int64_t most_bytes, hone_error *err);
/* Write through a temporary file in the same folder, fsync, rename: readers
 * see the old or the new file, never a part. HONE_ERR_IO. */
hone_status hone__file_replace(const char *path, const void *bytes,
                               size_t size_bytes, hone_error *err);
/* write() all of it, whatever signals come; -1 with errno on failure. */
int hone__write_all(int fd, const void *bytes, size_t size_bytes);
/* Create a folder and its parents, like mkdir -p. HONE_ERR_IO. */
hone_status hone__folder_create(const char *path, hone_error *err);

#endif
