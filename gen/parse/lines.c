/* SPDX-License-Identifier: Apache-2.0 */
/* The lexical layer: line starts, a copy of the source with comments blanked
 * (so that every offset stays what it was), and the `#pragma hone`
 * statements with their continuation lines joined. */
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

static void blank(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
    }
}

/* Is the newline at `at` spliced away by a backslash before it? */
static int is_spliced(const char *text, size_t at)
{
    if (at && text[at - 1] == '\r')
        --at;
    return at && text[at - 1] == '\\';
}

static size_t comment_end(const char *text, size_t at, size_t length)
{
    if (text[at + 1] == '*') {
        const char *end = strstr(text + at + 2, "*/");

        return end ? (size_t)(end - text) + 2 : length;
    }
    while (at < length && (text[at] != '\n' || is_spliced(text, at)))
        ++at;
    return at;
}

/* End of a string or character constant; it does not go past its line. */
static size_t quoted_end(const char *text, size_t at, size_t length)
{
    const char quote = text[at++];

    while (at < length && text[at] != quote && text[at] != '\n') {
        at += text[at] == '\\' && at + 1 < length;
        ++at;
    }
    return at < length && text[at] == quote ? at + 1 : at;
}

static void blank_comments(char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        const char c = text[at];

        if (c == '/' && (text[at + 1] == '/' || text[at + 1] == '*')) {
            const size_t end = comment_end(text, at, length);

            blank(text, at, end);
            at = end;
        } else if (c == '"' ||
                   /* not the digit separator of 1'000 */
                   (c == '\'' &&
                    !(at && isalnum((unsigned char)text[at - 1])))) {
            at = quoted_end(text, at, length);
        } else {
            ++at;
        }
    }
}

static int find_line_starts(hone_parser *p)
{
    const char *source = p->tmpl->source;
    size_t n = 1;

    for (size_t i = 0; i < p->length; ++i)
        n += source[i] == '\n' && i + 1 < p->length;
    p->line_starts =
        hone__arena_alloc(&p->tmpl->arena, (n + 1) * sizeof *p->line_starts);
    if (!p->line_starts)
        return hone__no_memory(p);
    for (size_t i = 0; i < p->length; ++i) {
        if (source[i] == '\n' && i + 1 < p->length)
            p->line_starts[++p->n_lines] = i + 1;
    }
    ++p->n_lines;
    p->line_starts[p->n_lines] = p->length;
    return 1;
}

int hone__line_of(const hone_parser *p, size_t offset)
{
    size_t low = 0;
    size_t high = p->n_lines;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (p->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (int)low + 1;
}

int hone__column_of(const hone_parser *p, size_t offset)
{
    const int line = hone__line_of(p, offset);

    return (int)(offset - p->line_starts[line - 1]) + 1;
}

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
    while (at < end && isspace((unsigned char)text[at]))
        ++at;
    return at;
}

static size_t skip_word(const char *text, size_t at, size_t end,
                        const char *word)
{
    const size_t length = strlen(word);

    if (end - at < length || memcmp(text + at, word, length) != 0 ||
        (at + length < end && (isalnum((unsigned char)text[at + length]) ||
                               text[at + length] == '_')))
        return 0;
    return at + length;
}

/* Offset behind `#pragma hone` if the line has it, else 0. */
static size_t pragma_end(const char *text, size_t at, size_t end)
{
    if (at == end || text[at] != '#')
        return 0;
    at = skip_word(text, skip_blanks(text, at + 1, end), end, "pragma");
    return at ? skip_word(text, skip_blanks(text, at, end), end, "hone") : 0;
}

int hone__lines_split(hone_parser *p)
{
    char *text = p->bare;

    if (!find_line_starts(p))
        return 0;
    blank_comments(text, p->length);
    for (size_t line = 0; line < p->n_lines; ++line) {
        const size_t end = p->line_starts[line + 1];
        const size_t pragma = skip_blanks(text, p->line_starts[line], end);
        const size_t begin = pragma_end(text, pragma, end);
        hone_statement *statement;

        if (!begin)
            continue;
        statement = HONE_PUSH(p, p->statements, p->n_statements);
        if (!statement)
            return 0;
        statement->pragma = pragma;
        statement->first_line = (int)line + 1;
        while (line + 1 < p->n_lines &&
               is_spliced(text, p->line_starts[line + 1] - 1)) {
            const size_t newline = p->line_starts[line + 1] - 1;

            text[newline - (text[newline - 1] == '\r') - 1] = ' ';
            text[newline] = ' ';
            ++line;
        }
        statement->last_line = (int)line + 1;
        statement->text = (hone_slice){begin, p->line_starts[line + 1]};
    }
    return 1;
}
