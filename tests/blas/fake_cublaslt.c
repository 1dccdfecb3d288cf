/* SPDX-License-Identifier: Apache-2.0 */
/* A libcublasLt.so.13 that computes on the host. Descriptions are as large as
 * those of version 13.4; attributes lie in them by their numbers, the kind of
 * batch behind all that a description of 13.1 has. $FAKE_BLAS_VERSION is the
 * version (130400). */
#include "tests/blas/fake_parts.h"

#include <stdlib.h>

enum {
    DESC_WORDS = 32,
    LAYOUT_WORDS = 14,
    EPILOGUE = 7,
    BIAS = 8,
    BIAS_TYPE = 26,
    FILL = 6,
    KIND_OF_BATCH = 8
};

struct hone_lt_desc_opaque {
    uint64_t word[DESC_WORDS];
};
struct hone_lt_layout_opaque {
    uint64_t word[LAYOUT_WORDS];
};

size_t cublasLtGetVersion(void)
{
    const char *text = getenv("FAKE_BLAS_VERSION");

    return text ? (size_t)atoi(text) : 130400;
}

int cublasLtCreate(hone_lt_handle *out)
{
    *out = (hone_lt_handle)(uintptr_t)8;
    return 0;
}

int cublasLtMatmulDescCreate(hone_lt_desc *out, int compute, int scale)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return 3;
    (*out)->word[0] = (uint64_t)compute;
    (*out)->word[1] = (uint64_t)scale;
    (*out)->word[FILL] = 2;
    (*out)->word[EPILOGUE] = 1;
    (*out)->word[BIAS_TYPE] = UINT64_MAX;
    return 0;
}

int cublasLtMatmulDescDestroy(hone_lt_desc desc)
{
    free(desc);
    return 0;
}

int cublasLtMatmulDescSetAttribute(hone_lt_desc desc, int attribute,
                                   const void *value, size_t bytes)
{
    if (attribute < 0 || attribute >= DESC_WORDS || bytes > 8)
        return 7;
    desc->word[attribute] = 0;
    memcpy(&desc->word[attribute], value, bytes);
    return 0;
}

int cublasLtMatmulDescGetAttribute(hone_lt_desc desc, int attribute,
                                   void *value, size_t bytes, size_t *written)
{
    if (attribute < 0 || attribute >= DESC_WORDS)
        return 7;
    memcpy(value, &desc->word[attribute], bytes);
    *written = bytes;
    return 0;
}

int cublasLtMatrixLayoutCreate(hone_lt_layout *out, int type, uint64_t rows,
                               uint64_t columns, int64_t leading)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return 3;
    (*out)->word[0] = (uint64_t)type;
    (*out)->word[2] = rows;
    (*out)->word[3] = columns;
    (*out)->word[4] = (uint64_t)leading;
    (*out)->word[5] = 1;
    return 0;
}

int cublasLtMatrixLayoutDestroy(hone_lt_layout l)
{
    free(l);
    return 0;
}

int cublasLtMatrixLayoutSetAttribute(hone_lt_layout l, int attribute,
                                     const void *value, size_t bytes)
{
    if (attribute < 0 || attribute >= LAYOUT_WORDS || bytes > 8)
        return 7;
    l->word[attribute] = 0;
    memcpy(&l->word[attribute], value, bytes);
    return 0;
}

int cublasLtMatrixLayoutGetAttribute(hone_lt_layout l, int attribute,
                                     void *value, size_t bytes, size_t *written)
{
    if (attribute < 0 || attribute >= LAYOUT_WORDS)
        return 7;
    memcpy(value, &l->word[attribute], bytes);
    *written = bytes;
    return 0;
}

hone_blas_result cublasLtMatmul HONE_FORM_MATMUL
{
    fake_product p = {
        .op_a = (int)desc->word[3],
        .op_b = (int)desc->word[4],
        .m = (int64_t)out_layout->word[2],
        .n = (int64_t)out_layout->word[3],
        .k = (int64_t)(desc->word[3] ? a_layout->word[2] : a_layout->word[3]),
        .alpha = alpha,
        .beta = beta,
        .a = a,
        .b = b,
        .c = out,
        .a_type = (int)a_layout->word[0],
        .b_type = (int)b_layout->word[0],
        .c_type = (int)out_layout->word[0],
        .compute = (int)desc->word[0],
        .lda = (int64_t)a_layout->word[4],
        .ldb = (int64_t)b_layout->word[4],
        .ldc = (int64_t)out_layout->word[4],
        .batch = (int64_t)out_layout->word[5],
        .stride_a = (int64_t)a_layout->word[6],
        .stride_b = (int64_t)b_layout->word[6],
        .stride_c = (int64_t)out_layout->word[6],
        .epilogue = (int)desc->word[EPILOGUE],
        .bias = (const void *)(uintptr_t)desc->word[BIAS]};
    const int bias_type = (int)desc->word[BIAS_TYPE];

    (void)algorithm;
    (void)workspace;
    (void)workspace_bytes;
    (void)stream;
    if ((int64_t)a_layout->word[p.op_a ? 3 : 2] != p.m ||
        (int64_t)b_layout->word[p.op_b ? 2 : 3] != p.n ||
        (int64_t)b_layout->word[p.op_b ? 3 : 2] != p.k)
        return 7;
    if (!h || ((p.op_a == 2 || p.op_b == 2) && p.a_type < 4) || /* real */
        (p.epilogue != 1 && (p.epilogue & ~(2 + 4 + 32))) ||
        ((p.epilogue & 4) &&
         (!p.bias || (bias_type != -1 && bias_type != p.c_type))))
        return 7;
    if (fake_fails())
        return 13;
    if (out_layout->word[KIND_OF_BATCH] == 1) { /* arrays of pointers */
        p.as = a;
        p.bs = b;
        p.cs = out;
        return fake_multiply(&p);
    }
    if (c && c != out)
        for (int64_t j = 0; j < p.n; ++j)
            for (int64_t i = 0; i < p.m; ++i)
                set_element(out, p.c_type, j * p.ldc + i,
                            element(c, (int)c_layout->word[0],
                                    j * (int64_t)c_layout->word[4] + i));
    return fake_multiply(&p);
}
