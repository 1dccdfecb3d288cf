/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed launch plan. Its parser (launch_spec.c) writes it, its evaluation
 * (launch_resolve.c) and others read it. Strings live in the arena. */
#ifndef HONE_RUNTIME_LAUNCH_BODY_H
#define HONE_RUNTIME_LAUNCH_BODY_H

#include "runtime/base/alloc.h"
#include "runtime/expr/expr.h"
#include "runtime/launch/launch_spec.h"

/* Slots of every expression: [properties | dims | lets | repeats]. Params and
 * names of enumerations are constants. */
enum {
    SLOT_DIMS = HONE_N_PROPERTIES,
    SLOT_LETS = SLOT_DIMS + HONE_MAX_DIMS,
    MAX_LETS = 512, /* bounds the stack of resolve: 4 KB */
    SLOT_REPEATS = SLOT_LETS + MAX_LETS,
    MAX_SLOTS = SLOT_REPEATS + HONE_MAX_LAUNCHES
};

/* Of a symbol or a param statement. */
typedef struct spec_name {
    const char *name;
    int64_t value;
    int is_param;
    int may_lack;         /* configurations need not have this param */
    const char *spelling; /* of a floating-point param; NULL: the value */
} spec_name;

typedef struct spec_dim {
    const char *name;
    int is_type;
    int is_choice;                 /* of a few integers; never mandatory */
    int from_zero;                 /* 0 is a size like others */
    int64_t default_value;         /* 0: mandatory, or an expression */
    const hone_expr *default_expr; /* of the dims before it; NULL: none */
} spec_dim;

static inline int hone__dim_has_default(const spec_dim *dim)
{
    return dim->is_choice || dim->default_value || dim->default_expr;
}

/* Is it known when a variant is compiled, so that one serves one value? */
static inline int hone__dim_is_fixed(const spec_dim *dim)
{
    return dim->is_type || dim->is_choice;
}

typedef struct spec_arg {
    const char *name;
    hone_arg_mode mode;
    const hone_expr *type;
    const hone_expr *count;                  /* NULL for scalars */
    const hone_expr *given;                  /* NULL: always */
    const hone_expr *extents[HONE_MAX_RANK]; /* all NULL: one, the count */
    const hone_expr *host; /* is it page-locked? NULL: it is on the device */
} spec_arg;

typedef struct spec_pipeline {
    int line; /* of the statement; 0: there is none */
    size_t dim;
    const hone_expr *parts[3]; /* rows of a chunk, streams, staging */
} spec_pipeline;

typedef struct spec_workspace {
    const char *name;
    const hone_expr *type;
    const hone_expr *count;
    hone_zero zero;
} spec_workspace;

typedef struct spec_constant {
    const char *name;
    int arg;
    const hone_expr *type;
    const hone_expr *count;
    const hone_expr *condition; /* NULL: always */
} spec_constant;

/* NULL: not stated. */
typedef struct spec_map {
    const char *name;
    int line;
    hone_pass_kind array_kind; /* HONE_PASS_ARG or HONE_PASS_WORKSPACE */
    int array;
    const hone_expr *condition;
    const hone_expr *dims[HONE_MAP_DIMS];
    const hone_expr *strides[HONE_MAP_DIMS]; /* [0] is not used */
    const hone_expr *box[HONE_MAP_DIMS];
    const hone_expr *steps[HONE_MAP_DIMS];
    const hone_expr *swizzle;
    const hone_expr *l2;
    const hone_expr *fill;
} spec_map;

/* One of the arrays, or tensor maps, that a parameter is picked from. */
typedef struct spec_choice {
    hone_pass_kind kind;
    int index;
} spec_choice;

typedef struct spec_pass {
    hone_pass_kind kind;
    int index;
    const hone_expr *value; /* of all other kinds, and of what is picked */
    int is_real;            /* the value is the bits of a double */
    size_t n_choices;       /* 0: nothing is picked */
    spec_choice *choices;
} spec_pass;

/* The launches that are repeated together read their number in a slot. */
typedef struct spec_repeat {
    const char *name;
    const hone_expr *count;
} spec_repeat;

typedef struct spec_launch {
    const char *kernel;
    int line;
    const hone_expr *condition; /* NULL: always */
    const hone_expr *grid[3];   /* NULL: 1 */
    const hone_expr *block[3];
    const hone_expr *shared;     /* NULL: 0 */
    const hone_expr *cluster[3]; /* NULL: 1 */
    int cooperative;
    int early;
    int repeat; /* index in the list of repeats, plus 1; 0: it is not */
    size_t n_passed;
    spec_pass passed[HONE_MAX_PASSED];
} spec_launch;

typedef struct spec_vendor {
    int line; /* of the statement; 0: there is none */
    int has_rank, has_workspace;
    hone_vendor_algorithm algorithm;
} spec_vendor;

struct hone_launch_spec {
    hone_arena arena;
    size_t n_exprs; /* owns every expression below */
    hone_expr **exprs;
    const char *op;
    size_t n_names;
    spec_name *names;
    size_t n_dims;
    size_t n_mandatory; /* of those: the first ones, without defaults */
    spec_dim dims[HONE_MAX_DIMS];
    size_t n_lets;
    const hone_expr **lets;
    size_t n_requires;
    const hone_expr **requires_;
    size_t n_args;
    spec_arg args[HONE_MAX_ARGS];
    size_t n_workspaces;
    spec_workspace workspaces[HONE_MAX_WORKSPACES];
    size_t n_constants;
    spec_constant constants[HONE_MAX_CONSTANTS];
    size_t n_maps;
    spec_map maps[HONE_MAX_MAPS];
    size_t n_launches;
    spec_launch launches[HONE_MAX_LAUNCHES];
    size_t n_repeats;
    spec_repeat repeats[HONE_MAX_LAUNCHES];
    spec_pipeline pipeline;
    spec_vendor vendor;
    const hone_expr *flops; /* NULL: not declared */
    const hone_expr *bytes;
};

/* How the numbers of a tensor map are found: the value of an expression, or
 * HONE_MAP_UNKNOWN. */
typedef hone_status hone_map_eval(void *user, const hone_expr *expr,
                                  int64_t *out);

/* Everything about a map but the type and size of its array, which stay as
 * they are in `out`. `out_wanted` gets the value of its `if`; where that is 0
 * nothing else is evaluated. */
hone_status hone__launch_map_eval(const spec_map *map, hone_map_eval *eval,
                                  void *user, int64_t *out_wanted,
                                  hone_tensor_map *out);

#endif
