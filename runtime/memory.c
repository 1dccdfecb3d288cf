/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of streams: see memory.h. */
#include "runtime/memory.h"

#include "runtime/base/log.h"

#include <stdio.h>

enum {
    STREAM_PER_THREAD = 2, /* CU_STREAM_PER_THREAD: one handle, many streams */
    UNWRITTEN = 0xff       /* every byte of it is a NaN, or minus one */
};

/* ---- streams ------------------------------------------------------------- */

/* Handles are NULL, 1 or the address of a driver's object; the per-thread
 * stream is told apart by an address of the calling thread, which is even
 * where the others are odd. Where streams mean nothing, there is one. */
static uint64_t tag_of(const hone_driver *driver, hone_stream stream)
{
    static _Thread_local uint64_t of_thread;

    if (driver->kind && driver->kind->is_synchronous)
        return 1;
    if ((uintptr_t)stream == STREAM_PER_THREAD)
        return hone__table_tag((uintptr_t)&of_thread);
    return hone__table_tag((uint64_t)(uintptr_t)stream + 3);
}

hone_memory *hone__memory_find(const hone_context *context, hone_stream stream)
{
    return hone__table_find(&context->streams, tag_of(context->driver, stream));
}

static void free_memory(hone_memory *memory)
{
    (void)pthread_mutex_destroy(&memory->turn);
    hone__free(memory);
}

hone_status hone__memory_get(hone_context *context, hone_stream stream,
                             hone_memory **out, hone_error *err)
{
    const uint64_t tag = tag_of(context->driver, stream);
    hone_memory *memory;
    hone_status status = HONE_OK;

    (void)pthread_mutex_lock(&context->ctx->lock);
    *out = hone__table_find(&context->streams, tag);
    memory = *out ? NULL : hone__alloc(sizeof *memory);
    if (!*out && (!memory || pthread_mutex_init(&memory->turn, NULL))) {
        hone__free(memory);
        status = hone__out_of_memory(err, " for one more stream");
    } else if (!*out) {
        status = hone__table_put(&context->streams, tag, memory, err);
        if (status == HONE_OK)
            *out = memory;
        else
            free_memory(memory);
    }
    (void)pthread_mutex_unlock(&context->ctx->lock);
    return status;
}

/* ---- workspaces ---------------------------------------------------------- */

hone_status hone__need_of(const hone_program *program, hone_module *module,
                          hone_need *out, hone_error *err)
{
    const size_t align = HONE_WORKSPACE_ALIGN_BYTES;
    const size_t most = (size_t)INT64_MAX / 4 - align;

    *out = (hone_need){.module = module,
                       .tag = hone__table_tag((uintptr_t)program)};
    for (size_t i = 0; i < program->more->n_parts; ++i) {
        const hone_program_part *part = &program->more->parts[i];
        size_t *bytes = part->zero == HONE_ZERO_ONCE ? &out->zeroed_bytes
                                                     : &out->scratch_bytes;

        if (part->size_bytes > most || *bytes > most - part->size_bytes)
            return hone__fail(err, HONE_ERR_OVERFLOW,
                              "the workspaces of %s do not fit into 2^61 "
                              "bytes",
                              program->op);
        *bytes += (part->size_bytes + align - 1) / align * align;
    }
    return HONE_OK;
}

/* Fill new memory and wait for it, on a stream of our own: the caller may
 * capture on one stream and launch the graph on another, and must not wait
 * for what it has queued before. */
static hone_status fill(const hone_driver *driver, hone_cu_ptr base,
                        size_t size_bytes, int value, hone_error *err)
{
    hone_stream own = NULL;
    hone_status status;

    HONE_TRY(hone__driver_check(
        driver, driver->stream_create(&own, HONE_CU_STREAM_NON_BLOCKING),
        "zeroing a workspace (cuStreamCreate)", err));
    status = hone__driver_check(
        driver,
        driver->fill8_async(base, (unsigned char)value, size_bytes, own),
        "zeroing a workspace (cuMemsetD8Async)", err);
    if (status == HONE_OK)
        status = hone__driver_check(driver, driver->stream_synchronize(own),
                                    "zeroing a workspace (cuStreamSynchronize)",
                                    err);
    (void)driver->stream_destroy(own);
    return status;
}

/* A block of `wish_bytes`, or where there is no memory for that, of
 * `need_bytes`; filled with `value` if `is_filled`. */
static hone_status new_block(const hone_driver *driver, size_t wish_bytes,
                             size_t need_bytes, int is_filled, int value,
                             hone_block **out, hone_error *err)
{
    hone_block *block = hone__alloc(sizeof *block);
    hone_cu_result result = HONE_CU_OUT_OF_MEMORY;
    hone_status status;
    char what[160];

    if (!block)
        return hone__out_of_memory(err, " for a workspace");
    block->size_bytes = wish_bytes;
    if (wish_bytes > need_bytes)
        result = driver->memory_alloc(&block->base, wish_bytes);
    if (result == HONE_CU_OUT_OF_MEMORY) {
        block->size_bytes = need_bytes;
        result = driver->memory_alloc(&block->base, need_bytes);
    }
    (void)snprintf(what, sizeof what,
                   "allocating a workspace of %zu bytes (cuMemAlloc; while a "
                   "stream is captured, call hone_plan_prepare() before)",
                   block->size_bytes);
    status = hone__driver_check(driver, result, what, err);
    if (status == HONE_OK && is_filled) {
        status = fill(driver, block->base, block->size_bytes, value, err);
        if (status != HONE_OK)
            (void)driver->memory_free(block->base);
    }
    if (status == HONE_OK) {
        hone__log(HONE_LOG_INFO, "allocated a workspace of %zu bytes",
                  block->size_bytes);
        *out = block;
    } else {
        hone__free(block);
    }
    return status;
}

/* By a block of at least twice the last one, but rather less than nothing. */
static hone_status grow_scratch(hone_memory *memory, const hone_driver *driver,
                                size_t need_bytes, hone_error *err)
{
    hone_block *last =
        atomic_load_explicit(&memory->scratch, memory_order_relaxed);
    hone_block *scratch = NULL;

    /* Memory of the cpu device may hold anything, zeros as well: nothing is
     * to rely on that. */
    HONE_TRY(new_block(driver, last ? 2 * last->size_bytes : 0, need_bytes,
                       driver->kind != NULL, UNWRITTEN, &scratch, err));
    scratch->next = last;
    atomic_store_explicit(&memory->scratch, scratch, memory_order_release);
    return HONE_OK;
}

/* ---- zeros --------------------------------------------------------------- */

/* A power of two, so that what one plan leaves fits the next. */
static size_t class_of(size_t size_bytes)
{
    size_t class_bytes = 512;

    while (class_bytes < size_bytes)
        class_bytes *= 2;
    return class_bytes;
}

/* What a plan left, zeroed behind its last run; NULL if nothing fits. */
static hone_status reuse_zeros(hone_memory *memory, const hone_driver *driver,
                               size_t size_bytes, hone_stream stream,
                               hone_block **out, hone_error *err)
{
    hone_block **link = &memory->spare;
    int capture = HONE_CU_CAPTURE_NONE;
    uint64_t id = 0;

    while (*link && (*link)->size_bytes != size_bytes)
        link = &(*link)->next;
    *out = NULL;
    if (!*link)
        return HONE_OK;
    HONE_TRY(hone__driver_check(
        driver, driver->capture_info(stream, &capture, &id),
        "asking whether a stream is captured (cuStreamGetCaptureInfo)", err));
    if (capture != HONE_CU_CAPTURE_NONE)
        return hone__fail(err, HONE_ERR_CUDA,
                          "a workspace cannot be zeroed while its stream is "
                          "captured; call hone_plan_prepare() before");
    HONE_TRY(hone__driver_check(
        driver, driver->fill8_async((*link)->base, 0, size_bytes, stream),
        "zeroing a workspace (cuMemsetD8Async)", err));
    *out = *link;
    *link = (*out)->next;
    return HONE_OK;
}

static hone_status add_zeros(hone_memory *memory, const hone_driver *driver,
                             const hone_need *need, hone_stream stream,
                             hone_block **out, hone_error *err)
{
    const size_t size_bytes = class_of(need->zeroed_bytes);
    hone_status status;

    HONE_TRY(reuse_zeros(memory, driver, size_bytes, stream, out, err));
    if (!*out)
        HONE_TRY(new_block(driver, 0, size_bytes, 1, 0, out, err));
    status = hone__table_put(&memory->zeros, need->tag, *out, err);
    if (status != HONE_OK) {
        (*out)->next = memory->spare;
        memory->spare = *out;
    }
    return status;
}

hone_status hone__memory_make(hone_memory *memory, const hone_driver *driver,
                              const hone_need *need, hone_stream stream,
                              hone_share *out, hone_error *err)
{
    *out = hone__memory_share(memory, need);
    if (need->scratch_bytes &&
        (!out->scratch || out->scratch->size_bytes < need->scratch_bytes)) {
        HONE_TRY(grow_scratch(memory, driver, need->scratch_bytes, err));
        out->scratch =
            atomic_load_explicit(&memory->scratch, memory_order_relaxed);
    }
    if (need->zeroed_bytes && !out->zeros)
        HONE_TRY(add_zeros(memory, driver, need, stream, &out->zeros, err));
    return HONE_OK;
}

void hone__memory_forget(hone_context *context, const hone_need *need)
{
    for (size_t i = 0;
         need->zeroed_bytes && i < hone__table_size(&context->streams); ++i) {
        hone_memory *memory = hone__table_at(&context->streams, i);
        hone_block *zeros;
        hone_block **list;

        if (!memory)
            continue;
        (void)pthread_mutex_lock(&memory->turn);
        zeros = hone__table_find(&memory->zeros, need->tag);
        if (zeros) {
            hone__table_remove(&memory->zeros, need->tag, zeros);
            list =
                atomic_load_explicit(&zeros->was_captured, memory_order_relaxed)
                    ? &memory->captured
                    : &memory->spare;
            zeros->next = *list;
            *list = zeros;
        }
        (void)pthread_mutex_unlock(&memory->turn);
    }
}

static size_t bytes_of(const hone_block *block)
{
    size_t sum = 0;

    for (; block; block = block->next)
        sum += block->size_bytes;
    return sum;
}

size_t hone__memory_bytes(const hone_context *context)
{
    size_t sum = 0;

    for (size_t i = 0; i < hone__table_size(&context->streams); ++i) {
        hone_memory *memory = hone__table_at(&context->streams, i);

        if (!memory)
            continue;
        (void)pthread_mutex_lock(&memory->turn);
        sum += bytes_of(
            atomic_load_explicit(&memory->scratch, memory_order_relaxed));
        sum += bytes_of(memory->spare) + bytes_of(memory->captured);
        for (size_t j = 0; j < hone__table_size(&memory->zeros); ++j) {
            const hone_block *zeros = hone__table_at(&memory->zeros, j);

            sum += zeros ? zeros->size_bytes : 0;
        }
        (void)pthread_mutex_unlock(&memory->turn);
    }
    return sum;
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
        return hone__out_of_memory(err, " for constant memory of a stream");
    status = hone__driver_load(program->driver, module->code.data,
                               module->code.length, module->config,
                               &bank->bank.module, &found);
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
    if (bank->n_refreshed != n_refreshed || bank->user != program)
        hone__bank_forget(&bank->bank);
    bank->n_refreshed = n_refreshed;
    bank->user = program;
    bank->used_at = ++memory->n_used;
    *out = &bank->bank;
    return HONE_OK;
}

/* ---- the end ------------------------------------------------------------- */

static void free_blocks(hone_block *block, const hone_driver *driver, int alive)
{
    while (block) {
        hone_block *next = block->next;

        if (alive)
            (void)driver->memory_free(block->base);
        hone__free(block);
        block = next;
    }
}

static void empty(hone_memory *memory, const hone_driver *driver, int alive)
{
    free_blocks(atomic_load_explicit(&memory->scratch, memory_order_relaxed),
                driver, alive);
    atomic_store_explicit(&memory->scratch, NULL, memory_order_relaxed);
    for (size_t i = 0; i < hone__table_size(&memory->zeros); ++i) {
        hone_block *zeros = hone__table_at(&memory->zeros, i);

        if (zeros) {
            zeros->next = memory->spare;
            memory->spare = zeros;
        }
    }
    hone__table_free(&memory->zeros);
    free_blocks(memory->spare, driver, alive);
    free_blocks(memory->captured, driver, alive);
    memory->spare = memory->captured = NULL;
    hone__lane_free(&memory->lane, driver, alive);
    while (memory->banks) {
        hone_memory_bank *next = memory->banks->next;

        if (alive)
            (void)driver->module_unload(memory->banks->bank.module);
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
    if (!is_shared)
        free_memory(memory);
}

void hone__memory_close(hone_context *context, int alive)
{
    for (size_t i = 0; i < hone__table_size(&context->streams); ++i) {
        hone_memory *memory = hone__table_at(&context->streams, i);

        if (!memory)
            continue;
        empty(memory, context->driver, alive);
        free_memory(memory);
    }
    hone__table_free(&context->streams);
}
