/* SPDX-License-Identifier: Apache-2.0 */
/* NVRTC as a table of functions, filled by dlopen. */
#ifndef HONE_RUNTIME_NVRTC_API_H
#define HONE_RUNTIME_NVRTC_API_H

#include "runtime/base/error.h"

#include <stddef.h>

typedef int hone_nvrtc_result; /* nvrtcResult; 0 is success */
enum {
    HONE_NVRTC_OUT_OF_MEMORY = 1,
    HONE_NVRTC_COMPILATION_FAILED = 6,
    HONE_NVRTC_INTERNAL_ERROR = 11
};
typedef struct _nvrtcProgram *hone_nvrtc_program;

/* X(field, symbol, return type, parameters) */
#define HONE_NVRTC_MAP(X)                                                      \
    X(version, nvrtcVersion, hone_nvrtc_result, (int *major, int *minor))      \
    X(error_string, nvrtcGetErrorString, const char *, (hone_nvrtc_result r))  \
    X(create, nvrtcCreateProgram, hone_nvrtc_result,                           \
      (hone_nvrtc_program * out, const char *source, const char *name,         \
       int n_headers, const char *const *headers,                              \
       const char *const *include_names))                                      \
    X(destroy, nvrtcDestroyProgram, hone_nvrtc_result,                         \
      (hone_nvrtc_program * program))                                          \
    X(compile, nvrtcCompileProgram, hone_nvrtc_result,                         \
      (hone_nvrtc_program program, int n_options, const char *const *options)) \
    X(cubin_size, nvrtcGetCUBINSize, hone_nvrtc_result,                        \
      (hone_nvrtc_program program, size_t * out))                              \
    X(cubin, nvrtcGetCUBIN, hone_nvrtc_result,                                 \
      (hone_nvrtc_program program, char *out))                                 \
    X(log_size, nvrtcGetProgramLogSize, hone_nvrtc_result,                     \
      (hone_nvrtc_program program, size_t * out))                              \
    X(log, nvrtcGetProgramLog, hone_nvrtc_result,                              \
      (hone_nvrtc_program program, char *out))

typedef struct hone_nvrtc {
#define HONE_NVRTC_FIELD(field, symbol, type, parameters)                      \
    type(*field) parameters;
    HONE_NVRTC_MAP(HONE_NVRTC_FIELD)
#undef HONE_NVRTC_FIELD
    /* nvrtcSetPCHHeapSize, since CUDA 12.8; NULL in older ones. */
    hone_nvrtc_result (*set_pch_heap_bytes)(size_t size_bytes);
    int version_major;
    int version_minor;
    char library[1024];  /* path of the library that was loaded */
    char includes[1024]; /* folder with cuda_fp16.h and mma.h; "" if none */
    char cccl[1056];     /* one in it with cub/ and cuda/std/; "" if none */
} hone_nvrtc;

/* The process-wide table. Tried in order: $HONE_NVRTC_LIBRARY alone if set;
 * libnvrtc.so.{13,12} by the loader; the same under $CUDA_HOME/lib64,
 * $CUDA_PATH/lib64 and /usr/local/cuda/lib64. Includes: $HONE_CUDA_INCLUDE,
 * beside the library (../include), $CUDA_HOME, $CUDA_PATH, /usr/local/cuda.
 * HONE_ERR_NO_NVRTC lists what was tried and says what to install. */
hone_status hone__nvrtc_get(const hone_nvrtc **out, hone_error *err);

#endif
