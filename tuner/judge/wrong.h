/* SPDX-License-Identifier: Apache-2.0 */
/* The first elements of an output that are wrong: as they travel from the
 * worker to who shows them. */
#ifndef HONE_TUNER_WRONG_H
#define HONE_TUNER_WRONG_H

#include "runtime/base/text.h"
#include "runtime/launch/launch_spec.h"

#include <stdint.h>

enum { HONE_MAX_WRONG_SHOWN = 32 };

/* Of integers of 64 bits `got` and `expected` are as near as doubles come. */
typedef struct hone_wrong_element {
    int64_t index; /* of its part, where numbers are complex */
    double got;
    double expected;
    double bound; /* how far off it may be */
    int64_t got_long;
    int64_t expected_long;
} hone_wrong_element;

typedef struct hone_wrong {
    char array[64]; /* "" : nothing is shown */
    char run[40];   /* "integers", .. */
    int type;       /* of elements; of complex numbers, of their parts */
    int n_parts;    /* 2: complex numbers */
    int n_dims;
    int64_t dims[HONE_MAX_RANK];
    int64_t n_wrong;
    int64_t n_compared;
    int is_dumped; /* its arrays are in files */
    int n_shown;
    hone_wrong_element shown[HONE_MAX_WRONG_SHOWN];
} hone_wrong;

/* "[3][7]", "[5].imag": where the element stands in its array. */
void hone__wrong_place(const hone_wrong *wrong, int64_t index, hone_text *out);
/* A value as its type writes it: "-0.125", "nan", an integer in full. */
void hone__wrong_value(const hone_wrong *wrong, double value,
                       int64_t value_long, hone_text *out);
/* "y[3] = 1.5, expected 2.5, off by 1 (allowed 1e-07)". */
void hone__wrong_sentence(const hone_wrong *wrong,
                          const hone_wrong_element *element, hone_text *out);

#endif
