/* SPDX-License-Identifier: Apache-2.0 */
/* $HONE_BLAS_ONLY: a file of shapes, as `hone record` and `hone tune --shapes`
 * have them; no other is answered. */
#ifndef HONE_BLAS_ONLY_H
#define HONE_BLAS_ONLY_H

#include <stdint.h>

/* 1 for every problem if the variable is not set. A file that cannot be read is
 * said, and has none. Not thread-safe. */
int hone__only_has(const int64_t *dims);

#endif
