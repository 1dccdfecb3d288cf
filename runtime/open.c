/* SPDX-License-Identifier: Apache-2.0 */
/* Opening: the databases and packs behind a hone_ctx, the search path that
 * finds them, packs that are linked into the program, and the device that is
 * chosen. */
#include "runtime/compile_later.h"
#include "runtime/plan.h"
#include "runtime/search_path.h"
#include "runtime/usage.h"

#include "runtime/base/log.h"
#include "runtime/store/store_kind.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the device ---------------------------------------------------------- */

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
    for (size_t i = 0; i < ctx->n_stores; ++i)
        hone__store_select(ctx->stores[i], is_host);
}

hone_status hone_device_select(hone_ctx *ctx, const char *device)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status = HONE_OK;
    int is_host = 0;

    if (!ctx || !device)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_device_select: %s is NULL",
                          ctx ? "device" : "ctx");
    HONE_TRY(read_device(device, "hone_device_select", &is_host, err));
    (void)pthread_mutex_lock(&ctx->lock);
    if (is_host != ctx->is_host && ctx->contexts)
        status = hone__fail(err, HONE_ERR_ARGUMENT,
                            "hone_device_select: plans were made for the other "
                            "device; choose it right after hone_open()");
    else if (is_host != ctx->is_host)
        select_device(ctx, is_host);
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

/* $HONE_LOG, $HONE_DEVICE, $HONE_COMPILE and $HONE_PLAN_LIMIT; $HONE_RECORD is
 * read when all went well. */
static hone_status read_environment(hone_ctx *ctx, int *out_is_host,
                                    hone_error *err)
{
    const char *device = getenv("HONE_DEVICE");
    const char *limit = getenv("HONE_PLAN_LIMIT");
    const char *compile = getenv("HONE_COMPILE");
    char *end = NULL;

    HONE_TRY(hone__log_start(err));
    if (device && *device)
        HONE_TRY(read_device(device, "HONE_DEVICE", out_is_host, err));
    if (compile && *compile)
        HONE_TRY(
            hone__compile_read(compile, "HONE_COMPILE", &ctx->compile, err));
    if (!limit || !*limit)
        return HONE_OK;
    errno = 0;
    ctx->cache.most_plans = (size_t)strtol(limit, &end, 10);
    if (errno || *end || *limit < '1' || *limit > '9')
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "HONE_PLAN_LIMIT: '%.64s' is not a number of plans, "
                          "1 or more",
                          limit);
    return HONE_OK;
}

/* ---- stores -------------------------------------------------------------- */

void hone__stores_close(hone_ctx *ctx)
{
    while (ctx->n_stores)
        hone__store_close(ctx->stores[--ctx->n_stores]);
    hone__free(ctx->stores);
    ctx->stores = NULL;
}

static hone_status add_store(hone_ctx *ctx, const hone_store_source *source,
                             hone_error *err)
{
    if (!HONE_GROW(ctx->stores, ctx->n_stores))
        return hone__out_of_memory(err, " while opening a database");
    HONE_TRY(hone__store_open_source(source, &ctx->stores[ctx->n_stores], err));
    hone__log(HONE_LOG_INFO, "opened %s '%s'",
              ctx->stores[ctx->n_stores]->kind->noun,
              ctx->stores[ctx->n_stores]->path);
    ++ctx->n_stores;
    return HONE_OK;
}

/* What a search path names need not be there. What is there has to be right:
 * slower kernels without a word would be worse than an error. */
static hone_status add_if_there(void *user, const hone_store_source *source,
                                hone_error *err)
{
    hone_error why = {0};
    const hone_status status = add_store(user, source, &why);

    if (status == HONE_OK || status == HONE_ERR_NOT_FOUND)
        return HONE_OK;
    if (err)
        *err = why;
    return status;
}

/* ---- a hone_ctx ---------------------------------------------------------- */

static hone_status open_all(hone_ctx *ctx, const hone_source *sources,
                            size_t n_sources, hone_error *err)
{
    if (!sources)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_sources_open: there are no sources");
    for (size_t i = 0; i < n_sources; ++i) {
        const hone_source *source = &sources[i];

        if (!source->path == !source->pack)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "hone_sources_open: source %zu has %s", i,
                              source->path
                                  ? "a path and a pack in memory; it is one of "
                                    "them"
                                  : "neither a path nor a pack in memory");
        HONE_TRY(
            add_store(ctx,
                      &(hone_store_source){source->path, source->pack,
                                           source->pack_bytes, source->sha256},
                      err));
    }
    return HONE_OK;
}

/* The search path; where it leads nowhere, the error is that of the first
 * place, which the tuner writes to. */
static hone_status open_path(hone_ctx *ctx, hone_error *err)
{
    HONE_TRY(hone__search_path(add_if_there, ctx, err));
    return ctx->n_stores ? HONE_OK : hone__search_path_failed(err);
}

static hone_status make_ctx(hone_ctx **out_ctx, hone_error **out_err)
{
    static _Atomic uint64_t last_serial;
    hone_ctx *ctx;

    *out_ctx = NULL;
    hone__hazard_start();
    ctx = hone__alloc(sizeof *ctx);
    if (!ctx || pthread_mutex_init(&ctx->lock, NULL)) {
        hone__free(ctx);
        return hone__fail(hone__thread_error(NULL), HONE_ERR_NO_MEMORY,
                          "out of memory while opening a database");
    }
    ctx->serial = atomic_fetch_add(&last_serial, 1) + 1;
    ctx->cache.most_plans = HONE_PLANS_BY_DEFAULT;
    *out_ctx = ctx;
    *out_err = hone__thread_error(ctx);
    return HONE_OK;
}

/* No sources: the search path. */
static hone_status fill_ctx(hone_ctx *ctx, const hone_source *sources,
                            size_t n_sources, hone_error *err)
{
    hone_status status;
    int is_host = 0;

    HONE_TRY(read_environment(ctx, &is_host, err));
    status = n_sources ? open_all(ctx, sources, n_sources, err)
                       : open_path(ctx, err);
    if (status != HONE_OK)
        hone__stores_close(ctx);
    else
        hone__usage_start(ctx);
    select_device(ctx, is_host);
    return status;
}

static hone_status open_ctx(const hone_source *sources, size_t n_sources,
                            hone_ctx **out_ctx)
{
    hone_error *err = NULL;

    HONE_TRY(make_ctx(out_ctx, &err));
    return hone__log_failure(fill_ctx(*out_ctx, sources, n_sources, err),
                             "hone_open", err);
}

hone_status hone_open(const char *path, hone_ctx **out_ctx)
{
    const hone_source source = {.path = path};

    if (!out_ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "out_ctx is NULL");
    return open_ctx(&source, path != NULL, out_ctx);
}

hone_status hone_sources_open(const hone_source *sources, size_t n_sources,
                              hone_ctx **out_ctx)
{
    if (!out_ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "out_ctx is NULL");
    /* None is not the search path. */
    return open_ctx(n_sources ? sources : NULL, n_sources + !n_sources,
                    out_ctx);
}

hone_status hone_pack_register(const void *pack, size_t pack_bytes)
{
    const hone_store_source source = {.pack = pack, .pack_bytes = pack_bytes};
    hone_error *err = hone__thread_error(NULL);
    hone_store *store = NULL;

    if (!pack)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_pack_register: pack is NULL");
    HONE_TRY(hone__store_open_source(&source, &store, err));
    hone__store_close(store);
    return hone__search_path_register(pack, pack_bytes, err);
}
