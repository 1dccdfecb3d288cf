/* SPDX-License-Identifier: Apache-2.0 */
/* CPU references that `check cpu.NAME` compares with. The tuner gets them as
 * a table from its caller. */
#ifndef HONE_TUNER_CPU_REFERENCE_H
#define HONE_TUNER_CPU_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Compute elements [first, first + count) of one output of the operation, in
 * double: their values, and their magnitudes (the sum of the absolute values
 * of the terms, or what else rounding errors are in proportion to). A complex
 * number is two elements: its real and its imaginary part. `args` has a host
 * pointer per declared argument: to the array or the scalar, in its native
 * type, as it was before the run. */
typedef void hone_reference_compute(const int64_t *dims,
                                    const void *const *args, int64_t first,
                                    int64_t count, double *value,
                                    double *magnitude);

enum { HONE_MAX_REFERENCE_OUTPUTS = 8 };

typedef struct hone_reference {
    const char *name; /* what follows "cpu." in the template */
    /* One for each array that is written, in the order of declaration. */
    hone_reference_compute *compute[HONE_MAX_REFERENCE_OUTPUTS];
    /* Floating-point operations per output element. */
    double (*cost)(const int64_t *dims);
    /* Element types of the arguments that it can read, in the order of
     * declaration, as alternatives: "f32 f32|f64 f64". NULL: any. */
    const char *types;
} hone_reference;

#endif
