/* SPDX-License-Identifier: Apache-2.0 */
/* hone_open() to hone_close(), the device a hone_ctx is for, and the error
 * record of each thread. */
#include "runtime/context.h"

#include "runtime/base/paths.h"
#include "runtime/plan.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The last failure of this thread, and the serial of the hone_ctx it was
 * on; 0: none, or there was no memory for one. */
static _Thread_local struct {
    uint64_t serial;
    hone_error error;
} last_failure;

hone_error *hone__thread_error(const hone_ctx *ctx)
{
    const uint64_t serial = ctx ? ctx->serial : 0;

    if (last_failure.serial != serial) {
        last_failure.serial = serial;
        hone__error_clear(&last_failure.error);
    }
    return &last_failure.error;
}

const char *hone_errmsg(hone_ctx *ctx)
{
    return hone__thread_error(ctx)->text;
}

int hone_err_native(hone_ctx *ctx, const char **out_domain)
{
    const hone_error *error = hone__thread_error(ctx);

    if (out_domain)
        *out_domain = hone__domain_name(error->domain);
    return error->native;
}

static hone_status read_device(const char *text, const char *where,
                               int *out_is_host, hone_error *err)
{
    *out_is_host = strcmp(text, "cpu") == 0;
    if (*out_is_host || strcmp(text, "cuda") == 0)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "%s: there is no device '%.64s'; it is 'cuda' or 'cpu'",
                      where, text);
}

static void select_device(hone_ctx *ctx, int is_host)
{
    ctx->is_host = is_host;
    if (ctx->store)
        hone__store_select(ctx->store, is_host);
}

hone_status hone_use_device(hone_ctx *ctx, const char *device)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status = HONE_OK;
    int is_host = 0;

    if (!ctx || !device)
        return hone__fail(err, HONE_ERR_ARGUMENT, "hone_use_device: %s is NULL",
                          ctx ? "device" : "ctx");
    HONE_TRY(read_device(device, "hone_use_device", &is_host, err));
    (void)pthread_mutex_lock(&ctx->lock);
    if (is_host != ctx->is_host && ctx->devices)
        status = hone__fail(err, HONE_ERR_ARGUMENT,
                            "hone_use_device: plans were made for the other "
                            "device; choose it right after hone_open(), or "
                            "open the database once more");
    else if (is_host != ctx->is_host)
        select_device(ctx, is_host);
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

static hone_status open_store(hone_ctx *ctx, const char *path, hone_error *err)
{
    hone_text chosen = {0};
    hone_status status = HONE_OK;

    if (path)
        hone__text_puts(&chosen, path);
    else
        status = hone__default_database(&chosen, err);
    if (status == HONE_OK)
        status = hone__text_check(&chosen, err);
    if (status == HONE_OK)
        status = hone__store_open(hone__text_str(&chosen), &ctx->store, err);
    hone__text_free(&chosen);
    return status;
}

hone_status hone_open(const char *path, hone_ctx **out_ctx)
{
    static _Atomic uint64_t last_serial;
    const char *device = getenv("HONE_DEVICE");
    hone_error *err;
    int is_host = 0;
    hone_ctx *ctx;

    if (!out_ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_open: out_ctx is NULL");
    *out_ctx = NULL;
    ctx = hone__alloc(sizeof *ctx);
    if (!ctx || pthread_mutex_init(&ctx->lock, NULL)) {
        hone__free(ctx);
        return hone__fail(hone__thread_error(NULL), HONE_ERR_NO_MEMORY,
                          "out of memory while opening a database");
    }
    ctx->serial = atomic_fetch_add(&last_serial, 1) + 1;
    *out_ctx = ctx;
    err = hone__thread_error(ctx);
    if (device && *device)
        HONE_TRY(read_device(device, "HONE_DEVICE", &is_host, err));
    HONE_TRY(open_store(ctx, path, err));
    select_device(ctx, is_host);
    return HONE_OK;
}

void hone_close(hone_ctx *ctx)
{
    if (!ctx)
        return;
    hone__plan_cache_close(&ctx->cache);
    while (ctx->devices) {
        hone_device *next = ctx->devices->next;

        hone__free(ctx->devices); /* its modules went with their plans */
        ctx->devices = next;
    }
    hone__store_close(ctx->store);
    (void)pthread_mutex_destroy(&ctx->lock);
    hone__free(ctx);
}
