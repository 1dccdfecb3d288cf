/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest few of many, as they come. */
#ifndef HONE_RUNTIME_NEAREST_H
#define HONE_RUNTIME_NEAREST_H

#include <stddef.h>
#include <stdint.h>

typedef struct hone_near {
    double distance;
    int64_t id;
} hone_near;

/* Begins as {.most = N}; `list` is freed by hone__free(). */
typedef struct hone_nearest {
    hone_near *list; /* the nearest first, unless `most` is SIZE_MAX */
    size_t n;
    size_t most;
    int has_more; /* some were left out */
} hone_nearest;

/* 0: there is no memory. Of equally near ones the first stays. */
int hone__nearest_add(hone_nearest *near, double distance, int64_t id);

#endif
