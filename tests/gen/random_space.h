/* SPDX-License-Identifier: Apache-2.0 */
/* Random space definitions in both languages, and what they mean: every
 * configuration is evaluated by a plain interpreter of its own, which shares
 * nothing with gen/. */
#ifndef HONE_TESTS_RANDOM_SPACE_H
#define HONE_TESTS_RANDOM_SPACE_H

#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

enum { RS_PARAMS = 6, RS_VALUES = 70, RS_CONSTRAINTS = 8, RS_NODES = 400 };

typedef enum rs_language { RS_TEMPLATE, RS_T1 } rs_language;

typedef enum rs_kind { RS_INT, RS_FLOAT, RS_TEXT, RS_FAULT } rs_kind;

typedef struct rs_value {
    rs_kind kind;
    int64_t i; /* of a text: its letter */
    double f;
} rs_value;

typedef struct rs_node {
    int op; /* a row of the table in random_space.c */
    int n_args;
    int args[4];    /* smaller nodes */
    int64_t number; /* of a constant or parameter */
    double real;
} rs_node;

typedef struct random_space {
    rs_language language;
    size_t n_params;
    size_t n_values[RS_PARAMS];
    rs_value values[RS_PARAMS][RS_VALUES];
    size_t n_constraints;
    int roots[RS_CONSTRAINTS];
    int n_nodes;
    rs_node nodes[RS_NODES];
    uint64_t state; /* of the generator */
} random_space;

/* Numbers below n, from the space's own generator. */
uint32_t rs_next(random_space *space, uint32_t n);

/* Make the space of this seed, of at most `most_raw` configurations. */
void rs_make(random_space *space, rs_language language, uint64_t seed,
             size_t most_raw);
/* Its definition: a template, or a T1 file. */
void rs_write(const random_space *space, hone_text *out);
size_t rs_raw(const random_space *space);
/* Value indexes of raw configuration `rank`, the last parameter fastest. */
void rs_config(const random_space *space, size_t rank, int *out);
/* The first constraint that rejects it: `*out_fault` if it has no value
 * there. n_constraints: it is valid. */
size_t rs_first(const random_space *space, const int *value_indexes,
                int *out_fault);
/* Does this constraint hold, whatever the others do? A fault does not. */
int rs_holds(const random_space *space, size_t constraint,
             const int *value_indexes);
/* Is there a constraint without parameters that has no value? Templates with
 * one are refused as they are read. */
int rs_has_constant_fault(const random_space *space);

#endif
