/* SPDX-License-Identifier: Apache-2.0 */
/* The templates on a search path, by what their headings say: which operation,
 * and which implementation of it. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"
#include "runtime/base/grow.h"

#include <stdlib.h>
#include <string.h>

/* The next identifier of [at, end); its length. */
static size_t next_word(const char *text, size_t *at, size_t end)
{
    size_t length = 0;

    while (*at < end && (text[*at] == ' ' || text[*at] == '\t'))
        ++*at;
    while (*at + length < end && hone__code_is_name(text[*at + length]))
        ++length;
    return length;
}

static int is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

int hone__heading_read(const char *code, size_t length, hone_heading *out)
{
    size_t end;

    for (size_t line = 0; line < length; line = end + 1) {
        size_t begin, at, n;

        end = line + strcspn(code + line, "\n");
        at = hone__pragma_end(code, line, end, &begin);
        n = at ? next_word(code, &at, end) : 0;
        *out = (hone_heading){.is_op = is_word(code + at, n, "op")};
        if (!n || (!out->is_op && !is_word(code + at, n, "implements")))
            continue;
        at += n;
        n = next_word(code, &at, end);
        out->op = (hone_slice){at, at + n};
        if (!out->is_op && code[at + n] == '/') {
            at += n + 1;
            n = next_word(code, &at, end);
            out->name = (hone_slice){at, at + n};
            at += n;
            n = next_word(code, &at, end);
            out->is_reference = is_word(code + at, n, "reference");
        }
        return 1;
    }
    return 0;
}

static char *keep(hone_arena *arena, const char *text, hone_slice of)
{
    return hone__arena_strndup(arena, text + of.begin, of.end - of.begin);
}

/* The heading of a text without comments. 0: it has none; -1 without memory. */
static int keep_heading(hone_arena *arena, const char *code, size_t length,
                        hone_listed_template *out)
{
    hone_heading heading;

    if (!hone__heading_read(code, length, &heading))
        return 0;
    out->has_contract = !heading.is_op;
    out->is_reference = heading.is_reference;
    out->op = keep(arena, code, heading.op);
    if (heading.name.end)
        out->name = keep(arena, code, heading.name);
    return out->op && out->name ? 1 : -1;
}

static hone_status read_file(hone_arena *arena,
                             const hone_template_folder *folder,
                             const char *file, hone_listed_template *out,
                             int *out_found, hone_error *err)
{
    hone_text path = {0}, text = {0};
    hone_status status =
        hone__template_folder_file(folder, file, &path, &text, out_found, err);

    *out_found &= text.length != 0;
    if (status == HONE_OK && *out_found) {
        out->path = hone__arena_strndup(arena, path.data, path.length);
        out->name = hone__arena_strndup(arena, file, strlen(file) - 3);
        hone__code_blank(text.data, text.length);
        if (out->path && out->name)
            *out_found = keep_heading(arena, text.data, text.length, out);
        if (!out->path || !out->name || *out_found < 0)
            status = hone__out_of_memory(err, "");
    }
    hone__text_free(&path);
    hone__text_free(&text);
    return status;
}

/* "OP" or "OP/NAME", or NULL. */
static int is_asked_for(const hone_listed_template *item, const char *asked)
{
    const size_t length = asked ? strcspn(asked, "/") : 0;

    return !asked ||
           (is_word(asked, length, item->op) &&
            (!asked[length] || !strcmp(asked + length + 1, item->name)));
}

/* An earlier folder has it already: that one is meant. */
static int is_shadowed(const hone_template_list *list,
                       const hone_listed_template *item)
{
    for (size_t i = 0; i < list->n; ++i) {
        if (list->items[i].folder != item->folder &&
            !strcmp(list->items[i].op, item->op) &&
            !strcmp(list->items[i].name, item->name))
            return 1;
    }
    return 0;
}

static hone_status list_folder(const hone_template_folder *folder, int index,
                               const char *asked, hone_template_list *out,
                               hone_error *err)
{
    hone_status status = HONE_OK;
    const char *file = NULL;

    while (status == HONE_OK &&
           (file = hone__template_folder_next(folder, file))) {
        hone_listed_template item = {.folder = index};
        int found;

        status = read_file(&out->arena, folder, file, &item, &found, err);
        if (status != HONE_OK || !found || !is_asked_for(&item, asked) ||
            is_shadowed(out, &item))
            continue;
        if (HONE_GROW(out->items, out->n))
            out->items[out->n++] = item;
        else
            status = hone__out_of_memory(err, "");
    }
    return status;
}

static hone_status list_path(const char *path, int index, const char *asked,
                             hone_template_list *out, hone_error *err)
{
    hone_template_folder folder;
    hone_status status;

    HONE_TRY(hone__template_folder_read(path, &folder, err));
    if (folder.is_refused)
        hone__text_printf(&out->refused, "%s%s",
                          out->refused.length ? ", " : "", path);
    status = list_folder(&folder, index, asked, out, err);
    hone__template_folder_free(&folder);
    return status == HONE_OK ? hone__text_check(&out->refused, err) : status;
}

static int compare(const void *a, const void *b)
{
    const hone_listed_template *x = a;
    const hone_listed_template *y = b;
    const int by_op = strcmp(x->op, y->op);
    const int by_name = by_op ? by_op : strcmp(x->name, y->name);

    return by_name ? by_name : strcmp(x->path, y->path);
}

hone_status hone__templates_list(const char *asked, const char *search_path,
                                 hone_template_list *out, hone_error *err)
{
    hone_text folder = {0};
    hone_status status = HONE_OK;

    *out = (hone_template_list){0};
    for (int i = 0; *search_path && status == HONE_OK; ++i) {
        const size_t length = strcspn(search_path, ":");

        hone__text_clear(&folder);
        hone__text_append(&folder, search_path, length);
        status = hone__text_check(&folder, err);
        if (length && *search_path != HONE_INCLUDE_FOLDER && status == HONE_OK)
            status = list_path(folder.data, i, asked, out, err);
        search_path += length + (search_path[length] == ':');
    }
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, compare);
    hone__text_free(&folder);
    if (status)
        hone__templates_list_free(out);
    return status;
}

void hone__templates_list_free(hone_template_list *list)
{
    hone__free(list->items);
    hone__text_free(&list->refused);
    hone__arena_free(&list->arena);
    *list = (hone_template_list){0};
}
