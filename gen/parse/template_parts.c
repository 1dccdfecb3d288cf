/* SPDX-License-Identifier: Apache-2.0 */
/* Headers with statements: the contract, which all implementations of an
 * operation have in common, and parts, which several templates share. A
 * template that includes such a header gets its text behind its own, so that
 * all are read by the same functions and every mistake has its place. */
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

/* Does the statement that ends before `end` begin with the word? */
static int is_statement(const char *code, size_t begin, size_t end,
                        const char *word)
{
    const size_t length = strlen(word);
    size_t line = begin + strcspn(code + begin, "\n");
    size_t at;

    if (line > end)
        line = end;
    at = hone__pragma_end(code, begin, line, &begin);
    while (at < line && (code[at] == ' ' || code[at] == '\t'))
        ++at;
    return line - at >= length && !memcmp(code + at, word, length) &&
           !hone__code_is_name(code[at + length]);
}

/* How many statements a text without comments has; *out_op: one of them
 * declares an operation. */
static size_t count_statements(const char *code, size_t length, int *out_op)
{
    size_t n = 0, at = 0, begin;

    *out_op = 0;
    for (; find_statement(code, length, &at, &begin); ++n)
        *out_op |= is_statement(code, begin, at, "op");
    return n;
}

/* Append the text to those of the template, and read its lines. */
static int append(hone_parser *p, const hone_text *text)
{
    hone_arena *arena = &p->tmpl->arena;
    const size_t before = p->end;
    const size_t total = before + text->length;
    char *source = hone__arena_alloc(arena, total + 1);
    char *bare = hone__arena_alloc(arena, total + 1);

    if (!source || !bare)
        return hone__no_memory(p);
    memcpy(source, p->tmpl->source, before);
    memcpy(bare, p->bare, before);
    memcpy(source + before, text->data, text->length);
    memcpy(bare + before, text->data, text->length);
    p->tmpl->source = source;
    p->bare = bare;
    p->end = total;
    return hone__lines_split(p, before, total);
}

/* Is it the name in quotes? */
static int spells(const char *spelled, const char *name)
{
    const size_t length = strlen(name);

    return strlen(spelled) == length + 2 &&
           memcmp(spelled + 1, name, length) == 0;
}

/* Where the template includes the header. */
static hone_slice included_at(const hone_parser *p, const char *name)
{
    size_t i = 0;

    while (i + 1 < p->n_includes && !spells(p->includes[i].spelled, name))
        ++i;
    return p->includes[i].where;
}

static int add_part(hone_parser *p, const hone_header *header,
                    const hone_text *text, int is_contract)
{
    hone_template *tmpl = p->tmpl;
    hone_part part = {.name = header->name,
                      .begin = p->end,
                      .first = p->n_statements,
                      .included = included_at(p, header->name).begin,
                      .is_contract = is_contract};
    hone_template_part *shown;

    if (is_contract && p->contract)
        return hone__complain(p, included_at(p, header->name),
                              "this header has statements, and so has %s: a "
                              "template has one contract",
                              tmpl->contract_path);
    if (tmpl->n_parts == HONE_MAX_PARTS)
        return hone__complain(p, included_at(p, header->name),
                              "a template includes at most %d headers with "
                              "statements",
                              HONE_MAX_PARTS);
    shown = HONE_PUSH(p, tmpl->parts, tmpl->n_parts);
    if (!shown)
        return 0;
    *shown = (hone_template_part){header->path, (int)p->n_lines};
    if (is_contract) {
        p->contract = header->name;
        tmpl->contract_path = header->path;
    }
    if (!append(p, text))
        return 0;
    part.end = p->n_statements;
    p->parts[tmpl->n_parts - 1] = part;
    return 1;
}

static int read_part(hone_parser *p, const hone_header *header)
{
    hone_text text = {0};
    char *code = NULL;
    int is_contract;
    int ok = 1;

    p->status = hone__text_read_file(&text, header->path, p->err);
    if (!p->status && strstr(hone__text_str(&text), "hone")) {
        code = hone__arena_strndup(&p->tmpl->arena, text.data, text.length);
        if (code)
            hone__code_blank(code, text.length);
        else
            ok = hone__no_memory(p);
    }
    if (code && count_statements(code, text.length, &is_contract))
        ok = add_part(p, header, &text, is_contract);
    hone__text_free(&text);
    return ok && !p->status;
}

int hone__parts_read(hone_parser *p)
{
    for (size_t i = 0; i < p->n_headers; ++i) {
        const hone_header header = p->headers[i];

        if (!header.text && !header.is_foreign && !read_part(p, &header))
            return 0;
    }
    return 1;
}

static int is_part(const hone_parser *p, const hone_header *header)
{
    for (size_t i = 0; i < p->tmpl->n_parts; ++i) {
        if (p->parts[i].name == header->name)
            return 1;
    }
    return 0;
}

int hone__part_blank(hone_parser *p, const hone_header *header, char *code,
                     char *text, size_t length)
{
    size_t at = 0;
    size_t begin;
    int line = 1;

    for (size_t done = 0; find_statement(code, length, &at, &begin);) {
        for (; done < begin; ++done)
            line += code[done] == '\n';
        if (!is_part(p, header)) {
            p->status = hone__fail(
                p->err, HONE_ERR_INPUT,
                "%s:%d: a header with statements, a contract or a part that "
                "templates share, is included by the template itself",
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
