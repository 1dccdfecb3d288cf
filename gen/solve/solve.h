/* SPDX-License-Identifier: Apache-2.0 */
/* From conditions to the set of all configurations that meet them, as a
 * decision diagram. Private to gen/; README.md says how it works. */
#ifndef HONE_GEN_SOLVE_H
#define HONE_GEN_SOLVE_H

#include "gen/solve/graph.h"
#include "runtime/base/error.h"

/* ---- the diagram (diagram.c) -------------------------------------------- */

/* One level per variable, one edge per value that can follow, and what has the
 * same continuations is one node. Its size does not depend on how many
 * configurations it holds. */

/* Edges of node k: begin[k] .. begin[k+1]-1, by ascending value. */
typedef struct hone_diagram_level {
    uint32_t var;
    uint32_t n_values; /* of the variable */
    uint32_t n_nodes;
    uint32_t *begin; /* n_nodes + 1 */
    uint32_t *child; /* node of the next level; 0 on the last */
    uint16_t *value;
    int64_t *before;     /* configurations of the node's edges before this */
    int64_t *count;      /* of the node */
    unsigned char *used; /* by value: does it occur at all? */
} hone_diagram_level;

typedef struct hone_diagram {
    int64_t count;   /* INT64_MAX: that many or more */
    size_t n_levels; /* = number of variables */
    hone_diagram_level levels[];
} hone_diagram;

hone_status hone__diagram_create(size_t n_vars, hone_diagram **out,
                                 hone_error *err);
void hone__diagram_free(hone_diagram *diagram);
/* Once all levels have their nodes and edges: leave out what leads nowhere,
 * and count. */
hone_status hone__diagram_finish(hone_diagram *diagram, hone_error *err);

/* Configurations are numbered in lexicographic order of the levels. Values
 * are by variable. */
void hone__diagram_get(const hone_diagram *diagram, int64_t index,
                       int *out_values);
int64_t hone__diagram_find(const hone_diagram *diagram, const int *values);

/* The values of configurations first .. first+n-1, n_vars each. */
void hone__diagram_rows(const hone_diagram *diagram, int64_t first, int64_t n,
                        uint16_t *out);

/* The configuration with the smallest sum of costs[var][value], of several
 * the first. HONE_ERR_NOT_FOUND if there is none at all. */
hone_status hone__diagram_cheapest(const hone_diagram *diagram,
                                   int64_t *const *costs, int *out_values,
                                   hone_error *err);

/* ---- solving ------------------------------------------------------------ */

/* What building a space may take; 0: no limit. Set once, before the first one
 * is built, by the program; what nobody sets is the defaults. */
enum { HONE_SPACE_MEMORY_MIB = 2048, HONE_SPACE_SECONDS = 300 };

typedef struct hone_solve_limits {
    int64_t most_bytes;
    int64_t most_ns;
    /* Called now and then while it takes longer than a few seconds: so many of
     * the variables are bound, with so many states. NULL: nobody wants it. */
    void (*progress)(const char *name, size_t n_bound, size_t n_vars,
                     size_t n_states, int64_t size_bytes);
} hone_solve_limits;

void hone__solve_limits_set(const hone_solve_limits *limits);

/* One space being built, which may take several diagrams. */
typedef struct hone_solve_watch {
    hone_solve_limits limits;
    int64_t begun_ns;
    int64_t said_ns; /* when progress was told last */
    int64_t bytes;   /* of the levels that are done */
    size_t n_bound;
    size_t most_states; /* of a level so far */
    hone_vars worst;    /* what those differ in */
    int is_over;
} hone_solve_watch;

void hone__solve_watch_begin(hone_solve_watch *watch);
/* Whether it goes on with `size_bytes` beside the levels that are done:
 * HONE_ERR_UNSUPPORTED says what was too much. */
hone_status hone__solve_watch_look(hone_solve_watch *watch, const char *name,
                                   size_t n_vars, size_t n_states,
                                   int64_t size_bytes, hone_error *err);

/* The values of one variable, at most 65536. */
typedef struct hone_choices {
    size_t n;
    const hone_datum *values;
} hone_choices;

typedef struct hone_csp {
    hone_graph *graph; /* grows while it is solved */
    size_t n_vars;     /* at most HONE_GRAPH_VARS */
    const hone_choices *vars;
    const char *name;        /* for messages */
    hone_solve_watch *watch; /* NULL: nobody looks */
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

/* ---- without solving (diagram_listed.c) --------------------------------- */

/* Of these configurations alone, n_vars value indexes each, in any order and as
 * often as they come; levels are in the order of the variables. */
hone_status hone__diagram_list(const hone_choices *vars, size_t n_vars,
                               const uint16_t *rows, size_t n,
                               hone_diagram **out, hone_error *err);

#endif
