/* SPDX-License-Identifier: Apache-2.0 */
/* How long a compile may take, from the compiles seen so far. A
 * configuration that takes many times as long to compile as the others is
 * one that unrolls or inlines beyond reason; such configurations hardly ever
 * win, and a few of them can take longer than all the rest together. */
#ifndef HONE_TUNER_COMPILE_LIMIT_H
#define HONE_TUNER_COMPILE_LIMIT_H

#include <stddef.h>

enum {
    HONE_LIMIT_WINDOW = 256, /* the last so many compiles count */
    HONE_LIMIT_LEARNS = 32   /* before the limit follows them */
};

typedef struct hone_compile_limit {
    double at_most_s;
    double seconds[HONE_LIMIT_WINDOW]; /* a ring */
    size_t n_seen;
    double common_s; /* 95 % of the window took no longer */
} hone_compile_limit;

void hone__limit_start(hone_compile_limit *limit, double at_most_s);
/* A compile by the compiler (not from the cache) took so long, or was ended
 * after so long: where more than one in twenty is ended, the limit rises. */
void hone__limit_add(hone_compile_limit *limit, double seconds);
/* Seconds: `at_most_s` at first, later four times what 95 % of the compiles
 * took, but 15 s or more. */
double hone__limit_s(const hone_compile_limit *limit);
/* Where it comes from, for a message: "the most a compile may take", .. */
void hone__limit_text(const hone_compile_limit *limit, char *out, size_t size);

#endif
