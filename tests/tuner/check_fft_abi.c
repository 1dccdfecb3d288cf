/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled only, and only where cuFFT's header is: our declarations of its
 * ABI against the originals. */
#include "runtime/vendor/vendor_api.h"

#include <cufft.h>

#define SAME(ours, theirs)                                                     \
    _Static_assert((long long)(ours) == (long long)(theirs), #theirs)

SAME(0, CUFFT_SUCCESS);
SAME(HONE_FFT_ALLOC_FAILED, CUFFT_ALLOC_FAILED);
SAME(HONE_FFT_INVALID_SIZE, CUFFT_INVALID_SIZE);
SAME(HONE_FFT_NOT_SUPPORTED, CUFFT_NOT_SUPPORTED);
SAME(HONE_FFT_NO_HANDLE, CUFFT_PLAN_NULL);
SAME(HONE_FFT_C2C, CUFFT_C2C);
SAME(HONE_FFT_R2C, CUFFT_R2C);
SAME(HONE_FFT_C2R, CUFFT_C2R);
SAME(HONE_FFT_Z2Z, CUFFT_Z2Z);
SAME(HONE_FFT_FORWARD, CUFFT_FORWARD);
SAME(HONE_FFT_INVERSE, CUFFT_INVERSE);
SAME(sizeof(hone_fft_result), sizeof(cufftResult));
SAME(sizeof(hone_fft_handle), sizeof(cufftHandle));
SAME(sizeof(int), sizeof(cufftType));
SAME(sizeof(float[2]), sizeof(cufftComplex));
SAME(sizeof(double[2]), sizeof(cufftDoubleComplex));
