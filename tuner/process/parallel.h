/* SPDX-License-Identifier: Apache-2.0 */
/* Independent pieces of work on several cores. */
#ifndef HONE_TUNER_PARALLEL_H
#define HONE_TUNER_PARALLEL_H

#include "runtime/base/error.h"

#include <stdint.h>

/* Piece `i`. Pieces run at the same time: what they write must be theirs. */
typedef hone_status (*hone_piece_fn)(void *user, int64_t i, hone_error *err);

/* Call `piece` for 0 .. n-1 on `n_threads` threads (at least 1; the caller is
 * one of them), fewer where the system gives no more. After a failure no
 * further piece begins; of several failures that of the lowest piece is
 * returned, as it would be with one thread. */
hone_status hone__parallel_for(int64_t n, int n_threads, hone_piece_fn piece,
                               void *user, hone_error *err);

#endif
