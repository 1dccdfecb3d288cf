/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler options a template may set, and how NVRTC spells them. */
#ifndef HONE_GEN_OPTION_TABLE_H
#define HONE_GEN_OPTION_TABLE_H

#include <stddef.h>

typedef enum hone_nvrtc_kind {
    HONE_NVRTC_COUNT,  /* an integer; 0 leaves the option out */
    HONE_NVRTC_CHOICE, /* =true or =false */
    HONE_NVRTC_FLAG    /* there if true */
} hone_nvrtc_kind;

/* X(name in a template, NVRTC's option, kind, meaning) */
#define HONE_OPTION_MAP(X)                                                     \
    X(extra_device_vectorization, "--extra-device-vectorization",              \
      HONE_NVRTC_FLAG, "true: more aggressive vectorization of device code")   \
    X(fmad, "--fmad", HONE_NVRTC_CHOICE,                                       \
      "true: a product and a sum may become one fused multiply-add")           \
    X(ftz, "--ftz", HONE_NVRTC_CHOICE,                                         \
      "true: subnormal f32 numbers are flushed to zero")                       \
    X(maxrregcount, "--maxrregcount", HONE_NVRTC_COUNT,                        \
      "most registers of a thread; 0 leaves it to the compiler")               \
    X(prec_div, "--prec-div", HONE_NVRTC_CHOICE,                               \
      "false: f32 division is approximate")                                    \
    X(prec_sqrt, "--prec-sqrt", HONE_NVRTC_CHOICE,                             \
      "false: the f32 square root is approximate")                             \
    X(use_fast_math, "--use_fast_math", HONE_NVRTC_FLAG,                       \
      "true: ftz, approximate division and roots, fast intrinsics")

typedef struct hone_option_row {
    const char *name;
    const char *spelling;
    hone_nvrtc_kind kind;
    const char *meaning; /* of its value, a sentence */
} hone_option_row;

enum { HONE_N_NVRTC_OPTIONS = 7 };
extern const hone_option_row hone__nvrtc_options[HONE_N_NVRTC_OPTIONS];

/* NULL if there is no such option. */
const hone_option_row *hone__option_find(const char *name, size_t length);

#endif
