/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes and memory while a T1 definition is read: see t1_loader.h. */
#include "gen/t1/t1_loader.h"

#include <stdarg.h>
#include <stdio.h>

typedef hone_t1_loader loader;

void hone__t1_place(const char *source, size_t offset, int *out_line,
                    int *out_column)
{
    *out_line = 1;
    *out_column = 1;
    for (size_t i = 0; i < offset && source[i]; ++i) {
        *out_column = source[i] == '\n' ? 1 : *out_column + 1;
        *out_line += source[i] == '\n';
    }
}

void hone__t1_add(loader *l, const hone_diagnostic *mistake)
{
    hone_diagnostics *list = l->diagnostics;
    hone_diagnostic *items =
        hone__realloc(list->items, (list->n + 1) * sizeof *items);

    if (!items) {
        l->no_memory = 1;
        return;
    }
    list->items = items;
    items[list->n++] = *mistake;
}

void hone__t1_complain(loader *l, size_t offset, size_t length,
                       const char *format, ...)
{
    hone_diagnostic mistake = {.length = length ? (int)length : 1};
    va_list args;

    hone__t1_place(l->source, offset, &mistake.line, &mistake.column);
    va_start(args, format);
    (void)vsnprintf(mistake.text, sizeof mistake.text, format, args);
    va_end(args);
    hone__t1_add(l, &mistake);
}

void hone__t1_complain_in(loader *l, const hone_json_tree *string,
                          hone_span where, const hone_error *err)
{
    if (err->status == HONE_ERR_NO_MEMORY)
        l->no_memory = 1;
    else if (string->is_plain)
        hone__t1_complain(l, string->offset + where.offset, where.length, "%s",
                          err->text);
    else
        hone__t1_complain(l, string->offset, string->end - string->offset, "%s",
                          err->text);
}

void hone__t1_complain_at(loader *l, const hone_json_tree *value,
                          const char *sentence)
{
    const size_t length =
        value->kind == HONE_JSON_OBJECT || value->kind == HONE_JSON_ARRAY
            ? 1
            : value->end - value->offset;

    hone__t1_complain(l, value->offset, length, "%s", sentence);
}

void *hone__t1_take(loader *l, size_t n, size_t size)
{
    void *block = hone__arena_alloc(&l->t1->arena, (n + 1) * size);

    l->no_memory |= !block;
    return block;
}

size_t hone__t1_count(const hone_json_tree *list)
{
    size_t n = 0;

    for (const hone_json_tree *i = list->first; i; i = i->next)
        ++n;
    return n;
}
