/* SPDX-License-Identifier: Apache-2.0 */
/* Host allocation with fault injection, and the arena: see alloc.h. */
#include "runtime/base/alloc.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Allocations left before they fail; negative: never. Atomic because the
 * runtime allocates from any thread. */
static atomic_long allocations_left = -1;
static atomic_int fail_once;
static atomic_int has_failed;

static int must_fail(void)
{
    long left = atomic_load_explicit(&allocations_left, memory_order_relaxed);

    while (left > 0) {
        if (atomic_compare_exchange_weak(&allocations_left, &left, left - 1))
            return 0;
    }
    if (left < 0)
        return 0;
    if (atomic_load(&fail_once))
        atomic_store(&allocations_left, -1);
    atomic_store(&has_failed, 1);
    return 1;
}

void hone__alloc_fail_after(long n)
{
    atomic_store(&fail_once, 0);
    atomic_store(&has_failed, 0);
    atomic_store(&allocations_left, n);
}

void hone__alloc_fail_once(long n)
{
    hone__alloc_fail_after(n);
    atomic_store(&fail_once, 1);
}

int hone__alloc_fail_end(void)
{
    const int failed = atomic_load(&has_failed);

    hone__alloc_fail_after(-1);
    return failed;
}

void *hone__alloc(size_t size_bytes)
{
    return must_fail() ? NULL : calloc(1, size_bytes ? size_bytes : 1);
}

void *hone__alloc_aligned(size_t align_bytes, size_t size_bytes)
{
    void *block = NULL;

    if (must_fail() ||
        posix_memalign(&block, align_bytes, size_bytes ? size_bytes : 1))
        return NULL;
    return block;
}

void *hone__realloc(void *block, size_t size_bytes)
{
    return must_fail() ? NULL : realloc(block, size_bytes ? size_bytes : 1);
}

void hone__free(void *block)
{
    free(block);
}

char *hone__strndup(const char *text, size_t length)
{
    char *copy = hone__alloc(length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *hone__strdup(const char *text)
{
    return hone__strndup(text, strlen(text));
}

typedef struct hone_arena_block {
    struct hone_arena_block *next;
    size_t used_bytes;
    size_t size_bytes;
    max_align_t data[];
} arena_block;

enum { ARENA_BLOCK_BYTES = 16 * 1024 }; /* guess: a template fits in two */

void *hone__arena_alloc(hone_arena *arena, size_t size_bytes)
{
    const size_t align = sizeof(max_align_t);
    const size_t need = (size_bytes + align - 1) / align * align;
    arena_block *block = arena->head;

    if (size_bytes > SIZE_MAX - sizeof(arena_block) - align)
        return NULL;
    if (!block || block->size_bytes - block->used_bytes < need) {
        const size_t size = need > ARENA_BLOCK_BYTES ? need : ARENA_BLOCK_BYTES;

        block = hone__alloc(sizeof *block + size);
        if (!block)
            return NULL;
        block->size_bytes = size;
        block->next = arena->head;
        arena->head = block;
    }
    block->used_bytes += need;
    return (char *)block->data + block->used_bytes - need;
}

char *hone__arena_strndup(hone_arena *arena, const char *text, size_t length)
{
    char *copy = hone__arena_alloc(arena, length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void hone__arena_free(hone_arena *arena)
{
    arena_block *block = arena->head;

    while (block) {
        arena_block *next = block->next;

        hone__free(block);
        block = next;
    }
    arena->head = NULL;
}
