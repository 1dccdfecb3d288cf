/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a template: its text with the inserts `@{EXPR}`, and the place
 * where the parameters of a variant go. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <string.h>

/* What a lone name is spelled as; everything else is a number. */
static hone_piece_kind spelling(const hone_parser *p, hone_slice where)
{
    const hone_name *name = hone__name_of(p, where);

    if (!name)
        return HONE_PIECE_NUMBER;
    if (name->kind == HONE_NAME_DIM_TYPE)
        return HONE_PIECE_TYPE;
    if (name->kind == HONE_NAME_VALUE)
        return HONE_PIECE_SYMBOL;
    if (name->kind != HONE_NAME_PARAM)
        return HONE_PIECE_NUMBER;
    switch (p->tmpl->params[name->index].kind) {
    case HONE_PARAM_ENUM:
        return HONE_PIECE_SYMBOL;
    case HONE_PARAM_TYPE:
        return HONE_PIECE_TYPE;
    case HONE_PARAM_REAL:
        return HONE_PIECE_REAL;
    default:
        return HONE_PIECE_NUMBER;
    }
}

hone_body_item *hone__body_push(hone_parser *p, hone_body_kind kind, int line)
{
    hone_body_item *item = HONE_PUSH(p, p->body->items, p->body->n_items);

    if (item)
        *item = (hone_body_item){.kind = kind, .line = line};
    return item;
}

static int push_piece(hone_parser *p, hone_body_item *item, hone_piece piece)
{
    hone_piece *slot = HONE_PUSH(p, item->pieces, item->n_pieces);

    if (!slot)
        return 0;
    *slot = piece;
    return 1;
}

static int push_bytes(hone_parser *p, hone_body_item *item, size_t begin,
                      size_t end)
{
    return begin == end || push_piece(p, item,
                                      (hone_piece){.kind = HONE_PIECE_BYTES,
                                                   .begin = begin,
                                                   .end = end});
}

/* `at` stands on "@{"; moves it behind "}". */
static int insert(hone_parser *p, hone_body_item *item, size_t *at)
{
    const size_t begin = *at;
    const size_t end = begin + strcspn(p->bare + begin, "}\r\n");
    hone_cursor c = {p, begin + 2, end};
    hone_piece piece = {.begin = begin, .end = end + 1};
    hone_slice where;
    int ok;

    *at = begin + 2;
    if (p->bare[end] != '}')
        return hone__complain(p, (hone_slice){begin, begin + 2},
                              "this '@{' has no '}' on its line; '@@{' stands "
                              "for the two characters themselves");
    *at = end + 1;
    where = hone__cursor_until(&c, "", NULL);
    piece.kind = spelling(p, where);
    p->takes_reals = piece.kind == HONE_PIECE_REAL;
    ok = hone__compile(p, where, HONE_SCOPE_VARIANT, &piece.insert);
    p->takes_reals = 0;
    return ok && push_piece(p, item, piece);
}

/* The include that stands at `at`; moves it behind. */
static int push_header(hone_parser *p, hone_body_item *item, size_t *at)
{
    const hone_template_include *include = &p->includes[p->body->n_includes++];

    *at = include->where.end;
    return push_piece(p, item,
                      (hone_piece){.kind = HONE_PIECE_HEADER,
                                   .begin = include->where.begin,
                                   .end = include->where.end,
                                   .header = include->spelled});
}

static int is_header(hone_parser *p, size_t at)
{
    size_t *next = &p->body->n_includes;

    while (*next < p->n_includes && p->includes[*next].where.begin < at)
        ++*next; /* in a statement */
    return *next < p->n_includes && p->includes[*next].where.begin == at;
}

static int push_lines(hone_parser *p, int first, int last)
{
    hone_body_item *item;
    size_t at = p->line_starts[first - 1];
    size_t begin = at;
    size_t end;

    /* The writer follows line numbers: blank lines need not be kept. */
    if (first > last ||
        at + strspn(p->tmpl->source + at, " \t\r\n") >= p->line_starts[last])
        return 1;
    item = hone__body_push(p, HONE_BODY_TEXT, first);
    if (!item)
        return 0;
    end = p->line_starts[last];
    while (at + 1 < end) {
        if (is_header(p, at)) {
            if (!push_bytes(p, item, begin, at) || !push_header(p, item, &at))
                return 0;
            begin = at;
            continue;
        }
        /* In the copy without comments: they are left alone. */
        if (p->bare[at] != '@' || p->bare[at + 1] != '{') {
            ++at;
            continue;
        }
        if (at > begin && p->bare[at - 1] == '@') { /* "@@{": drop one */
            if (!push_bytes(p, item, begin, at - 1))
                return 0;
            begin = at++;
            continue;
        }
        if (!push_bytes(p, item, begin, at))
            return 0;
        if (!insert(p, item, &at) && p->no_memory)
            return 0;
        begin = at;
    }
    return push_bytes(p, item, begin, end);
}

int hone__body_text(hone_parser *p, size_t index)
{
    hone_template_body *body = p->body;
    const int is_end = index == p->n_own_statements;
    const int first = body->next_line;
    const int last =
        is_end ? (int)p->n_own_lines : p->statements[index].first_line - 1;
    const int next = is_end ? last + 1 : p->statements[index].last_line + 1;

    body->next_line = next;
    if (body->block_line < first || body->block_line >= next)
        return push_lines(p, first, last) &&
               (!is_end || body->block_line < next ||
                hone__body_push(p, HONE_BODY_BLOCK, body->block_line));
    return push_lines(p, first,
                      body->block_line - 1 < last ? body->block_line - 1
                                                  : last) &&
           hone__body_push(p, HONE_BODY_BLOCK, body->block_line) &&
           push_lines(p, body->block_line, last);
}

#define BLANKS " \t\v\f\r\n"

static int in_comment(const hone_parser *p, size_t line)
{
    const char *source = p->tmpl->source;
    size_t at = p->line_starts[line];

    at += strspn(source + at, BLANKS);
    return at < p->line_starts[line + 1] && p->bare[at] == ' ' &&
           strncmp(source + at, "/*", 2) != 0 &&
           strncmp(source + at, "//", 2) != 0;
}

/* #include or #pragma (once), or nothing at all. */
static int is_leading(const hone_parser *p, size_t line)
{
    const char *text = p->bare;
    const size_t end = p->line_starts[line + 1];
    size_t at = p->line_starts[line];

    at += strspn(text + at, BLANKS);
    if (at >= end)
        return 1;
    if (text[at++] != '#')
        return 0;
    at += strspn(text + at, BLANKS);
    return !strncmp(text + at, "include", 7) ||
           !strncmp(text + at, "pragma", 6);
}

/* Code of a part reads parameters. */
static int includes_part(const hone_parser *p, size_t line)
{
    for (size_t i = 0; i < p->tmpl->n_parts; ++i) {
        if (!p->parts[i].is_contract &&
            hone__line_of(p, p->parts[i].included) == (int)line + 1)
            return 1;
    }
    return 0;
}

/* The parameters stand before the first line that is neither a comment, an
 * #include of anything but a part, nor a declaration: what is above is the same
 * for all variants. */
void hone__body_find_block(hone_parser *p)
{
    size_t statement = 0;
    size_t line = 0;

    while (line < p->n_own_lines) {
        if (statement < p->n_own_statements &&
            p->statements[statement].first_line == (int)line + 1) {
            hone_cursor c = hone__cursor_at(p, statement);

            if (hone__body_kind(p, hone__cursor_word(&c)) != HONE_BODY_TEXT)
                break;
            line = (size_t)p->statements[statement++].last_line;
        } else if (is_leading(p, line) && !includes_part(p, line)) {
            while (line + 1 < p->n_own_lines &&
                   hone__code_is_spliced(p->bare, p->line_starts[line + 1] - 1))
                ++line;
            ++line;
        } else {
            break;
        }
    }
    while (line && line < p->n_own_lines && in_comment(p, line))
        --line;
    p->body->block_line = (int)line + 1;
}
