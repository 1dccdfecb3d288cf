/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker process does all its life: read a message, answer it. */
#ifndef HONE_TUNER_SERVE_H
#define HONE_TUNER_SERVE_H

#include "tuner/process/wire.h"

/* Answer one message. Set `*out_leave` for the process to end after it. */
typedef hone_status hone_serve_one(void *user, uint32_t kind, hone_unpack *in,
                                   int *out_leave, hone_error *err);

/* Answer messages until the parent has no more or `one` wants to leave:
 * HONE_OK. Otherwise what failed, for hone__serve_failed(). */
hone_status hone__serve(int from_parent, hone_serve_one *one, void *user,
                        hone_error *err);

/* Tell the parent why this process cannot go on: a message of the kind
 * `kind`, which it unpacks with hone__unpack_error(). */
void hone__serve_failed(int to_parent, uint32_t kind, const hone_error *error);

#endif
