/* SPDX-License-Identifier: Apache-2.0 */
/* The expansion directives of a body: for, endfor, if, elif, else and endif,
 * and what is wrong with how they are nested. */
#include "gen/parse/parse.h"

#include <string.h>

/* Open a for or if: from here on `open` is the innermost. */
static hone_body_item *open_item(hone_cursor *c, hone_body_kind kind)
{
    hone_parser *p = c->p;
    hone_template_body *body = p->body;
    const hone_slice where = hone__cursor_here(c);
    hone_body_item *item;

    if (body->n_open == HONE_MAX_BODY_NESTING) {
        (void)hone__complain(p, where,
                             "more than %d 'for' and 'if' inside each other",
                             HONE_MAX_BODY_NESTING);
        return NULL;
    }
    item = hone__body_push(p, kind, hone__line_of(p, where.begin));
    if (!item)
        return NULL;
    body->open[body->n_open].first = body->n_items - 1;
    body->open[body->n_open++].branch = body->n_items - 1;
    return item;
}

static int read_expr(hone_cursor *c, const char *stops,
                     const char *const *words, hone_template_expr *out)
{
    return hone__compile(c->p, hone__cursor_until(c, stops, words),
                         HONE_SCOPE_VARIANT, out);
}

static int read_for(hone_cursor *c, hone_body_item *item)
{
    static const char *const step[] = {"step", NULL};
    hone_parser *p = c->p;
    const char *name;
    hone_slice word;

    item->slot = p->tmpl->slots.total + p->body->n_loops++;
    if (p->body->n_slots <= item->slot)
        p->body->n_slots = item->slot + 1;
    if (!hone__cursor_need_word(c, "the name of the loop's variable", &word) ||
        !hone__name_declare(p, word, HONE_NAME_LOOP, item->slot, &name))
        return 0;
    if (!hone__cursor_accept_word(c, "in"))
        return hone__complain(p, hone__cursor_here(c),
                              "expected 'in' and a range such as 0..3");
    return read_expr(c, ".", NULL, &item->from) && hone__cursor_dots(c, "") &&
           read_expr(c, ".", step, &item->to) &&
           (!hone__cursor_accept_word(c, "step") ||
            read_expr(c, "", NULL, &item->step)) &&
           hone__cursor_finish(c);
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
            (void)hone__complain(
                p, (hone_slice){stray->begin, stray->end},
                "'%.*s' cannot stand inside 'for' or 'if'; declare it above",
                (int)(stray->end - stray->begin), p->bare + stray->begin);
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

    while (n && (body->items[body->open[n - 1].first].kind == HONE_BODY_FOR) !=
                    is_loop)
        --n;
    if (!n)
        return 0;
    while (body->n_open > n) {
        complain_unclosed(p, body->open[body->n_open - 1].first);
        close_innermost(p, 0);
    }
    return 1;
}

static const char *const words[] = {
    [HONE_BODY_FOR] = "for",   [HONE_BODY_ENDFOR] = "endfor",
    [HONE_BODY_IF] = "if",     [HONE_BODY_ELIF] = "elif",
    [HONE_BODY_ELSE] = "else", [HONE_BODY_ENDIF] = "endif"};

/* Another branch, or the end, of the innermost for or if. */
static hone_body_item *continue_item(hone_cursor *c, hone_body_kind kind)
{
    hone_parser *p = c->p;
    hone_template_body *body = p->body;
    const int is_loop = kind == HONE_BODY_ENDFOR;
    const hone_slice where = {c->at - strlen(words[kind]), c->at};
    hone_body_item *item;
    size_t branch;

    if (!unwind_to(p, is_loop)) {
        (void)hone__complain(p, where, "'%s' without a '%s' before it",
                             words[kind], is_loop ? "for" : "if");
        return NULL;
    }
    branch = body->open[body->n_open - 1].branch;
    if (body->items[branch].kind == HONE_BODY_ELSE && kind != HONE_BODY_ENDIF) {
        (void)hone__complain(p, where, "'%s' after the 'else' on line %d",
                             words[kind], body->items[branch].line);
        return NULL;
    }
    item = hone__body_push(p, kind, hone__line_of(p, where.begin));
    if (!item)
        return NULL;
    body->items[branch].next = body->n_items - 1;
    body->open[body->n_open - 1].branch = body->n_items - 1;
    return item;
}

int hone__body_directive(hone_cursor *c, hone_body_kind kind)
{
    const int opens = kind == HONE_BODY_FOR || kind == HONE_BODY_IF;
    hone_body_item *item = opens ? open_item(c, kind) : continue_item(c, kind);

    if (!item)
        return 0;
    if (kind == HONE_BODY_FOR)
        return read_for(c, item);
    if (kind == HONE_BODY_IF || kind == HONE_BODY_ELIF)
        return read_expr(c, "", NULL, &item->condition);
    if (kind != HONE_BODY_ELSE)
        close_innermost(c->p, 1);
    return hone__cursor_finish(c);
}

hone_body_kind hone__body_kind(const hone_parser *p, hone_slice word)
{
    int kind = HONE_BODY_ENDIF;

    while (kind >= HONE_BODY_FOR && !hone__slice_is(p, word, words[kind]))
        --kind;
    return kind >= HONE_BODY_FOR ? (hone_body_kind)kind : HONE_BODY_TEXT;
}

void hone__body_offer(hone_suggestion *s)
{
    for (int kind = HONE_BODY_FOR; kind <= HONE_BODY_ENDIF; ++kind)
        hone__suggest_offer(s, words[kind]);
}

void hone__body_finish(hone_parser *p)
{
    while (p->body->n_open) {
        complain_unclosed(p, p->body->open[p->body->n_open - 1].first);
        close_innermost(p, 0);
    }
}
