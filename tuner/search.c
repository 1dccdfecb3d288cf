/* SPDX-License-Identifier: Apache-2.0 */
/* Exhaustive and random search: see search.h. */
#include "tuner/search.h"

#include "runtime/alloc.h"

#include <string.h>

struct hone_search {
    const struct strategy *strategy;
    int64_t n;
    int64_t first; /* index of the default configuration, -1: none */
    int64_t step;  /* how many were asked for */
    uint64_t key[4];
    unsigned half_bits; /* of the permutation's domain */
};

typedef struct strategy {
    const char *name;
    int64_t (*nth)(const hone_search *search, int64_t step);
} strategy;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int64_t nth_in_order(const hone_search *search, int64_t step)
{
    (void)search;
    return step;
}

/* A random permutation without memory: a four-round Feistel network over the
 * smallest even power of two that holds n, walked until it falls below n. */
static int64_t nth_shuffled(const hone_search *search, int64_t step)
{
    const uint64_t mask = ((uint64_t)1 << search->half_bits) - 1;
    uint64_t x = (uint64_t)step;

    do {
        uint64_t left = x >> search->half_bits;
        uint64_t right = x & mask;

        for (int round = 0; round < 4; ++round) {
            const uint64_t next =
                left ^ (mix(right + search->key[round]) & mask);

            left = right;
            right = next;
        }
        x = left << search->half_bits | right;
    } while (x >= (uint64_t)search->n);
    return (int64_t)x;
}

static const strategy strategies[] = {
    {"exhaustive", nth_in_order},
    {"random", nth_shuffled},
};

const char *hone__search_names(void)
{
    return "exhaustive, random";
}

static void get_from_space(const void *user, int64_t index,
                           int64_t *out_values)
{
    hone__space_get(user, index, out_values);
}

hone_search_space hone__search_space_of(const hone_template *tmpl,
                                        const hone_space *space)
{
    return (hone_search_space){hone__space_count(space), tmpl->n_params,
                               get_from_space, space};
}

hone_status hone__search_open(const char *name,
                              const hone_search_space *space, int64_t first,
                              uint64_t seed, hone_search **out,
                              hone_error *err)
{
    const strategy *found = NULL;
    hone_search *search;

    *out = NULL;
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; ++i) {
        if (strcmp(strategies[i].name, name) == 0)
            found = &strategies[i];
    }
    if (!found)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there is no search strategy '%s'; there are: %s",
                          name, hone__search_names());
    search = hone__alloc(sizeof *search);
    if (!search)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    search->strategy = found;
    search->n = space->count;
    while (search->half_bits < 31 &&
           (uint64_t)1 << (2 * search->half_bits) < (uint64_t)search->n)
        ++search->half_bits;
    for (unsigned i = 0; i < 4; ++i)
        search->key[i] = mix(seed + 0x9e3779b97f4a7c15u * (i + 1));
    search->first = first;
    *out = search;
    return HONE_OK;
}

void hone__search_close(hone_search *search)
{
    hone__free(search);
}

/* Step 0 is the default, if there is one; later steps leave it out. */
int64_t hone__search_next(hone_search *search)
{
    int64_t index;

    if (search->step == 0) {
        ++search->step;
        if (search->first >= 0)
            return search->first;
    }
    do {
        if (search->step > search->n)
            return -1;
        index = search->strategy->nth(search, search->step - 1);
        ++search->step;
    } while (index == search->first);
    return index;
}
