/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a problem: what the values of an argument are drawn from, and the
 * values, the same on every device and for the same seed. */
#ifndef HONE_TUNER_INPUT_VALUES_H
#define HONE_TUNER_INPUT_VALUES_H

#include "gen/parse/template.h"

/* The two runs a variant is verified with: integers, where the result must
 * be exact, and reals within the bound. Timing uses the reals: integers and
 * zeros toggle fewer bits and run up to 13 % faster on a GPU. */
typedef enum hone_pass_data {
    HONE_PASS_EXACT,
    HONE_PASS_REALS,
    HONE_N_PASSES
} hone_pass_data;

/* A distribution in numbers, as in device_code.cu. */
typedef struct hone_draw {
    int kind;      /* hone_draw_kind, up to HONE_DRAW_PERMUTATION */
    int integers;  /* values are whole numbers, of any element type */
    int64_t first; /* of whole numbers: the least .. */
    uint64_t span; /* .. and how many there are */
    double low;    /* of reals; both are drawn */
    double high;
    double a;     /* normal: the mean; zipf: the exponent */
    double b;     /* normal: the deviation; zipf: see quantile() */
    double u_low; /* normal: which part of it lies in the range */
    double u_span;
    int64_t half_bits; /* permutation: see permuted() */
} hone_draw;

/* How an argument's values are made in one pass. */
typedef struct hone_drawn {
    hone_draw draw;
    int is_sorted;    /* on the host, as are the two below */
    int is_offsets;   /* the last one is draw.span - 1 */
    const char *file; /* NULL: none */
} hone_drawn;

/* What an argument is drawn from in one problem. */
typedef struct hone_draw_request {
    const hone_template *tmpl;
    size_t arg;
    int type; /* of its elements, or of the parts of complex ones */
    int64_t count;
    const int64_t *slots; /* hone_check_slots */
    int64_t amplitude;    /* of integers in the exact pass; 0: reals */
} hone_draw_request;

/* HONE_ERR_INPUT, with the place: nothing can be drawn, such as from a range
 * that is empty. */
hone_status hone__draw_resolve(const hone_draw_request *request,
                               hone_drawn *out, hone_error *err);

/* splitmix64's finaliser, from which all random numbers come. */
uint64_t hone__inputs_mix(uint64_t x);
/* Seed of one argument's values. */
uint64_t hone__inputs_seed(uint64_t seed, size_t arg, int pass);
/* Element `index` of an array: the same numbers as hone_fill in
 * device_code.cu. */
double hone__inputs_value(const hone_draw *draw, uint64_t seed, uint64_t index);
/* All elements of an array that is sorted, or offsets. */
void hone__inputs_ascending(const hone_drawn *drawn, int type, uint64_t seed,
                            void *array, int64_t n);

/* The value of a scalar argument, of any type. */
typedef union hone_scalar {
    uint64_t bits[2];
    double f64[2];
} hone_scalar;

/* Where nothing is declared: an integer from 1, or a real in [0.25, 1); the
 * imaginary part is half of the real one. */
void hone__inputs_scalar(hone_type type, uint64_t seed, size_t arg, int pass,
                         int64_t amplitude, hone_scalar *out);

/* ---- npy.c --------------------------------------------------------------- */

/* Arrays in NumPy's .npy files. bf16, which NumPy has not, is kept as f32, as
 * is tf32. */

/* An array of `shape` in C order. HONE_ERR_IO. */
hone_status hone__npy_write(const char *path, hone_type type,
                            const int64_t *shape, size_t n_dims,
                            const void *array, hone_error *err);
/* Fill an array of `count` elements from a file of any shape: over and over
 * where it has fewer, the first ones where it has more. HONE_ERR_IO;
 * HONE_ERR_INPUT: not such a file, or of other elements. */
hone_status hone__npy_read(const char *path, hone_type type, int64_t count,
                           void *array, hone_error *err);

#endif
