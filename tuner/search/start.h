/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that a person wants tried first: `--start FILE`. As text,
 * for a template's space and a recorded one alike. */
#ifndef HONE_TUNER_SEARCH_START_H
#define HONE_TUNER_SEARCH_START_H

#include <stddef.h>

typedef struct hone_start_item {
    int line;         /* of the file */
    const char *text; /* "BM=128,BN=64"; what is left out is the default */
} hone_start_item;

typedef struct hone_start {
    const char *path;
    const hone_start_item *items;
    size_t n;
    /* One that is in no space of the problem: it is left out. NULL ok. */
    void (*on_left_out)(void *user, const hone_start_item *item,
                        const char *why);
    void *user;
} hone_start;

#endif
