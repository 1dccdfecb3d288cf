/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS is column-major, hone row-major: a column-major matrix is the
 * transpose of what hone sees, and the transpose of a product is that of the
 * factors the other way round. So M is the call's n, N its m; A of the
 * operation is B of the call, transposed where the call transposes it, and the
 * other way round. A bias has a number for each row of the call's result, which
 * is a column of the operation's.
 *
 * What fits the contract: sums in f32, in f64 of f64. Sums that the caller
 * allows to be in f16 (cublasHgemm) are kept in f32, never the other way round.
 * Where the caller allows TF32 for f32 the factors are of type tf32. Where it
 * allows other ways the library is faster than what keeps to f32, or more
 * exact than gemm's emulation, and where it forbids tensor cores (pedantic)
 * ours would use them. */
#include "blas/gemm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    M,
    N,
    K,
    T,
    OUT,
    TRANS_A,
    TRANS_B,
    LDA,
    LDB,
    LDC,
    BATCH,
    STRIDE_A,
    STRIDE_B,
    STRIDE_C,
    ADD,
    EPILOGUE,
    EMULATED
};

static const char *const dim_names[HONE_GEMM_DIMS] = {
    "M",        "N",        "K",   "T",        "OUT",     "TRANS_A",
    "TRANS_B",  "LDA",      "LDB", "LDC",      "BATCH",   "STRIDE_A",
    "STRIDE_B", "STRIDE_C", "ADD", "EPILOGUE", "EMULATED"};

/* cudaDataType_t as an element type; none is tf32. */
static const struct {
    int cuda;
    hone_type type;
    const char *name;
    int bytes;
} types[] = {
    {HONE_CUDA_R_32F, HONE_TYPE_F32, "f32", 4},
    {HONE_CUDA_R_64F, HONE_TYPE_F64, "f64", 8},
    {HONE_CUDA_R_16F, HONE_TYPE_F16, "f16", 2},
    {HONE_CUDA_R_16BF, HONE_TYPE_BF16, "bf16", 2},
    {HONE_CUDA_R_8I, HONE_TYPE_I8, "i8", 1},
    {HONE_CUDA_R_32I, HONE_TYPE_I32, "i32", 4},
    {HONE_CUDA_C_32F, HONE_TYPE_C32, "c32", 8},
    {-1, HONE_TYPE_TF32, "tf32", 4},
};

static size_t type_place(int cuda_type)
{
    size_t i = 0;

    while (i < HONE_COUNT(types) && types[i].cuda != cuda_type)
        ++i;
    return i;
}

const char *hone__cuda_type_name(int cuda_type)
{
    const size_t i = type_place(cuda_type);

    return i < HONE_COUNT(types) ? types[i].name : "another type";
}

int64_t hone__cuda_type_bytes(int cuda_type)
{
    const size_t i = type_place(cuda_type);

    return i < HONE_COUNT(types) ? types[i].bytes : 0;
}

/* cublasMath_t: a kind, and a flag that is about split sums of 16 bits. */
int32_t hone__gemm_compute(int compute, int a_type, int math)
{
    enum { PEDANTIC = 2, F64_EMULATED = 8 };
    static const int of_f32[] = {
        HONE_BLAS_COMPUTE_32F, HONE_BLAS_COMPUTE_32F_FAST_16F,
        HONE_BLAS_COMPUTE_32F_PEDANTIC, HONE_BLAS_COMPUTE_32F_FAST_TF32,
        HONE_BLAS_COMPUTE_32F_EMULATED};
    const int kind = math & 15;

    if (compute == HONE_BLAS_COMPUTE_32F && kind == PEDANTIC)
        return HONE_BLAS_COMPUTE_32F_PEDANTIC;
    if (compute == HONE_BLAS_COMPUTE_32F && a_type == HONE_CUDA_R_32F &&
        kind < (int)HONE_COUNT(of_f32))
        return of_f32[kind];
    if (compute == HONE_BLAS_COMPUTE_16F && kind == PEDANTIC)
        return HONE_BLAS_COMPUTE_16F_PEDANTIC;
    if (compute == HONE_BLAS_COMPUTE_64F && kind == PEDANTIC)
        return HONE_BLAS_COMPUTE_64F_PEDANTIC;
    if (compute == HONE_BLAS_COMPUTE_64F && kind == F64_EMULATED)
        return HONE_BLAS_COMPUTE_64F_EMULATED;
    return compute;
}

static const char *unfit_types(const hone_blas_shape *s)
{
    const int is_16 =
        s->a_type == HONE_CUDA_R_16F || s->a_type == HONE_CUDA_R_16BF;

    if (s->a_type != s->b_type)
        return "factors of two types";
    if (!is_16 && s->a_type != HONE_CUDA_R_32F && s->a_type != HONE_CUDA_R_64F)
        return "a type that gemm does not have";
    if (s->c_type != s->a_type && !(is_16 && s->c_type == HONE_CUDA_R_32F))
        return "a result of a type that gemm does not have for these factors";
    if (s->a_type == HONE_CUDA_R_64F)
        return s->compute == HONE_BLAS_COMPUTE_64F
                   ? NULL
                   : "a way of computing f64 that gemm does not have";
    /* Sums of 16 bits are of f16 alone, with scalars of that type. */
    if (is_16 ? s->compute == HONE_BLAS_COMPUTE_16F &&
                    s->c_type == HONE_CUDA_R_16F
              : hone__gemm_is_tf32(s))
        return NULL;
    return s->compute == HONE_BLAS_COMPUTE_32F
               ? NULL
               : "a compute type that gemm does not have (pedantic, emulated, "
                 "..)";
}

int hone__gemm_is_tf32(const hone_blas_shape *s)
{
    return s->a_type == HONE_CUDA_R_32F &&
           s->compute == HONE_BLAS_COMPUTE_32F_FAST_TF32;
}

static int64_t element_type(int cuda_type)
{
    return types[type_place(cuda_type)].type;
}

/* Those that follow from others. */
static void fill_defaults(int64_t *dims)
{
    const int64_t given[HONE_GEMM_DIMS] = {
        [LDA] = dims[TRANS_A] ? dims[M] : dims[K],
        [LDB] = dims[TRANS_B] ? dims[K] : dims[N],
        [LDC] = dims[N],
        [BATCH] = 1};

    for (int i = LDA; i <= BATCH; ++i)
        if (dims[i] == HONE_DIM_DEFAULT)
            dims[i] = given[i];
    if (dims[STRIDE_A] == HONE_DIM_DEFAULT)
        dims[STRIDE_A] = (dims[TRANS_A] ? dims[K] : dims[M]) * dims[LDA];
    if (dims[STRIDE_B] == HONE_DIM_DEFAULT)
        dims[STRIDE_B] = (dims[TRANS_B] ? dims[N] : dims[K]) * dims[LDB];
    if (dims[STRIDE_C] == HONE_DIM_DEFAULT)
        dims[STRIDE_C] = dims[M] * dims[LDC];
    if (dims[ADD] == HONE_DIM_DEFAULT)
        dims[ADD] = 1;
    if (dims[EPILOGUE] == HONE_DIM_DEFAULT)
        dims[EPILOGUE] = 0;
    if (dims[EMULATED] == HONE_DIM_DEFAULT)
        dims[EMULATED] = 0;
}

const char *hone__gemm_of(const hone_blas_shape *s, int64_t *dims)
{
    static const char *const oddities[] = {
#define TEXT(name, text) text,
        HONE_ODDITY_MAP(TEXT)
#undef TEXT
    };
    const char *why = unfit_types(s);

    if (s->oddity != HONE_ODDITY_NONE)
        return oddities[s->oddity];
    if (why)
        return why;
    if (s->epilogue > HONE_LT_EPILOGUE_NONE && s->a_type == HONE_CUDA_R_64F)
        return "an epilogue of f64";
    if (s->stride_a < 0 || s->stride_b < 0 || s->stride_c < 0)
        return "a negative distance of matrices";
    dims[M] = s->n;
    dims[N] = s->m;
    dims[K] = s->k;
    dims[T] = hone__gemm_is_tf32(s) ? HONE_TYPE_TF32 : element_type(s->a_type);
    dims[OUT] = element_type(s->c_type);
    dims[TRANS_A] = s->op_b != HONE_BLAS_OP_N;
    dims[TRANS_B] = s->op_a != HONE_BLAS_OP_N;
    dims[LDA] = s->ldb;
    dims[LDB] = s->lda;
    dims[LDC] = s->ldc;
    dims[BATCH] = s->batch;
    dims[ADD] = s->adds;
    dims[EPILOGUE] = s->epilogue == HONE_LT_EPILOGUE_NONE ? 0 : s->epilogue;
    dims[EMULATED] = 0;
    for (int i = STRIDE_A; i <= STRIDE_C; ++i)
        dims[i] = HONE_DIM_DEFAULT;
    if (s->batch > 1) {
        dims[STRIDE_A] = s->stride_b;
        dims[STRIDE_B] = s->stride_a;
        dims[STRIDE_C] = s->stride_c;
    }
    fill_defaults(dims);
    return NULL;
}

/* ---- as text ------------------------------------------------------------- */

void hone__gemm_key(const int64_t *dims, size_t n, hone_text *out)
{
    for (size_t i = 0; i < n; ++i)
        hone__text_printf(out, "%s%" PRId64, i ? "," : "", dims[i]);
}

size_t hone__gemm_least(const int64_t *dims)
{
    return dims[EMULATED]   ? HONE_GEMM_DIMS
           : dims[EPILOGUE] ? EMULATED
           : dims[ADD] != 1 ? EPILOGUE
                            : HONE_GEMM_FIRST_DIMS;
}

int hone__gemm_add(int64_t *dims)
{
    const int is_new = !dims[ADD];

    dims[ADD] = 1;
    return is_new;
}

static const char *type_name(int64_t type)
{
    for (size_t i = 0; i < HONE_COUNT(types); ++i)
        if ((int64_t)types[i].type == type)
            return types[i].name;
    return "?";
}

void hone__gemm_write(const int64_t *dims, hone_text *out)
{
    int64_t plain[HONE_GEMM_DIMS];
    int n = HONE_GEMM_FIRST_DIMS;

    /* Distances by default follow the rows that are there. */
    memcpy(plain, dims, sizeof plain);
    for (int i = STRIDE_A; i <= STRIDE_C; ++i)
        plain[i] = HONE_DIM_DEFAULT;
    fill_defaults(plain);
    for (int i = LDA; i < STRIDE_A; ++i)
        plain[i] = HONE_DIM_DEFAULT;
    fill_defaults(plain);
    while (n > TRANS_B + 1 && dims[n - 1] == plain[n - 1])
        --n;
    for (int i = 0; i < n; ++i) {
        if (i)
            hone__text_printf(out, ",");
        if (i == T || i == OUT)
            hone__text_printf(out, "%s", type_name(dims[i]));
        else
            hone__text_printf(out, "%" PRId64, dims[i]);
    }
    if (!dims[ADD])
        hone__text_printf(out, ",%s=0", dim_names[ADD]);
    if (dims[EPILOGUE])
        hone__text_printf(out, ",%s=%" PRId64, dim_names[EPILOGUE],
                          dims[EPILOGUE]);
    if (dims[EMULATED])
        hone__text_printf(out, ",%s=1", dim_names[EMULATED]);
}

static int64_t read_field(const char *text, size_t length, int place)
{
    char word[32];
    char *end = NULL;
    long long value;

    if (!length)
        return HONE_DIM_DEFAULT;
    if (length >= sizeof word)
        return -1;
    memcpy(word, text, length);
    word[length] = '\0';
    for (size_t i = 0; (place == T || place == OUT) && i < HONE_COUNT(types);
         ++i)
        if (strcmp(types[i].name, word) == 0)
            return types[i].type;
    value = strtoll(word, &end, 10);
    return *end || value < 0 ? -1 : value;
}

/* "NAME=" of a dim, whose place it is; else -1. Moves `*text` behind it. */
static int read_name(const char **text)
{
    for (int i = 0; i < HONE_GEMM_DIMS; ++i) {
        const size_t length = strlen(dim_names[i]);

        if (strncmp(*text, dim_names[i], length) == 0 &&
            (*text)[length] == '=') {
            *text += length + 1;
            return i;
        }
    }
    return -1;
}

int hone__gemm_read_dims(const char *text, int64_t *dims)
{
    static const int64_t otherwise[] = {[T] = HONE_TYPE_F16,
                                        [OUT] = HONE_TYPE_F32,
                                        [TRANS_A] = 0,
                                        [TRANS_B] = 0};
    int is_named = 0;

    for (int i = 0; i < HONE_GEMM_DIMS; ++i)
        dims[i] = HONE_DIM_DEFAULT;
    for (int n = 0; n < HONE_GEMM_DIMS; ++n) {
        const int name = read_name(&text);
        const size_t length = strcspn(text, ",");
        int64_t *dim = &dims[name >= 0 ? name : n];

        is_named |= name >= 0;
        if (name < 0 ? is_named : *dim != HONE_DIM_DEFAULT)
            return 0; /* the names are last, and once */
        *dim = read_field(text, length, (int)(dim - dims));
        if (*dim == -1)
            return 0;
        text += length;
        if (!*text)
            break;
        ++text;
    }
    for (int i = T; i <= TRANS_B; ++i)
        if (dims[i] == HONE_DIM_DEFAULT)
            dims[i] = otherwise[i];
    if (*text || dims[M] < 1 || dims[N] < 1 || dims[K] < 0)
        return 0;
    fill_defaults(dims);
    return dims[ADD] <= 1 && dims[EPILOGUE] <= 36 && dims[EMULATED] <= 1;
}
