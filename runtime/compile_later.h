/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are in a store as PTX alone, and plans that wait for them: see
 * hone_compile_select(). */
#ifndef HONE_RUNTIME_COMPILE_LATER_H
#define HONE_RUNTIME_COMPILE_LATER_H

#include "runtime/plan.h"

/* When $HONE_COMPILE, or who calls, says so. `where` names it. */
hone_status hone__compile_read(const char *text, const char *where,
                               hone_compile_when *out, hone_error *err);

/* hone_query.is_compiled; `user` points at the hone_context. Lock held. */
int hone__row_is_compiled(void *user, const hone_store_row *row);

/* Note the problem of an answer in whose place PTX waits, unless it is noted.
 * Without memory for that it is not compiled later. Lock held. */
void hone__compile_wait(hone_context *context, const char *op,
                        const hone_answer *answer);
/* Free all notes; nobody uses the ctx. */
void hone__compile_forget(hone_ctx *ctx);

#endif
