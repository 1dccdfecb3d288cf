/* SPDX-License-Identifier: Apache-2.0 */
/* Pairwise samples, made greedily: see cover.h. */
#include "tuner/judge/cover.h"

#include "runtime/base/alloc.h"

#include <string.h>

/* A pair that no combination could be made of so often is given up. */
enum { MOST_TRIES = 8 };

struct hone_cover {
    size_t n;
    size_t *n_values;
    size_t *start;   /* of a dimension's values among all values */
    size_t n_all;    /* values of all dimensions */
    int64_t n_whole; /* combinations, saturated */
    uint64_t seed;
    /* Two values, by their places among all: how many combinations so far
     * have both, and how many tries for them failed. A value with itself is
     * the value. */
    uint32_t *n_covered;
    uint8_t *n_tries;
    size_t wanted; /* the pair that the last combination was made for */
    size_t *used;  /* the combinations so far, n indexes each */
    size_t n_used;
    size_t *tried; /* a combination, and which of it is set, while one is */
    unsigned char *is_set; /* looked for */
};

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

static size_t pair_of(const hone_cover *c, size_t i, size_t vi, size_t j,
                      size_t vj)
{
    const size_t a = c->start[i] + vi;
    const size_t b = c->start[j] + vj;

    return a < b ? a * c->n_all + b : b * c->n_all + a;
}

hone_status hone__cover_open(size_t n, const size_t *n_values,
                             const size_t *first, uint64_t seed,
                             hone_cover **out, hone_error *err)
{
    hone_cover *c = hone__alloc(sizeof *c);

    *out = NULL;
    if (!c)
        return no_memory(err);
    c->n = n;
    c->seed = seed;
    c->n_whole = 1;
    c->n_values = hone__alloc((n + 1) * sizeof *c->n_values);
    c->start = hone__alloc((n + 1) * sizeof *c->start);
    c->used = hone__alloc((n + 1) * sizeof *c->used);
    c->tried = hone__alloc((n + 1) * sizeof *c->tried);
    c->is_set = hone__alloc(n + 1);
    for (size_t i = 0; c->n_values && c->start && i < n; ++i) {
        c->n_values[i] = n_values[i];
        c->start[i] = c->n_all;
        c->n_all += n_values[i];
        if (__builtin_mul_overflow(c->n_whole, (int64_t)n_values[i],
                                   &c->n_whole))
            c->n_whole = INT64_MAX;
    }
    c->n_covered = hone__alloc((c->n_all * c->n_all + 1) * sizeof(uint32_t));
    c->n_tries = hone__alloc(c->n_all * c->n_all + 1);
    if (!c->n_values || !c->start || !c->used || !c->tried || !c->is_set ||
        !c->n_covered || !c->n_tries) {
        hone__cover_close(c);
        return no_memory(err);
    }
    if (n)
        memcpy(c->used, first, n * sizeof *first);
    *out = c;
    return HONE_OK;
}

void hone__cover_close(hone_cover *c)
{
    if (!c)
        return;
    hone__free(c->n_values);
    hone__free(c->start);
    hone__free(c->used);
    hone__free(c->tried);
    hone__free(c->is_set);
    hone__free(c->n_covered);
    hone__free(c->n_tries);
    hone__free(c);
}

int64_t hone__cover_count(const hone_cover *c)
{
    return c->n_whole;
}

/* Count the pairs of a combination in, or out again. */
static void mark(hone_cover *c, const size_t *choice, int by)
{
    for (size_t i = 0; i < c->n; ++i)
        for (size_t j = 0; j <= i; ++j)
            c->n_covered[pair_of(c, i, choice[i], j, choice[j])] +=
                (uint32_t)by;
}

static int is_used(const hone_cover *c, const size_t *choice)
{
    for (size_t k = 0; k < c->n_used; ++k)
        if (memcmp(c->used + k * c->n, choice, c->n * sizeof *choice) == 0)
            return 1;
    return 0;
}

/* Pairs that value `v` of dimension `i` would cover, itself included, with
 * those dimensions that are set. */
static int gain(const hone_cover *c, const size_t *choice, size_t i, size_t v)
{
    int n = 0;

    for (size_t j = 0; j < c->n; ++j)
        if (j == i || c->is_set[j])
            n += !c->n_covered[pair_of(c, i, v, j, j == i ? v : choice[j])];
    return n;
}

/* Where a list of values is begun: another place for each seed and try. */
static size_t turned(const hone_cover *c, size_t dim, size_t k, size_t try)
{
    return (k + (size_t)(c->seed % 9973) * (dim + 1) + c->n_used + try) %
           c->n_values[dim];
}

static size_t best_value(const hone_cover *c, size_t i, const size_t *choice)
{
    size_t out = 0;
    int best = -1;

    for (size_t k = 0; k < c->n_values[i]; ++k) {
        const size_t v = turned(c, i, k, 0);
        const int now = gain(c, choice, i, v);

        if (now > best) {
            best = now;
            out = v;
        }
    }
    return out;
}

/* Give each dimension that is not set the value that covers most. Where that
 * was refused, that of the first combination; then any. */
static void fill(const hone_cover *c, size_t try, size_t *choice)
{
    for (size_t i = 0; i < c->n; ++i) {
        if (!c->is_set[i])
            choice[i] = try == 0   ? best_value(c, i, choice)
                        : try == 1 ? c->used[i]
                                   : turned(c, i, 0, try * (i + 1));
        c->is_set[i] = 1;
    }
}

/* Where there are few combinations: the unused one that covers most. */
static int next_of_all(const hone_cover *c, size_t *choice)
{
    size_t *at = c->tried;
    int best = -1;

    for (int64_t k = 0; k < c->n_whole; ++k) {
        int64_t rest = (k + (int64_t)(c->seed % 9973)) % c->n_whole;
        int now = 0;

        for (size_t i = 0; i < c->n; ++i) {
            at[i] = (size_t)rest % c->n_values[i];
            rest /= (int64_t)c->n_values[i];
        }
        for (size_t i = 0; i < c->n; ++i)
            for (size_t j = 0; j <= i; ++j)
                now += !c->n_covered[pair_of(c, i, at[i], j, at[j])];
        if (now > best && !is_used(c, at)) {
            best = now;
            memcpy(choice, at, c->n * sizeof *at);
        }
    }
    return best >= 0;
}

/* The values of dimensions `i` and `j`: the first two that have not met. */
static int next_of_two(hone_cover *c, size_t i, size_t j, size_t *choice)
{
    for (size_t vi = 0; vi < c->n_values[i]; ++vi)
        for (size_t vj = 0; vj < c->n_values[j]; ++vj) {
            const size_t pair = pair_of(c, i, vi, j, vj);

            if ((i == j && vi != vj) || c->n_covered[pair])
                continue;
            for (; c->n_tries[pair] < MOST_TRIES; ++c->n_tries[pair]) {
                memset(c->is_set, 0, c->n);
                choice[i] = vi;
                choice[j] = vj;
                c->is_set[i] = c->is_set[j] = 1;
                fill(c, c->n_tries[pair], choice);
                c->wanted = pair;
                if (!is_used(c, choice))
                    return 1;
            }
        }
    return 0;
}

/* Single values first: a part of the sample has as many as can be. */
static int next_of_pairs(hone_cover *c, size_t *choice)
{
    for (size_t i = 0; i < c->n; ++i)
        if (next_of_two(c, i, i, choice))
            return 1;
    for (size_t i = 0; i < c->n; ++i)
        for (size_t j = 0; j < i; ++j)
            if (next_of_two(c, i, j, choice))
                return 1;
    return 0;
}

hone_status hone__cover_next(hone_cover *c, size_t *out_choice, int *out_more,
                             hone_error *err)
{
    size_t *used =
        hone__realloc(c->used, (c->n_used + 1) * (c->n + 1) * sizeof *c->used);

    *out_more = 0;
    if (!used)
        return no_memory(err);
    c->used = used;
    *out_more = !c->n_used                     ? 1
                : c->n_whole <= HONE_COVER_ALL ? next_of_all(c, out_choice)
                                               : next_of_pairs(c, out_choice);
    if (!c->n_used)
        memcpy(out_choice, c->used, c->n * sizeof *out_choice);
    if (*out_more) {
        memcpy(c->used + c->n_used * c->n, out_choice,
               c->n * sizeof *out_choice);
        ++c->n_used;
        mark(c, out_choice, 1);
    }
    return HONE_OK;
}

void hone__cover_refuse(hone_cover *c)
{
    const size_t *last = c->used + (c->n_used - 1) * c->n;

    mark(c, last, -1);
    if (c->n_tries[c->wanted] < MOST_TRIES)
        ++c->n_tries[c->wanted];
}
