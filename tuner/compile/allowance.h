/* SPDX-License-Identifier: Apache-2.0 */
/* What the compile farm may use: cores and memory of this machine, of which a
 * container is often given less than there are, and time for a compile. */
#ifndef HONE_TUNER_ALLOWANCE_H
#define HONE_TUNER_ALLOWANCE_H

#include <stddef.h>
#include <stdint.h>

enum {
    HONE_MOST_COMPILE_WORKERS = 256,
    HONE_WORKER_MIB = 512, /* a few hundred MB per instance of NVRTC */
    HONE_LEAST_CAP_MIB = 1024
};

typedef struct hone_allowance {
    int n_cores;          /* at least 1 */
    int64_t memory_bytes; /* INT64_MAX: unknown */
} hone_allowance;

/* Cores that this process may run on, or fewer if its control group has a
 * quota (rounded up); memory that is available, or its control group's limit
 * if that is less. Both versions of control groups. */
void hone__allowance_read(hone_allowance *out);

/* The part that is read from files below `root` ("" for this machine): the
 * quota, INT_MAX if there is none, and the memory. */
void hone__allowance_files(const char *root, hone_allowance *out);

/* How many processes the system has killed for want of memory so far: in this
 * control group or, where it does not count, on this machine. -1: unknown. */
int64_t hone__allowance_oom_kills(const char *root);

/* A worker per core, and at least 512 MiB for each. */
int hone__allowance_workers(const hone_allowance *allowance);

/* Bytes that each of so many workers may take: an equal share, but at least
 * 1 GiB, for they seldom need much at the same time. 0: no cap. */
int64_t hone__allowance_cap(const hone_allowance *allowance, int n_workers);

/* ---- time -----------------------------------------------------------------
 * How long a compile may take, from the compiles seen so far. A
 * configuration that takes many times as long to compile as the others is
 * one that unrolls or inlines beyond reason; such configurations hardly ever
 * win, and a few of them can take longer than all the rest together. */

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
