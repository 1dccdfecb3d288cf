/* SPDX-License-Identifier: Apache-2.0 */
/* A search space as text of another language: its parameters' values and its
 * constraints, as Python expressions of T1 files or as those of templates. */
#ifndef HONE_GEN_SPACE_SPELL_H
#define HONE_GEN_SPACE_SPELL_H

#include "gen/space.h"

typedef enum hone_language { HONE_PYTHON, HONE_C } hone_language;

/* Append the name of a parameter, and one of its values: "'f32'" in Python,
 * "f32" in C. */
const char *hone__space_param_name(const hone_space *space, size_t param);
void hone__space_spell_value(const hone_space *space, size_t param,
                             size_t value, hone_language language,
                             hone_text *out);
/* The value that is its default; 0 of a T1 definition. */
size_t hone__space_default_value(const hone_space *space, size_t param);

/* Append a constraint, with problem and device filled in; nothing if it lets
 * all configurations through. `*out_vars` has a bit for each parameter that it
 * reads. What depends on one parameter alone and has no operator in the
 * language is spelled value by value. HONE_ERR_UNSUPPORTED: it cannot be
 * spelled, and the sentence says why. */
hone_status hone__space_spell(const hone_space *space, size_t constraint,
                              hone_language language, hone_text *out,
                              hone_vars *out_vars, hone_error *err);

#endif
