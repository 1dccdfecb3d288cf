/* SPDX-License-Identifier: Apache-2.0 */
/* A parsed launch plan, shared by its parser (launch_spec.c) and its
 * evaluation (launch_resolve.c). Strings live in the arena. */
#ifndef HONE_RUNTIME_LAUNCH_BODY_H
#define HONE_RUNTIME_LAUNCH_BODY_H

#include "runtime/alloc.h"
#include "runtime/expr.h"
#include "runtime/launch_spec.h"

/* Slots of every expression: [facts | dims | lets]. Params and names of
 * enumerations are constants. */
enum {
    SLOT_DIMS = HONE_N_FACTS,
    SLOT_LETS = SLOT_DIMS + HONE_MAX_DIMS,
    MAX_LETS = 512, /* bounds the stack of resolve: 4 KB */
    MAX_SLOTS = SLOT_LETS + MAX_LETS
};

typedef struct spec_dim {
    const char *name;
    int is_type;
    int64_t default_value; /* 0: mandatory */
} spec_dim;

typedef struct spec_arg {
    const char *name;
    hone_arg_mode mode;
    const hone_expr *type;
    const hone_expr *count; /* NULL for scalars */
} spec_arg;

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

typedef struct spec_pass {
    hone_pass_kind kind;
    int index;
    const hone_expr *value; /* HONE_PASS_I32 and HONE_PASS_I64 */
} spec_pass;

typedef struct spec_launch {
    const char *kernel;
    int line;
    const hone_expr *condition; /* NULL: always */
    const hone_expr *grid[3];   /* NULL: 1 */
    const hone_expr *block[3];
    const hone_expr *shared;     /* NULL: 0 */
    const hone_expr *cluster[3]; /* NULL: 1 */
    int cooperative;
    size_t n_passed;
    spec_pass passed[HONE_MAX_PASSED];
} spec_launch;

struct hone_launch_spec {
    hone_arena arena;
    size_t n_exprs; /* owns every expression below */
    hone_expr **exprs;
    const char *op;
    size_t n_dims;
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
    size_t n_launches;
    spec_launch launches[HONE_MAX_LAUNCHES];
    const hone_expr *flops; /* NULL: not declared */
    const hone_expr *bytes;
};

#endif
