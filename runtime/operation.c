/* SPDX-License-Identifier: Apache-2.0 */
/* What operations there are and how each is called, for programs that do not
 * know it when they are written: see hone.h. What a caller gets is one
 * structure whose texts and lists are in an arena behind it. */
#include "runtime/context.h"

#include "runtime/launch/launch_body.h"

#include <stdlib.h>
#include <string.h>

/* Names that were collected, each once. */
typedef struct name_set {
    hone_arena *arena;
    const char **names;
    size_t n;
} name_set;

typedef struct names_block {
    hone_names shown; /* first: what the caller has */
    hone_arena arena;
    name_set set;
} names_block;

typedef struct operation_block {
    hone_operation shown; /* likewise */
    hone_arena arena;
    name_set implementations;
} operation_block;

static hone_status no_memory(hone_error *err)
{
    return hone__out_of_memory(err, " while describing operations");
}

static hone_status add_name(void *user, const char *name, hone_error *err)
{
    name_set *set = user;
    const char *copy;

    for (size_t i = 0; i < set->n; ++i)
        if (strcmp(set->names[i], name) == 0)
            return HONE_OK;
    copy = hone__arena_strndup(set->arena, name, strlen(name));
    if (!copy || !HONE_GROW(set->names, set->n))
        return no_memory(err);
    set->names[set->n++] = copy;
    return HONE_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(name_set *set)
{
    if (set->n)
        qsort(set->names, set->n, sizeof *set->names, compare_names);
}

static hone_status check_open(const hone_ctx *ctx, hone_error *err)
{
    return ctx->n_stores
               ? HONE_OK
               : hone__fail(err, HONE_ERR_DATABASE,
                            "no database is open: hone_open() had failed");
}

/* ---- all operations ------------------------------------------------------ */

void hone_names_free(hone_names *names)
{
    names_block *block = (names_block *)(void *)names;

    if (!block)
        return;
    hone__free(block->set.names);
    hone__arena_free(&block->arena);
    hone__free(block);
}

hone_status hone_operation_list(hone_ctx *ctx, hone_names **out_names)
{
    hone_error *err = hone__thread_error(ctx);
    hone_status status;
    names_block *block;

    if (out_names)
        *out_names = NULL;
    if (!ctx || !out_names)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_operation_list: %s is NULL",
                          ctx ? "out_names" : "ctx");
    block = hone__alloc(sizeof *block);
    if (!block)
        return no_memory(err);
    block->set.arena = &block->arena;
    (void)pthread_mutex_lock(&ctx->lock);
    status = check_open(ctx, err);
    for (size_t i = 0; i < ctx->n_stores && status == HONE_OK; ++i)
        status = hone__store_visit_ops(
            ctx->stores[i], &(hone_name_visitor){add_name, &block->set}, err);
    (void)pthread_mutex_unlock(&ctx->lock);
    sort_names(&block->set);
    block->shown = (hone_names){block->set.n, block->set.names};
    if (status == HONE_OK)
        *out_names = &block->shown;
    else
        hone_names_free(&block->shown);
    return status;
}

/* ---- one of them --------------------------------------------------------- */

/* What is asked for, and the structure that it goes to. */
typedef struct description {
    const char *op;
    const int64_t *dims; /* NULL: names and kinds alone */
    size_t n_dims;
    operation_block *block;
} description;

/* Where dims were not given, what is their default whatever they are. */
static void fill_dims(const hone_launch_spec *spec, const int64_t *values,
                      hone_dim_info *out)
{
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const spec_dim *dim = &spec->dims[i];

        out[i].kind = dim->is_type     ? HONE_DIM_TYPE
                      : dim->is_choice ? HONE_DIM_CHOICE
                                       : HONE_DIM_SIZE;
        out[i].has_default = hone__dim_has_default(dim);
        if (values)
            out[i].value = values[i];
        else if (out[i].has_default && !dim->default_expr)
            out[i].value = dim->default_value;
        else
            out[i].value = HONE_DIM_DEFAULT;
    }
}

static void fill_args(const hone_launch_spec *spec,
                      const hone_resolved_arg *resolved, hone_arg_info *out)
{
    for (size_t i = 0; i < spec->n_args; ++i) {
        out[i].mode = resolved[i].mode;
        out[i].type = resolved[i].type;
        out[i].n_elements = resolved[i].count;
        out[i].rank = resolved[i].rank;
        memcpy(out[i].extents, resolved[i].extents, sizeof out[i].extents);
        out[i].is_optional = spec->args[i].given != NULL;
        out[i].is_host = resolved[i].is_host;
    }
}

/* The spec's texts go when its database changes. */
static int copy_names(const hone_launch_spec *spec, hone_arena *arena,
                      hone_dim_info *dims, hone_arg_info *args)
{
    for (size_t i = 0; i < spec->n_dims; ++i) {
        const char *name = spec->dims[i].name;

        dims[i].name = hone__arena_strndup(arena, name, strlen(name));
        if (!dims[i].name)
            return 0;
    }
    for (size_t i = 0; i < spec->n_args; ++i) {
        const char *name = spec->args[i].name;

        args[i].name = hone__arena_strndup(arena, name, strlen(name));
        if (!args[i].name)
            return 0;
    }
    return 1;
}

static hone_status fill_operation(const description *wanted,
                                  const hone_launch_spec *spec, hone_error *err)
{
    hone_operation *to = &wanted->block->shown;
    hone_arena *arena = &wanted->block->arena;
    hone_resolved_arg resolved[HONE_MAX_ARGS];
    int64_t values[HONE_MAX_DIMS];
    hone_dim_info *dims;
    hone_arg_info *args;

    if (wanted->dims)
        HONE_TRY(hone__launch_spec_complete_dims(spec, wanted->dims,
                                                 wanted->n_dims, values, err));
    HONE_TRY(hone__launch_spec_describe(spec, wanted->dims ? values : NULL,
                                        resolved, err));
    dims = hone__arena_alloc(arena, (spec->n_dims + 1) * sizeof *dims);
    args = hone__arena_alloc(arena, (spec->n_args + 1) * sizeof *args);
    to->name = hone__arena_strndup(arena, wanted->op, strlen(wanted->op));
    if (!dims || !args || !to->name || !copy_names(spec, arena, dims, args))
        return no_memory(err);
    fill_dims(spec, wanted->dims ? values : NULL, dims);
    fill_args(spec, resolved, args);
    to->n_dims = spec->n_dims;
    to->dims = dims;
    to->n_args = spec->n_args;
    to->args = args;
    return HONE_OK;
}

/* By the first launch plan of a store that can be read; all have the same
 * dims and arguments. */
static hone_status describe_in(const description *wanted, hone_store *store,
                               hone_store_op *op, hone_error *err)
{
    const hone_launch_spec *spec = NULL;
    hone_status status = HONE_ERR_NOT_FOUND;

    for (int is_wide = 0; is_wide < 2 && !spec; ++is_wide) {
        if (is_wide)
            HONE_TRY(hone__store_widen(store, op, err));
        for (size_t i = 0; i < op->n_rows && !spec; ++i) {
            status = hone__store_spec(store, op, op->rows[i], &spec, err);
            if (status == HONE_ERR_NO_MEMORY)
                return status;
        }
    }
    return status == HONE_OK ? fill_operation(wanted, spec, err) : status;
}

static hone_status explain_unknown(const hone_ctx *ctx, const char *op,
                                   size_t n_outdated, hone_error *err)
{
    const char *const older =
        n_outdated ? "; kernels of an older template do not count" : "";

    if (ctx->n_stores == 1)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "operation '%.200s' is not in '%.300s'%s", op,
                          ctx->stores[0]->path, older);
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "operation '%.200s' is in none of the %zu databases and "
                      "packs that are open%s",
                      op, ctx->n_stores, older);
}

/* A store that cannot answer does not count where another one can. */
static hone_status describe(const hone_ctx *ctx, const description *wanted,
                            hone_error *err)
{
    const hone_name_visitor visitor = {add_name,
                                       &wanted->block->implementations};
    hone_error first = {0};
    size_t n_outdated = 0;
    int is_done = 0;

    HONE_TRY(check_open(ctx, err));
    for (size_t i = 0; i < ctx->n_stores; ++i) {
        hone_store_op *op = NULL;
        hone_error why = {0};

        HONE_TRY(hone__store_op(ctx->stores[i], wanted->op, &op, err));
        n_outdated += op->n_outdated;
        if (!op->n_rows)
            continue;
        HONE_TRY(hone__store_visit_implementations(ctx->stores[i], op, &visitor,
                                                   err));
        if (is_done)
            continue;
        is_done = describe_in(wanted, ctx->stores[i], op, &why) == HONE_OK;
        if (why.status != HONE_OK && first.status == HONE_OK)
            first = why;
    }
    if (is_done)
        return HONE_OK;
    if (first.status == HONE_OK)
        return explain_unknown(ctx, wanted->op, n_outdated, err);
    *err = first;
    return first.status;
}

void hone_operation_free(hone_operation *operation)
{
    operation_block *block = (operation_block *)(void *)operation;

    if (!block)
        return;
    hone__free(block->implementations.names);
    hone__arena_free(&block->arena);
    hone__free(block);
}

hone_status hone_operation_describe(hone_ctx *ctx, const char *op,
                                    const int64_t *dims, size_t n_dims,
                                    hone_operation **out)
{
    hone_error *err = hone__thread_error(ctx);
    operation_block *block;
    hone_status status;

    if (out)
        *out = NULL;
    if (!ctx || !op || !out || (n_dims && !dims))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "hone_operation_describe: %s is NULL",
                          !ctx   ? "ctx"
                          : !op  ? "op"
                          : !out ? "out"
                                 : "dims");
    block = hone__alloc(sizeof *block);
    if (!block)
        return no_memory(err);
    block->implementations.arena = &block->arena;
    (void)pthread_mutex_lock(&ctx->lock);
    status = describe(ctx, &(description){op, dims, n_dims, block}, err);
    (void)pthread_mutex_unlock(&ctx->lock);
    sort_names(&block->implementations);
    block->shown.n_implementations = block->implementations.n;
    block->shown.implementations = block->implementations.names;
    if (status == HONE_OK)
        *out = &block->shown;
    else
        hone_operation_free(&block->shown);
    return status;
}
