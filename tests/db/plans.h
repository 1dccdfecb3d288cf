/* SPDX-License-Identifier: Apache-2.0 */
/* How SQLite answers the statements that a piece of the program runs, as text
 * that a golden file holds. */
#ifndef HONE_TESTS_DB_PLANS_H
#define HONE_TESTS_DB_PLANS_H

#include "runtime/base/text.h"

/* From now on every statement is noted that connections which are opened after
 * this begin, but those that only set or commit something. */
void plans_begin(void);

/* The same, but each has its plan at once: for scripts whose temporary tables
 * and attached files are gone at the end. changes() is 0 then. */
void plans_begin_live(void);

/* No more; append each different statement with its plan on the database
 * `path`, in alphabetical order. */
void plans_end(const char *path, hone_text *out);

/* Does the golden file have this text? Plans are those of one version of
 * SQLite, so others only say that they cannot tell. Where HONE_PLANS_WRITE is
 * set, the file is written instead. 0: it differs. */
int plans_are(const hone_text *actual, const char *golden);

#endif
