/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of json_reader.h, from what the reader gives piece by piece. */
#include "gen/json/json_reader.h"

#include <string.h>

static hone_status no_memory(hone_error *err)
{
    return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

/* `event` is the value, or begins it. The reader bounds how deep this goes. */
static hone_status read_value(hone_json_reader *reader, hone_arena *arena,
                              hone_json_event event, hone_json_tree *out,
                              hone_error *err)
{
    const int is_object = event.kind == HONE_JSON_OBJECT;
    const size_t begin = event.begin;
    const size_t quote = event.kind == HONE_JSON_STRING;
    hone_json_tree **link = &out->first;

    out->kind = event.kind;
    out->line = (int)event.line;
    out->column = (int)event.column + (int)quote;
    out->width = is_object ? 1 : event.end - event.begin - 2 * quote;
    if (!is_object && event.kind != HONE_JSON_ARRAY) {
        out->text = hone__arena_strndup(arena, event.text, event.length);
        out->length = event.length;
        out->is_plain = quote && out->width == event.length;
        return out->text ? HONE_OK : no_memory(err);
    }
    for (;;) {
        hone_json_tree *item;

        HONE_TRY(hone__json_next(reader, &event, err));
        out->width = is_object ? 1 : event.end - begin;
        if (event.kind == HONE_JSON_OBJECT_END ||
            event.kind == HONE_JSON_ARRAY_END)
            return HONE_OK;
        item = hone__arena_alloc(arena, sizeof *item);
        if (!item)
            return no_memory(err);
        if (is_object) {
            item->key = hone__arena_strndup(arena, event.text, event.length);
            if (!item->key)
                return no_memory(err);
            HONE_TRY(hone__json_next(reader, &event, err));
        }
        HONE_TRY(read_value(reader, arena, event, item, err));
        *link = item;
        link = &item->next;
        ++out->n;
    }
}

hone_status hone__json_tree_read(hone_json_reader *reader, hone_arena *arena,
                                 hone_json_tree **out, hone_error *err)
{
    hone_json_event event;

    *out = hone__arena_alloc(arena, sizeof **out);
    if (!*out)
        return no_memory(err);
    HONE_TRY(hone__json_next(reader, &event, err));
    HONE_TRY(read_value(reader, arena, event, *out, err));
    return hone__json_next(reader, &event, err); /* that nothing follows */
}

const hone_json_tree *hone__json_tree_find(const hone_json_tree *object,
                                           const char *key)
{
    const hone_json_tree *item;

    if (!object || object->kind != HONE_JSON_OBJECT)
        return NULL;
    item = object->first;
    while (item && strcmp(item->key, key) != 0)
        item = item->next;
    return item;
}
