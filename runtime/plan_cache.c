/* SPDX-License-Identifier: Apache-2.0 */
/* Finding, adding and evicting the plans of hone_launch(): see plan.h. */
#include "runtime/plan.h"

enum {
    /* Retired plans are freed together: asking all threads costs some
     * microseconds. Those that a thread may be in stay for another time. */
    RETIRED_TOGETHER = 32
};

/* Never 0. Operations are few, so their length and ends are enough of them. */
static uint64_t hash_of(const hone_plan_key *key)
{
    const size_t length = strlen(key->op);
    uint64_t hash = key->context_id;

    hash ^= (uint64_t)length << 16 | (uint64_t)(unsigned char)key->op[0] << 8 |
            (unsigned char)key->op[length - (length > 0)];
    hash = hone__table_tag(hash);
    for (size_t i = 0; i < key->n_dims; ++i)
        hash = hone__table_tag(hash ^ (uint64_t)key->dims[i]);
    return hash + !hash;
}

static uint64_t hash_of_plan(const hone_plan *plan, size_t n_dims)
{
    const hone_plan_key key = {hone__plan_context(plan), plan->program.op,
                               plan->dims, n_dims};

    return hash_of(&key);
}

/* As hone_plan_more has it; 0: nothing is HONE_DIM_DEFAULT. */
static uint32_t form_of(const hone_plan_key *key)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < key->n_dims; ++i)
        mask |= (uint32_t)(key->dims[i] == HONE_DIM_DEFAULT) << i;
    return mask ? (uint32_t)key->n_dims << 24 | mask : 0;
}

static uint64_t hash_of_form(const hone_plan *plan, uint32_t form)
{
    int64_t dims[HONE_MAX_DIMS];
    const hone_plan_key key = {hone__plan_context(plan), plan->program.op, dims,
                               form >> 24};

    for (size_t i = 0; i < key.n_dims; ++i)
        dims[i] = form >> i & 1 ? HONE_DIM_DEFAULT : plan->dims[i];
    return hash_of(&key);
}

hone_plan *hone__plan_cache_find(const hone_ctx *ctx, const hone_plan_key *key)
{
    hone_hazard_own *own = &hone__hazard_own;
    hone_table_walk walk;
    hone_plan *plan;

    if (!own->hazard)
        return NULL;
    own->object = NULL; /* what it was is not protected any more */
    walk = hone__table_walk(&ctx->cache.table, hash_of(key));
    while ((plan = hone__table_next(&walk)) != NULL) {
        hone__plan_prefetch(plan);
        hone__hazard_protect(own->hazard, plan);
        if (!hone__table_still(&walk, plan))
            return NULL;
        if (hone__plan_matches(plan, key)) {
            own->owner = ctx->serial;
            own->object = plan;
            return plan;
        }
    }
    return NULL;
}

/* ---- eviction ------------------------------------------------------------ */

/* Take a plan out of the table; it may be in use. */
static void retire(hone_plan_cache *cache, hone_plan *plan)
{
    hone_plan_more *more = hone__plan_more(plan);
    const uint32_t *forms = more->forms;

    for (size_t n = plan->n_least; n <= plan->n_dims; ++n)
        hone__table_remove(&cache->table, hash_of_plan(plan, n), plan);
    for (size_t i = 0; i < HONE_PLAN_FORMS && forms[i]; ++i)
        hone__table_remove(&cache->table, hash_of_form(plan, forms[i]), plan);
    --cache->n_plans;
    more->next = cache->retired;
    cache->retired = plan;
    ++cache->n_retired;
}

/* Free the retired plans that no thread is in. */
static void free_retired(hone_plan_cache *cache)
{
    hone_plan **link = &cache->retired;

    if (!hone__hazard_sync())
        return;
    while (*link) {
        hone_plan *plan = *link;
        hone_plan_more *more = hone__plan_more(plan);

        if (hone__hazard_protects(plan)) {
            link = &more->next;
            continue;
        }
        *link = more->next;
        --cache->n_retired;
        hone__plan_leave(plan);
    }
    cache->n_protected = cache->n_retired;
}

/* The next plan from the hand on that was not used since it was there last,
 * but not `keep`. Ends: where all are used all the time, the one that the
 * hand meets in the third round goes. */
static hone_plan *choose(hone_plan_cache *cache, const hone_plan *keep)
{
    const size_t size = hone__table_size(&cache->table);

    for (size_t step = 0;; ++step) {
        hone_plan *plan = hone__table_at(&cache->table, cache->hand % size);

        ++cache->hand;
        if (!plan || plan == keep)
            continue;
        if (step >= 2 * size ||
            !atomic_load_explicit(&plan->was_used, memory_order_relaxed))
            return plan;
        atomic_store_explicit(&plan->was_used, 0, memory_order_relaxed);
    }
}

static void evict(hone_plan_cache *cache, const hone_plan *keep)
{
    while (cache->n_plans > cache->most_plans) {
        retire(cache, choose(cache, keep));
        ++cache->n_evicted;
    }
    if (cache->n_retired >= RETIRED_TOGETHER + 2 * cache->n_protected)
        free_retired(cache);
}

/* ---- adding -------------------------------------------------------------- */

hone_status hone__plan_cache_add(hone_ctx *ctx, hone_plan *plan,
                                 hone_error *err)
{
    HONE_TRY(hone__table_put(&ctx->cache.table,
                             hash_of_plan(plan, plan->n_dims), plan, err));
    ++ctx->cache.n_plans;
    hone__hazard_protect(hone__hazard_own.hazard, plan);
    hone__hazard_own.owner = ctx->serial;
    hone__hazard_own.object = plan;
    evict(&ctx->cache, plan);
    return HONE_OK;
}

/* The oldest form gives way: a caller has one or two. */
static hone_status add_form(hone_ctx *ctx, hone_plan *plan, uint32_t form,
                            hone_error *err)
{
    uint32_t *forms = hone__plan_more(plan)->forms;
    const uint32_t oldest = forms[HONE_PLAN_FORMS - 1];

    HONE_TRY(hone__table_put(&ctx->cache.table, hash_of_form(plan, form), plan,
                             err));
    if (oldest)
        hone__table_remove(&ctx->cache.table, hash_of_form(plan, oldest), plan);
    memmove(forms + 1, forms, (HONE_PLAN_FORMS - 1) * sizeof *forms);
    forms[0] = form;
    return HONE_OK;
}

hone_status hone__plan_cache_alias(hone_ctx *ctx, hone_plan *plan,
                                   const hone_plan_key *key, hone_error *err)
{
    const uint32_t form = form_of(key);

    if (form)
        return add_form(ctx, plan, form, err);
    return hone__table_put(&ctx->cache.table, hash_of_plan(plan, key->n_dims),
                           plan, err);
}

void hone__plan_cache_drop(hone_ctx *ctx, const hone_plan_key *key)
{
    hone_table_walk walk = hone__table_walk(&ctx->cache.table, hash_of(key));
    hone_plan *plan = hone__table_next(&walk);

    while (plan && !hone__plan_matches(plan, key))
        plan = hone__table_next(&walk);
    if (plan)
        retire(&ctx->cache, plan);
    /* Also those that were evicted before and that a thread launched last. */
    for (plan = ctx->cache.retired; plan; plan = hone__plan_more(plan)->next)
        if (hone__plan_matches(plan, key))
            atomic_store_explicit(&plan->context_id, 0, memory_order_relaxed);
}

void hone__plan_cache_limit(hone_ctx *ctx, size_t n_plans)
{
    ctx->cache.most_plans = n_plans;
    evict(&ctx->cache, NULL);
}

void hone__plan_cache_close(hone_ctx *ctx)
{
    hone_plan_cache *cache = &ctx->cache;

    for (size_t i = 0; i < hone__table_size(&cache->table); ++i) {
        hone_plan *plan = hone__table_at(&cache->table, i);

        if (plan)
            retire(cache, plan); /* all of its entries */
    }
    while (cache->retired) {
        hone_plan *next = hone__plan_more(cache->retired)->next;

        hone__program_free(&cache->retired->program);
        cache->retired = next;
    }
    hone__table_free(&cache->table);
}
