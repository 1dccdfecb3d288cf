/* SPDX-License-Identifier: Apache-2.0 */
/* A command line, and running it as a process of its own. */
#ifndef HONE_TUNER_COMMAND_H
#define HONE_TUNER_COMMAND_H

enum { HONE_MAX_WORDS = 48 };

/* Its words are borrowed. */
typedef struct hone_command {
    const char *words[HONE_MAX_WORDS + 1]; /* a NULL behind the last */
    int n;                                 /* more than fit: it does not run */
} hone_command;

void hone__command_start(hone_command *c, const char *program);
/* Add words up to a NULL. */
void hone__command_add(hone_command *c, const char *const *words);

/* Run it in `folder` with stdout and stderr in the file `log`, for so many
 * seconds of processor time at most (0: no limit). Exit status, -1 if it could
 * not be started. */
int hone__command_run(const hone_command *c, const char *folder,
                      const char *log, double at_most_s);

#endif
