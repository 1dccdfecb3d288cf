/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the types that products have, on the host. */
#ifndef HONE_BLAS_NUMBER_H
#define HONE_BLAS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Element `at` of an array of f16, bf16, f32 or f64 (cudaDataType_t). */
double hone__number_at(int cuda_type, const void *array, int64_t at);
/* Half a unit of the last place of numbers near 1. */
double hone__number_unit(int cuda_type);

#endif
