/* SPDX-License-Identifier: Apache-2.0 */
/* From conditions to the set of all configurations that meet them. Private to
 * gen/; README.md says how it works. */
#ifndef HONE_GEN_SOLVE_H
#define HONE_GEN_SOLVE_H

#include "gen/solve/diagram.h"
#include "gen/solve/graph.h"

/* The values of one variable, at most 65536. */
typedef struct hone_choices {
    size_t n;
    const hone_datum *values;
} hone_choices;

typedef struct hone_csp {
    hone_graph *graph; /* grows while it is solved */
    size_t n_vars;     /* at most HONE_GRAPH_VARS */
    const hone_choices *vars;
    const char *name; /* for messages */
} hone_csp;

/* The configurations for which every root is true; one for which a root is a
 * fault is not among them. HONE_ERR_NO_MEMORY; HONE_ERR_UNSUPPORTED when the
 * conditions tie so much together that no compact form is found. */
hone_status hone__csp_solve(const hone_csp *csp, const hone_node *roots,
                            size_t n_roots, hone_diagram **out,
                            hone_error *err);

/* The first of the roots, in their order, that is a fault for a configuration
 * for which all roots before it are true. `*out_root` is n_roots if there is
 * none, else `out_values` gets the value indexes of such a configuration. */
hone_status hone__csp_find_fault(const hone_csp *csp, const hone_node *roots,
                                 size_t n_roots, size_t *out_root,
                                 int *out_values, hone_error *err);

#endif
