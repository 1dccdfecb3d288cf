/* SPDX-License-Identifier: Apache-2.0 */
/* What a hone_ctx tells about its use, from opening to closing. */
#ifndef HONE_RUNTIME_USAGE_H
#define HONE_RUNTIME_USAGE_H

#include "runtime/context.h"

/* Record launches where HONE_RECORD says so; a file that cannot be written is
 * said by the log alone. */
void hone__usage_start(hone_ctx *ctx);
/* Say what there was, and write the rest of the record. */
void hone__usage_end(hone_ctx *ctx);

#endif
