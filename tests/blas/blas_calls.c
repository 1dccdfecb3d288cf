/* SPDX-License-Identifier: Apache-2.0 */
/* A program that knows nothing of hone:
 *
 *   blas_calls CALLS SEED POOL [THREADS [fork]]
 *
 * So many random calls of cuBLAS and cuBLASLt, by every function that
 * libhone_blas meets: types, transposes, leading dimensions, batches, scalars,
 * pointer modes, addresses. Nine of ten are of POOL shapes, the others of any.
 * Numbers are small integers, so that every way of adding gives the same; a
 * line for each call has the hash of what C is then, with what lies between its
 * columns.
 *
 * With $BLAS_CALLS_CUDA it is a program for a GPU: all lies in managed memory
 * of CUDA's first device, so that LD_LIBRARY_PATH may lead to NVIDIA's library.
 */
#include "tests/blas/calls_memory.h"
#include "tests/blas/fake_parts.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

HONE_API int cublasCreate_v2(hone_blas_handle *out);
HONE_API int cublasDestroy_v2(hone_blas_handle h);
HONE_API int cublasSetPointerMode_v2(hone_blas_handle h, int mode);
HONE_API int cublasSetMathMode(hone_blas_handle h, int mode);

enum { MOST_BYTES = 1 << 14, MOST_BATCH = 3, N_TYPES = 6 };
enum { DEVICE_STOPPED = -1 }; /* beside what a function returns */

/* What a shape is. */
typedef struct shape {
    int a_type, c_type;
    int op_a, op_b;
    int epilogue; /* of cublasLtMatmul */
    int64_t m, n, k, lda, ldb, ldc, batch, stride_a, stride_b, stride_c;
} shape;

typedef struct caller {
    uint64_t random;
    int on_gpu;
    hone_blas_handle handle;
    hone_lt_handle lt;
    unsigned char scalars[2][8];
    const void *as[MOST_BATCH], *bs[MOST_BATCH];
    void *cs[MOST_BATCH];
    _Alignas(64) unsigned char a[MOST_BYTES], b[MOST_BYTES], c[MOST_BYTES];
    _Alignas(64) unsigned char other[MOST_BYTES];
} caller;

static uint32_t draw(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*random >> 33) % below;
}

static shape draw_shape(uint64_t *r)
{
    static const int types[N_TYPES][2] = {{R_32F, R_32F},  {R_16F, R_16F},
                                          {R_16F, R_32F},  {R_16BF, R_16BF},
                                          {R_16BF, R_32F}, {R_64F, R_64F}};
    static const int epilogues[] = {1, 1, 1, 2, 4, 6, 32, 36};
    const int *type = types[draw(r, N_TYPES)];
    shape s = {.a_type = type[0], .c_type = type[1]};

    s.op_a = (int)draw(r, 3);
    s.op_b = (int)draw(r, 3);
    s.m = 1 + draw(r, 20);
    s.n = 1 + draw(r, 20);
    s.k = 1 + draw(r, 20);
    s.lda = (s.op_a ? s.k : s.m) + (draw(r, 3) ? 0 : draw(r, 5));
    s.ldb = (s.op_b ? s.n : s.k) + (draw(r, 3) ? 0 : draw(r, 5));
    s.ldc = s.m + (draw(r, 3) ? 0 : draw(r, 5));
    s.batch = draw(r, 4) ? 1 : 2 + draw(r, MOST_BATCH - 1);
    s.stride_a = s.lda * (s.op_a ? s.m : s.k) + draw(r, 3);
    s.stride_b = s.ldb * (s.op_b ? s.k : s.n) + draw(r, 3);
    s.stride_c = s.ldc * s.n + draw(r, 3);
    s.epilogue = epilogues[draw(r, 8)];
    if (s.batch == 1)
        s.stride_a = s.stride_b = s.stride_c = 0;
    else if (!draw(r, 4))
        s.stride_a = 0; /* one factor for all */
    return s;
}

static void fill(uint64_t *r, void *x, int type, int64_t n, int most)
{
    for (int64_t i = 0; i < n; ++i)
        set_element(x, type, i,
                    (double)draw(r, (uint32_t)(2 * most + 1)) - most);
}

/* ---- the functions ------------------------------------------------------- */

typedef struct arguments {
    hone_blas_handle h;
    hone_lt_handle lt;
    shape s;
    void *alpha, *beta;
    const void *a, *b;
    void *c;
    const void *added; /* of cublasLtMatmul: what beta belongs to */
    const void *bias;  /* likewise */
    int bias_type;     /* -1: it is not said */
    int compute, is_64;
    double said_alpha, said_beta;
    const char *way; /* in words */
    const void **as, **bs;
    void **cs;
} arguments;

#define S(field) (x->s.field)
#define I(field) ((int)x->s.field)
#define EITHER(name, ...)                                                      \
    (x->is_64 ? name##_64(__VA_ARGS__) : name(__VA_ARGS__))
#define HEAD x->h, S(op_a), S(op_b), I(m), I(n), I(k), x->alpha
#define EX_ONE                                                                 \
    HEAD, x->a, S(a_type), I(lda), x->b, S(a_type), I(ldb), x->beta, x->c,     \
        S(c_type), I(ldc)
#define PLAIN_ONE HEAD, x->a, I(lda), x->b, I(ldb), x->beta, x->c, I(ldc)
#define PLAIN_STRIDED                                                          \
    HEAD, x->a, I(lda), S(stride_a), x->b, I(ldb), S(stride_b), x->beta, x->c, \
        I(ldc), S(stride_c), I(batch)
#define PLAIN_BATCHED                                                          \
    HEAD, x->as, I(lda), x->bs, I(ldb), x->beta, x->cs, I(ldc), I(batch)

static int by_type(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemm_v2, PLAIN_ONE);
    case R_64F:
        return EITHER(cublasDgemm_v2, PLAIN_ONE);
    default:
        return EITHER(cublasHgemm, PLAIN_ONE);
    }
}

static int by_type_strided(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemmStridedBatched, PLAIN_STRIDED);
    case R_64F:
        return EITHER(cublasDgemmStridedBatched, PLAIN_STRIDED);
    default:
        return EITHER(cublasHgemmStridedBatched, PLAIN_STRIDED);
    }
}

static int by_type_batched(const arguments *x)
{
    switch (S(a_type)) {
    case R_32F:
        return EITHER(cublasSgemmBatched, PLAIN_BATCHED);
    case R_64F:
        return EITHER(cublasDgemmBatched, PLAIN_BATCHED);
    default:
        return EITHER(cublasHgemmBatched, PLAIN_BATCHED);
    }
}

static int by_ex(const arguments *x)
{
    return EITHER(cublasGemmEx, EX_ONE, x->compute, -1);
}

static int by_sgemm_ex(const arguments *x)
{
    return EITHER(cublasSgemmEx, EX_ONE);
}

static int by_ex_strided(const arguments *x)
{
    return EITHER(cublasGemmStridedBatchedEx, HEAD, x->a, S(a_type), I(lda),
                  S(stride_a), x->b, S(a_type), I(ldb), S(stride_b), x->beta,
                  x->c, S(c_type), I(ldc), S(stride_c), I(batch), x->compute,
                  -1);
}

static int by_ex_batched(const arguments *x)
{
    return EITHER(cublasGemmBatchedEx, HEAD, x->as, S(a_type), I(lda), x->bs,
                  S(a_type), I(ldb), x->beta, x->cs, S(c_type), I(ldc),
                  I(batch), x->compute, -1);
}

static hone_lt_layout layout(const arguments *x, int type, int64_t rows,
                             int64_t columns, int64_t ld, int64_t stride)
{
    const int32_t batch = (int32_t)S(batch);
    hone_lt_layout l = NULL;

    if (cublasLtMatrixLayoutCreate(&l, type, (uint64_t)rows, (uint64_t)columns,
                                   ld) ||
        cublasLtMatrixLayoutSetAttribute(l, 5, &batch, sizeof batch) ||
        cublasLtMatrixLayoutSetAttribute(l, 6, &stride, sizeof stride))
        exit(3);
    return l;
}

/* Batches lie at one distance, or are arrays of pointers. */
static int by_lt(const arguments *x)
{
    const int32_t kind = S(batch) > 1 && x->is_64;
    const int32_t op_a = S(op_a), op_b = S(op_b), epilogue = S(epilogue);
    hone_lt_desc desc = NULL;
    hone_lt_layout l[3] = {
        layout(x, S(a_type), op_a ? S(k) : S(m), op_a ? S(m) : S(k), S(lda),
               S(stride_a)),
        layout(x, S(a_type), op_b ? S(n) : S(k), op_b ? S(k) : S(n), S(ldb),
               S(stride_b)),
        layout(x, S(c_type), S(m), S(n), S(ldc), S(stride_c))};
    int result;

    if (cublasLtMatmulDescCreate(&desc, x->compute, scalar_type(x->compute)) ||
        cublasLtMatmulDescSetAttribute(desc, 3, &op_a, sizeof op_a) ||
        cublasLtMatmulDescSetAttribute(desc, 4, &op_b, sizeof op_b) ||
        cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, sizeof epilogue) ||
        cublasLtMatmulDescSetAttribute(desc, 8, &x->bias, sizeof x->bias) ||
        cublasLtMatmulDescSetAttribute(desc, 26, &x->bias_type, sizeof(int)))
        exit(3);
    for (int i = 0; kind && i < 3; ++i)
        if (cublasLtMatrixLayoutSetAttribute(l[i], 8, &kind, sizeof kind))
            exit(3);
    if (kind)
        result = cublasLtMatmul(x->lt, desc, x->alpha, x->as, l[0], x->bs, l[1],
                                x->beta, x->cs, l[2], x->cs, l[2], NULL, NULL,
                                0, NULL);
    else
        result = cublasLtMatmul(x->lt, desc, x->alpha, x->a, l[0], x->b, l[1],
                                x->beta, x->added, l[2], x->c, l[2], NULL, NULL,
                                0, NULL);
    for (int i = 0; i < 3; ++i)
        (void)cublasLtMatrixLayoutDestroy(l[i]);
    (void)cublasLtMatmulDescDestroy(desc);
    return result;
}

/* cublasHgemm and its kin: alpha and beta are f16, too. */
static int by_name(const arguments *x, int (*function)(const arguments *))
{
    if (S(a_type) == R_16F) {
        set_element(x->alpha, R_16F, 0, element(x->alpha, R_32F, 0));
        set_element(x->beta, R_16F, 0, element(x->beta, R_32F, 0));
    }
    return function(x);
}

/* What NVIDIA asks of matrices that are given as an array of pointers: where K
 * is a multiple of 8, each of 16-bit numbers lies at a multiple of 16 bytes; of
 * 2, of 4 bytes. Nothing checks it, and what breaks it stops the device. */
static int may_be_array(const arguments *x)
{
    const uintptr_t step = S(k) % 8 == 0 ? 16 : S(k) % 2 == 0 ? 4 : 2;

    if (size_of(S(a_type)) != 2)
        return 1;
    for (int64_t i = 0; i < S(batch); ++i)
        if (((uintptr_t)x->as[i] | (uintptr_t)x->bs[i] | (uintptr_t)x->cs[i]) %
            step)
            return 0;
    return 1;
}

typedef struct way {
    const char *name;
    int (*call)(const arguments *);
} way;

/* One that has this shape. */
static int make_call(caller *state, arguments *x)
{
    static const way ways_of_one[] = {{"gemmEx", by_ex},
                                      {"matmul", by_lt},
                                      {"gemm", by_type},
                                      {"sgemmEx", by_sgemm_ex}};
    static const way ways_of_many[] = {{"gemmStridedBatchedEx", by_ex_strided},
                                       {"matmul", by_lt},
                                       {"gemmBatchedEx", by_ex_batched},
                                       {"gemmStridedBatched", by_type_strided},
                                       {"gemmBatched", by_type_batched}};
    const int is_plain = S(a_type) == S(c_type) && S(a_type) != R_16BF;
    uint32_t i = draw(&state->random, 4);
    way taken;

    if (S(batch) == 1) {
        if ((i == 2 && !is_plain) || (i == 3 && S(a_type) == R_64F))
            i = 0;
        taken = ways_of_one[i];
    } else {
        i = draw(&state->random, is_plain ? 5 : 3);
        if ((i == 2 || i == 4 || (i == 1 && x->is_64)) && !may_be_array(x))
            i = 0;
        taken = ways_of_many[i];
    }
    x->way = taken.name;
    return S(batch) == 1 ? (i == 2 ? by_name(x, taken.call) : taken.call(x))
           : i > 2       ? by_name(x, taken.call)
                         : taken.call(x);
}

/* ---- a call -------------------------------------------------------------- */

static void set_scalar(void *to, int compute, double value)
{
    set_element(to, scalar_type(compute), 0, value);
}

/* Of all elements; 0 and -0 are the same. */
static uint64_t hash_of(const void *x, int type)
{
    uint64_t hash = 14695981039346656037u;

    for (int64_t i = 0; i < MOST_BYTES / size_of(type); ++i) {
        const double value = element(x, type, i) + 0.0;
        uint64_t bits;

        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void point(arguments *x, caller *state, int64_t shift)
{
    const int64_t a_bytes = size_of(S(a_type)), c_bytes = size_of(S(c_type));

    x->a = state->a + shift * a_bytes;
    x->b = state->b;
    x->c = state->c + shift * c_bytes;
    /* Its values are those of what lies there for C, and mostly there is room.
     */
    x->bias = state->other + (draw(&state->random, 8) ? 4096 : 4096 + c_bytes);
    x->bias_type = draw(&state->random, 2) ? -1 : S(c_type);
    x->added = S(batch) == 1 && !draw(&state->random, 6)
                   ? state->other + shift * c_bytes
                   : x->c;
    for (int64_t i = 0; i < S(batch); ++i) {
        x->as[i] = state->a + (shift + i * S(stride_a)) * a_bytes;
        x->bs[i] = state->b + i * S(stride_b) * a_bytes;
        x->cs[i] = state->c + (shift + i * S(stride_c)) * c_bytes;
    }
}

/* Weighted, so that an element in another's place is seen. */
static double sum_of(const void *x, int type)
{
    double sum = 0;

    for (int64_t i = 0; i < MOST_BYTES / size_of(type); ++i)
        sum += fabs(element(x, type, i)) * (double)(1 + i % 7);
    return sum;
}

/* A line whose end tells what to look for where it differs from another run's.
 * GPUs round the gelu as they like, so that of its results a sum is told. */
static void say_call(int number, int result, const caller *state,
                     const arguments *x)
{
    const int is_rounded = (S(epilogue) & 32) && strcmp(x->way, "matmul") == 0;

    if (is_rounded && state->on_gpu)
        printf("%d: %d about %.6f", number, result,
               sum_of(state->c, S(c_type)));
    else
        printf("%d: %d %016" PRIx64, number, result,
               hash_of(state->c, S(c_type)));
    printf("; %s, types %d %d by %d, op %d %d, %" PRId64 " x %" PRId64
           " x %" PRId64 ", ld %" PRId64 " %" PRId64 " %" PRId64
           ", batch %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
           ", epilogue %d %d, alpha %g, beta %g%s%s\n",
           x->way, S(a_type), S(c_type), x->compute, S(op_a), S(op_b), S(m),
           S(n), S(k), S(lda), S(ldb), S(ldc), S(batch), S(stride_a),
           S(stride_b), S(stride_c), S(epilogue), x->bias_type, x->said_alpha,
           x->said_beta, x->added == x->c ? "" : ", of another",
           x->is_64 ? ", 64" : "");
}

static void one_call(caller *state, uint64_t seed, int pool, int number,
                     int is_told)
{
    static const double alphas[] = {1, 1, 1, -1, 2, 0};
    static const double betas[] = {0, 0, 1, -1};
    uint64_t *r = &state->random;
    uint64_t of_shape =
        draw(r, 10) ? seed * 1000 + draw(r, (uint32_t)pool) : seed + *r;
    const double alpha = alphas[draw(r, 6)], beta = betas[draw(r, 4)];
    const int mode = !draw(r, 8);
    arguments x = {.h = state->handle,
                   .lt = state->lt,
                   .as = state->as,
                   .bs = state->bs,
                   .cs = state->cs,
                   .alpha = state->scalars[0],
                   .beta = state->scalars[1],
                   .said_alpha = alpha,
                   .said_beta = beta};
    int result;

    of_shape = of_shape * 2654435761u + 17;
    x.s = draw_shape(&of_shape);
    x.compute = x.s.a_type == R_64F                         ? COMPUTE_64F
                : x.s.a_type == R_32F && draw(&of_shape, 2) ? COMPUTE_TF32
                                                            : COMPUTE_32F;
    x.is_64 = (int)draw(r, 2);
    fill(r, state->a, x.s.a_type, MOST_BYTES / size_of(x.s.a_type), 1);
    fill(r, state->b, x.s.a_type, MOST_BYTES / size_of(x.s.a_type), 1);
    fill(r, state->c, x.s.c_type, MOST_BYTES / size_of(x.s.c_type), 8);
    fill(r, state->other, x.s.c_type, MOST_BYTES / size_of(x.s.c_type), 8);
    point(&x, state, draw(r, 10) ? 0 : 1);
    set_scalar(x.alpha, x.compute, alpha);
    set_scalar(x.beta, x.compute, beta);
    (void)cublasSetPointerMode_v2(state->handle, mode);
    (void)cublasSetMathMode(state->handle, draw(r, 6) ? 0 : 16);
    result = make_call(state, &x);
    if (calls_memory_settle()) {
        say_call(number, DEVICE_STOPPED, state, &x);
        exit(5);
    }
    if (is_told || result)
        say_call(number, result, state, &x);
}

typedef struct work {
    int calls, pool, is_told;
    uint64_t seed;
} work;

static void *run(void *user)
{
    const work *w = user;
    caller *s = calls_memory_take(sizeof *s);

    if (!s || cublasCreate_v2(&s->handle) || cublasLtCreate(&s->lt))
        exit(2);
    s->random = w->seed;
    s->on_gpu = getenv("BLAS_CALLS_CUDA") != NULL;
    for (int i = 0; i < w->calls; ++i)
        one_call(s, w->seed, w->pool, i, w->is_told);
    (void)cublasDestroy_v2(s->handle);
    calls_memory_give(s);
    return NULL;
}

/* A child that makes the same calls, and ends as programs do. */
static int fork_one(work *w)
{
    int status = 0;
    pid_t child;

    (void)fflush(stdout);
    child = fork();
    if (child == 0)
        (void)run(w);
    else if (child < 0 || waitpid(child, &status, 0) != child || status)
        return 2;
    return 0;
}

int main(int argc, char **argv)
{
    const int n_threads = argc > 4 ? atoi(argv[4]) : 1;
    work w = {.calls = argc > 1 ? atoi(argv[1]) : 100,
              .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
              .pool = argc > 3 ? atoi(argv[3]) : 8,
              .is_told = n_threads == 1};
    pthread_t threads[64];

    if (getenv("BLAS_CALLS_CUDA"))
        calls_memory_on_gpu();
    for (int i = 0; i < n_threads && i < 64; ++i)
        if (pthread_create(&threads[i], NULL, run, &w))
            return 2;
    for (int i = 0; i < n_threads && i < 64; ++i)
        (void)pthread_join(threads[i], NULL);
    return argc > 5 ? fork_one(&w) : 0;
}
