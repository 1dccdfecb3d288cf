/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a template: text with inserts, and the expansion directives
 * for, endfor, if, elif, else and endif. */
#include "gen/parse.h"

#include <ctype.h>
#include <string.h>

/* What a lone name is spelled as; everything else is a number. */
static hone_piece_kind spelling(const hone_parser *p, hone_slice where)
{
    const hone_name *name = hone__name_find(p, p->bare + where.begin,
                                            where.end - where.begin);

    if (!name)
        return HONE_PIECE_NUMBER;
    if (name->kind == HONE_NAME_DIM_TYPE)
        return HONE_PIECE_TYPE;
    if (name->kind == HONE_NAME_VALUE)
        return HONE_PIECE_SYMBOL;
    if (name->kind != HONE_NAME_PARAM)
        return HONE_PIECE_NUMBER;
    switch (p->parts.params[name->index].kind) {
    case HONE_PARAM_ENUM:
        return HONE_PIECE_SYMBOL;
    case HONE_PARAM_TYPE:
        return HONE_PIECE_TYPE;
    default:
        return HONE_PIECE_NUMBER;
    }
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
    return begin == end ||
           push_piece(p, item, (hone_piece){.kind = HONE_PIECE_BYTES,
                                            .begin = begin, .end = end});
}

/* `at` stands on "@{"; moves it behind "}". */
static int insert(hone_parser *p, hone_body_item *item, size_t *at)
{
    const size_t begin = *at;
    const size_t end = begin + strcspn(p->bare + begin, "}\r\n");
    hone_cursor c = {p, begin + 2, end};
    hone_piece piece = {.begin = begin, .end = end + 1};
    hone_slice where;

    *at = begin + 2;
    if (p->bare[end] != '}')
        return hone__complain(p, (hone_slice){begin, begin + 2},
                              "this '@{' has no '}' on its line; '@@{' "
                              "stands for the two characters themselves");
    *at = end + 1;
    where = hone__cursor_until(&c, "", NULL);
    piece.kind = spelling(p, where);
    return hone__compile(p, where, HONE_SCOPE_VARIANT, &piece.insert) &&
           push_piece(p, item, piece);
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
    item = HONE_PUSH(p, p->body->items, p->body->n_items);
    if (!item)
        return 0;
    *item = (hone_body_item){.kind = HONE_BODY_TEXT, .line = first};
    end = p->line_starts[last];
    while (at + 1 < end) {
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

static int push_block(hone_parser *p)
{
    hone_body_item *item = HONE_PUSH(p, p->body->items, p->body->n_items);

    if (!item)
        return 0;
    *item = (hone_body_item){.kind = HONE_BODY_BLOCK,
                             .line = p->body->block_line};
    return 1;
}

int hone__body_text(hone_parser *p, size_t index)
{
    hone_template_body *body = p->body;
    const int is_end = index == p->n_statements;
    const int first = body->next_line;
    const int last = is_end ? (int)p->n_lines
                            : p->statements[index].first_line - 1;
    const int next = is_end ? last + 1 : p->statements[index].last_line + 1;

    body->next_line = next;
    if (body->block_line < first || body->block_line >= next)
        return push_lines(p, first, last) &&
               (!is_end || body->block_line < next || push_block(p));
    return push_lines(p, first, body->block_line - 1 < last
                                    ? body->block_line - 1
                                    : last) &&
           push_block(p) && push_lines(p, body->block_line, last);
}

static int in_comment(const hone_parser *p, size_t line)
{
    const char *source = p->tmpl->source;
    size_t at = p->line_starts[line];

    while (at < p->line_starts[line + 1] &&
           isspace((unsigned char)source[at]))
        ++at;
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

    while (at < end && isspace((unsigned char)text[at]))
        ++at;
    if (at == end)
        return 1;
    if (text[at++] != '#')
        return 0;
    while (at < end && isspace((unsigned char)text[at]))
        ++at;
    return !strncmp(text + at, "include", 7) ||
           !strncmp(text + at, "pragma", 6);
}

/* The parameters stand before the first line that is neither a comment, an
 * #include nor a declaration: what is above is the same for all variants. */
void hone__body_find_block(hone_parser *p)
{
    size_t statement = 0;
    size_t line = 0;

    while (line < p->n_lines) {
        if (statement < p->n_statements &&
            p->statements[statement].first_line == (int)line + 1) {
            hone_cursor c = {p, p->statements[statement].text.begin,
                             p->statements[statement].text.end};

            if (hone__body_directive(p, hone__cursor_word(&c)))
                break;
            line = (size_t)p->statements[statement++].last_line;
        } else if (is_leading(p, line)) {
            ++line;
        } else {
            break;
        }
    }
    while (line && line < p->n_lines && in_comment(p, line))
        --line;
    p->body->block_line = (int)line + 1;
}

/* Open a for or if: from here on `open` is the innermost. */
static hone_body_item *open_item(hone_parser *p, hone_body_kind kind,
                                 hone_slice where)
{
    hone_template_body *body = p->body;
    hone_body_item *item;

    if (body->n_open == HONE_MAX_BODY_NESTING) {
        (void)hone__complain(p, where, "more than %d 'for' and 'if' inside "
                             "each other", HONE_MAX_BODY_NESTING);
        return NULL;
    }
    item = HONE_PUSH(p, body->items, body->n_items);
    if (!item)
        return NULL;
    *item = (hone_body_item){.kind = kind,
                             .line = hone__line_of(p, where.begin)};
    body->open[body->n_open].first = body->n_items - 1;
    body->open[body->n_open].branch = body->n_items - 1;
    ++body->n_open;
    return item;
}

static int directive_for(hone_parser *p, hone_cursor *c)
{
    hone_template_body *body = p->body;
    hone_body_item *item = open_item(p, HONE_BODY_FOR,
                                     hone__cursor_here(c));
    const char *name;
    hone_slice word;

    if (!item)
        return 0;
    item->slot = p->tmpl->slots.total + body->n_loops++;
    if (body->n_slots <= item->slot)
        body->n_slots = item->slot + 1;
    if (!hone__cursor_need_word(c, "the name of the loop's variable",
                                &word) ||
        !hone__name_declare(p, word, HONE_NAME_LOOP, item->slot, &name))
        return 0;
    if (!hone__cursor_accept_word(c, "in"))
        return hone__complain(p, hone__cursor_here(c), "expected 'in' and a "
                              "range such as 0..3");
    if (!hone__compile(p, hone__cursor_until(c, ".", NULL),
                       HONE_SCOPE_VARIANT, &item->from))
        return 0;
    if (!hone__cursor_accept(c, '.'))
        return hone__complain(p, hone__cursor_here(c), "expected '..' and "
                              "the last value of the range");
    ++c->at;
    if (!hone__compile(p, hone__cursor_until(c, ".", "step"),
                       HONE_SCOPE_VARIANT, &item->to))
        return 0;
    if (hone__cursor_accept_word(c, "step") &&
        !hone__compile(p, hone__cursor_until(c, "", NULL),
                       HONE_SCOPE_VARIANT, &item->step))
        return 0;
    return hone__cursor_finish(c);
}

static int directive_if(hone_parser *p, hone_cursor *c)
{
    hone_body_item *item = open_item(p, HONE_BODY_IF, hone__cursor_here(c));

    return item && hone__compile(p, hone__cursor_until(c, "", NULL),
                                 HONE_SCOPE_VARIANT, &item->condition);
}

/* The variable of a loop is forgotten at its end. */
static void forget_loop(hone_parser *p, size_t slot)
{
    for (size_t i = p->n_names; i-- > 0;) {
        if (p->names[i].kind == HONE_NAME_LOOP && p->names[i].index == slot) {
            --p->n_names;
            memmove(&p->names[i], &p->names[i + 1],
                    (p->n_names - i) * sizeof *p->names);
        }
    }
}

/* Leave the innermost for or if. Declarations inside are mistakes, unless
 * it was never closed, which is the mistake then. */
static void close_innermost(hone_parser *p, int is_closed)
{
    hone_template_body *body = p->body;
    const hone_body_item *item;

    while (body->n_strays &&
           body->strays[body->n_strays - 1].depth == body->n_open) {
        const hone_stray *stray = &body->strays[--body->n_strays];

        if (is_closed)
            (void)hone__complain(p, (hone_slice){stray->begin, stray->end},
                                 "'%.*s' cannot stand inside 'for' or 'if'; "
                                 "declare it above",
                                 (int)(stray->end - stray->begin),
                                 p->bare + stray->begin);
    }
    item = &body->items[body->open[--body->n_open].first];
    if (item->kind == HONE_BODY_FOR) {
        --body->n_loops;
        forget_loop(p, item->slot);
    }
}

int hone__body_stray(hone_parser *p, hone_slice word)
{
    hone_template_body *body = p->body;
    hone_stray *stray;

    if (!body->n_open)
        return 1;
    stray = HONE_PUSH(p, body->strays, body->n_strays);
    if (!stray)
        return 0;
    *stray = (hone_stray){body->n_open, word.begin, word.end};
    return 1;
}

static void complain_unclosed(hone_parser *p, size_t item)
{
    const int is_loop = p->body->items[item].kind == HONE_BODY_FOR;
    const size_t line = (size_t)p->body->items[item].line;
    hone_cursor c = {p, p->line_starts[line - 1], p->line_starts[line]};

    (void)hone__complain(p, hone__cursor_until(&c, "", NULL),
                         "this '%s' has no '%s'", is_loop ? "for" : "if",
                         is_loop ? "endfor" : "endif");
}

/* Make the innermost `for` (or `if`) the innermost of all; those that were
 * opened after it and not closed are mistakes. */
static int unwind_to(hone_parser *p, int is_loop)
{
    hone_template_body *body = p->body;
    size_t n = body->n_open;

    while (n && (body->items[body->open[n - 1].first].kind ==
                 HONE_BODY_FOR) != is_loop)
        --n;
    if (!n)
        return 0;
    while (body->n_open > n) {
        complain_unclosed(p, body->open[body->n_open - 1].first);
        close_innermost(p, 0);
    }
    return 1;
}

/* Another branch, or the end, of the innermost for or if. */
static hone_body_item *continue_item(hone_parser *p, hone_cursor *c,
                                     hone_body_kind kind, const char *name,
                                     int is_loop)
{
    hone_template_body *body = p->body;
    hone_body_item *item;
    hone_slice where = {c->at - strlen(name), c->at};
    size_t branch;

    if (!unwind_to(p, is_loop)) {
        (void)hone__complain(p, where, "'%s' without a '%s' before it", name,
                             is_loop ? "for" : "if");
        return NULL;
    }
    branch = body->open[body->n_open - 1].branch;
    if (body->items[branch].kind == HONE_BODY_ELSE &&
        kind != HONE_BODY_ENDIF) {
        (void)hone__complain(p, where, "'%s' after the 'else' on line %d",
                             name, body->items[branch].line);
        return NULL;
    }
    item = HONE_PUSH(p, body->items, body->n_items);
    if (!item)
        return NULL;
    *item = (hone_body_item){.kind = kind,
                             .line = hone__line_of(p, where.begin)};
    body->items[branch].next = body->n_items - 1;
    body->open[body->n_open - 1].branch = body->n_items - 1;
    return item;
}

static int directive_endfor(hone_parser *p, hone_cursor *c)
{
    if (!continue_item(p, c, HONE_BODY_ENDFOR, "endfor", 1))
        return 0;
    close_innermost(p, 1);
    return hone__cursor_finish(c);
}

static int directive_elif(hone_parser *p, hone_cursor *c)
{
    hone_body_item *item = continue_item(p, c, HONE_BODY_ELIF, "elif", 0);

    return item && hone__compile(p, hone__cursor_until(c, "", NULL),
                                 HONE_SCOPE_VARIANT, &item->condition);
}

static int directive_else(hone_parser *p, hone_cursor *c)
{
    return continue_item(p, c, HONE_BODY_ELSE, "else", 0) &&
           hone__cursor_finish(c);
}

static int directive_endif(hone_parser *p, hone_cursor *c)
{
    if (!continue_item(p, c, HONE_BODY_ENDIF, "endif", 0))
        return 0;
    close_innermost(p, 1);
    return hone__cursor_finish(c);
}

static const struct {
    const char *word;
    hone_statement_function *function;
} directives[] = {
    {"for", directive_for},   {"endfor", directive_endfor},
    {"if", directive_if},     {"elif", directive_elif},
    {"else", directive_else}, {"endif", directive_endif},
};

enum { N_DIRECTIVES = sizeof directives / sizeof directives[0] };

hone_statement_function *hone__body_directive(const hone_parser *p,
                                              hone_slice word)
{
    for (size_t i = 0; i < N_DIRECTIVES; ++i) {
        if (hone__slice_is(p, word, directives[i].word))
            return directives[i].function;
    }
    return NULL;
}

void hone__body_offer(hone_suggestion *s)
{
    for (size_t i = 0; i < N_DIRECTIVES; ++i)
        hone__suggest_offer(s, directives[i].word);
}

void hone__body_finish(hone_parser *p)
{
    while (p->body->n_open) {
        complain_unclosed(p, p->body->open[p->body->n_open - 1].first);
        close_innermost(p, 0);
    }
}
