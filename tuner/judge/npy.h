/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in NumPy's .npy files. bf16, which NumPy has not, is kept as f32,
 * as is tf32. */
#ifndef HONE_TUNER_NPY_H
#define HONE_TUNER_NPY_H

#include "runtime/base/error.h"
#include "runtime/base/text.h"
#include "runtime/base/type.h"

#include <stdint.h>

/* An array of `shape` in C order. HONE_ERR_IO. */
hone_status hone__npy_write(const char *path, hone_type type,
                            const int64_t *shape, size_t n_dims,
                            const void *array, hone_error *err);
/* Fill an array of `count` elements from a file of any shape: over and over
 * where it has fewer, the first ones where it has more. HONE_ERR_IO;
 * HONE_ERR_INPUT: not such a file, or of other elements. */
hone_status hone__npy_read(const char *path, hone_type type, int64_t count,
                           void *array, hone_error *err);

#endif
