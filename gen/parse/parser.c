/* SPDX-License-Identifier: Apache-2.0 */
/* What every file of the parser stands on: memory, places and mistakes. */
#include "gen/parse/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hone__no_memory(hone_parser *p)
{
    p->no_memory = 1;
    return 0;
}

/* Doubles when n is a power of two, so that n tells the capacity. */
void *hone__push(hone_parser *p, void *items, size_t n, size_t size_bytes)
{
    void *larger;

    if (n & (n - 1))
        return items;
    larger = hone__arena_alloc(&p->tmpl->arena, (n ? 2 * n : 1) * size_bytes);
    if (!larger) {
        (void)hone__no_memory(p);
        return NULL;
    }
    if (n)
        memcpy(larger, items, n * size_bytes);
    return larger;
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

int hone__complain(hone_parser *p, hone_slice where, const char *format, ...)
{
    hone_diagnostics *list = p->diagnostics;
    hone_diagnostic *item =
        hone__realloc(list->items, (list->n + 1) * sizeof *item);
    va_list args;

    if (!item)
        return hone__no_memory(p);
    list->items = item;
    item += list->n++;
    item->line = hone__line_of(p, where.begin);
    item->column = hone__column_of(p, where.begin);
    item->length = where.end > where.begin ? (int)(where.end - where.begin) : 1;
    va_start(args, format);
    (void)vsnprintf(item->text, sizeof item->text, format, args);
    va_end(args);
    return 0;
}
