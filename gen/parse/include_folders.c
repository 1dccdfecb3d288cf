/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of headers, which `include` names in a template and --include on the
 * command line. */
#include "gen/parse/parse.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int has_file(const char *folder, const char *name)
{
    char path[4096];

    return snprintf(path, sizeof path, "%s/%s", folder, name) <
               (int)sizeof path &&
           access(path, R_OK) == 0;
}

/* Why headers cannot be looked for there; NULL if they can. */
static const char *refusal(const char *folder)
{
    struct stat info;

    if (strchr(folder, ':'))
        return "has a ':' in its name, which separates folders";
    if (stat(folder, &info) || !S_ISDIR(info.st_mode))
        return "is not a folder";
    /* Its headers would be taken instead of those that fit the device. */
    if (has_file(folder, "cuda_runtime_api.h") ||
        has_file(folder, "../cuda_runtime_api.h") ||
        has_file(folder, "stdio.h"))
        return "belongs to a compiler, which finds the headers there by "
               "itself: leave it out";
    return NULL;
}

static void append(hone_text *path, const char *folder)
{
    hone__text_printf(path, "%s%c%s", path->length ? ":" : "",
                      HONE_INCLUDE_FOLDER, folder);
}

hone_status hone__search_path_include(hone_text *search_path,
                                      const char *folders, hone_error *err)
{
    hone_text folder = {0};
    hone_status status = HONE_OK;

    while (*folders && status == HONE_OK) {
        const size_t length = strcspn(folders, ":");
        const char *why = NULL;

        hone__text_clear(&folder);
        hone__text_append(&folder, folders, length);
        status = hone__text_check(&folder, err);
        if (length && status == HONE_OK)
            why = refusal(folder.data);
        if (why)
            status = hone__fail(err, HONE_ERR_INPUT,
                                "the include folder '%s' %s", folder.data, why);
        else if (length && status == HONE_OK)
            append(search_path, folder.data);
        folders += length + (folders[length] == ':');
    }
    hone__text_free(&folder);
    return status == HONE_OK ? hone__text_check(search_path, err) : status;
}

/* From the template's folder, unless it starts at the root. */
static void resolve(const hone_parser *p, const char *folder, hone_text *out)
{
    const char *own = p->tmpl->path;
    const char *slash = strrchr(own, '/');

    hone__text_clear(out);
    if (folder[0] != '/' && slash)
        hone__text_append(out, own, (size_t)(slash - own) + 1);
    hone__text_puts(out, folder);
}

/* `"FOLDER", ..` */
static int read_folders(hone_parser *p, hone_cursor *c, hone_text *folder,
                        hone_text *out)
{
    do {
        const size_t begin = hone__cursor_here(c).begin;
        const char *name;
        const char *why;

        if (!hone__cursor_string(c, &name))
            return 0;
        resolve(p, name, folder);
        if (folder->failed)
            return hone__no_memory(p);
        why = refusal(folder->data);
        if (why)
            (void)hone__complain(p, (hone_slice){begin, c->at},
                                 "the include folder '%s' %s", folder->data,
                                 why);
        else
            append(out, folder->data);
    } while (hone__cursor_accept(c, ','));
    return hone__cursor_finish(c);
}

int hone__folders_read(hone_parser *p)
{
    hone_text folder = {0};
    hone_text all = {0};

    for (size_t i = 0; i < p->n_statements; ++i) {
        hone_cursor c = hone__cursor_at(p, i);

        if (hone__cursor_accept_word(&c, "include"))
            (void)read_folders(p, &c, &folder, &all);
    }
    p->own_folders = hone__text_keep(p, &all);
    hone__text_free(&folder);
    return !p->no_memory;
}

int hone__statement_include(hone_parser *p, hone_cursor *c)
{
    (void)p; /* read before the headers were looked for */
    c->at = c->end;
    return 1;
}
