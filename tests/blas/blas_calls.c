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
#include "tests/blas/calls_ways.h"

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
    const shape *s = &x->s;
    const int64_t a_bytes = size_of(s->a_type), c_bytes = size_of(s->c_type);

    x->a = state->a + shift * a_bytes;
    x->b = state->b;
    x->c = state->c + shift * c_bytes;
    /* Its values are those of what lies there for C, and mostly there is room.
     */
    x->bias = state->other + (draw(&state->random, 8) ? 4096 : 4096 + c_bytes);
    x->bias_type = draw(&state->random, 2) ? -1 : s->c_type;
    x->added = s->batch == 1 && !draw(&state->random, 6)
                   ? state->other + shift * c_bytes
                   : x->c;
    for (int64_t i = 0; i < s->batch; ++i) {
        x->as[i] = state->a + (shift + i * s->stride_a) * a_bytes;
        x->bs[i] = state->b + i * s->stride_b * a_bytes;
        x->cs[i] = state->c + (shift + i * s->stride_c) * c_bytes;
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
    const shape *s = &x->s;
    const int is_rounded = (s->epilogue & 32) && strcmp(x->way, "matmul") == 0;

    if (is_rounded && state->on_gpu)
        printf("%d: %d about %.6f", number, result,
               sum_of(state->c, s->c_type));
    else
        printf("%d: %d %016" PRIx64, number, result,
               hash_of(state->c, s->c_type));
    printf("; %s, types %d %d by %d, op %d %d, %" PRId64 " x %" PRId64
           " x %" PRId64 ", ld %" PRId64 " %" PRId64 " %" PRId64
           ", batch %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
           ", epilogue %d %d, alpha %g, beta %g%s%s\n",
           x->way, s->a_type, s->c_type, x->compute, s->op_a, s->op_b, s->m,
           s->n, s->k, s->lda, s->ldb, s->ldc, s->batch, s->stride_a,
           s->stride_b, s->stride_c, s->epilogue, x->bias_type, x->said_alpha,
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
    result = calls_make(&x, draw(r, calls_ways(&x)));
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
