/* SPDX-License-Identifier: Apache-2.0 */
/* What programs may ask about what they did: the record of launched shapes and
 * the counters of a hone_ctx. */
#include "runtime/usage.h"

#include "runtime/memory.h"

#include "runtime/base/log.h"
#include "runtime/base/type.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { N_MATCHES = HONE_COUNT(((hone_counters *)NULL)->n_plans) };

/* ---- the record ---------------------------------------------------------- */

void hone__usage_start(hone_ctx *ctx)
{
    const char *path = getenv("HONE_RECORD");
    hone_error why = {0};

    if (path && *path && hone__record_open(path, &ctx->record, &why) != HONE_OK)
        hone__log(HONE_LOG_WARNING, "HONE_RECORD: %s", why.text);
}

static hone_status start(hone_ctx *ctx, const char *path, hone_error *err)
{
    if (ctx->record)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_record_start: launches are recorded already");
    if (ctx->contexts)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_record_start: plans were made before; call it "
                          "right after hone_open()");
    return hone__record_open(path, &ctx->record, err);
}

hone_status hone_record_start(hone_ctx *ctx, const char *path)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status;

    if (!ctx)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_record_start: ctx is NULL");
    (void)pthread_mutex_lock(&ctx->lock);
    status = start(ctx, path, err);
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

hone_status hone_record_write(hone_ctx *ctx)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status;

    if (!ctx)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_record_write: ctx is NULL");
    (void)pthread_mutex_lock(&ctx->lock);
    status = ctx->record
                 ? hone__record_write(ctx->record, err)
                 : hone__fail(err, HONE_ERR_ARGUMENT,
                              "hone_record_write: launches are not recorded; "
                              "see hone_record_start()");
    (void)pthread_mutex_unlock(&ctx->lock);
    return status;
}

/* ---- counters ------------------------------------------------------------ */

/* Lock held. */
static void fill(hone_ctx *ctx, hone_counters *out)
{
    *out = ctx->made;
    out->n_evictions = ctx->cache.n_evicted;
    out->n_cached_plans = ctx->cache.n_plans;
    for (const hone_context *c = ctx->contexts; c; c = c->next)
        out->workspace_bytes += hone__memory_bytes(c);
    if (ctx->record)
        hone__record_sum(ctx->record, out->n_launches, N_MATCHES,
                         &out->n_vendor_launches);
}

hone_status hone_counters_get(hone_ctx *ctx, hone_counters *out)
{
    if (!ctx || !out)
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_counters_get: %s is NULL", ctx ? "out" : "ctx");
    (void)pthread_mutex_lock(&ctx->lock);
    fill(ctx, out);
    (void)pthread_mutex_unlock(&ctx->lock);
    return HONE_OK;
}

/* "3 plans (2 exact, 1 default)", what is 0 is left out. */
static void put_matches(const uint64_t *by_match, const char *noun,
                        uint64_t of_vendors, hone_text *out)
{
    uint64_t sum = 0;
    const char *before = " (";

    for (size_t i = 0; i < N_MATCHES; ++i)
        sum += by_match[i];
    hone__text_printf(out, "%" PRIu64 " %s", sum, noun);
    for (size_t i = 0; i < N_MATCHES; ++i) {
        if (!by_match[i] || !hone__match_name((hone_match_kind)i))
            continue;
        hone__text_printf(out, "%s%" PRIu64 " %s", before, by_match[i],
                          hone__match_name((hone_match_kind)i));
        before = ", ";
    }
    if (of_vendors)
        hone__text_printf(out, ", %" PRIu64 " of vendors", of_vendors);
    hone__text_puts(out, sum ? ")" : "");
}

static void log_summary(hone_ctx *ctx)
{
    hone_counters counters = {.n_misses = 0};
    hone_text text = {0};

    fill(ctx, &counters);
    put_matches(counters.n_plans, "plans", counters.n_vendor_plans, &text);
    hone__text_printf(
        &text,
        ", %" PRIu64 " failed; %" PRIu64 " misses, %" PRIu64
        " evictions; %" PRIu64 " bytes of code, %" PRIu64 " of workspaces",
        counters.n_failed_plans, counters.n_misses, counters.n_evictions,
        counters.code_bytes, counters.workspace_bytes);
    if (ctx->record) {
        hone__text_puts(&text, "; ");
        put_matches(counters.n_launches, "launches", counters.n_vendor_launches,
                    &text);
    }
    if (!text.failed)
        hone__log(HONE_LOG_INFO, "closed: %s", hone__text_str(&text));
    hone__text_free(&text);
}

void hone__usage_end(hone_ctx *ctx)
{
    if (ctx->n_stores && hone__log_wants(HONE_LOG_INFO))
        log_summary(ctx);
    hone__record_close(ctx->record);
    ctx->record = NULL;
}
