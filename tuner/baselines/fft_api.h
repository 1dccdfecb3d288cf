/* SPDX-License-Identifier: Apache-2.0 */
/* cuFFT as a table of functions, filled by dlopen. Declarations follow the
 * ABI of CUDA 12 and 13 (libcufft.so.11 and .12); its header is not used. */
#ifndef HONE_TUNER_FFT_API_H
#define HONE_TUNER_FFT_API_H

#include "runtime/base/error.h"
#include "runtime/hone.h"

#include <stddef.h>

typedef int hone_fft_result; /* cufftResult; 0 is success */
typedef int hone_fft_handle; /* cufftHandle */

enum { HONE_FFT_NO_HANDLE = -1 };

/* cufftType and directions. */
enum {
    HONE_FFT_C2C = 0x29,
    HONE_FFT_Z2Z = 0x69,
    HONE_FFT_FORWARD = -1,
    HONE_FFT_INVERSE = 1
};

enum {
    HONE_FFT_ALLOC_FAILED = 2,
    HONE_FFT_INVALID_SIZE = 8,
    HONE_FFT_NOT_IMPLEMENTED = 0xe,
    HONE_FFT_NOT_SUPPORTED = 0x10
};

/* X(field, symbol, parameters); all return hone_fft_result. The strides that
 * follow a NULL `embed` are not read: transforms stand one after another. */
#define HONE_FFT_MAP(X)                                                        \
    X(create, cufftCreate, (hone_fft_handle * out))                            \
    X(make_plan, cufftMakePlanMany64,                                          \
      (hone_fft_handle h, int rank, long long *n, long long *in_embed,         \
       long long in_stride, long long in_distance, long long *out_embed,       \
       long long out_stride, long long out_distance, int type,                 \
       long long batch, size_t *workspace_bytes))                              \
    X(set_stream, cufftSetStream, (hone_fft_handle h, hone_stream s))          \
    X(exec_c2c, cufftExecC2C,                                                  \
      (hone_fft_handle h, void *in, void *out, int direction))                 \
    X(exec_z2z, cufftExecZ2Z,                                                  \
      (hone_fft_handle h, void *in, void *out, int direction))                 \
    X(destroy, cufftDestroy, (hone_fft_handle h))

typedef struct hone_fft {
#define HONE_FFT_FIELD(field, symbol, parameters)                              \
    hone_fft_result(*field) parameters;
    HONE_FFT_MAP(HONE_FFT_FIELD)
#undef HONE_FFT_FIELD
} hone_fft;

/* The process-wide table: libcufft.so of version 12 or 11, or the file that
 * $HONE_CUFFT_LIBRARY names. Loaded at the first success and kept;
 * HONE_ERR_UNSUPPORTED says what is missing. Thread-safe. */
hone_status hone__fft_get(const hone_fft **out, hone_error *err);

/* HONE_OK for 0; HONE_ERR_UNSUPPORTED for what cuFFT does not do,
 * HONE_ERR_NO_MEMORY, else HONE_ERR_CUDA: "WHAT failed: text (code)". */
hone_status hone__fft_check(hone_fft_result result, const char *what,
                            hone_error *err);

#endif
