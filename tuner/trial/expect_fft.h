/* SPDX-License-Identifier: Apache-2.0 */
/* What Fourier transforms must give, by cuFFT in double ("cufft.c2c"). */
#ifndef HONE_TUNER_EXPECT_FFT_H
#define HONE_TUNER_EXPECT_FFT_H

#include "tuner/trial/problem.h"

/* Fill `check` for all passes it wants, over every element. Where cuFFT, or
 * the memory for three times the output in double, is not there,
 * `check->skipped` says so. */
hone_status hone__expect_fft(hone_problem *problem, hone_check *check,
                             hone_error *err);

#endif
