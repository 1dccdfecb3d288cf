/* SPDX-License-Identifier: Apache-2.0 */
/* What of this machine the compile farm may use: a container is often given
 * less than the machine has. */
#ifndef HONE_TUNER_ALLOWANCE_H
#define HONE_TUNER_ALLOWANCE_H

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

/* A worker per core, and at least 512 MiB for each. */
int hone__allowance_workers(const hone_allowance *allowance);

/* Bytes that each of so many workers may take: an equal share, but at least
 * 1 GiB, for they seldom need much at the same time. 0: no cap. */
int64_t hone__allowance_cap(const hone_allowance *allowance, int n_workers);

#endif
