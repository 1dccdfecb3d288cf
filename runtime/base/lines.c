/* SPDX-License-Identifier: Apache-2.0 */
/* A free list for each size: see lines.h. Blocks are never split or joined,
 * for what a program launches has few sizes. */
#include "runtime/base/lines.h"

#include "runtime/base/alloc.h"

#include <stdint.h>
#include <string.h>

/* AddressSanitizer is told what nobody may touch, as free() would tell it. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HONE_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(HONE_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#define FORBID(block, size_bytes) ASAN_POISON_MEMORY_REGION(block, size_bytes)
#define ALLOW(block, size_bytes) ASAN_UNPOISON_MEMORY_REGION(block, size_bytes)
#else
#define FORBID(block, size_bytes) ((void)(block), (void)(size_bytes))
#define ALLOW(block, size_bytes) ((void)(block), (void)(size_bytes))
#endif

enum { CHUNK_LINES = 255 }; /* and what precedes them: 16 KiB */

typedef struct hone_lines_chunk {
    struct hone_lines_chunk *next;
    char bytes[(CHUNK_LINES + 1) * HONE_LINE_BYTES - sizeof(void *)];
} hone_lines_chunk;

/* What is left of the chunk before is given up: less than one block. */
static int add_chunk(hone_lines *lines)
{
    hone_lines_chunk *chunk = hone__alloc(sizeof *chunk);

    if (!chunk)
        return 0;
    chunk->next = lines->chunks;
    lines->chunks = chunk;
    lines->next = chunk->bytes + (HONE_LINE_BYTES -
                                  (uintptr_t)chunk->bytes % HONE_LINE_BYTES) %
                                     HONE_LINE_BYTES;
    lines->n_left = CHUNK_LINES;
    FORBID(lines->next, CHUNK_LINES * HONE_LINE_BYTES);
    return 1;
}

void *hone__lines_take(hone_lines *lines, size_t n)
{
    void *block = lines->given[n - 1];

    if (block) {
        ALLOW(block, n * HONE_LINE_BYTES);
        memcpy(&lines->given[n - 1], block, sizeof(void *));
        return memset(block, 0, n * HONE_LINE_BYTES);
    }
    if (lines->n_left < n && !add_chunk(lines))
        return NULL;
    block = lines->next;
    lines->next += n * HONE_LINE_BYTES;
    lines->n_left -= n;
    ALLOW(block, n * HONE_LINE_BYTES);
    return block;
}

void hone__lines_give(hone_lines *lines, void *block, size_t n)
{
    memcpy(block, &lines->given[n - 1], sizeof(void *));
    lines->given[n - 1] = block;
    FORBID(block, n * HONE_LINE_BYTES);
}

void hone__lines_free(hone_lines *lines)
{
    while (lines->chunks) {
        hone_lines_chunk *next = lines->chunks->next;

        ALLOW(lines->chunks, sizeof *lines->chunks);
        hone__free(lines->chunks);
        lines->chunks = next;
    }
    *lines = (hone_lines){.chunks = NULL};
}
