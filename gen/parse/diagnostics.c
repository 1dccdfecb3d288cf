/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a template's mistakes, and how a person sees it. */
#include "gen/parse/parse.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    const hone_diagnostic *x = a;
    const hone_diagnostic *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

void hone__diagnostics_sort(hone_diagnostics *diagnostics)
{
    if (diagnostics->n > 1)
        qsort(diagnostics->items, diagnostics->n, sizeof *diagnostics->items,
              compare);
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
        const size_t before = (size_t)d->column - 1;
        size_t length;
        const char *line = find_line(source, d->line, &length);

        hone__text_printf(out, "%s:%d:%d: error: %s\n%5d | ", path, d->line,
                          d->column, d->text, d->line);
        hone__text_append(out, line, length);
        hone__text_puts(out, "\n      | ");
        /* A tab stays a tab, so that the caret stands below its place. */
        for (size_t k = 0; k < before; ++k)
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
    *diagnostics = (hone_diagnostics){0};
}
