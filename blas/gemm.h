/* SPDX-License-Identifier: Apache-2.0 */
/* A call as a problem of the operation `gemm` (templates/gemm/gemm.cuh). */
#ifndef HONE_BLAS_GEMM_H
#define HONE_BLAS_GEMM_H

#include "blas/call.h"
#include "runtime/base/text.h"

/* Its dims, and those that it had before others were added to them: what was
 * tuned then is kept under these. */
enum { HONE_GEMM_DIMS = 17, HONE_GEMM_FIRST_DIMS = 14 };

/* Its dims, in the operation's order. NULL; else why the operation has no such
 * problem, half a sentence. */
const char *hone__gemm_of(const hone_blas_shape *shape, int64_t *dims);

/* So many dims as databases have them: numbers, between commas. */
void hone__gemm_key(const int64_t *dims, size_t n, hone_text *out);
/* How many say all: what comes behind has its default. */
size_t hone__gemm_least(const int64_t *dims);
/* The same problem but that C is read: what answers it may answer this. 0: it
 * is read already. */
int hone__gemm_add(int64_t *dims);
/* As a person writes them: types by name, what has its default left out. */
void hone__gemm_write(const int64_t *dims, hone_text *out);
/* Read what hone__gemm_write() wrote, or by hand with the dims in this order.
 * 0: it is nothing of the kind. */
int hone__gemm_read_dims(const char *text, int64_t *dims);

/* May its factors, of f32, be taken for tf32? */
int hone__gemm_is_tf32(const hone_blas_shape *shape);
/* The compute type of a call on a handle in this math mode. */
int32_t hone__gemm_compute(int compute, int a_type, int math);
/* "f16", "cuda type 28" */
const char *hone__cuda_type_name(int cuda_type);
/* Bytes of an element, 0 of types that hone does not know. */
int64_t hone__cuda_type_bytes(int cuda_type);

#endif
