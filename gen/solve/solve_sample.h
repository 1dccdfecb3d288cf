/* SPDX-License-Identifier: Apache-2.0 */
/* What a sample of random configurations says about conditions and values,
 * for the choice of an order: solve_sample.c takes it, solve_outlook.c asks
 * it, solve_order.c decides. Private to them. */
#ifndef HONE_GEN_SOLVE_SAMPLE_H
#define HONE_GEN_SOLVE_SAMPLE_H

#include "gen/solve/solver.h"

enum {
    HONE_SAMPLES = 128,
    HONE_SAMPLE_WORDS = HONE_SAMPLES / 64,
    HONE_ENOUGH_SAMPLES = 6 /* to say something about a subset */
};

/* A subset of the sample. */
typedef struct hone_subset {
    uint64_t bits[HONE_SAMPLE_WORDS];
} hone_subset;

/* What is known of a condition once `bound` are bound. */
typedef struct hone_outlook {
    hone_vars bound;
    hone_subset alive; /* it can still hold */
    double share;      /* of all partial configurations, for which it can */
    struct hone_outlook *next;
} hone_outlook;

/* A node in each configuration of the sample. */
typedef struct hone_sample_node {
    double variety; /* how many values it has */
    double fast[HONE_SAMPLES];
    hone_datum checked[HONE_SAMPLES];
    /* The least and the most that it can become, once some of its variables
     * are bound. Floats: estimates only. */
    const float *low;
    const float *high;
    float exact[HONE_SAMPLES];      /* all variables bound */
    float range[2][HONE_SAMPLES];   /* none bound */
    float between[2][HONE_SAMPLES]; /* some bound */
} hone_sample_node;

typedef struct hone_sample_root {
    hone_vars vars;
    hone_subset alive; /* it holds */
    double share;
    int is_ordered; /* a comparison: it leaves few different masks */
    size_t n_steps; /* the nodes it is made of */
    hone_node *steps;
    hone_outlook *outlooks;
} hone_sample_root;

typedef struct hone_sample {
    hone_solver *solver;
    hone_sample_root *roots;  /* as solver->roots */
    hone_sample_node **nodes; /* by number; NULL: not wanted */
    hone_column *columns;     /* theirs */
    unsigned char *reached;
    hone_outlook all; /* of a condition that is not touched */
} hone_sample;

/* Memory is the solver's. The same seed gives the same sample. */
hone_status hone__sample_take(hone_sample *sample, hone_solver *solver,
                              uint64_t seed, hone_error *err);
/* The outlook of condition `root`. */
const hone_outlook *hone__sample_look(hone_sample *sample, size_t root,
                                      hone_vars bound);
void hone__subset_and(hone_subset *subset, const hone_subset *other);
int hone__subset_size(const hone_subset *subset);
/* Operations that it costs in each lane to try the values of the variable
 * that is left or, if `bound` is not all but one, one value of `var`. */
double hone__sample_work(const hone_sample *sample, size_t root,
                         hone_vars bound, uint32_t var);
/* How many states differ; `alive` is what all conditions let through. */
double hone__sample_states(hone_sample *sample, hone_vars bound,
                           const hone_subset *alive);

#endif
