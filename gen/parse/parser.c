/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the parser stands on: memory, the lines and statements of
 * the file, places, and mistakes as a person sees them. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"
#include "runtime/base/grow.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hone__no_memory(hone_parser *p)
{
    p->no_memory = 1;
    return 0;
}

/* Doubles when n is a power of two, so that n tells the capacity. */
int hone__push(hone_parser *p, void *items, size_t n, size_t size_bytes)
{
    void *larger, *old;

    if (n & (n - 1))
        return 1;
    larger = hone__arena_alloc(&p->tmpl->arena, (n ? 2 * n : 1) * size_bytes);
    if (!larger)
        return hone__no_memory(p);
    memcpy(&old, items, sizeof old);
    if (n)
        memcpy(larger, old, n * size_bytes);
    memcpy(items, &larger, sizeof larger);
    return 1;
}

const char *hone__text_keep(hone_parser *p, hone_text *text)
{
    const char *kept =
        text->failed ? NULL
                     : hone__arena_strndup(&p->tmpl->arena,
                                           hone__text_str(text), text->length);

    if (!kept)
        (void)hone__no_memory(p);
    hone__text_free(text);
    return kept;
}

/* ---- lines and statements ----------------------------------------------- */

static int push_line_start(hone_parser *p, size_t at)
{
    size_t *start = HONE_PUSH(p, p->line_starts, p->n_line_starts);

    if (!start)
        return 0;
    *start = at;
    p->n_lines = p->n_line_starts - 1;
    return 1;
}

static int find_line_starts(hone_parser *p, size_t begin, size_t end)
{
    const char *source = p->tmpl->source;

    if (!begin && !push_line_start(p, 0))
        return 0;
    for (size_t i = begin; i < end; ++i) {
        if (source[i] == '\n' && i + 1 < end && !push_line_start(p, i + 1))
            return 0;
    }
    return push_line_start(p, end);
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
        (at + length < end && hone__code_is_name(text[at + length])))
        return 0;
    return at + length;
}

size_t hone__pragma_end(const char *text, size_t at, size_t end,
                        size_t *out_begin)
{
    at = skip_blanks(text, at, end);
    *out_begin = at;
    if (at == end || text[at] != '#')
        return 0;
    at = skip_word(text, skip_blanks(text, at + 1, end), end, "pragma");
    return at ? skip_word(text, skip_blanks(text, at, end), end, "hone") : 0;
}

/* Lines of a statement are taken out of the source: half a comment would be
 * left. Inside a comment the blanked text has no ends of lines. */
static void check_comments(hone_parser *p, const hone_statement *statement,
                           size_t from, size_t to)
{
    const size_t begin = p->line_starts[statement->first_line - 1];
    const size_t end = p->line_starts[statement->last_line];

    if ((begin > from && p->bare[begin - 1] != '\n') ||
        (end < to && p->bare[end - 1] != '\n'))
        (void)hone__complain(
            p, (hone_slice){statement->pragma, statement->text.begin},
            "a comment or raw string on the line of a statement has to begin "
            "and end on it");
}

int hone__lines_split(hone_parser *p, size_t from, size_t to)
{
    char *text = p->bare;
    size_t line = p->n_lines;

    if (!find_line_starts(p, from, to))
        return 0;
    hone__code_blank(text + from, to - from);
    for (; line < p->n_lines; ++line) {
        const size_t end = p->line_starts[line + 1];
        size_t pragma;
        const size_t begin =
            hone__pragma_end(text, p->line_starts[line], end, &pragma);
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
        check_comments(p, statement, from, to);
    }
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

hone_template_expr hone__place(const hone_parser *p, hone_slice where)
{
    const int line = hone__line_of(p, where.begin);
    const size_t column = where.begin - p->line_starts[line - 1];

    return (hone_template_expr){.line = line, .column = (int)column + 1};
}

/* ---- mistakes ------------------------------------------------------------ */

static int comes_before(const hone_diagnostic *a, const hone_diagnostic *b)
{
    if (a->part != b->part)
        return a->part < b->part;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

enum {
    MOST_OF_LINE = 400, /* of what stands there; JSON is often all one line */
    BEFORE_MISTAKE = 100
};

int hone__complain(hone_parser *p, hone_slice where, const char *format, ...)
{
    const hone_template_expr place = hone__place(p, where);
    hone_diagnostics *list = p->diagnostics;
    hone_diagnostic new = {
        .line = place.line, .column = place.column, .length = 1};
    hone_diagnostic *items;
    size_t at = list->n;
    va_list args;

    if (at == HONE_MOST_MISTAKES)
        return 0;
    if (!HONE_GROW(list->items, list->n))
        return hone__no_memory(p);
    if (where.end > where.begin)
        new.length = (int)(where.end - where.begin);
    for (size_t i = p->tmpl->n_parts; i-- > 0 && !new.part;) {
        const int before = p->tmpl->parts[i].lines_before;

        if (place.line > before) {
            new.part = i + 1;
            new.line -= before;
        }
    }
    items = list->items;
    for (; at && comes_before(&new, &items[at - 1]); --at)
        items[at] = items[at - 1];
    ++list->n;
    va_start(args, format);
    (void)vsnprintf(new.text, sizeof new.text, format, args);
    va_end(args);
    items[at] = new;
    return 0;
}

/* Start of a 1-based line, and its length without the line end. */
static const char *find_line(const char *source, int line, size_t *out_length)
{
    const char *end;

    for (int i = 1; i < line; ++i) {
        const char *newline = strchr(source, '\n');

        if (!newline)
            break;
        source = newline + 1;
    }
    end = source + strcspn(source, "\r\n");
    *out_length = (size_t)(end - source);
    return source;
}

void hone__diagnostics_format(const hone_diagnostics *diagnostics,
                              const char *path, const char *source,
                              hone_text *out)
{
    for (size_t i = 0; i < diagnostics->n; ++i) {
        const hone_diagnostic *d = &diagnostics->items[i];
        size_t before = (size_t)d->column - 1;
        size_t length;
        const hone_diagnostics_part *part =
            d->part ? &diagnostics->parts[d->part - 1] : NULL;
        const char *line =
            find_line(part ? part->text : source, d->line, &length);

        if (length > MOST_OF_LINE) {
            const size_t left_out = before > length ? length - BEFORE_MISTAKE
                                    : before > BEFORE_MISTAKE
                                        ? before - BEFORE_MISTAKE
                                        : 0;

            line += left_out;
            before -= left_out;
            length -= left_out;
            length = length < MOST_OF_LINE ? length : MOST_OF_LINE;
        }
        hone__text_printf(out, "%s:%d:%d: error: %s\n%5d | ",
                          part ? part->path : path, d->line, d->column, d->text,
                          d->line);
        hone__text_append(out, line, length);
        hone__text_puts(out, "\n      | ");
        /* A tab stays a tab, so that the caret stands below its place. */
        for (size_t k = 0; k < before && k < MOST_OF_LINE; ++k)
            hone__text_puts(out, k < length && line[k] == '\t' ? "\t" : " ");
        hone__text_puts(out, "^");
        for (size_t k = 1; k < (size_t)d->length && before + k < length; ++k)
            hone__text_puts(out, "~");
        hone__text_puts(out, "\n");
    }
}

void hone__diagnostics_free(hone_diagnostics *diagnostics)
{
    hone__free(diagnostics->items);
    for (size_t i = 0; i < diagnostics->n_parts; ++i) {
        hone__free(diagnostics->parts[i].path);
        hone__free(diagnostics->parts[i].text);
    }
    hone__free(diagnostics->parts);
    *diagnostics = (hone_diagnostics){0};
}
