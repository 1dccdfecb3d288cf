/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a problem of Fourier transforms for cuFFT, and cuFFT's plans. */
#ifndef HONE_TUNER_FFT_PROBLEM_H
#define HONE_TUNER_FFT_PROBLEM_H

#include "runtime/launch/launch_spec.h"
#include "tuner/baselines/fft_api.h"

typedef struct hone_fft_problem {
    int64_t n;
    int64_t batch;
    int direction; /* HONE_FFT_FORWARD or HONE_FFT_INVERSE */
    int x, y, h;   /* arguments; h -1 without a filter */
} hone_fft_problem;

/* A problem whose arguments are x and y, c32 of n*batch numbers (and h, n
 * numbers, with `is_filter`), and whose dimensions are n and, as far as there
 * are any, batch and direction (2: inverse). HONE_ERR_UNSUPPORTED says what
 * does not fit. `who` is the baseline's name, for messages. */
hone_status hone__fft_read(const char *who, const char *op,
                           const hone_resolved *problem, int is_filter,
                           hone_fft_problem *out, hone_error *err);

typedef struct hone_fft_plan {
    const hone_fft *fft;
    hone_fft_handle handle; /* HONE_FFT_NO_HANDLE: none */
} hone_fft_plan;

/* For the whole batch, one transform after the other; `type` is
 * HONE_FFT_C2C or HONE_FFT_Z2Z. */
hone_status hone__fft_plan_open(const hone_fft_problem *problem, int type,
                                hone_fft_plan *out, hone_error *err);
void hone__fft_plan_close(hone_fft_plan *plan);

#endif
