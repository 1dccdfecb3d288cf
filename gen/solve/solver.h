/* SPDX-License-Identifier: Apache-2.0 */
/* What the files behind solve.h share. Private to them. */
#ifndef HONE_GEN_SOLVER_H
#define HONE_GEN_SOLVER_H

#include "gen/solve/solve.h"
#include "runtime/base/alloc.h"

enum {
    HONE_MASK_BITS = 64, /* variables with more values get no masks */
    HONE_LANE_WORK = 25, /* what a lane costs beside its conditions, in
                            operations; measured */
    HONE_LANES = 512     /* partial configurations evaluated at once: what they
                            need stays in the second-level cache */
};

/* What is known of a node's values over all values of its variables. */
typedef struct hone_node_info {
    double low;
    double high;
    hone_datum_kind kind;
    unsigned char wanted; /* a root of this run needs it */
    unsigned char fast;   /* never a fault, always of `kind`, and exact as a
                             double */
    unsigned char plain;  /* of a division: nothing negative */
    unsigned char loose;  /* fast by its table alone: the ranges of its
                             operands  do not prove it */
    hone_datum *table;    /* of one variable: by position; else NULL */
    double *fast_table;   /* the same if fast */
} hone_node_info;

/* The values of a variable that conditions on it alone leave. */
typedef struct hone_positions {
    size_t n;
    uint16_t *values; /* indexes into hone_choices, ascending */
} hone_positions;

typedef struct hone_solver {
    const hone_csp *csp;
    hone_graph *graph;
    hone_arena arena;
    hone_positions positions[HONE_GRAPH_VARS];
    hone_node_info *info; /* of the first n_info nodes */
    uint32_t n_info;
    hone_node *roots; /* those of two or more variables */
    size_t n_roots;
    int is_empty; /* known before any search */
    uint32_t order[HONE_GRAPH_VARS];
    int64_t work; /* operations on lanes so far */
} hone_solver;

/* --- solve_domains.c --- */
/* Take over the roots: those that read one variable reduce it, the others are
 * kept. Fills in positions and info. Free the arena also after a failure. */
hone_status hone__solver_open(hone_solver *solver, const hone_csp *csp,
                              const hone_node *roots, size_t n_roots,
                              hone_error *err);
/* Info for nodes made since. */
hone_status hone__solver_extend(hone_solver *solver, hone_error *err);

/* --- solve_range.c --- */
/* From the info of its operands. */
void hone__range_of(const hone_solver *solver, hone_node node,
                    hone_node_info *out);

/* --- solve_order.c --- */
/* Fill in solver->order. `attempt` 0 is the declared order, for people put
 * together what belongs together; each other one is a guess of its own. */
hone_status hone__solver_order(hone_solver *solver, size_t attempt,
                               hone_error *err);
enum { HONE_ORDERS = 8 };

/* --- solve_bounds.c --- */
/* Add conditions that follow from the others, need fewer variables and so
 * find dead ends early. */
hone_status hone__solver_add_bounds(hone_solver *solver, hone_error *err);

/* --- solve_columns.c --- */
/* A node in every lane: doubles if it is fast, else values. */
typedef struct hone_column {
    double *fast;
    hone_datum *checked;
} hone_column;

/* Fill the column of `node` for n lanes from those of its operands. */
void hone__column_apply(const hone_solver *solver, hone_node node,
                        const hone_column *columns, size_t n);

/* --- solve_plan.c: what is evaluated when a variable is bound --- */
typedef enum hone_step_kind {
    HONE_STEP_ROW,    /* from the state it was kept in */
    HONE_STEP_TABLE,  /* from the table, by the lane's position */
    HONE_STEP_CHOICE, /* from the table, by the position being tried */
    HONE_STEP_APPLY
} hone_step_kind;

typedef struct hone_step {
    hone_step_kind kind;
    hone_node node;
    size_t word; /* HONE_STEP_ROW */
} hone_step;

typedef struct hone_steps {
    hone_step *items;
    size_t n;
} hone_steps;

/* A condition of which one variable is left: a bit per value of it. */
typedef struct hone_mask_rule {
    hone_node root;
    uint32_t var;      /* the one that is left */
    hone_steps steps;  /* of what reads it, once for each value */
    hone_steps before; /* of a rule with a table: what the steps need */
    uint64_t *table;   /* by position of the variable being bound, if the rule
                          reads no other; else NULL */
} hone_mask_rule;

/* A part of a state: the value of a node, or the mask of a variable. */
typedef struct hone_slot {
    hone_node node; /* 0: a mask */
    uint32_t var;
    size_t word;
    int is_carried; /* unchanged from the state before */
    int had_mask;   /* a mask: the state before has one, to be narrowed */
    size_t from;    /* its word there, in both cases */
} hone_slot;

typedef struct hone_layout {
    hone_slot *slots;
    size_t n;
    size_t n_words;
} hone_layout;

typedef struct hone_level_plan {
    uint32_t var;
    size_t n_lanes; /* of a block: HONE_LANES, or what the level has */
    hone_layout in;
    hone_layout out;
    hone_steps steps;
    hone_node *filters; /* conditions of which nothing is left */
    size_t n_filters;
    hone_mask_rule *masks;
    size_t n_masks;
    hone_column *columns; /* by node */
} hone_level_plan;

/* The plan of level `level`; plan->in is the layout the last one left, of
 * `n_states` states. All memory but that of plan->out comes from `arena`. */
hone_status hone__plan_level(hone_solver *solver, size_t level, size_t n_states,
                             hone_arena *arena, hone_level_plan *plan,
                             hone_error *err);
/* The slot of a node, or of the mask of `var` if the node is 0; NULL. */
const hone_slot *hone__layout_find(const hone_layout *layout, hone_node node,
                                   uint32_t var);

/* --- solve_level.c --- */
/* Bind one variable more: the states after it and the edges to them. */
hone_status hone__level_run(hone_solver *solver, const hone_level_plan *plan,
                            const hone_rows *from, hone_rows *to,
                            hone_diagram_level *out, hone_error *err);

static inline hone_status hone__solver_no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

static inline double hone__datum_double(hone_datum value)
{
    return value.kind == HONE_DATUM_FLOAT ? value.d : (double)value.i;
}

/* A double of a fast column as a value. */
static inline hone_datum hone__datum_widen(hone_datum_kind kind, double x)
{
    return kind == HONE_DATUM_FLOAT ? hone__datum_float(x)
                                    : (hone_datum){kind, {.i = (int64_t)x}};
}

static inline uint32_t hone__vars_first(hone_vars vars) /* of at least one */
{
    return (uint32_t)__builtin_ctzll(vars);
}

static inline int hone__vars_are_one(hone_vars vars)
{
    return vars && !(vars & (vars - 1));
}

static inline int hone__vars_are_many(hone_vars vars)
{
    return (vars & (vars - 1)) != 0;
}

/* Is one variable left of a condition, and has it room for a mask? */
static inline int hone__solver_has_mask(const hone_solver *solver,
                                        hone_vars left)
{
    return hone__vars_are_one(left) &&
           solver->positions[hone__vars_first(left)].n <= HONE_MASK_BITS;
}

/* --- solve_sample.c takes a sample of random configurations, solve_outlook.c
 * says what it shows of conditions and values, for the choice of an order ---
 */
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
