/* SPDX-License-Identifier: Apache-2.0 */
/* All host allocation goes through here, so that a test can let the n-th one
 * fail, and an arena for what lives and dies together. */
#ifndef HONE_RUNTIME_ALLOC_H
#define HONE_RUNTIME_ALLOC_H

#include <stddef.h>

void *hone__alloc(size_t size_bytes); /* zeroed; NULL if none */
/* Not zeroed; `align_bytes` is a power of two and at least that of a pointer.
 */
void *hone__alloc_aligned(size_t align_bytes, size_t size_bytes);
void *hone__realloc(void *block, size_t size_bytes); /* tail not zeroed */
void hone__free(void *block);                        /* NULL is a no-op */
char *hone__strdup(const char *text);
char *hone__strndup(const char *text, size_t length);

/* Fault injection: the allocation that comes after `n` good ones fails, and
 * so do all later ones. A negative n turns it off (the default). */
void hone__alloc_fail_after(long n);
/* The same, and all later ones are good. */
void hone__alloc_fail_once(long n);
/* Turn it off; 1 if an allocation was made to fail since it was turned on. */
int hone__alloc_fail_end(void);

/* Bump allocator: everything is freed at once by hone__arena_free(). An
 * arena starts as {0}. */
typedef struct hone_arena {
    struct hone_arena_block *head;
} hone_arena;

void *hone__arena_alloc(hone_arena *arena, size_t size_bytes); /* zeroed */
char *hone__arena_strndup(hone_arena *arena, const char *text, size_t length);
void hone__arena_free(hone_arena *arena);

#endif
