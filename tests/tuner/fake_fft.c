/* SPDX-License-Identifier: Apache-2.0 */
/* A library with the symbols of cuFFT that computes transforms on the host by
 * their definition. It wants a plan of one dimension, or of two without gaps,
 * with the same layout on both sides, and a stream before the first run. As
 * cuFFT's long transforms do, it combines the imaginary parts of both ends of
 * the half that it makes real numbers of.
 * $FAKE_FFT_FAIL names a function that fails with $FAKE_FFT_CODE (5). A plan
 * without automatic allocation wants a work area. fake_fft_live() counts plans,
 * fake_fft_streams() how often a stream was set. */
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4 };
enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69 };
enum { MOST_PLANS = 64, MOST_N = 64 };

#define EXPORT __attribute__((visibility("default")))

typedef struct plan {
    int used;
    int has_stream;
    int brings_area; /* the caller does */
    void *area;
    int type;
    long long rows; /* 1: one dimension */
    long long n;
    long long batch;
    long long stride;
    long long distance;
} plan;

static plan plans[MOST_PLANS];
/* Threads run plans of their own at the same time. */
static atomic_int live;
static atomic_int streams;

EXPORT int fake_fft_live(void);
EXPORT int fake_fft_streams(void);
EXPORT int cufftGetVersion(int *out);
EXPORT int cufftCreate(int *out);
EXPORT int cufftSetAutoAllocation(int h, int on);
EXPORT int cufftSetWorkArea(int h, void *area);
EXPORT int cufftMakePlanMany64(int h, int rank, long long *n,
                               long long *in_embed, long long in_stride,
                               long long in_distance, long long *out_embed,
                               long long out_stride, long long out_distance,
                               int type, long long batch,
                               size_t *workspace_bytes);
EXPORT int cufftSetStream(int h, void *stream);
EXPORT int cufftExecC2C(int h, void *in, void *out, int direction);
EXPORT int cufftExecZ2Z(int h, void *in, void *out, int direction);
EXPORT int cufftExecR2C(int h, void *in, void *out);
EXPORT int cufftExecC2R(int h, void *in, void *out);
EXPORT int cufftDestroy(int h);

static int fails(const char *function)
{
    const char *const name = getenv("FAKE_FFT_FAIL");
    const char *const code = getenv("FAKE_FFT_CODE");

    return name && !strcmp(name, function) ? (code ? atoi(code) : 5) : 0;
}

static plan *plan_of(int h)
{
    return h >= 0 && h < MOST_PLANS && plans[h].used ? &plans[h] : NULL;
}

int fake_fft_live(void)
{
    return live;
}

int fake_fft_streams(void)
{
    return streams;
}

int cufftCreate(int *out)
{
    if (fails("cufftCreate"))
        return fails("cufftCreate");
    for (int i = 0; i < MOST_PLANS; i++)
        if (!plans[i].used) {
            plans[i] = (plan){.used = 1};
            live++;
            *out = i;
            return 0;
        }
    return 2;
}

int cufftGetVersion(int *out)
{
    const char *const text = getenv("FAKE_FFT_VERSION");

    *out = text ? atoi(text) : 12000;
    return 0;
}

int cufftSetAutoAllocation(int h, int on)
{
    plan *const p = plan_of(h);

    if (!p || p->n)
        return INVALID_PLAN;
    p->brings_area = !on;
    return 0;
}

int cufftSetWorkArea(int h, void *area)
{
    plan *const p = plan_of(h);

    if (!p || !p->brings_area)
        return INVALID_PLAN;
    p->area = area;
    return 0;
}

int cufftMakePlanMany64(int h, int rank, long long *n, long long *in_embed,
                        long long in_stride, long long in_distance,
                        long long *out_embed, long long out_stride,
                        long long out_distance, int type, long long batch,
                        size_t *workspace_bytes)
{
    plan *const p = plan_of(h);

    if (fails("cufftMakePlanMany64"))
        return fails("cufftMakePlanMany64");
    if (!p)
        return INVALID_PLAN;
    if (rank < 1 || rank > 2 || !in_embed != !out_embed ||
        (in_embed && rank > 1) || n[0] > MOST_N || n[rank - 1] > MOST_N ||
        batch < 1 || !workspace_bytes)
        return INVALID_VALUE;
    if (in_embed && (in_stride != out_stride || in_distance != out_distance))
        return INVALID_VALUE;
    if (type != C2C && type != Z2Z &&
        (rank > 1 || (type != R2C && type != C2R)))
        return INVALID_TYPE;
    p->type = type;
    p->rows = rank > 1 ? n[0] : 1;
    p->n = n[rank - 1];
    p->batch = batch;
    p->stride = in_embed ? in_stride : 1;
    p->distance = in_embed ? in_distance : p->rows * p->n;
    *workspace_bytes = 1024;
    return 0;
}

int cufftSetStream(int h, void *stream)
{
    plan *const p = plan_of(h);

    (void)stream;
    if (fails("cufftSetStream"))
        return fails("cufftSetStream");
    if (!p)
        return INVALID_PLAN;
    p->has_stream = 1;
    streams++;
    return 0;
}

static double value(int type, const void *array, long long i)
{
    return type == Z2Z ? ((const double *)array)[i]
                       : (double)((const float *)array)[i];
}

static void put(int type, void *array, long long i, double v)
{
    if (type == Z2Z)
        ((double *)array)[i] = v;
    else
        ((float *)array)[i] = (float)v;
}

/* Element (u, k) of an image, or k of a transform, of `kept`. */
static void element(const plan *p, const double *kept, int direction,
                    long long u, long long k, double *re, double *im)
{
    *re = *im = 0;
    for (long long r = 0; r < p->rows; r++)
        for (long long j = 0; j < p->n; j++) {
            const double angle = direction * 6.283185307179586476925 *
                                 ((double)(r * u % p->rows) / (double)p->rows +
                                  (double)(j * k % p->n) / (double)p->n);
            const double *const v = kept + 2 * (r * p->n + j);

            *re += v[0] * cos(angle) - v[1] * sin(angle);
            *im += v[0] * sin(angle) + v[1] * cos(angle);
        }
}

/* The n numbers, or images, of transform b. */
static void keep(const plan *p, const void *in, long long b, double *kept)
{
    const long long half = p->n / 2 + 1, base = 2 * b * p->distance;

    for (long long i = 0; i < 2 * p->rows * p->n; i++) {
        const long long k = i / 2, part = i % 2;

        if (p->type == R2C)
            kept[i] = part ? 0 : value(C2C, in, b * p->n + k);
        else if (p->type == C2R && k > p->n / 2)
            kept[i] = (part ? -1 : 1) *
                      value(C2C, in, 2 * (b * half + p->n - k) + part);
        else if (p->type == C2R)
            kept[i] = value(C2C, in, 2 * (b * half + k) + part);
        else
            kept[i] = value(p->type, in, base + 2 * k * p->stride + part);
    }
}

static int exec(const plan *p, int type, const void *in, void *out,
                int direction)
{
    static _Thread_local double kept[2 * MOST_N * MOST_N];

    if (!p || !p->has_stream || p->type != type)
        return INVALID_PLAN;
    if ((direction != 1 && direction != -1) || (p->brings_area && !p->area))
        return INVALID_VALUE;
    if (((uintptr_t)in & 0xffffffffffu) == 0)
        return 0; /* a rehearsal: its pointers lead nowhere */
    for (long long b = 0; b < p->batch; b++) {
        const long long n_out = p->type == R2C ? p->n / 2 + 1 : p->rows * p->n;

        keep(p, in, b, kept);
        for (long long k = 0; k < n_out; k++) {
            const long long at = type == R2C
                                     ? 2 * (b * n_out + k)
                                     : 2 * (b * p->distance + k * p->stride);
            double re, im;

            element(p, kept, direction, k / p->n, k % p->n, &re, &im);
            if (type == C2R) {
                re -= kept[1] + (k % 2 ? -1 : 1) * kept[p->n / 2 * 2 + 1];
                put(type, out, b * p->n + k, re);
                continue;
            }
            put(type, out, at, re);
            put(type, out, at + 1, im);
        }
    }
    return 0;
}

int cufftExecR2C(int h, void *in, void *out)
{
    return fails("cufftExecR2C") ? fails("cufftExecR2C")
                                 : exec(plan_of(h), R2C, in, out, -1);
}

int cufftExecC2R(int h, void *in, void *out)
{
    return fails("cufftExecC2R") ? fails("cufftExecC2R")
                                 : exec(plan_of(h), C2R, in, out, 1);
}

int cufftExecC2C(int h, void *in, void *out, int direction)
{
    return fails("cufftExecC2C") ? fails("cufftExecC2C")
                                 : exec(plan_of(h), C2C, in, out, direction);
}

int cufftExecZ2Z(int h, void *in, void *out, int direction)
{
    return fails("cufftExecZ2Z") ? fails("cufftExecZ2Z")
                                 : exec(plan_of(h), Z2Z, in, out, direction);
}

int cufftDestroy(int h)
{
    plan *const p = plan_of(h);

    if (!p)
        return INVALID_PLAN;
    p->used = 0;
    live--;
    return 0;
}
