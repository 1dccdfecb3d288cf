/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions spelled value by value (space_spell.c). */
#ifndef HONE_GEN_SPACE_SPELL_CASES_H
#define HONE_GEN_SPACE_SPELL_CASES_H

#include "gen/space_spell.h"

/* So that a table is small; a line may become too long for fewer. */
enum { HONE_SPELL_MOST_CASES = 512 };

/* A value of a parameter, whether of a template or of a T1 definition. */
hone_datum hone__space_value(const hone_space *space, size_t param,
                             size_t value);
/* "((P == 1 && (Q == 2 || Q == 3)) || (P == 2 && Q == 4))": where `node` holds.
 * 0, and nothing is written: there are more than HONE_SPELL_MOST_CASES
 * combinations. `scratch`: as of hone__graph_eval(). */
int hone__space_spell_cases(const hone_space *space, const hone_graph *graph,
                            hone_node node, hone_datum *scratch,
                            hone_language language, hone_text *out);

#endif
