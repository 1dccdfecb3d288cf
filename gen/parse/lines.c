/* SPDX-License-Identifier: Apache-2.0 */
/* The lexical layer: line starts, a copy of the source with comments blanked
 * (so that every offset stays what it was), and the `#pragma hone`
 * statements with their continuation lines joined. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <ctype.h>
#include <string.h>

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
    hone__code_blank(text, p->length);
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
               hone__code_is_spliced(text, p->line_starts[line + 1] - 1)) {
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
