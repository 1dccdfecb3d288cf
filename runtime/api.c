/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of hone.h that are not about one plan, nor about opening
 * (open.c): see there. */
#include "runtime/compile_later.h"
#include "runtime/plan.h"
#include "runtime/usage.h"

#include "runtime/base/log.h"
#include "runtime/base/type.h"

#include <inttypes.h>

const char *hone_error_text(hone_ctx *ctx)
{
    return hone__thread_error(ctx)->text;
}

int hone_error_native(hone_ctx *ctx, const char **out_domain)
{
    const hone_error *error = hone__thread_error(ctx);

    if (out_domain)
        *out_domain = hone__domain_name(error->domain);
    return error->native;
}

hone_status hone_log_set(hone_log_function *function, void *user,
                         hone_log_level level)
{
    if ((int)level < HONE_LOG_ERROR || level > HONE_LOG_INFO)
        return hone__fail(hone__thread_error(NULL), HONE_ERR_ARGUMENT,
                          "hone_log_set: there is no level %d", (int)level);
    hone__log_set(function, user, level);
    return HONE_OK;
}

/* ---- a hone_ctx ---------------------------------------------------------- */

void hone_close(hone_ctx *ctx)
{
    if (!ctx)
        return;
    hone__usage_end(ctx);
    hone__plan_cache_close(ctx);
    hone__compile_forget(ctx);
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
        hone__lines_free(&context->lines);
        hone__free(context);
    }
    hone__stores_close(ctx);
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
    if (!ctx->n_stores)
        return hone__fail(err, HONE_ERR_DATABASE,
                          "no database is open: hone_open() had failed");
    return hone__context_current(ctx, out, err);
}

/* Which kernel a new plan has; a warning where a better one might be had. */
static void log_match(const hone_query *query, const hone_answer *answer)
{
    const hone_match *match = &answer->match;
    const int is_near = match->kind == HONE_MATCH_EXACT ||
                        match->kind == HONE_MATCH_NEIGHBOUR ||
                        match->kind == HONE_MATCH_CHOSEN;
    const int is_slow =
        !query->config && !is_near && !answer->resolved.is_nothing;
    const hone_log_level level = is_slow || answer->n_left_out || *answer->note
                                     ? HONE_LOG_WARNING
                                     : HONE_LOG_INFO;
    hone_text dims = {0};

    if (!hone__log_wants(level))
        return;
    for (size_t i = 0; i < answer->resolved.n_dims; ++i)
        hone__text_printf(&dims, "%s%" PRId64, i ? "," : "",
                          answer->resolved.dims[i]);
    hone__log(level, "plan of %s(%s): %s, %s %s: %s", query->op,
              hone__text_str(&dims), hone__match_name(match->kind),
              match->implementation, match->config, match->reason);
    hone__text_free(&dims);
}

/* Where the plan of an answer goes. */
typedef struct plan_builder {
    hone_context *context; /* first, for hone__row_is_compiled() */
    const char *op;
    hone_plan **out;
} plan_builder;

static hone_status build_plan(void *user, hone_answer *answer, hone_error *err)
{
    const plan_builder *builder = user;

    return hone__plan_build(builder->context, builder->op, answer, builder->out,
                            err);
}

/* The best kernel, or the one of `query->config`. */
static hone_status create_plan(hone_ctx *ctx, hone_query query,
                               hone_plan **out_plan, hone_match *out_match)
{
    hone_error *err = hone__thread_error(ctx);
    plan_builder builder = {NULL, query.op, out_plan};
    hone_answer answer;
    hone_status status;

    (void)pthread_mutex_lock(&ctx->lock);
    status = plan_context(ctx, &builder.context, err);
    if (status == HONE_OK) {
        query.stores = ctx->stores;
        query.n_stores = ctx->n_stores;
        query.target = &builder.context->target;
        query.use = build_plan;
        query.user = &builder;
        query.compile = ctx->compile;
        query.is_compiled = hone__row_is_compiled;
        status = hone__match_find(&query, &answer, err);
    }
    if (status == HONE_OK) {
        log_match(&query, &answer);
        hone__compile_wait(builder.context, query.op, &answer);
    }
    if (status == HONE_OK && out_match)
        *out_match = answer.match;
    ctx->made.n_failed_plans += status != HONE_OK;
    (void)pthread_mutex_unlock(&ctx->lock);
    return hone__log_failure(status, query.op, err);
}

hone_status hone_plan_create(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out_plan,
                             hone_match *out_match)
{
    if (out_plan)
        *out_plan = NULL;
    if (!ctx || !op || (n_dims && !dims) || !out_plan)
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_plan_create: %s is NULL",
                          !ctx        ? "ctx"
                          : !op       ? "op"
                          : !out_plan ? "out_plan"
                                      : "dims");
    return create_plan(ctx,
                       (hone_query){.op = op, .dims = dims, .n_dims = n_dims},
                       out_plan, out_match);
}

hone_status hone_plan_create_config(hone_ctx *ctx, const char *op,
                                    const int64_t *dims, size_t n_dims,
                                    const char *implementation,
                                    const char *config, hone_plan **out_plan,
                                    hone_match *out_match)
{
    if (out_plan)
        *out_plan = NULL;
    if (!ctx || !op || (n_dims && !dims) || !config || !out_plan)
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_plan_create_config: %s is NULL",
                          !ctx        ? "ctx"
                          : !op       ? "op"
                          : !config   ? "config"
                          : !out_plan ? "out_plan"
                                      : "dims");
    return create_plan(ctx,
                       (hone_query){.op = op,
                                    .dims = dims,
                                    .n_dims = n_dims,
                                    .config = config,
                                    .implementation = implementation},
                       out_plan, out_match);
}

void hone_plan_destroy(hone_plan *plan)
{
    hone_ctx *ctx = plan ? hone__plan_more(plan)->context->ctx : NULL;

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
        hone__plan_leave(*builder->out);
    return status;
}

static hone_status cache_plan(hone_context *context, const hone_plan_key *key,
                              hone_plan **out, hone_error *err)
{
    hone_ctx *ctx = context->ctx;
    plan_builder builder = {context, key->op, out};
    const hone_query query = {.stores = ctx->stores,
                              .n_stores = ctx->n_stores,
                              .target = &context->target,
                              .op = key->op,
                              .dims = key->dims,
                              .n_dims = key->n_dims,
                              .use = find_or_build,
                              .user = &builder,
                              .compile = ctx->compile,
                              .is_compiled = hone__row_is_compiled};
    hone_answer answer;

    HONE_TRY(hone__match_find(&query, &answer, err));
    log_match(&query, &answer);
    hone__compile_wait(context, key->op, &answer);
    /* A row whose default of a dim is another than that of the row that
     * completed the key answers, but is not found by it. */
    return (key->n_dims != answer.resolved.n_dims ||
            memcmp(key->dims, answer.resolved.dims,
                   key->n_dims * sizeof *key->dims) != 0) &&
                   hone__plan_matches(*out, key)
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
    ++ctx->made.n_misses;
    status = plan_context(ctx, &context, err);
    if (status == HONE_OK) {
        key.context_id = context->context_id;
        *out = hone__plan_cache_find(ctx, &key);
        if (!*out)
            status = cache_plan(context, &key, out, err);
    }
    ctx->made.n_failed_plans += status != HONE_OK;
    (void)pthread_mutex_unlock(&ctx->lock);
    return hone__log_failure(status, key.op, err);
}

hone_status hone_launch(hone_ctx *ctx, const char *op, const int64_t *dims,
                        size_t n_dims, void *const *args, size_t n_args,
                        hone_stream stream)
{
    hone_plan_key key = {0, op, dims, n_dims};
    unsigned long long context_id = 0;
    const hone_driver *driver = NULL;
    hone_plan *plan = NULL;

    if (!ctx || !op || (n_dims && !dims))
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_launch: %s is NULL",
                          !ctx  ? "ctx"
                          : !op ? "op"
                                : "dims");
    /* What the thread launched last; it may be evicted by now, not freed. The
     * context is most likely the same, too: a plan is on its way from memory
     * while the driver is asked. */
    if (hone__hazard_own.owner == ctx->serial)
        plan = hone__hazard_own.object;
    if (plan) {
        driver = plan->program.driver;
        key.context_id = hone__plan_context(plan);
        if (!hone__plan_matches(plan, &key))
            plan = hone__plan_cache_find(ctx, &key);
    } else {
        HONE_TRY(hone__ctx_driver(ctx, &driver, hone__thread_error(ctx)));
    }
    /* The id, not the handle: after cudaDeviceReset() the next context may
     * have the same handle, and our modules are gone. */
    if (driver->context_id(NULL, &context_id)) {
        plan = NULL; /* make_plan() says that there is no context */
    } else if (!plan || context_id != key.context_id) {
        key.context_id = context_id;
        plan = hone__plan_cache_find(ctx, &key);
    }
    /* Made for this launch is not used again yet: shapes that come once are
     * not to evict the others. The mark is stored once: threads share it. */
    if (!plan)
        HONE_TRY(make_plan(ctx, key, &plan, hone__thread_error(ctx)));
    else if (!atomic_load_explicit(&plan->was_used, memory_order_relaxed))
        atomic_store_explicit(&plan->was_used, 1, memory_order_relaxed);
    return hone_plan_run(plan, args, n_args, stream);
}
