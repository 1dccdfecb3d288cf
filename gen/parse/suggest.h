/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": offer the known words, get the nearest one. */
#ifndef HONE_GEN_SUGGEST_H
#define HONE_GEN_SUGGEST_H

#include <stddef.h>

typedef struct hone_suggestion {
    const char *word;
    size_t length;
    const char *best; /* borrowed; NULL if nothing comes near */
    size_t distance;
    char text[96];
} hone_suggestion;

hone_suggestion hone__suggest(const char *word, size_t length);
void hone__suggest_offer(hone_suggestion *s, const char *candidate);
/* "; did you mean 'X'?" or "". */
const char *hone__suggest_text(hone_suggestion *s);

#endif
