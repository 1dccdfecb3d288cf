/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets which problem: see shard.h. The longest first onto the least loaded
 * is never worse than 4/3 of the best there is (Graham 1969), and everybody can
 * repeat it. */
#include "tools/cluster/shard.h"

#include "runtime/base/alloc.h"

#include <stdlib.h>

typedef struct priced {
    double cost;
    size_t place; /* in the list */
} priced;

/* Of shards, by what they have; the root has the least. */
typedef struct load {
    double sum;
    int shard;
} load;

static int by_cost(const void *a, const void *b)
{
    const priced *x = a;
    const priced *y = b;

    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int is_before(const load *a, const load *b)
{
    return a->sum != b->sum ? a->sum < b->sum : a->shard < b->shard;
}

/* The root has become heavier. */
static void sink(load *heap, size_t n)
{
    size_t at = 0;

    for (;;) {
        size_t least = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n;
             ++child)
            if (is_before(&heap[child], &heap[least]))
                least = child;
        if (least == at)
            return;
        const load moved = heap[at];

        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static hone_status deal_whole(const priced *items, size_t n, int n_shards,
                              hone_dealt *out, hone_error *err)
{
    load *heap = hone__alloc((size_t)n_shards * sizeof *heap);

    if (!heap)
        return hone__out_of_memory(err, " for the shards");
    for (int i = 0; i < n_shards; ++i)
        heap[i] = (load){0, i + 1};
    for (size_t i = 0; i < n; ++i) {
        out[items[i].place] = (hone_dealt){heap[0].shard, 1};
        heap[0].sum += items[i].cost;
        sink(heap, (size_t)n_shards);
    }
    hone__free(heap);
    return HONE_OK;
}

/* Fewer problems than shards: a shard more for the one with the most for each.
 */
static void deal_parts(const priced *items, size_t n, int n_shards,
                       hone_dealt *out)
{
    int next = 1;

    for (size_t i = 0; i < n; ++i)
        out[i].n_parts = 1;
    for (int left = n_shards - (int)n; left > 0; --left) {
        size_t most = 0;

        for (size_t i = 1; i < n; ++i) {
            const hone_dealt *a = &out[items[i].place];
            const hone_dealt *b = &out[items[most].place];

            if (items[i].cost * b->n_parts > items[most].cost * a->n_parts)
                most = i;
        }
        ++out[items[most].place].n_parts;
    }
    for (size_t i = 0; i < n; ++i) {
        out[i].shard = next;
        next += out[i].n_parts;
    }
}

hone_status hone__shard_deal(const double *costs, size_t n, int n_shards,
                             hone_dealt *out, hone_error *err)
{
    priced *items = hone__alloc((n ? n : 1) * sizeof *items);
    hone_status status = HONE_OK;

    if (!items)
        return hone__out_of_memory(err, " for the shards");
    for (size_t i = 0; i < n; ++i)
        items[i] = (priced){costs[i] > 1e-9 ? costs[i] : 1e-9, i};
    qsort(items, n, sizeof *items, by_cost);
    if (n >= (size_t)n_shards)
        status = deal_whole(items, n, n_shards, out, err);
    else if (n)
        deal_parts(items, n, n_shards, out);
    hone__free(items);
    return status;
}
