/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of a library of baselines, libhone_baselines.so:
 * implementations that need a CUDA compiler (CUB) and so cannot be part of
 * hone itself. The library may be written in C, C++ or CUDA C++, in any
 * version of CUDA; it exports one function, hone_baselines_v1. It is loaded
 * from $HONE_BASELINES, else from ../lib beside the running program. */
#ifndef HONE_TUNER_BASELINE_PLUGIN_H
#define HONE_TUNER_BASELINE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call of a baseline returns. With the last two it writes a sentence.
 */
enum {
    HONE_BASELINE_OK = 0,
    HONE_BASELINE_UNFIT = 1, /* it cannot do this problem */
    HONE_BASELINE_FAILED = 2 /* CUDA reported an error */
};

/* Values of hone_baseline_arg_v1.mode: those of hone_arg_mode. */
enum {
    HONE_BASELINE_SCALAR = 0,
    HONE_BASELINE_IN = 1,
    HONE_BASELINE_OUT = 2,
    HONE_BASELINE_INOUT = 3
};

typedef struct hone_baseline_arg_v1 {
    const char *name;
    int32_t mode;
    int32_t type;  /* a hone_type code: 4 is f32 */
    int64_t count; /* elements; 1 for a scalar */
} hone_baseline_arg_v1;

/* Valid during open() only. */
typedef struct hone_baseline_problem_v1 {
    const char *op;
    size_t n_dims;
    const int64_t *dims;
    size_t n_args;
    const hone_baseline_arg_v1 *args;
} hone_baseline_problem_v1;

/* Where a baseline writes one plain sentence, NUL-terminated. */
typedef struct hone_baseline_message_v1 {
    char *text;
    size_t size_bytes;
} hone_baseline_message_v1;

/* One baseline. The primary context of the device is current in every call.
 */
typedef struct hone_baseline_v1 {
    const char *name;  /* "cub.sum" */
    const char *label; /* "CUB (cub::DeviceReduce::Sum)", for tables */

    /* Make everything that one problem needs: `*state` is handed to the
     * other two. On failure it must leave nothing behind. */
    int (*open)(const hone_baseline_problem_v1 *problem, void **state,
                size_t *n_algorithms, hone_baseline_message_v1 *message);

    /* Enqueue one execution on a CUstream. args[i] points to the device
     * pointer of an array, or to the value of a scalar. Must be capturable
     * into a graph after its first execution. */
    int (*enqueue)(void *state, size_t algorithm, void *const *args,
                   void *stream, hone_baseline_message_v1 *message);

    void (*close)(void *state);
} hone_baseline_v1;

/* The exported function: an array of *n baselines, of static storage. */
const hone_baseline_v1 *hone_baselines_v1(size_t *n);
typedef const hone_baseline_v1 *(*hone_baselines_v1_function)(size_t *n);

#ifdef __cplusplus
}
#endif
#endif
