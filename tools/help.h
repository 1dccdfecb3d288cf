/* SPDX-License-Identifier: Apache-2.0 */
/* --help, and what `hone help TOPIC` and the man pages list: the tables that
 * templates and scripts take names from, read where the code reads them. */
#ifndef HONE_TOOLS_HELP_H
#define HONE_TOOLS_HELP_H

#include "tools/base/arguments.h"

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

/* The help text of the program (HONE_N_COMMANDS) or of one command. */
void hone__help_text(hone_command_id command, hone_text *out);

/* `hone help TOPIC`: the table of that name. HONE_ERR_ARGUMENT:
 * there is neither such a topic nor such a command. */
hone_status hone__help_topic(const char *name, hone_text *out, hone_error *err);

#endif
