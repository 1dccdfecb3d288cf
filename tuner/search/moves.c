/* SPDX-License-Identifier: Apache-2.0 */
/* Moves from one valid configuration to another. */
#include "tuner/search/strategy.h"

#include <stdlib.h>
#include <string.h>

/* Valid configurations can be rare around one: this many are looked at before
 * a move gives up. */
enum { ATTEMPTS = 48 };

static int64_t find_row(const hone_search *search)
{
    return search->space.find(search->space.user, search->row);
}

static void copy_row(hone_search *search, const int *values)
{
    memcpy(search->row, values, search->space.n_params * sizeof *search->row);
}

/* ---- one random neighbour ----------------------------------------------- */

static void step_row(hone_search *search, size_t param)
{
    const int last = search->space.n_values[param] - 1;
    int *value = &search->row[param];

    if (*value == 0)
        ++*value;
    else if (*value == last)
        --*value;
    else
        *value += (hone__chance_bits(&search->chance) & 1) ? 1 : -1;
}

static void jump_row(hone_search *search, size_t param)
{
    const int n = search->space.n_values[param];
    const int other = (int)hone__chance_below(&search->chance, n - 1);

    search->row[param] = other + (other >= search->row[param]);
}

static size_t pick_param(hone_search *search)
{
    return search
        ->free[hone__chance_below(&search->chance, (int64_t)search->n_free)];
}

/* One to three parameters, fewer more often. */
static void step_some(hone_search *search)
{
    size_t n = 1;

    while (n < 3 && (hone__chance_bits(&search->chance) & 1))
        ++n;
    for (size_t i = 0; i < n; ++i)
        step_row(search, pick_param(search));
}

/* Two different ones, if there are two. */
static void step_two(hone_search *search)
{
    const int64_t n = (int64_t)search->n_free;
    const int64_t a = hone__chance_below(&search->chance, n);

    step_row(search, search->free[a]);
    if (n > 1) {
        const int64_t on = 1 + hone__chance_below(&search->chance, n - 1);

        step_row(search, search->free[(a + on) % n]);
    }
}

static void change_row(hone_search *search, hone_move move)
{
    switch (move) {
    case HONE_MOVE_STRICT:
        step_row(search, pick_param(search));
        break;
    case HONE_MOVE_ADJACENT:
        step_some(search);
        break;
    case HONE_MOVE_PAIR:
        jump_row(search, pick_param(search));
        jump_row(search, pick_param(search));
        break;
    case HONE_MOVE_DIAGONAL:
        step_two(search);
        break;
    case HONE_MOVE_HAMMING:
    case HONE_N_MOVES:
        jump_row(search, pick_param(search));
        break;
    }
}

int64_t hone__move_random(hone_search *search, const int *values,
                          hone_move move, int only_new)
{
    if (search->n_free == 0)
        return -1;
    for (int i = 0; i < ATTEMPTS; ++i) {
        int64_t index;

        copy_row(search, values);
        change_row(search, move);
        index = find_row(search);
        if (memcmp(search->row, values,
                   search->space.n_params * sizeof *values) == 0)
            continue;
        if (index >= 0 && (!only_new || hone__search_is_new(search, index)))
            return index;
    }
    return -1;
}

int64_t hone__move_near(hone_search *search, const int *values)
{
    const hone_move move = (hone__chance_bits(&search->chance) & 1)
                               ? HONE_MOVE_STRICT
                               : HONE_MOVE_HAMMING;
    const int64_t index = hone__move_random(search, values, move, 1);

    return index >= 0 ? index
                      : hone__move_random(search, values, HONE_MOVE_PAIR, 1);
}

/* ---- back into the space ------------------------------------------------ */

/* First single values are moved, nearest first; then more and more of them
 * are replaced by the fallback's, which ends in the fallback itself. */
static int64_t repair_one(hone_search *search)
{
    const size_t start =
        (size_t)hone__chance_below(&search->chance, (int64_t)search->n_free);

    for (int distance = 1; distance <= 2; ++distance) {
        for (size_t i = 0; i < search->n_free; ++i) {
            const size_t param = search->free[(start + i) % search->n_free];
            const int own = search->row[param];

            for (int sign = -1; sign <= 1; sign += 2) {
                const int v = own + sign * distance;
                int64_t index;

                if (v < 0 || v >= search->space.n_values[param])
                    continue;
                search->row[param] = v;
                index = find_row(search);
                if (index >= 0)
                    return index;
            }
            search->row[param] = own;
        }
    }
    return -1;
}

int64_t hone__move_repair(hone_search *search, const int *values,
                          const int *fallback)
{
    int64_t index;

    if (values != search->row)
        copy_row(search, values);
    index = find_row(search);
    if (index < 0 && search->n_free)
        index = repair_one(search);
    for (size_t left = search->n_free; index < 0 && left > 0; --left) {
        const size_t pick =
            (size_t)hone__chance_below(&search->chance, (int64_t)left);
        const size_t param = search->free[pick];

        /* `free` is shuffled in passing: its order means nothing. */
        search->free[pick] = search->free[left - 1];
        search->free[left - 1] = param;
        if (search->row[param] == fallback[param])
            continue;
        search->row[param] = fallback[param];
        index = find_row(search);
    }
    /* What was looked up has lost what does not exist there, also values of
     * `fallback` that were put in before. */
    if (index < 0) {
        copy_row(search, fallback);
        index = find_row(search);
    }
    return index;
}

int64_t hone__move_kick(hone_search *search, const int *values, int n)
{
    if (search->n_free == 0)
        return -1;
    copy_row(search, values);
    for (int i = 0; i < n; ++i)
        jump_row(search, pick_param(search));
    return hone__move_repair(search, search->row, values);
}

int64_t hone__move_cross(hone_search *search, const int *a, const int *b)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < search->space.n_params; ++i) {
        if (i % 64 == 0)
            bits = hone__chance_bits(&search->chance);
        search->row[i] = (bits >> (i % 64) & 1) ? a[i] : b[i];
    }
    return hone__move_repair(search, search->row, a);
}
