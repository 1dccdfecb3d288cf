/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations at which shapes: see tune_parts.h. */
#include "tools/tune_parts.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "tools/inputs.h"

#include <string.h>

/* Does `name` mean this one? A template without contract may be named by its
 * operation or by its file. */
static int is_named(const hone_tuned_op *op, const char *name)
{
    const hone_template *tmpl = op->impls.items[0];

    return strcmp(op->name, name) == 0 ||
           (!tmpl->contract_path &&
            (strcmp(tmpl->op, name) == 0 || strcmp(tmpl->path, name) == 0));
}

/* The place of what `name` stands for, loaded once. */
static hone_status use_op(const hone_options *options, const char *name,
                          hone_shapes *shapes, size_t *out, hone_error *err)
{
    hone_tuned_op *op;

    for (*out = 0; *out < shapes->n_ops; ++*out) {
        if (is_named(&shapes->ops[*out], name))
            return HONE_OK;
    }
    if (!HONE_GROW(shapes->ops, shapes->n_ops))
        return hone__out_of_memory(err, "");
    op = &shapes->ops[shapes->n_ops++];
    *op = (hone_tuned_op){.name = hone__strdup(name)};
    return op->name ? hone__load_siblings(options, name, &op->impls, err)
                    : hone__out_of_memory(err, "");
}

/* Unless it is there. */
static hone_status put_shape(hone_shapes *shapes, const hone_shape *shape,
                             hone_error *err)
{
    for (size_t i = 0; i < shapes->n; ++i)
        if (shapes->items[i].op == shape->op &&
            memcmp(shapes->items[i].dims, shape->dims,
                   shape->tmpl->n_dims * sizeof *shape->dims) == 0)
            return HONE_OK;
    if (!HONE_GROW(shapes->items, shapes->n))
        return hone__out_of_memory(err, "");
    shapes->items[shapes->n++] = *shape;
    return HONE_OK;
}

static hone_status add_shape(hone_shapes *shapes, size_t op, const char *dims,
                             hone_error *err)
{
    const hone_template *tmpl = shapes->ops[op].impls.items[0];
    hone_shape shape = {.tmpl = tmpl, .op = op};

    HONE_TRY(hone__template_parse_dims(tmpl, dims, shape.dims, err));
    return put_shape(shapes, &shape, err);
}

/* One group of the command line: templates items[first..end), and the --dims
 * items[from..to) that belong to them. */
static hone_status add_group(const hone_options *options, size_t first,
                             size_t end, size_t from, size_t to,
                             hone_shapes *shapes, hone_error *err)
{
    for (size_t i = first; i < end; ++i) {
        size_t op;

        HONE_TRY(use_op(options, options->items[i].text, shapes, &op, err));
        for (size_t j = from; j < to; ++j)
            HONE_TRY(add_shape(shapes, op, options->items[j].text, err));
    }
    return HONE_OK;
}

/* End of the run of items of one kind that starts at `i`. */
static size_t run_end(const hone_options *options, size_t i, int is_dims)
{
    while (i < options->n_items && options->items[i].is_dims == is_dims)
        ++i;
    return i;
}

static hone_status read_items(const hone_options *options, hone_shapes *shapes,
                              hone_error *err)
{
    /* --dims in front of the first template belong to its group. */
    const size_t front = run_end(options, 0, 1);
    size_t i = front;

    if (front && front == options->n_items)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--dims %s: of which template? Example: hone tune "
                          "saxpy --dims 1M",
                          options->items[0].text);
    while (i < options->n_items) {
        const size_t from = run_end(options, i, 0);
        const size_t to = run_end(options, from, 1);

        if (i == front)
            HONE_TRY(add_group(options, i, from, 0, front, shapes, err));
        HONE_TRY(add_group(options, i, from, from, to, shapes, err));
        i = to;
    }
    return HONE_OK;
}

/* A line of --shapes without its comment and blanks: "OP DIMS". */
static hone_status read_line(const hone_options *options, const char *path,
                             int number, char *line, hone_shapes *shapes,
                             hone_error *err)
{
    static const char blank[] = " \t\r";
    char *op, *dims, *rest = NULL;
    size_t place;
    hone_error inner = {0};
    hone_status status;

    line[strcspn(line, "#")] = '\0';
    op = strtok_r(line, blank, &rest);
    if (!op)
        return HONE_OK;
    dims = strtok_r(NULL, blank, &rest);
    if (!dims || strtok_r(NULL, blank, &rest))
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s:%d: a line is an operation and its dimensions, "
                          "such as 'gemm 4096,4096,4096'",
                          path, number);
    status = use_op(options, op, shapes, &place, &inner);
    if (status == HONE_OK)
        status = add_shape(shapes, place, dims, &inner);
    return status == HONE_OK
               ? status
               : hone__fail(err, status, "%s:%d: %s", path, number, inner.text);
}

static hone_status read_file(const hone_options *options, const char *path,
                             hone_shapes *shapes, hone_error *err)
{
    hone_text text = {0};
    hone_status status = hone__text_read_file(&text, path, err);
    char *line = text.data;
    int number = 1;

    while (status == HONE_OK && line && *line) {
        char *next = strchr(line, '\n');

        if (next)
            *next++ = '\0';
        status = read_line(options, path, number++, line, shapes, err);
        line = next;
    }
    hone__text_free(&text);
    return status;
}

/* The operation's own shapes, where none was asked for. */
static hone_status add_own(hone_shapes *shapes, size_t op, hone_error *err)
{
    const hone_template *tmpl = shapes->ops[op].impls.items[0];

    for (size_t i = 0; i < tmpl->n_problems; ++i) {
        hone_shape shape = {.tmpl = tmpl, .op = op};

        memcpy(shape.dims, tmpl->problems[i].dims, sizeof shape.dims);
        HONE_TRY(put_shape(shapes, &shape, err));
    }
    if (tmpl->n_problems)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "no problem size for '%s', which names no shapes of its "
                      "own: give --dims after it, or --shapes",
                      tmpl->contract_path ? shapes->ops[op].name : tmpl->op);
}

static hone_status complete(hone_shapes *shapes, hone_error *err)
{
    for (size_t i = 0; i < shapes->n_ops; ++i) {
        size_t n = 0;

        for (size_t j = 0; j < shapes->n; ++j)
            n += shapes->items[j].op == i;
        if (!n)
            HONE_TRY(add_own(shapes, i, err));
    }
    return HONE_OK;
}

hone_status hone__shapes_read(const hone_options *options, hone_shapes *out,
                              hone_error *err)
{
    const char *path = options->text[HONE_OPT_SHAPES];

    *out = (hone_shapes){0};
    if (!path && !options->n_items)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "nothing to tune. Example: %s",
                          hone__commands[HONE_CMD_tune].example);
    HONE_TRY(read_items(options, out, err));
    if (path)
        HONE_TRY(read_file(options, path, out, err));
    return complete(out, err);
}

void hone__shapes_free(hone_shapes *shapes)
{
    for (size_t i = 0; i < shapes->n_ops; ++i) {
        hone__implementations_free(&shapes->ops[i].impls);
        hone__free(shapes->ops[i].name);
    }
    hone__free(shapes->ops);
    hone__free(shapes->items);
    *shapes = (hone_shapes){0};
}
