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

/* What older ones lack; NULL in them. PCH heap: since CUDA 12.8. */
#define HONE_NVRTC_OPTIONAL_MAP(X)                                             \
    X(ptx_size, nvrtcGetPTXSize, hone_nvrtc_result,                            \
      (hone_nvrtc_program program, size_t * out))                              \
    X(ptx, nvrtcGetPTX, hone_nvrtc_result,                                     \
      (hone_nvrtc_program program, char *out))                                 \
    X(set_pch_heap_bytes, nvrtcSetPCHHeapSize, hone_nvrtc_result,              \
      (size_t size_bytes))                                                     \
    X(count_archs, nvrtcGetNumSupportedArchs, hone_nvrtc_result, (int *out))   \
    X(list_archs, nvrtcGetSupportedArchs, hone_nvrtc_result, (int *out))

enum { HONE_NVRTC_MAX_ARCHS = 64 };

typedef struct hone_nvrtc {
#define HONE_NVRTC_FIELD(field, symbol, type, parameters)                      \
    type(*field) parameters;
    HONE_NVRTC_MAP(HONE_NVRTC_FIELD)
    HONE_NVRTC_OPTIONAL_MAP(HONE_NVRTC_FIELD)
#undef HONE_NVRTC_FIELD
    int version_major;
    int version_minor;
    const char *origin;  /* "named by $CUDA_HOME", .. */
    char library[1024];  /* path of the library that was loaded */
    char includes[1024]; /* folder with cuda_fp16.h and mma.h; "" if none */
    char crt[1024];      /* one with crt/mma.h; "": in `includes`, or none */
    char cccl[1056];     /* one in it with cub/ and cuda/std/; "" if none */
} hone_nvrtc;

/* The process-wide table: the library that $HONE_NVRTC_LIBRARY names, if it is
 * set, else the first of CUDA 12.0 or newer in the places that nvrtc_places.c
 * lists. Headers: $HONE_CUDA_INCLUDE, beside the
 * library, else in the same places, those of the same major version first.
 * HONE_ERR_NO_NVRTC says what was passed over and what to install. */
hone_status hone__nvrtc_get(const hone_nvrtc **out, hone_error *err);

/* The architectures that it compiles for, as 90 for sm_90, at most
 * HONE_NVRTC_MAX_ARCHS; 0 where it does not say. */
int hone__nvrtc_archs(const hone_nvrtc *nvrtc, int *out);

/* What loading one file shows. */
typedef struct hone_nvrtc_look {
    char path[1024];   /* without links; as it was given if it does not load */
    char reason[512];  /* it is of no use; "": it is */
    int version_major; /* 0 if it could not be asked */
    int version_minor;
} hone_nvrtc_look;

/* Load a file, or what the dynamic loader finds for a name without a slash. A
 * library may do anything then, in the process that asks. */
void hone__nvrtc_look(const char *path, hone_nvrtc_look *out);

#endif
