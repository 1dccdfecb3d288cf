/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a kernel as its author wrote them. */
#ifndef HONE_GEN_PARAMETER_H
#define HONE_GEN_PARAMETER_H

#include "runtime/base/text.h"

#include <stddef.h>

/* Behind the bracket that opens the parameters of `name`, where it is named
 * first; NULL: it is not found, as where a macro makes it. */
const char *hone__parameters_find(const char *text, const char *name);
/* The end of the parameter at `at`: its comma or the bracket behind the last.
 */
const char *hone__parameter_end(const char *at);
/* Code as part of a string literal, on one line. */
void hone__parameter_code(const char *at, const char *end, hone_text *out);
/* Parameter `index` as it is written, "" if it is not found. */
void hone__parameter_put(const char *parameters, size_t index, hone_text *out);

/* A parameter that is no more than words and perhaps a star:
 * `const T *__restrict__ x`, `long long n`. */
typedef struct hone_parameter {
    char type[64]; /* "long long"; without const and the star */
    int is_pointer;
    int is_const; /* what it points to */
} hone_parameter;

/* 0: there is more to it. `at` is moved to the parameter's end. */
int hone__parameter_parse(const char **at, hone_parameter *out);

#endif
