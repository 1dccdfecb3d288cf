/* SPDX-License-Identifier: Apache-2.0 */
/* Small blocks of whole cache lines, side by side in large chunks: what is
 * read at random among thousands of such blocks then lies on few pages, which
 * the processor's translation buffer holds. Not for several threads at once. */
#ifndef HONE_RUNTIME_LINES_H
#define HONE_RUNTIME_LINES_H

#include <stddef.h>

enum {
    HONE_LINE_BYTES = 64, /* of the cache, on hosts that CUDA runs on */
    HONE_LINES_MOST = 32  /* of a block */
};

/* Starts as {0}. */
typedef struct hone_lines {
    struct hone_lines_chunk *chunks;
    char *next; /* what the first chunk has left */
    size_t n_left;
    void *given[HONE_LINES_MOST]; /* given back, by their number of lines */
} hone_lines;

/* A block of 1 to HONE_LINES_MOST lines, zeroed and aligned to a line. NULL:
 * no memory. */
void *hone__lines_take(hone_lines *lines, size_t n);
/* Give it back, with the number it was taken with. */
void hone__lines_give(hone_lines *lines, void *block, size_t n);
void hone__lines_free(hone_lines *lines); /* all of them; back to {0} */

#endif
