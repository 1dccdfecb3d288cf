/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the fake cuBLAS share. */
#ifndef HONE_TESTS_FAKE_BLAS_PARTS_H
#define HONE_TESTS_FAKE_BLAS_PARTS_H

#include "tests/tuner/fake_blas_types.h"

#include <stdatomic.h>

enum { BAD = 7, FAILED = 13, UNSUPPORTED = 15 };

static inline const char *status_text(int r)
{
    return r == FAILED ? "the fake was told to fail" : "the fake refuses";
}

#define EXPORT __attribute__((visibility("default")))
#define DECLARE(type, name, parameters)                                        \
    EXPORT type name parameters;                                               \
    EXPORT type name parameters

typedef struct handle {
    int pointer_mode;
    int math_mode;
    int workspace_set;
} handle;

static inline int ready(const handle *h)
{
    return h && !h->pointer_mode && !h->math_mode;
}

/* A rehearsal: its pointers lead nowhere. */
static inline int is_pretended(const void *p)
{
    return ((uintptr_t)p & 0xffffffff00u) == 0;
}

/* A column-major matrix of which op(X) is taken. */
typedef struct factor {
    const void *data;
    int type, op;
    int64_t leading;
} factor;

/* Column-major C[m,n] = alpha*op(A)[m,k]*op(B)[k,n] + beta*C. */
void fake_blas_multiply(int m, int n, int k, double alpha, factor a, factor b,
                        double beta, void *c, int c_type, int64_t ldc);

/* Whether $FAKE_BLAS_FAIL names this function. */
int fake_blas_fails(const char *function);
int fake_blas_version(void);
/* The number that an environment variable has. */
int fake_blas_number(const char *variable, int otherwise);
/* Objects that were made and not destroyed. */
extern atomic_int fake_blas_n_made;

#endif
