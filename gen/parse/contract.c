/* SPDX-License-Identifier: Apache-2.0 */
/* Contracts: what all implementations of an operation have in common, written
 * once in a header of statements. A template that includes such a header gets
 * its text behind its own, so that both are read by the same functions and
 * every mistake has its place. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <string.h>

/* The first statement of a text without comments; 0: it has none. Afterwards
 * *at is the begin of the next line. */
static int find_statement(const char *code, size_t length, size_t *at,
                          size_t *out_begin)
{
    while (*at < length) {
        const size_t end = *at + strcspn(code + *at, "\n");
        const size_t found = hone__pragma_end(code, *at, end, out_begin);

        *at = end < length ? end + 1 : end;
        if (found)
            return 1;
    }
    return 0;
}

/* Append the text to those of the template, and read its lines. */
static int append(hone_parser *p, const hone_text *text)
{
    hone_arena *arena = &p->tmpl->arena;
    const size_t total = p->length + text->length;
    char *source = hone__arena_alloc(arena, total + 1);
    char *bare = hone__arena_alloc(arena, total + 1);

    if (!source || !bare)
        return hone__no_memory(p);
    memcpy(source, p->tmpl->source, p->length);
    memcpy(bare, p->bare, p->length);
    memcpy(source + p->length, text->data, text->length);
    memcpy(bare + p->length, text->data, text->length);
    p->tmpl->source = source;
    p->bare = bare;
    return hone__lines_split(p, p->length, total);
}

/* Where the template includes the header. */
static hone_slice included_at(const hone_parser *p, const char *name)
{
    size_t i = 0;

    while (i + 1 < p->n_includes && !strstr(p->includes[i].spelled, name))
        ++i;
    return p->includes[i].where;
}

static int read_if_contract(hone_parser *p, const hone_header *header)
{
    hone_text text = {0};
    char *code = NULL;
    size_t at = 0;
    size_t begin;
    int ok = 1;

    p->status = hone__text_read_file(&text, header->path, p->err);
    if (!p->status && strstr(hone__text_str(&text), "hone")) {
        code = hone__arena_strndup(&p->tmpl->arena, text.data, text.length);
        if (code)
            hone__code_blank(code, text.length);
        else
            ok = hone__no_memory(p);
    }
    if (code && find_statement(code, text.length, &at, &begin)) {
        if (p->contract) {
            ok = hone__complain(p, included_at(p, header->name),
                                "this header has statements, and so has %s: a "
                                "template has one contract",
                                p->tmpl->contract_path);
        } else {
            p->contract = header->name;
            p->tmpl->contract_path = header->path;
            ok = append(p, &text);
        }
    }
    hone__text_free(&text);
    return ok && !p->status;
}

int hone__contract_read(hone_parser *p)
{
    for (size_t i = 0; i < p->n_headers; ++i) {
        const hone_header header = p->headers[i];

        if (!header.text && !header.is_foreign && !read_if_contract(p, &header))
            return 0;
    }
    return 1;
}

int hone__contract_blank(hone_parser *p, const hone_header *header, char *code,
                         char *text, size_t length)
{
    size_t at = 0;
    size_t begin;
    int line = 1;

    for (size_t done = 0; find_statement(code, length, &at, &begin);) {
        for (; done < begin; ++done)
            line += code[done] == '\n';
        if (p->contract != header->name) {
            p->status = hone__fail(
                p->err, HONE_ERR_INPUT,
                "%s:%d: a header with statements is the contract of an "
                "operation, which the template itself includes",
                header->path, line);
            return 0;
        }
        while (at < length && hone__code_is_spliced(code, at - 1))
            at += strcspn(code + at, "\n") + 1;
        for (size_t i = begin; i < at && i < length; ++i) {
            if (text[i] != '\n')
                code[i] = text[i] = ' ';
        }
    }
    return 1;
}

int hone__statement_implements(hone_parser *p, hone_cursor *c)
{
    hone_template *tmpl = p->tmpl;
    hone_slice op;
    hone_slice name;

    if (!hone__cursor_need_word(c, "the operation, as in gemm/tiled", &op) ||
        !hone__cursor_expect(c, '/', "between operation and implementation") ||
        !hone__cursor_need_word(c, "the name of the implementation", &name))
        return 0;
    if (p->has_op && !hone__slice_is(p, op, tmpl->op))
        return hone__complain(p, op, "the operation of %s is '%s'",
                              tmpl->contract_path, tmpl->op);
    tmpl->implementation = hone__slice_copy(p, name);
    if (!tmpl->implementation)
        return 0;
    tmpl->is_reference = hone__cursor_accept_word(c, "reference");
    if (hone__cursor_peek(c) == '"' &&
        !hone__cursor_string(c, &tmpl->implementation_description))
        return 0;
    return hone__cursor_finish(c);
}
