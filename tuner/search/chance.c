/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers (SplitMix64: Steele, Lea, Flood 2014) and permutations. */
#include "tuner/search/chance.h"

#include <math.h>

static const uint64_t golden = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

hone_chance hone__chance(uint64_t seed)
{
    return (hone_chance){mix(seed + golden)};
}

uint64_t hone__chance_bits(hone_chance *chance)
{
    chance->state += golden;
    return mix(chance->state);
}

/* The remainder favours small numbers by n / 2^64: nothing here is close to
 * that. */
int64_t hone__chance_below(hone_chance *chance, int64_t n)
{
    return (int64_t)(hone__chance_bits(chance) % (uint64_t)n);
}

double hone__chance_unit(hone_chance *chance)
{
    return (double)(hone__chance_bits(chance) >> 11) * 0x1p-53;
}

double hone__chance_normal(hone_chance *chance)
{
    const double u = 1 - hone__chance_unit(chance); /* not 0 */
    const double v = hone__chance_unit(chance);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* A four-round Feistel network over the smallest even power of two that holds
 * n, walked until it falls below n. */
hone_permutation hone__permutation(int64_t n, uint64_t seed)
{
    hone_permutation p = {.n = (uint64_t)(n > 0 ? n : 1)};

    while (p.half_bits < 32 && (p.n - 1) >> (2 * p.half_bits))
        ++p.half_bits;
    for (unsigned i = 0; i < 4; ++i)
        p.key[i] = mix(seed + golden * (i + 1));
    return p;
}

int64_t hone__permutation_at(const hone_permutation *p, int64_t i)
{
    const uint64_t mask = ((uint64_t)1 << p->half_bits) - 1;
    uint64_t x = (uint64_t)i;

    do {
        uint64_t left = x >> p->half_bits;
        uint64_t right = x & mask;

        for (int round = 0; round < 4; ++round) {
            const uint64_t next = left ^ (mix(right + p->key[round]) & mask);

            left = right;
            right = next;
        }
        x = left << p->half_bits | right;
    } while (x >= p->n);
    return (int64_t)x;
}
