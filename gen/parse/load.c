/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as files: finding them on a search path, and the hash over a
 * template and the headers of its own folder. */
#include "gen/parse/mentions.h"
#include "gen/parse/parse.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { MAX_HEADERS = 64 }; /* guess: a template includes a handful */

/* The name in `#include "NAME"` on this line, or NULL. */
static const char *local_include(const char *line, size_t *out_length)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, "include", 7) != 0)
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '"')
        return NULL;
    *out_length = strcspn(line + 1, "\"\r\n");
    return line[1 + *out_length] == '"' ? line + 1 : NULL;
}

/* Folder part of a path with its slash; 0 if there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

typedef struct headers {
    hone_text all; /* what is hashed */
    hone_text names[MAX_HEADERS];
    size_t n;
} headers;

/* Add the headers that `text` includes; what cannot be read is not ours, or
 * the compiler will say so. */
static void collect(headers *h, const char *folder, size_t folder_bytes,
                    const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        hone_text path = {0};
        size_t length;
        const char *name;
        size_t known = 0;

        line += *line == '\n';
        name = local_include(line, &length);
        if (!name || h->n == MAX_HEADERS)
            continue;
        hone__text_append(&path, folder, folder_bytes);
        hone__text_append(&path, name, length);
        while (known < h->n && strcmp(hone__text_str(&h->names[known]),
                                      hone__text_str(&path)) != 0)
            ++known;
        if (known == h->n && !access(hone__text_str(&path), R_OK))
            h->names[h->n++] = path;
        else
            hone__text_free(&path);
    }
}

static hone_status add_headers(headers *h, const hone_template *tmpl,
                               hone_error *err)
{
    const size_t folder_bytes = folder_length(tmpl->path);

    collect(h, tmpl->path, folder_bytes, tmpl->source);
    for (size_t i = 0; i < h->n; ++i) {
        hone_text text = {0};
        const hone_status status =
            hone__text_read_file(&text, hone__text_str(&h->names[i]), err);

        if (status) {
            hone__text_free(&text);
            return status;
        }
        /* Name and size too, so that no two sets of files look alike. */
        hone__text_printf(&h->all, "\n%s %zu\n",
                          h->names[i].data + folder_bytes, text.length);
        hone__text_append(&h->all, hone__text_str(&text), text.length);
        collect(h, tmpl->path, folder_bytes, hone__text_str(&text));
        hone__text_free(&text);
    }
    return hone__text_check(&h->all, err);
}

hone_status hone__template_hash(hone_template *tmpl, hone_error *err)
{
    headers *h = hone__alloc(sizeof *h);
    hone_status status;

    if (!h)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    hone__text_append(&h->all, tmpl->source, tmpl->source_bytes);
    status = add_headers(h, tmpl, err);
    if (!status) {
        hone__sha256_hex(h->all.data, h->all.length, tmpl->sha256);
        status = hone__mentions_find(tmpl, h->all.data, err);
    }
    for (size_t i = 0; i < h->n; ++i)
        hone__text_free(&h->names[i]);
    hone__text_free(&h->all);
    hone__free(h);
    return status;
}

static int ends_with_cu(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && !strcmp(name + length - 3, ".cu");
}

static void list_folder(const char *folder, hone_text *out)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    const char *separator = "";

    hone__text_printf(out, " %s", folder);
    if (!dir) {
        hone__text_puts(out, " (cannot be read)");
        return;
    }
    hone__text_puts(out, " (has ");
    while ((entry = readdir(dir))) {
        if (!ends_with_cu(entry->d_name))
            continue;
        hone__text_puts(out, separator);
        hone__text_append(out, entry->d_name, strlen(entry->d_name) - 3);
        separator = ", ";
    }
    hone__text_puts(out, *separator ? ")" : "no templates)");
    (void)closedir(dir);
}

/* Path of NAME.cu in the first folder that has it. */
static hone_status find(const char *name, const char *search_path,
                        hone_text *out, hone_error *err)
{
    hone_text searched = {0};
    hone_text folder = {0};
    const char *at = search_path;

    while (*at) {
        const size_t length = strcspn(at, ":");

        if (length) {
            hone__text_clear(&folder);
            hone__text_append(&folder, at, length);
            hone__text_clear(out);
            hone__text_printf(out, "%s/%s.cu", hone__text_str(&folder), name);
            if (out->failed || !access(out->data, R_OK))
                break;
            list_folder(hone__text_str(&folder), &searched);
        }
        at += length + (at[length] == ':');
    }
    if (!*at)
        (void)hone__fail(err, HONE_ERR_NOT_FOUND,
                         "there is no template '%s'; searched:%s. Give a "
                         "name from there or the path of a .cu file",
                         name, searched.length ? searched.data : " no folder");
    hone__text_free(&searched);
    hone__text_free(&folder);
    return *at ? hone__text_check(out, err) : HONE_ERR_NOT_FOUND;
}

static hone_status keep_search_path(hone_template *tmpl,
                                    const char *search_path, hone_error *err)
{
    tmpl->search_path =
        hone__arena_strndup(&tmpl->arena, search_path, strlen(search_path));
    return tmpl->search_path
               ? HONE_OK
               : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

hone_status hone__template_load(const char *name, const char *search_path,
                                hone_template **out,
                                hone_diagnostics *diagnostics, hone_error *err)
{
    hone_text path = {0};
    hone_text source = {0};
    hone_status status = HONE_OK;

    *out = NULL;
    *diagnostics = (hone_diagnostics){0};
    if (strchr(name, '/') || ends_with_cu(name))
        hone__text_puts(&path, name);
    else
        status = find(name, search_path, &path, err);
    if (!status)
        status = hone__text_check(&path, err);
    if (!status)
        status = hone__text_read_file(&source, path.data, err);
    if (!status)
        status = hone__template_parse(path.data, hone__text_str(&source),
                                      source.length, out, diagnostics, err);
    if (!status)
        status = keep_search_path(*out, search_path, err);
    if (status) {
        hone__template_free(*out);
        *out = NULL;
    }
    hone__text_free(&path);
    hone__text_free(&source);
    return status;
}
