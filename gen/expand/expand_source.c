/* SPDX-License-Identifier: Apache-2.0 */
/* The source of one variant: the body with its directives carried out. The
 * line that the compiler counts is followed, and corrected by #line wherever
 * the output leaves the template's order. */
#include "gen/expand/expand.h"
#include "gen/expand/values.h"
#include "gen/parse/body.h"
#include "runtime/base/alloc.h"
#include "runtime/base/type.h"

#include <string.h>

enum {
    MAX_BLANK_LINES = 4,         /* a longer gap gets a #line */
    MAX_OUTPUT_BYTES = 16 << 20, /* a loop that runs away stops here */
    MAX_ROUNDS = 1 << 20         /* of all loops, also of what writes nothing */
};

typedef struct writer {
    const hone_template *tmpl;
    hone_values values;
    const int64_t *config;
    const int64_t *dims;
    int line;      /* what the compiler calls the line written next */
    int has_block; /* the parameters are written */
    long n_rounds; /* of loops */
    int for_compiler;
    size_t asserts_at; /* behind the parameters: see hone__signature_add() */
    hone_text *out;
    hone_error *err;
} writer;

static hone_status run(writer *w, size_t begin, size_t end);

static hone_status eval(const writer *w, const hone_template_expr *expr,
                        int64_t *out)
{
    return hone__values_eval(w->tmpl, expr, &w->values, out, w->err);
}

/* The file's name without its folder: the same template gives the same
 * source, and so the same cubin, wherever it lies. */
void hone__expand_line(const hone_template *tmpl, int line, hone_text *out)
{
    const char *slash = strrchr(tmpl->path, '/');
    const char *path = slash ? slash + 1 : tmpl->path;

    hone__text_printf(out, "#line %d \"", line);
    for (; *path; ++path) {
        if (*path == '"' || *path == '\\')
            hone__text_puts(out, "\\");
        hone__text_append(out, path, 1);
    }
    hone__text_puts(out, "\"\n");
}

static void write_line_directive(writer *w, int line)
{
    hone__expand_line(w->tmpl, line, w->out);
    w->line = line;
}

static void go_to_line(writer *w, int line)
{
    /* No #line before the parameters: it would end the part that can be
     * precompiled. There lines come in order, each once. */
    if (w->has_block && (w->line > line || line - w->line > MAX_BLANK_LINES)) {
        write_line_directive(w, line);
        return;
    }
    for (; w->line < line; ++w->line)
        hone__text_puts(w->out, "\n");
}

static hone_status write_insert(writer *w, const hone_piece *piece)
{
    int64_t value;

    HONE_TRY(eval(w, &piece->insert, &value));
    if (piece->kind == HONE_PIECE_SYMBOL)
        hone__text_puts(w->out, w->tmpl->symbols[value - 1000]);
    else if (piece->kind == HONE_PIECE_REAL)
        hone__real_text(hone__real_of_bits(value), w->out);
    else if (piece->kind == HONE_PIECE_TYPE)
        hone__text_puts(w->out, hone__type_cpp((hone_type)value));
    else
        hone__text_printf(w->out, "%lld", (long long)value);
    return HONE_OK;
}

static hone_status write_text(writer *w, const hone_body_item *item)
{
    go_to_line(w, item->line);
    for (size_t i = 0; i < item->n_pieces; ++i) {
        const hone_piece *piece = &item->pieces[i];
        const char *bytes = w->tmpl->source + piece->begin;
        const size_t length = piece->end - piece->begin;

        if (piece->kind == HONE_PIECE_HEADER && w->for_compiler) {
            hone__text_puts(w->out, piece->header);
            continue;
        }
        if (piece->kind != HONE_PIECE_BYTES &&
            piece->kind != HONE_PIECE_HEADER) {
            HONE_TRY(write_insert(w, piece));
            continue;
        }
        hone__text_append(w->out, bytes, length);
        for (size_t k = 0; k < length; ++k)
            w->line += bytes[k] == '\n';
    }
    if (w->out->length && !w->out->failed &&
        w->out->data[w->out->length - 1] != '\n') {
        hone__text_puts(w->out, "\n"); /* the file's last line lacks it */
        ++w->line;
    }
    if (w->out->length > MAX_OUTPUT_BYTES)
        return hone__fail(w->err, HONE_ERR_INPUT,
                          "%s:%d: the expanded source is larger than %d MB",
                          w->tmpl->path, item->line, MAX_OUTPUT_BYTES >> 20);
    return HONE_OK;
}

static hone_status run_for(writer *w, size_t index)
{
    const hone_body_item *item = &w->tmpl->body->items[index];
    int64_t value;
    int64_t last;
    int64_t step = 1;

    HONE_TRY(eval(w, &item->from, &value));
    HONE_TRY(eval(w, &item->to, &last));
    if (item->step.expr)
        HONE_TRY(eval(w, &item->step, &step));
    if (step == 0)
        return hone__fail(w->err, HONE_ERR_INPUT,
                          "%s:%d: the step of a 'for' is 0", w->tmpl->path,
                          item->line);
    while (step > 0 ? value <= last : value >= last) {
        if (++w->n_rounds > MAX_ROUNDS)
            return hone__fail(w->err, HONE_ERR_INPUT,
                              "%s:%d: the 'for', with those before and around "
                              "it, runs more than %d times",
                              w->tmpl->path, item->line, MAX_ROUNDS);
        w->values.slots[item->slot] = value;
        HONE_TRY(run(w, index + 1, item->next));
        if (__builtin_add_overflow(value, step, &value))
            break;
    }
    return HONE_OK;
}

/* Run the first branch that is true; `out_end` is its endif. */
static hone_status run_if(writer *w, size_t index, size_t *out_end)
{
    const hone_body_item *items = w->tmpl->body->items;
    int is_done = 0;

    while (items[index].kind != HONE_BODY_ENDIF) {
        int64_t holds = 1;

        if (!is_done && items[index].condition.expr)
            HONE_TRY(eval(w, &items[index].condition, &holds));
        if (!is_done && holds) {
            HONE_TRY(run(w, index + 1, items[index].next));
            is_done = 1;
        }
        index = items[index].next;
    }
    *out_end = index;
    return HONE_OK;
}

static hone_status run(writer *w, size_t begin, size_t end)
{
    const hone_body_item *items = w->tmpl->body->items;

    for (size_t i = begin; i < end; ++i) {
        switch (items[i].kind) {
        case HONE_BODY_TEXT:
            HONE_TRY(write_text(w, &items[i]));
            break;
        case HONE_BODY_BLOCK:
            hone__block_write(w->tmpl, w->config, w->dims, &w->values, w->out);
            w->asserts_at = w->out->length;
            write_line_directive(w, items[i].line);
            w->has_block = 1;
            break;
        case HONE_BODY_FOR:
            HONE_TRY(run_for(w, i));
            i = items[i].next;
            break;
        case HONE_BODY_IF:
            HONE_TRY(run_if(w, i, &i));
            break;
        default: /* ends and branches are stepped over */
            break;
        }
    }
    return HONE_OK;
}

static hone_status expand(const hone_template *tmpl, const int64_t *config,
                          const int64_t *dims, int for_compiler, hone_text *out,
                          hone_error *err)
{
    writer w = {.tmpl = tmpl,
                .config = config,
                .dims = dims,
                .line = 1,
                .for_compiler = for_compiler,
                .out = out,
                .err = err};
    hone_status status;

    HONE_TRY(hone__values_create(tmpl, config, dims, &w.values, err));
    status = run(&w, 0, tmpl->body->n_items);
    if (status == HONE_OK && for_compiler)
        hone__signature_add(tmpl, &w.values, w.asserts_at, out);
    hone__values_free(&w.values);
    HONE_TRY(status);
    return hone__text_check(out, err);
}

hone_status hone__expand_source(const hone_template *tmpl,
                                const int64_t *config, const int64_t *dims,
                                hone_text *out, hone_error *err)
{
    return expand(tmpl, config, dims, 0, out, err);
}

hone_status hone__expand_unit(const hone_template *tmpl, const int64_t *config,
                              const int64_t *dims, hone_text *out,
                              hone_error *err)
{
    return expand(tmpl, config, dims, 1, out, err);
}
