/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of hone.h that are not about one plan: see there. */
#include "runtime/store/database.h"
#include "runtime/plan.h"

#include <errno.h>
#include <stdlib.h>

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

/* ---- a hone_ctx ---------------------------------------------------------- */

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
    if (is_host != ctx->is_host && ctx->contexts)
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

/* $HONE_DEVICE and $HONE_PLAN_LIMIT. */
static hone_status read_environment(hone_ctx *ctx, int *out_is_host,
                                    hone_error *err)
{
    const char *device = getenv("HONE_DEVICE");
    const char *limit = getenv("HONE_PLAN_LIMIT");
    char *end = NULL;

    if (device && *device)
        HONE_TRY(read_device(device, "HONE_DEVICE", out_is_host, err));
    if (!limit || !*limit)
        return HONE_OK;
    errno = 0;
    ctx->cache.most_plans = strtoul(limit, &end, 10);
    if (errno || *end || *limit < '1' || *limit > '9')
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "HONE_PLAN_LIMIT: '%.64s' is not a number of plans, "
                          "1 or more",
                          limit);
    return HONE_OK;
}

hone_status hone_open(const char *path, hone_ctx **out_ctx)
{
    static _Atomic uint64_t last_serial;
    hone_error *err;
    int is_host = 0;
    hone_ctx *ctx;

    if (!out_ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_open: out_ctx is NULL");
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
    err = hone__thread_error(ctx);
    HONE_TRY(read_environment(ctx, &is_host, err));
    HONE_TRY(open_store(ctx, path, err));
    select_device(ctx, is_host);
    return HONE_OK;
}

void hone_close(hone_ctx *ctx)
{
    if (!ctx)
        return;
    hone__plan_cache_close(ctx);
    while (ctx->contexts) {
        hone_context *context = ctx->contexts;
        hone_cu_context popped = NULL;
        const int alive = hone__context_enter(context);

        hone__memory_close(context, alive);
        hone__vendors_free(context->vendors, alive);
        hone__modules_unload(context, alive);
        if (alive)
            (void)context->driver->context_pop(&popped);
        ctx->contexts = context->next;
        hone__free(context);
    }
    hone__store_close(ctx->store);
    (void)pthread_mutex_destroy(&ctx->lock);
    hone__free(ctx);
}

hone_status hone_plan_limit(hone_ctx *ctx, size_t n_plans)
{
    if (!ctx || !n_plans)
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          ctx ? "hone_plan_limit: n_plans is 0; a hone_ctx "
                                "keeps one plan at least"
                              : "hone_plan_limit: ctx is NULL");
    (void)pthread_mutex_lock(&ctx->lock);
    hone__plan_cache_limit(ctx, n_plans);
    (void)pthread_mutex_unlock(&ctx->lock);
    return HONE_OK;
}

hone_status hone_refresh(hone_ctx *ctx)
{
    if (!ctx)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_refresh: ctx is NULL");
    (void)atomic_fetch_add_explicit(&ctx->n_refreshed, 1, memory_order_release);
    return HONE_OK;
}

hone_status hone_stream_release(hone_ctx *ctx, hone_stream stream)
{
    hone_error *err = hone__thread_error(ctx);
    hone_context *context = NULL;
    hone_status status;

    if (!ctx)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_stream_release: ctx is NULL");
    (void)pthread_mutex_lock(&ctx->lock);
    status = hone__context_current(ctx, &context, err);
    (void)pthread_mutex_unlock(&ctx->lock);
    if (status == HONE_OK)
        hone__memory_release(context, stream);
    return status;
}

/* ---- plans --------------------------------------------------------------- */

/* Where a plan is to be made. Lock held. */
static hone_status plan_context(hone_ctx *ctx, hone_context **out,
                                hone_error *err)
{
    if (!ctx->store)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "no database is open: hone_open() had failed");
    return hone__context_current(ctx, out, err);
}

/* Where the plan of an answer goes. */
typedef struct plan_builder {
    hone_context *context;
    const char *op;
    hone_plan **out;
} plan_builder;

static hone_status build_plan(void *user, hone_answer *answer, hone_error *err)
{
    const plan_builder *builder = user;

    return hone__plan_build(builder->context, builder->op, answer, builder->out,
                            err);
}

hone_status hone_plan_create(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out_plan,
                             hone_match *out_match)
{
    hone_error *err = hone__thread_error(ctx);
    hone_context *context = NULL;
    hone_answer answer;
    hone_status status;

    if (out_plan)
        *out_plan = NULL;
    if (!ctx || !op || (n_dims && !dims) || !out_plan)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_plan_create: %s is NULL",
                          !ctx        ? "ctx"
                          : !op       ? "op"
                          : !out_plan ? "out_plan"
                                      : "dims");
    (void)pthread_mutex_lock(&ctx->lock);
    status = plan_context(ctx, &context, err);
    if (status == HONE_OK)
        status = hone__match_find(
            &(hone_query){.store = ctx->store,
                          .target = &context->target,
                          .op = op,
                          .dims = dims,
                          .n_dims = n_dims,
                          .use = build_plan,
                          .user = &(plan_builder){context, op, out_plan}},
            &answer, err);
    if (status == HONE_OK && out_match)
        *out_match = answer.match;
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

void hone_plan_destroy(hone_plan *plan)
{
    hone_ctx *ctx = plan ? plan->context->ctx : NULL;

    if (!plan)
        return;
    (void)pthread_mutex_lock(&ctx->lock);
    hone__plan_leave(plan);
    (void)pthread_mutex_unlock(&ctx->lock);
}

/* The plan of an answer, which is made if another thread did not just do so,
 * or if it was not asked for with more dims. Lock held. */
static hone_status find_or_build(void *user, hone_answer *answer,
                                 hone_error *err)
{
    const plan_builder *builder = user;
    hone_context *context = builder->context;
    const hone_plan_key key = {context->context_id, builder->op,
                               answer->resolved.dims, answer->resolved.n_dims};
    hone_status status;

    *builder->out = hone__plan_cache_find(context->ctx, &key);
    if (*builder->out)
        return HONE_OK;
    HONE_TRY(build_plan(user, answer, err));
    status = hone__plan_cache_add(context->ctx, *builder->out, err);
    if (status != HONE_OK)
        hone__program_free(&(*builder->out)->program);
    return status;
}

static hone_status cache_plan(hone_context *context, const hone_plan_key *key,
                              hone_plan **out, hone_error *err)
{
    hone_ctx *ctx = context->ctx;
    hone_answer answer;

    HONE_TRY(hone__match_find(
        &(hone_query){.store = ctx->store,
                      .target = &context->target,
                      .op = key->op,
                      .dims = key->dims,
                      .n_dims = key->n_dims,
                      .use = find_or_build,
                      .user = &(plan_builder){context, key->op, out}},
        &answer, err));
    return key->n_dims != answer.resolved.n_dims ||
                   memcmp(key->dims, answer.resolved.dims,
                          key->n_dims * sizeof *key->dims) != 0
               ? hone__plan_cache_alias(ctx, *out, key, err)
               : HONE_OK;
}

/* What hone_launch() does not find. */
static hone_status make_plan(hone_ctx *ctx, hone_plan_key key, hone_plan **out,
                             hone_error *err)
{
    hone_context *context = NULL;
    hone_status status;

    HONE_TRY(hone__hazard_get(err));
    (void)pthread_mutex_lock(&ctx->lock);
    status = plan_context(ctx, &context, err);
    if (status == HONE_OK) {
        key.context_id = context->context_id;
        *out = hone__plan_cache_find(ctx, &key);
        if (!*out)
            status = cache_plan(context, &key, out, err);
    }
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

hone_status hone_launch(hone_ctx *ctx, const char *op, const int64_t *dims,
                        size_t n_dims, void *const *args, hone_stream stream)
{
    hone_plan_key key = {0, op, dims, n_dims};
    const hone_driver *driver = NULL;
    hone_plan *plan = NULL;

    if (!ctx || !op || (n_dims && !dims))
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_launch: %s is NULL",
                          !ctx  ? "ctx"
                          : !op ? "op"
                                : "dims");
    /* What the thread launched last; it may be evicted by now, not freed. */
    if (hone__hazard_own.owner == ctx->serial)
        plan = hone__hazard_own.object;
    if (plan)
        driver = plan->program.driver;
    else
        HONE_TRY(hone__ctx_driver(ctx, &driver, hone__thread_error(ctx)));
    /* The id, not the handle: after cudaDeviceReset() the next context may
     * have the same handle, and our modules are gone. */
    if (driver->context_id(NULL, &key.context_id))
        plan = NULL; /* make_plan() says that there is no context */
    else if (!plan || !hone__plan_matches(plan, &key))
        plan = hone__plan_cache_find(ctx, &key);
    /* Made for this launch is not used again yet: shapes that come once are
     * not to evict the others. The mark is stored once: threads share it. */
    if (!plan)
        HONE_TRY(make_plan(ctx, key, &plan, hone__thread_error(ctx)));
    else if (!atomic_load_explicit(&plan->was_used, memory_order_relaxed))
        atomic_store_explicit(&plan->was_used, 1, memory_order_relaxed);
    return hone_plan_run(plan, args, stream);
}
