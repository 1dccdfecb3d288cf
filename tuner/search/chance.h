/* SPDX-License-Identifier: Apache-2.0 */
/* Chance that repeats with its seed. */
#ifndef HONE_TUNER_SEARCH_CHANCE_H
#define HONE_TUNER_SEARCH_CHANCE_H

#include <stdint.h>

typedef struct hone_chance {
    uint64_t state;
} hone_chance;

hone_chance hone__chance(uint64_t seed);
uint64_t hone__chance_bits(hone_chance *chance);
/* 0 <= x < n; n > 0. */
int64_t hone__chance_below(hone_chance *chance, int64_t n);
/* 0 <= x < 1 */
double hone__chance_unit(hone_chance *chance);
/* Normal, mean 0, deviation 1. */
double hone__chance_normal(hone_chance *chance);

/* A random order of 0 .. n-1 that needs no memory. */
typedef struct hone_permutation {
    uint64_t n;
    uint64_t key[4];
    unsigned half_bits;
} hone_permutation;

hone_permutation hone__permutation(int64_t n, uint64_t seed);
int64_t hone__permutation_at(const hone_permutation *permutation, int64_t i);

#endif
