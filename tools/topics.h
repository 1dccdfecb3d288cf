/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone help TOPIC` and the man pages list: the tables that templates and
 * scripts take names from, read where the code reads them. */
#ifndef HONE_TOOLS_TOPICS_H
#define HONE_TOOLS_TOPICS_H

#include <stddef.h>

/* One name with what it means, a sentence. */
typedef void hone_topic_entry(void *user, const char *name, const char *text);

typedef struct hone_topic {
    const char *name;    /* "references" */
    const char *summary; /* what these names are */
    void (*list)(hone_topic_entry *put, void *user);
} hone_topic;

extern const hone_topic hone__topics[];
extern const size_t hone__n_topics;

/* NULL if there is no such topic. */
const hone_topic *hone__topic_find(const char *name, size_t length);

#endif
