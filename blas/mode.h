/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment asks for, and what is said about it. */
#ifndef HONE_BLAS_MODE_H
#define HONE_BLAS_MODE_H

#include "runtime/hone.h"

typedef enum hone_blas_mode {
    HONE_BLAS_OFF,
    HONE_BLAS_RECORD, /* count */
    HONE_BLAS_ON      /* and answer */
} hone_blas_mode;

typedef struct hone_blas_settings {
    hone_blas_mode mode;
    const char *file;     /* $HONE_BLAS_FILE: the record; NULL: none */
    const char *only;     /* $HONE_BLAS_ONLY: the shapes that may be answered */
    uint64_t check_every; /* $HONE_BLAS_CHECK; 0: never */
    uint64_t n_lines;     /* $HONE_BLAS_LINES: shapes that the report lists */
    int is_quiet;         /* $HONE_BLAS_QUIET */
    int has_no_tf32;      /* $NVIDIA_TF32_OVERRIDE is 0: nobody computes so */
    int is_host;          /* $HONE_DEVICE=cpu: arrays are host memory */
} hone_blas_settings;

/* Read once. What cannot be understood is said, and is off; so is everything
 * in a program that runs with another user's rights. Thread-safe. */
const hone_blas_settings *hone__blas_settings(void);

/* A line on stderr: "hone: ..". `is_news`: not said with $HONE_BLAS_QUIET. */
void hone__blas_say(int is_news, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
