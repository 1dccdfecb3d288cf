/* SPDX-License-Identifier: Apache-2.0 */
/* Something that looks like NVRTC of the version FAKE_MAJOR.FAKE_MINOR, for
 * tests of how it is found; with FAKE_LACKS it has no nvrtcGetCUBIN. */
#include "runtime/driver/nvrtc_api.h"

#define FAKE __attribute__((visibility("default")))

#define DECLARE(field, symbol, type, parameters) FAKE type symbol parameters;
HONE_NVRTC_MAP(DECLARE)
HONE_NVRTC_OPTIONAL_MAP(DECLARE)

hone_nvrtc_result nvrtcVersion(int *major, int *minor)
{
    *major = FAKE_MAJOR;
    *minor = FAKE_MINOR;
    return 0;
}

hone_nvrtc_result nvrtcGetNumSupportedArchs(int *out)
{
    *out = 2;
    return 0;
}

hone_nvrtc_result nvrtcGetSupportedArchs(int *out)
{
    out[0] = 80;
    out[1] = 90;
    return 0;
}

const char *nvrtcGetErrorString(hone_nvrtc_result r)
{
    return r ? "fake" : "none";
}

hone_nvrtc_result nvrtcCreateProgram(hone_nvrtc_program *out,
                                     const char *source, const char *name,
                                     int n_headers, const char *const *headers,
                                     const char *const *include_names)
{
    (void)source, (void)name, (void)n_headers, (void)headers;
    (void)include_names;
    *out = NULL;
    return HONE_NVRTC_INTERNAL_ERROR;
}

hone_nvrtc_result nvrtcDestroyProgram(hone_nvrtc_program *program)
{
    *program = NULL;
    return 0;
}

hone_nvrtc_result nvrtcCompileProgram(hone_nvrtc_program program, int n_options,
                                      const char *const *options)
{
    (void)program, (void)n_options, (void)options;
    return HONE_NVRTC_INTERNAL_ERROR;
}

#define NO_BYTES(function)                                                     \
    hone_nvrtc_result function(hone_nvrtc_program program, size_t *out)        \
    {                                                                          \
        (void)program;                                                         \
        *out = 0;                                                              \
        return 0;                                                              \
    }
NO_BYTES(nvrtcGetCUBINSize)
NO_BYTES(nvrtcGetPTXSize)
NO_BYTES(nvrtcGetProgramLogSize)

#define NOTHING(function)                                                      \
    hone_nvrtc_result function(hone_nvrtc_program program, char *out)          \
    {                                                                          \
        (void)program, (void)out;                                              \
        return 0;                                                              \
    }
NOTHING(nvrtcGetProgramLog)
NOTHING(nvrtcGetPTX)
#ifndef FAKE_LACKS
NOTHING(nvrtcGetCUBIN)
#endif
