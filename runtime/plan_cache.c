/* SPDX-License-Identifier: Apache-2.0 */
/* The lock-free plan table and hone_launch(): see plan_cache.h. */
#include "runtime/plan_cache.h"

#include "runtime/plan.h"

enum { FIRST_CAPACITY = 64 };

typedef struct table_entry {
    _Atomic(hone_plan *) plan; /* NULL: free; set after `hash` */
    _Atomic uint64_t hash;
} table_entry;

typedef struct hone_plan_table {
    size_t mask;                      /* capacity - 1, a power of two */
    struct hone_plan_table *outgrown; /* the one before */
    table_entry entries[];
} plan_table;

hone_plan *hone__plan_cache_find(hone_plan_cache *cache,
                                 const hone_plan_key *key)
{
    plan_table *table =
        atomic_load_explicit(&cache->table, memory_order_acquire);
    const uint64_t hash = hone__plan_hash(key);

    if (!table)
        return NULL;
    /* Ends: half of the entries are free. */
    for (size_t i = (size_t)hash & table->mask;; i = (i + 1) & table->mask) {
        table_entry *entry = &table->entries[i];
        hone_plan *plan =
            atomic_load_explicit(&entry->plan, memory_order_acquire);

        if (!plan)
            return NULL;
        if (atomic_load_explicit(&entry->hash, memory_order_relaxed) != hash)
            continue;
        hone__plan_prefetch(plan);
        if (hone__plan_matches(plan, key))
            return plan;
    }
}

static void put(plan_table *table, hone_plan *plan)
{
    size_t i = (size_t)plan->owner->hash & table->mask;

    while (atomic_load_explicit(&table->entries[i].plan, memory_order_relaxed))
        i = (i + 1) & table->mask;
    atomic_store_explicit(&table->entries[i].hash, plan->owner->hash,
                          memory_order_relaxed);
    atomic_store_explicit(&table->entries[i].plan, plan, memory_order_release);
}

hone_status hone__plan_cache_add(hone_plan_cache *cache, hone_plan *plan,
                                 hone_error *err)
{
    plan_table *table =
        atomic_load_explicit(&cache->table, memory_order_relaxed);

    if (!table || 2 * (cache->n_plans + 1) > table->mask + 1) {
        const size_t capacity = table ? 2 * (table->mask + 1) : FIRST_CAPACITY;
        plan_table *larger =
            hone__alloc(sizeof *larger + capacity * sizeof larger->entries[0]);

        if (!larger)
            return hone__fail(err, HONE_ERR_NO_MEMORY,
                              "out of memory for the plan cache");
        larger->mask = capacity - 1;
        larger->outgrown = table;
        for (size_t i = 0; table && i <= table->mask; ++i) {
            hone_plan *old = atomic_load_explicit(&table->entries[i].plan,
                                                  memory_order_relaxed);

            if (old)
                put(larger, old);
        }
        atomic_store_explicit(&cache->table, larger, memory_order_release);
        table = larger;
    }
    put(table, plan);
    ++cache->n_plans;
    return HONE_OK;
}

void hone__plan_cache_close(hone_plan_cache *cache)
{
    plan_table *table =
        atomic_load_explicit(&cache->table, memory_order_acquire);

    for (size_t i = 0; table && i <= table->mask; ++i)
        hone__plan_free(atomic_load_explicit(&table->entries[i].plan,
                                             memory_order_relaxed));
    while (table) {
        plan_table *outgrown = table->outgrown;

        hone__free(table);
        table = outgrown;
    }
    atomic_store_explicit(&cache->table, NULL, memory_order_relaxed);
}

/* The plan this thread launched last. Serials are never used twice, so a
 * memo of a closed hone_ctx is never taken for one of another. */
static _Thread_local struct {
    uint64_t ctx_serial;
    hone_plan *plan;
} last_launched;

/* Not in the cache: make the plan, unless another thread just did. */
static hone_status make_plan(hone_ctx *ctx, const char *op, const int64_t *dims,
                             size_t n_dims, hone_plan **out, hone_error *err)
{
    hone_plan_key key = {0, op, dims, n_dims};
    hone_device *device = NULL;
    hone_status status;

    (void)pthread_mutex_lock(&ctx->lock);
    status = hone__device_current(ctx, &device, err);
    if (status == HONE_OK) {
        key.context_id = device->context_id;
        *out = hone__plan_cache_find(&ctx->cache, &key);
    }
    if (status == HONE_OK && !*out) {
        status = hone__plan_build(ctx, op, dims, n_dims, out, NULL, err);
        if (status == HONE_OK) {
            status = hone__plan_cache_add(&ctx->cache, *out, err);
            if (status != HONE_OK)
                hone__plan_free(*out);
        }
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
    int has_context = ctx && ctx->is_host;

    if (!ctx || !op || (n_dims && !dims))
        return hone__fail(hone__thread_error(ctx), HONE_ERR_ARGUMENT,
                          "hone_launch: %s is NULL",
                          !ctx  ? "ctx"
                          : !op ? "op"
                                : "dims");
    if (last_launched.ctx_serial == ctx->serial)
        plan = last_launched.plan;
    if (!has_context) {
        if (plan)
            driver = plan->driver;
        else
            HONE_TRY(hone__cuda_get(&driver, hone__thread_error(ctx)));
        /* The id, not the handle: after cudaDeviceReset() the next context
         * may have the same handle, and our modules are gone. */
        has_context = !driver->context_id(NULL, &key.context_id);
    }
    if (!has_context)
        plan = NULL; /* make_plan() says so */
    else if (!plan || !hone__plan_matches(plan, &key))
        plan = hone__plan_cache_find(&ctx->cache, &key);
    if (!plan)
        HONE_TRY(
            make_plan(ctx, op, dims, n_dims, &plan, hone__thread_error(ctx)));
    last_launched.ctx_serial = ctx->serial;
    last_launched.plan = plan;
    return hone_plan_run(plan, args, stream);
}
