/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of streams: see memory.h. */
#include "runtime/memory.h"

#include <stdio.h>

enum {
    STREAM_PER_THREAD = 2, /* CU_STREAM_PER_THREAD: one handle, many streams */
    UNWRITTEN = 0xff       /* every byte of it is a NaN, or minus one */
};

/* ---- streams ------------------------------------------------------------- */

/* Handles are NULL, 1 or the address of a driver's object; the per-thread
 * stream is told apart by an address of the calling thread, which is even
 * where the others are odd. The last two steps are one-to-one and spread the
 * bits. Where streams mean nothing, there is one. */
static uint64_t tag_of(const hone_driver *driver, hone_stream stream)
{
    static _Thread_local uint64_t of_thread;
    uint64_t tag = (uint64_t)(uintptr_t)stream + 3;

    if (driver->kind && driver->kind->is_synchronous)
        return 1;
    if ((uintptr_t)stream == STREAM_PER_THREAD)
        tag = (uintptr_t)&of_thread;
    tag *= UINT64_C(0x9e3779b97f4a7c15);
    return tag ^ (tag >> 32);
}

hone_memory *hone__memory_find(const hone_context *context, hone_stream stream)
{
    return hone__table_find(&context->streams, tag_of(context->driver, stream));
}

static hone_status add_memory(hone_context *context, uint64_t tag,
                              hone_memory **out, hone_error *err)
{
    hone_memory *memory = hone__alloc(sizeof *memory);
    hone_status status;

    if (!memory || pthread_mutex_init(&memory->turn, NULL)) {
        hone__free(memory);
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for one more stream");
    }
    status = hone__table_put(&context->streams, tag, memory, err);
    if (status == HONE_OK) {
        *out = memory;
        return HONE_OK;
    }
    (void)pthread_mutex_destroy(&memory->turn);
    hone__free(memory);
    return status;
}

hone_status hone__memory_get(hone_context *context, hone_stream stream,
                             hone_memory **out, hone_error *err)
{
    const uint64_t tag = tag_of(context->driver, stream);
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&context->ctx->lock);
    *out = hone__table_find(&context->streams, tag);
    if (!*out)
        status = add_memory(context, tag, out, err);
    (void)pthread_mutex_unlock(&context->ctx->lock);
    return status;
}

/* ---- workspaces ---------------------------------------------------------- */

hone_status hone__need_of(const hone_program *program, hone_module *module,
                          hone_need *out, hone_error *err)
{
    const size_t align = HONE_WORKSPACE_ALIGN_BYTES;

    *out = (hone_need){.module = module};
    for (size_t i = 0; i < program->more->n_parts; ++i) {
        const hone_program_part *part = &program->more->parts[i];
        size_t *bytes =
            &out->bytes[part->zero == HONE_ZERO_ONCE ? HONE_POOL_ZEROED
                                                     : HONE_POOL_SCRATCH];

        if (part->size_bytes > (size_t)INT64_MAX - align - *bytes)
            return hone__fail(err, HONE_ERR_OVERFLOW,
                              "the workspaces of %s do not fit into 2^63 "
                              "bytes",
                              program->op);
        *bytes += (part->size_bytes + align - 1) / align * align;
    }
    return HONE_OK;
}

/* Fill a new block and wait for it, on a stream of our own: the caller may
 * capture on one stream and launch the graph on another, and must not wait
 * for what it has queued before. */
static hone_status fill(const hone_driver *driver, const hone_pool_block *block,
                        int value, hone_error *err)
{
    hone_stream own = NULL;
    hone_status status;

    HONE_TRY(hone__driver_check(
        driver, driver->stream_create(&own, HONE_CU_STREAM_NON_BLOCKING),
        "zeroing a workspace (cuStreamCreate)", err));
    status = hone__driver_check(driver,
                                driver->fill8_async(block->base,
                                                    (unsigned char)value,
                                                    block->size_bytes, own),
                                "zeroing a workspace (cuMemsetD8Async)", err);
    if (status == HONE_OK)
        status = hone__driver_check(driver, driver->stream_synchronize(own),
                                    "zeroing a workspace (cuStreamSynchronize)",
                                    err);
    (void)driver->stream_destroy(own);
    return status;
}

/* At least twice as much as the last one, but rather less than nothing. */
static hone_status allocate(const hone_driver *driver, size_t last_bytes,
                            size_t need_bytes, hone_pool_block *out,
                            hone_error *err)
{
    hone_cu_result result = HONE_CU_OUT_OF_MEMORY;
    char what[160];

    out->size_bytes = need_bytes;
    if (last_bytes > need_bytes / 2 && last_bytes <= SIZE_MAX / 2)
        out->size_bytes = 2 * last_bytes;
    result = driver->memory_alloc(&out->base, out->size_bytes);
    if (result == HONE_CU_OUT_OF_MEMORY && out->size_bytes > need_bytes) {
        out->size_bytes = need_bytes;
        result = driver->memory_alloc(&out->base, out->size_bytes);
    }
    (void)snprintf(what, sizeof what,
                   "allocating a workspace of %zu bytes (cuMemAlloc; while a "
                   "stream is captured, call hone_plan_prepare() before)",
                   out->size_bytes);
    return hone__driver_check(driver, result, what, err);
}

static hone_status grow(hone_memory *memory, const hone_driver *driver,
                        hone_pool_kind kind, size_t need_bytes, hone_error *err)
{
    hone_pool_block *last =
        atomic_load_explicit(&memory->pools[kind], memory_order_relaxed);
    hone_pool_block *block;
    hone_status status;

    if (last && last->size_bytes >= need_bytes)
        return HONE_OK;
    block = hone__alloc(sizeof *block);
    if (!block)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for a workspace");
    status =
        allocate(driver, last ? last->size_bytes : 0, need_bytes, block, err);
    if (status != HONE_OK) {
        hone__free(block);
        return status;
    }
    /* Memory of the cpu device may hold anything, zeros as well: nothing is
     * to rely on that. */
    if (kind == HONE_POOL_ZEROED || driver->kind)
        status =
            fill(driver, block, kind == HONE_POOL_ZEROED ? 0 : UNWRITTEN, err);
    if (status != HONE_OK) {
        (void)driver->memory_free(block->base);
        hone__free(block);
        return status;
    }
    block->older = last;
    atomic_store_explicit(&memory->pools[kind], block, memory_order_release);
    return HONE_OK;
}

hone_status hone__memory_grow(hone_memory *memory, const hone_driver *driver,
                              const hone_need *need, hone_error *err)
{
    for (int i = 0; i < HONE_N_POOLS; ++i) {
        if (need->bytes[i])
            HONE_TRY(
                grow(memory, driver, (hone_pool_kind)i, need->bytes[i], err));
    }
    return HONE_OK;
}

/* ---- constant memory ----------------------------------------------------- */

static hone_status add_bank(hone_memory *memory, const hone_need *need,
                            const hone_program *program, hone_memory_bank **out,
                            hone_error *err)
{
    const hone_module *module = need->module;
    hone_memory_bank *bank = hone__alloc(sizeof *bank);
    hone_error found = {.status = HONE_OK};
    hone_status status;

    if (!bank)
        return hone__fail(err, HONE_ERR_NO_MEMORY,
                          "out of memory for constant memory of a stream");
    status =
        hone__bank_load(program->driver, module->code.data, module->code.length,
                        module->config, &bank->bank, &found);
    if (status != HONE_OK) {
        hone__free(bank);
        return hone__fail_native(err, status, found.domain, found.native,
                                 "loading the kernels of %s for one more "
                                 "stream (while it is captured, call "
                                 "hone_plan_prepare() before): %.600s",
                                 program->op, found.text);
    }
    bank->bank.follows_captures = 1;
    bank->module = module;
    bank->next = memory->banks;
    memory->banks = bank;
    *out = bank;
    return HONE_OK;
}

/* Of this code: that which the program used last, else a new one, else the
 * one that was not used for longest. */
static hone_status choose_bank(hone_memory *memory, const hone_need *need,
                               const hone_program *program,
                               hone_memory_bank **out, hone_error *err)
{
    hone_memory_bank *oldest = NULL;
    int n = 0;

    for (hone_memory_bank *b = memory->banks; b; b = b->next) {
        if (b->module != need->module)
            continue;
        *out = b;
        if (b->user == program)
            return HONE_OK;
        if (!oldest || b->used_at < oldest->used_at)
            oldest = b;
        ++n;
    }
    *out = oldest;
    return n < HONE_BANKS_OF_CODE ? add_bank(memory, need, program, out, err)
                                  : HONE_OK;
}

hone_status hone__memory_bank(hone_memory *memory, const hone_need *need,
                              const hone_program *program, hone_bank **out,
                              hone_error *err)
{
    const hone_module *module = need->module;
    /* Both only grow: their sum changes if one of them does. */
    const uint64_t n_refreshed =
        atomic_load_explicit(&module->n_refreshed, memory_order_acquire) +
        atomic_load_explicit(&module->context->ctx->n_refreshed,
                             memory_order_acquire);
    hone_memory_bank *bank = NULL;

    HONE_TRY(choose_bank(memory, need, program, &bank, err));
    if (bank->n_refreshed != n_refreshed)
        hone__bank_forget(&bank->bank);
    bank->n_refreshed = n_refreshed;
    bank->user = program;
    bank->used_at = ++memory->n_used;
    *out = &bank->bank;
    return HONE_OK;
}

/* ---- the end ------------------------------------------------------------- */

static void empty(hone_memory *memory, const hone_driver *driver, int alive)
{
    for (int i = 0; i < HONE_N_POOLS; ++i) {
        hone_pool_block *block =
            atomic_load_explicit(&memory->pools[i], memory_order_relaxed);

        atomic_store_explicit(&memory->pools[i], NULL, memory_order_relaxed);
        while (block) {
            hone_pool_block *older = block->older;

            if (alive)
                (void)driver->memory_free(block->base);
            hone__free(block);
            block = older;
        }
    }
    while (memory->banks) {
        hone_memory_bank *next = memory->banks->next;

        if (alive)
            hone__bank_unload(driver, &memory->banks->bank);
        hone__free(memory->banks);
        memory->banks = next;
    }
}

void hone__memory_release(hone_context *context, hone_stream stream)
{
    const hone_driver *driver = context->driver;
    const uint64_t tag = tag_of(driver, stream);
    const int is_shared = driver->kind && driver->kind->is_synchronous;
    hone_memory *memory;

    (void)pthread_mutex_lock(&context->ctx->lock);
    memory = hone__table_find(&context->streams, tag);
    /* What all threads share stays, empty: one may be waiting for it. */
    if (memory && !is_shared)
        hone__table_remove(&context->streams, tag, memory);
    (void)pthread_mutex_unlock(&context->ctx->lock);
    if (!memory)
        return;
    (void)pthread_mutex_lock(&memory->turn);
    empty(memory, driver, 1);
    (void)pthread_mutex_unlock(&memory->turn);
    if (is_shared)
        return;
    (void)pthread_mutex_destroy(&memory->turn);
    hone__free(memory);
}

void hone__memory_close(hone_context *context, int alive)
{
    for (size_t i = 0; i < hone__table_size(&context->streams); ++i) {
        hone_memory *memory = hone__table_at(&context->streams, i);

        if (!memory)
            continue;
        empty(memory, context->driver, alive);
        (void)pthread_mutex_destroy(&memory->turn);
        hone__free(memory);
    }
    hone__table_free(&context->streams);
}
