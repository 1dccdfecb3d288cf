/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one statement from left to right: words, strings, punctuation and
 * the slices of text that are expressions. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

hone_cursor hone__cursor_at(hone_parser *p, size_t statement)
{
    const hone_slice text = p->statements[statement].text;

    return (hone_cursor){p, text.begin, text.end};
}

char hone__cursor_peek(hone_cursor *c)
{
    while (c->at < c->end && isspace((unsigned char)c->p->bare[c->at]))
        ++c->at;
    return c->at < c->end ? c->p->bare[c->at] : '\0';
}

hone_slice hone__cursor_here(hone_cursor *c)
{
    size_t end;

    if (hone__cursor_is_done(c)) {
        /* The end is behind the last character, not on the next line. */
        size_t at = c->end;

        while (at && isspace((unsigned char)c->p->bare[at - 1]))
            --at;
        return (hone_slice){at, at + 1};
    }
    end = c->at + 1;
    if (hone__code_is_name(c->p->bare[c->at])) {
        while (end < c->end && hone__code_is_name(c->p->bare[end]))
            ++end;
    }
    return (hone_slice){c->at, end};
}

int hone__cursor_accept(hone_cursor *c, char wanted)
{
    if (hone__cursor_peek(c) != wanted || c->at >= c->end)
        return 0;
    ++c->at;
    return 1;
}

static int miss(hone_cursor *c, const char *what)
{
    const hone_slice here = hone__cursor_here(c);

    if (c->at >= c->end)
        return hone__complain(c->p, here,
                              "expected %s, but the statement ends here", what);
    return hone__complain(c->p, here, "expected %s, found '%.*s'", what,
                          HONE_SLICE(c->p, here));
}

int hone__cursor_expect(hone_cursor *c, char wanted, const char *where)
{
    char what[100];

    if (hone__cursor_accept(c, wanted))
        return 1;
    (void)snprintf(what, sizeof what, "'%c' %s", wanted, where);
    return miss(c, what);
}

hone_slice hone__cursor_word(hone_cursor *c)
{
    const char first = hone__cursor_peek(c);
    const size_t begin = c->at;

    if (!isalpha((unsigned char)first) && first != '_')
        return (hone_slice){begin, begin};
    while (c->at < c->end && hone__code_is_name(c->p->bare[c->at]))
        ++c->at;
    return (hone_slice){begin, c->at};
}

int hone__cursor_need_word(hone_cursor *c, const char *what, hone_slice *out)
{
    *out = hone__cursor_word(c);
    return out->end > out->begin || miss(c, what);
}

int hone__cursor_accept_word(hone_cursor *c, const char *word)
{
    const size_t before = c->at;
    const hone_slice found = hone__cursor_word(c);

    if (found.end > found.begin && hone__slice_is(c->p, found, word))
        return 1;
    c->at = before;
    return 0;
}

int hone__cursor_choose(hone_cursor *c, const char *owner,
                        const char *const *words, size_t n, unsigned *seen,
                        const char *one_of, const char *all_of)
{
    hone_suggestion s;
    hone_slice word;

    if (!hone__cursor_need_word(c, one_of, &word))
        return -1;
    s = hone__suggest(c->p->bare + word.begin, word.end - word.begin);
    for (size_t i = 0; i < n; ++i) {
        hone__suggest_offer(&s, words[i]);
        if (!hone__slice_is(c->p, word, words[i]))
            continue;
        if (*seen >> i & 1)
            return hone__complain(c->p, word, "'%s' is given twice", words[i]) -
                   1;
        *seen |= 1u << i;
        return (int)i;
    }
    return hone__complain(c->p, word, "%s has no '%.*s'; it takes %s%s", owner,
                          HONE_SLICE(c->p, word), all_of,
                          hone__suggest_text(&s)) -
           1;
}

int hone__cursor_dots(hone_cursor *c, const char *otherwise)
{
    if (!hone__cursor_accept(c, '.'))
        return hone__complain(c->p, hone__cursor_here(c),
                              "expected '..' and the last value of the range%s",
                              otherwise);
    ++c->at; /* the second dot: until() stops at two only */
    return 1;
}

int hone__cursor_string(hone_cursor *c, const char **out)
{
    const char *text = c->p->bare;
    size_t begin;
    size_t n = 0;
    char *copy;

    if (!hone__cursor_expect(c, '"', "to start a text"))
        return 0;
    begin = c->at;
    copy = hone__arena_alloc(&c->p->tmpl->arena, c->end - begin + 1);
    if (!copy)
        return hone__no_memory(c->p);
    while (c->at < c->end && text[c->at] != '"' && text[c->at] != '\n') {
        c->at += text[c->at] == '\\' && c->at + 1 < c->end;
        copy[n++] = text[c->at++];
    }
    if (c->at >= c->end || text[c->at] != '"') {
        const size_t end = c->at > begin ? c->at : begin;

        c->at = c->end;
        return hone__complain(c->p, (hone_slice){begin - 1, end},
                              "the text has no closing '\"'");
    }
    ++c->at;
    *out = copy;
    return 1;
}

static hone_slice trim(const hone_parser *p, size_t begin, size_t end)
{
    /* The end first: nothing at all stays where it was looked for. */
    while (end > begin && isspace((unsigned char)p->bare[end - 1]))
        --end;
    while (begin < end && isspace((unsigned char)p->bare[begin]))
        ++begin;
    return (hone_slice){begin, end};
}

/* Behind the word or number at `at`; ".." is not part of a number. */
static size_t word_end(const char *text, size_t at, size_t end)
{
    while (at < end &&
           (hone__code_is_name(text[at]) ||
            (text[at] == '.' && !(at + 1 < end && text[at + 1] == '.'))))
        ++at;
    return at;
}

static int is_one(const hone_parser *p, hone_slice word,
                  const char *const *words)
{
    while (words && *words && !hone__slice_is(p, word, *words))
        ++words;
    return words && *words;
}

hone_slice hone__cursor_until(hone_cursor *c, const char *stops,
                              const char *const *words)
{
    const char *text = c->p->bare;
    const size_t begin = c->at;
    int depth = 0;

    while (c->at < c->end) {
        const char ch = text[c->at];

        if (hone__code_is_name(ch)) {
            const size_t end = word_end(text, c->at, c->end);

            if (depth == 0 && is_one(c->p, (hone_slice){c->at, end}, words))
                break;
            c->at = end;
            continue;
        }
        if (depth == 0 && ch && strchr(stops, ch) &&
            (ch != '.' || (c->at + 1 < c->end && text[c->at + 1] == '.')))
            break;
        depth += ch == '(' || ch == '[';
        if ((ch == ')' || ch == ']') && depth > 0)
            --depth;
        ++c->at;
    }
    return trim(c->p, begin, c->at);
}

int hone__cursor_is_done(hone_cursor *c)
{
    return hone__cursor_peek(c) == '\0' && c->at >= c->end;
}

int hone__cursor_finish(hone_cursor *c)
{
    hone_slice here;

    if (hone__cursor_is_done(c))
        return 1;
    here = hone__cursor_here(c);
    return hone__complain(c->p, here, "'%.*s' is not expected at this place",
                          HONE_SLICE(c->p, here));
}

int hone__slice_is(const hone_parser *p, hone_slice slice, const char *text)
{
    const size_t length = strlen(text);

    return slice.end - slice.begin == length &&
           memcmp(p->bare + slice.begin, text, length) == 0;
}

const char *hone__slice_copy(hone_parser *p, hone_slice slice)
{
    const char *copy = hone__arena_strndup(
        &p->tmpl->arena, p->bare + slice.begin, slice.end - slice.begin);

    if (!copy)
        (void)hone__no_memory(p);
    return copy;
}
