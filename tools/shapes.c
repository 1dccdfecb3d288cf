/* SPDX-License-Identifier: Apache-2.0 */
/* Which operations at which shapes: see tune_parts.h. */
#include "tools/tune_parts.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"
#include "runtime/base/hash.h"
#include "runtime/record/record.h"
#include "runtime/store/store.h"
#include "tools/base/message.h"
#include "tools/inputs/inputs.h"

#include <errno.h>
#include <stdlib.h>
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

/* A --shapes file that is read. */
typedef struct shape_file {
    const hone_options *options;
    const char *path;
    int number;     /* of the line */
    int is_cpu;     /* what is tuned for */
    size_t n_named; /* operations that the command names */
} shape_file;

/* The place of what `name` stands for, loaded once. */
static hone_status use_op(const hone_options *options, const char *name,
                          hone_shapes *shapes, size_t *out, hone_error *err)
{
    hone_tuned_op *op;
    hone_status status;

    for (*out = 0; *out < shapes->n_ops; ++*out) {
        if (is_named(&shapes->ops[*out], name))
            return HONE_OK;
    }
    if (!HONE_GROW(shapes->ops, shapes->n_ops))
        return hone__out_of_memory(err, "");
    op = &shapes->ops[shapes->n_ops++];
    *op = (hone_tuned_op){.name = hone__strdup(name)};
    status = op->name ? hone__load_siblings(options, name, &op->impls, err)
                      : hone__out_of_memory(err, "");
    if (status != HONE_OK) {
        hone__implementations_free(&op->impls);
        hone__free(op->name);
        --shapes->n_ops;
    }
    return status;
}

/* ---- by operation and dimensions ------------------------------------------
 */

static size_t slot_of(const hone_shapes *shapes, size_t op, const int64_t *dims)
{
    const size_t n_dims = shapes->ops[op].impls.items[0]->n_dims;
    size_t at = (size_t)hone__hash64(dims, n_dims * sizeof *dims) + op * 977;

    for (;; ++at) {
        const size_t place = shapes->table[at & (shapes->table_size - 1)];
        const hone_shape *shape = place ? &shapes->items[place - 1] : NULL;

        if (!shape || (shape->op == op &&
                       memcmp(shape->dims, dims, n_dims * sizeof *dims) == 0))
            return at & (shapes->table_size - 1);
    }
}

/* Room for one more: at most half of the table is used. */
static hone_status grow_table(hone_shapes *shapes, hone_error *err)
{
    const size_t size = shapes->table_size ? 2 * shapes->table_size : 64;
    size_t *table;

    if (2 * (shapes->n + 1) <= shapes->table_size)
        return HONE_OK;
    table = hone__alloc(size * sizeof *table);
    if (!table)
        return hone__out_of_memory(err, "");
    hone__free(shapes->table);
    shapes->table = table;
    shapes->table_size = size;
    for (size_t i = 0; i < shapes->n; ++i)
        table[slot_of(shapes, shapes->items[i].op, shapes->items[i].dims)] =
            i + 1;
    return HONE_OK;
}

hone_shape *hone__shapes_find(const hone_shapes *shapes, size_t op,
                              const int64_t *dims)
{
    const size_t place =
        shapes->table ? shapes->table[slot_of(shapes, op, dims)] : 0;

    return place ? &shapes->items[place - 1] : NULL;
}

/* Unless it is there: then it is launched more often. */
static hone_status put_shape(hone_shapes *shapes, const hone_shape *shape,
                             hone_error *err)
{
    hone_shape *known = hone__shapes_find(shapes, shape->op, shape->dims);

    if (known) {
        known->n_launches += shape->n_launches;
        known->recorded_ns += shape->recorded_ns;
        return HONE_OK;
    }
    HONE_TRY(grow_table(shapes, err));
    if (!HONE_GROW(shapes->items, shapes->n))
        return hone__out_of_memory(err, "");
    shapes->items[shapes->n++] = *shape;
    shapes->table[slot_of(shapes, shape->op, shape->dims)] = shapes->n;
    return HONE_OK;
}

static hone_status add_shape(hone_shapes *shapes, size_t op, const char *dims,
                             uint64_t n_launches, double launch_ns,
                             hone_error *err)
{
    const hone_template *tmpl = shapes->ops[op].impls.items[0];
    hone_shape shape = {.tmpl = tmpl,
                        .op = op,
                        .n_launches = n_launches,
                        .recorded_ns = (double)n_launches * launch_ns};

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
            HONE_TRY(add_shape(shapes, op, options->items[j].text, 0, 0, err));
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

/* A line of --shapes: "OP DIMS [COUNT [KEY=VALUE ..]]". */
typedef struct shape_line {
    char *op, *dims;
    uint64_t n_launches; /* 0: the line has no count */
    double launch_ns;    /* 0: it has no time */
    int is_of_cpu, is_of_gpu;
} shape_line;

static const char blank[] = " \t\r";

/* 0: it is no such line. One without anything has no op. */
static int split_line(char *line, shape_line *out)
{
    char *rest = NULL, *word, *end = NULL;

    *out = (shape_line){0};
    line[strcspn(line, "#")] = '\0';
    out->op = strtok_r(line, blank, &rest);
    if (!out->op)
        return 1;
    out->dims = strtok_r(NULL, blank, &rest);
    word = strtok_r(NULL, blank, &rest);
    if (!out->dims || !word)
        return out->dims != NULL;
    errno = 0;
    out->n_launches = strtoull(word, &end, 10);
    if (errno || *end || *word < '0' || *word > '9' || !out->n_launches)
        return 0;
    while ((word = strtok_r(NULL, blank, &rest)) != NULL) {
        if (!strchr(word, '='))
            return 0;
        if (strncmp(word, "arch=", 5) == 0) {
            out->is_of_cpu = strcmp(word + 5, HONE_ARCH_CPU) == 0;
            out->is_of_gpu = !out->is_of_cpu;
        } else if (strncmp(word, "time_ns=", 8) == 0) {
            out->launch_ns = strtod(word + 8, &end);
            if (*end || !(out->launch_ns >= 0 && out->launch_ns < 1e18))
                return 0;
        }
    }
    return 1;
}

/* Implementations that the command names beside the file take the lines of
 * their operation. */
static hone_status add_to_named(const shape_file *file, const shape_line *line,
                                hone_shapes *shapes, int *out_n,
                                hone_error *err)
{
    *out_n = 0;
    for (size_t i = 0; i < file->n_named; ++i) {
        const hone_implementations *impls = &shapes->ops[i].impls;

        if (!impls->named || strcmp(impls->named->op, line->op) != 0)
            continue;
        HONE_TRY(add_shape(shapes, i, line->dims, line->n_launches,
                           line->launch_ns, err));
        ++*out_n;
    }
    return HONE_OK;
}

static hone_status use_line(const shape_file *file, const shape_line *line,
                            hone_shapes *shapes, hone_error *err)
{
    size_t place;
    int n;

    if (file->is_cpu ? line->is_of_gpu : line->is_of_cpu)
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s %s was launched on the other kind of device",
                          line->op, line->dims);
    HONE_TRY(add_to_named(file, line, shapes, &n, err));
    if (n)
        return HONE_OK;
    HONE_TRY(use_op(file->options, line->op, shapes, &place, err));
    return add_shape(shapes, place, line->dims, line->n_launches,
                     line->launch_ns, err);
}

/* What a program launches may be anything: the others are tuned. */
static int is_left_out(const shape_line *line, hone_status status)
{
    return line->n_launches && status != HONE_OK &&
           status != HONE_ERR_NO_MEMORY && status != HONE_ERR_INTERRUPTED;
}

static hone_status read_line(const shape_file *file, char *text,
                             hone_shapes *shapes, hone_error *err)
{
    hone_error inner = {0};
    shape_line line;
    hone_status status;

    if (!split_line(text, &line))
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s:%d: a line is an operation, its dimensions and, "
                          "if known, how often it is launched, such as 'gemm "
                          "4096,4096,4096 120'",
                          file->path, file->number);
    if (!line.op)
        return HONE_OK;
    shapes->is_counted |= line.n_launches != 0;
    status = use_line(file, &line, shapes, &inner);
    if (is_left_out(&line, status)) {
        ++shapes->n_left_out;
        hone__message_note("%s:%d: left out: %s", file->path, file->number,
                           inner.text);
        return HONE_OK;
    }
    return status == HONE_OK ? status
                             : hone__fail(err, status, "%s:%d: %s", file->path,
                                          file->number, inner.text);
}

static hone_status read_lines(shape_file *file, char *line, hone_shapes *shapes,
                              hone_error *err)
{
    const size_t title = sizeof HONE_RECORD_TITLE - 1;
    const int is_record = strncmp(line, HONE_RECORD_TITLE, title) == 0 &&
                          (line[title] == '\n' || !line[title]);

    for (; line && *line; ++file->number) {
        char *next = strchr(line, '\n');

        if (next)
            *next++ = '\0';
        if (is_record && *line && *line != '#' &&
            !hone__record_line_is_whole(line))
            ++shapes->n_torn;
        else
            HONE_TRY(read_line(file, line, shapes, err));
        line = next;
    }
    if (shapes->n_torn)
        hone__message_note("%s: %zu line%s not written to the end and left out",
                           file->path, shapes->n_torn,
                           shapes->n_torn == 1 ? " was" : "s were");
    return HONE_OK;
}

/* Some editors begin UTF-8 with a mark that nobody sees. */
static char *behind_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = sizeof mark - 1;

    return strncmp(text, mark, length) == 0 ? text + length : text;
}

static hone_status read_file(const hone_options *options, const char *path,
                             hone_shapes *shapes, hone_error *err)
{
    const char *device = options->text[HONE_OPT_DEVICE];
    shape_file file = {options, path, 1,
                       device && strcmp(device, HONE_ARCH_CPU) == 0,
                       shapes->n_ops};
    hone_text text = {0};
    hone_status status = hone__text_read_file(&text, path, err);

    if (status == HONE_OK && text.length)
        status = read_lines(&file, behind_mark(text.data), shapes, err);
    hone__text_free(&text);
    if (status == HONE_OK && !shapes->n && shapes->n_left_out)
        return hone__fail(err, HONE_ERR_INPUT,
                          "%s: none of its shapes can be tuned here", path);
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

/* Those of a file are all that is tuned beside --dims: `path`; NULL: there is
 * none. */
static hone_status complete(hone_shapes *shapes, const char *path,
                            hone_error *err)
{
    for (size_t i = 0; i < shapes->n_ops; ++i) {
        size_t n = 0;

        for (size_t j = 0; j < shapes->n && !n; ++j)
            n = shapes->items[j].op == i;
        if (!n && path)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "%s has no line that is of '%s' and can be tuned "
                              "here: leave '%s' out, or give --dims after it",
                              path, shapes->ops[i].name, shapes->ops[i].name);
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
    return options->text[HONE_OPT_PORTFOLIO] ? HONE_OK
                                             : complete(out, path, err);
}

void hone__shapes_free(hone_shapes *shapes)
{
    for (size_t i = 0; i < shapes->n_ops; ++i) {
        hone__implementations_free(&shapes->ops[i].impls);
        hone__free(shapes->ops[i].name);
    }
    hone__free(shapes->ops);
    hone__free(shapes->items);
    hone__free(shapes->table);
    *shapes = (hone_shapes){0};
}
