/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of the preprocessor (`#if E`), as far as they can be decided. */
#ifndef HONE_GEN_CONDITION_H
#define HONE_GEN_CONDITION_H

#include <stddef.h>
#include <stdint.h>

typedef enum hone_decision {
    HONE_DECIDED_FALSE,
    HONE_DECIDED_TRUE,
    HONE_UNDECIDED
} hone_decision;

/* The tokens that a macro stands for, not NUL-terminated; NULL: nothing is
 * known of it, not even whether it is one. */
typedef const char *hone_macro_fn(const void *user, const char *name,
                                  size_t name_length, size_t *out_length);

/* `text` is what stands behind `#if`. Undecided is whatever depends on a name
 * that is not known, on the width or sign of numbers, and what is no
 * condition. */
hone_decision hone__condition_decide(const char *text, size_t length,
                                     hone_macro_fn *macro, const void *user);

#endif
