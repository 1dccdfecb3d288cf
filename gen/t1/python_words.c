/* SPDX-License-Identifier: Apache-2.0 */
/* The words of Python expressions: blanks, names, numbers, texts, and what is
 * said about a mistake. */
#include "gen/t1/python.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef hone_python_parser parser;

#define FAIL hone__python_fail

hone_node hone__python_fail(parser *p, size_t offset, size_t length,
                            const char *format, ...)
{
    char sentence[512];
    va_list args;

    if (p->status)
        return 0;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    p->where = (hone_span){offset, length ? length : 1};
    p->status = hone__fail(p->err, HONE_ERR_INPUT, "%s", sentence);
    return 0;
}

hone_node hone__python_no_memory(parser *p)
{
    if (!p->status)
        p->status = hone__fail(p->err, HONE_ERR_NO_MEMORY, "out of memory");
    return 0;
}

int hone__python_enter(parser *p)
{
    if (p->nesting++ < HONE_PYTHON_NESTING)
        return 1;
    return (int)FAIL(p, p->at, 1, "the expression is nested deeper than %d",
                     HONE_PYTHON_NESTING);
}

hone_node hone__python_unexpected(parser *p, const char *what)
{
    const char c = hone__python_peek(p);

    if (p->at >= p->end)
        return FAIL(p, p->at, 1, "expected %s, but the expression ends here",
                    what);
    if (p->end - p->at > 1 && (c == '&' || c == '|') && p->text[p->at + 1] == c)
        return FAIL(p, p->at, 2, "'%c%c' is not Python; write '%s'", c, c,
                    c == '&' ? "and" : "or");
    if (isprint((unsigned char)c))
        return FAIL(p, p->at, 1, "expected %s, found '%c'", what, c);
    return FAIL(p, p->at, 1, "expected %s, found the byte 0x%02x", what,
                (unsigned)(unsigned char)c);
}

/* ---- words -------------------------------------------------------------- */

char hone__python_peek(parser *p)
{
    while (p->at < p->end && isspace((unsigned char)p->text[p->at]))
        ++p->at;
    return p->at < p->end ? p->text[p->at] : '\0';
}

int hone__python_accept(parser *p, char c)
{
    if (hone__python_peek(p) != c)
        return 0;
    ++p->at;
    return 1;
}

int hone__python_expect(parser *p, char c, const char *where)
{
    char what[64];

    if (hone__python_accept(p, c))
        return 1;
    (void)snprintf(what, sizeof what, "'%c' %s", c, where);
    (void)hone__python_unexpected(p, what);
    return 0;
}

static int is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t hone__python_word_length(const parser *p, size_t at)
{
    size_t n = 0;

    while (at + n < p->end && is_name_char(p->text[at + n]))
        ++n;
    return n;
}

int hone__python_word_at(const parser *p, size_t at, const char *word)
{
    const size_t n = strlen(word);

    return hone__python_word_length(p, at) == n &&
           memcmp(p->text + at, word, n) == 0;
}

int hone__python_word(parser *p, const char *word)
{
    (void)hone__python_peek(p);
    if (!hone__python_word_at(p, p->at, word))
        return 0;
    p->at += strlen(word);
    return 1;
}

size_t hone__python_skip_text(const parser *p, size_t at)
{
    const char quote = p->text[at++];

    while (at < p->end && p->text[at] != quote)
        at += p->text[at] == '\\' ? 2 : 1;
    return at < p->end ? at + 1 : p->end;
}

/* ---- literals ----------------------------------------------------------- */

hone_node hone__python_constant(parser *p, hone_datum value)
{
    const hone_node node = hone__graph_const(p->graph, value);

    return node ? node : hone__python_no_memory(p);
}

/* Letters, digits and dots, and a sign behind an exponent's e. */
static size_t number_length(const parser *p)
{
    const int is_hex = p->end - p->at > 1 && p->text[p->at] == '0' &&
                       isalpha((unsigned char)p->text[p->at + 1]) &&
                       (p->text[p->at + 1] | 0x20) != 'e';
    size_t n = 0;

    while (p->at + n < p->end &&
           (is_name_char(p->text[p->at + n]) || p->text[p->at + n] == '.' ||
            (!is_hex && n && (p->text[p->at + n - 1] | 0x20) == 'e' &&
             (p->text[p->at + n] == '+' || p->text[p->at + n] == '-'))))
        ++n;
    return n;
}

static int base_of(const char *digits)
{
    const char letter = digits[0] == '0' ? (char)(digits[1] | 0x20) : '\0';

    return letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
}

hone_node hone__python_number(parser *p)
{
    char digits[64];
    const size_t start = p->at;
    const size_t length = number_length(p);
    size_t n = 0;
    int base;
    char *end;
    hone_datum value;

    for (size_t i = 0; i < length && n + 1 < sizeof digits; ++i) {
        if (p->text[start + i] != '_')
            digits[n++] = p->text[start + i];
    }
    digits[n] = '\0';
    base = base_of(digits);
    errno = 0;
    value = hone__datum_int(strtoll(digits + (base == 10 ? 0 : 2), &end, base));
    if (!*end && errno == ERANGE)
        return FAIL(p, start, length, "%.*s does not fit 64 bits", (int)length,
                    p->text + start);
    if (base == 10 && (*end == '.' || (*end | 0x20) == 'e'))
        value = hone__datum_float(strtod(digits, &end));
    if (*end || length >= sizeof digits ||
        (base == 10 && n > 1 && digits[0] == '0' &&
         value.kind == HONE_DATUM_INT && value.i))
        return FAIL(p, start, length, "'%.*s' is not a number", (int)length,
                    p->text + start);
    p->at += length;
    return hone__python_constant(p, value);
}

hone_node hone__python_text(parser *p)
{
    const size_t start = p->at;
    const size_t end = hone__python_skip_text(p, start);
    char *bytes = hone__arena_alloc(p->python->arena, end - start + 1);
    size_t n = 0;
    int64_t id;

    if (!bytes)
        return hone__python_no_memory(p);
    if (end - start < 2 || p->text[end - 1] != p->text[start])
        return FAIL(p, start, end - start, "this text is never closed");
    for (size_t i = start + 1; i + 1 < end; ++i) {
        if (p->text[i] == '\\' && strchr("\\'\"", p->text[i + 1]))
            ++i;
        else if (p->text[i] == '\\')
            return FAIL(p, i, 2,
                        "of the escapes only \\\\, \\' and \\\" are "
                        "read");
        bytes[n++] = p->text[i];
    }
    id = hone__text_number(p->python->texts, p->python->arena, bytes, n);
    p->at = end;
    return id < 0 ? hone__python_no_memory(p)
                  : hone__python_constant(p, hone__datum_text(id));
}

int64_t hone__text_number(hone_texts *texts, hone_arena *arena,
                          const char *text, size_t length)
{
    if (texts->n == 0 && length)
        (void)hone__text_number(texts, arena, "", 0);
    for (size_t i = 0; i < texts->n; ++i) {
        if (strlen(texts->items[i]) == length &&
            memcmp(texts->items[i], text, length) == 0)
            return (int64_t)i;
    }
    if ((texts->n & (texts->n - 1)) == 0) { /* 0, 1, 2, 4, .. */
        const char **items =
            hone__arena_alloc(arena, (2 * texts->n + 1) * sizeof *items);

        if (!items)
            return -1;
        if (texts->n)
            memcpy(items, texts->items, texts->n * sizeof *items);
        texts->items = items;
    }
    texts->items[texts->n] = hone__arena_strndup(arena, text, length);
    return texts->items[texts->n] ? (int64_t)texts->n++ : -1;
}
