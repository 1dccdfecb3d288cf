/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as files: finding them on a search path; and folders of headers,
 * which `include` names in a template and --include on the command line. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int ends_with_cu(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && !strcmp(name + length - 3, ".cu");
}

static void describe_folder(const char *folder, hone_text *out)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;

    hone__text_printf(out, "%s %s", out->length ? "," : "", folder);
    if (!dir) {
        hone__text_puts(out, " (cannot be read)");
        return;
    }
    while ((entry = readdir(dir)))
        n += ends_with_cu(entry->d_name) != 0;
    hone__text_printf(out, " (%zu template%s)", n, n == 1 ? "" : "s");
    (void)closedir(dir);
}

/* Does the file begin an operation of that name? Unread, as it were not. */
static int declares(const char *path, const char *op)
{
    hone_text text = {0};
    int found = 0;

    if (hone__text_read_file(&text, path, NULL) == HONE_OK) {
        const char *at = text.data;
        const size_t length = strlen(op);

        while (!found && (at = strstr(at, "#pragma hone op "))) {
            const char *word = at + sizeof "#pragma hone op " - 1;

            word += strspn(word, " \t");
            found = (at == text.data || at[-1] == '\n') &&
                    strncmp(word, op, length) == 0 &&
                    !hone__code_is_name(word[length]);
            ++at;
        }
    }
    hone__text_free(&text);
    return found;
}

/* The templates of the folder that `name` may mean, NAME.cu and those whose
 * operation it is: the path of one, of NAME.cu if it is there, and the names
 * of all. Returns how many. */
static int find_in(const char *folder, const char *name, hone_text *out,
                   hone_text *names)
{
    const size_t length = strlen(name);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int n = 0;

    hone__text_printf(out, "%s/%s.cu", folder, name);
    if (!dir)
        return !out->failed && !access(out->data, R_OK);
    while ((entry = readdir(dir))) {
        const int is_named = strncmp(entry->d_name, name, length) == 0 &&
                             strcmp(entry->d_name + length, ".cu") == 0;
        hone_text path = {0};

        hone__text_printf(&path, "%s/%s", folder, entry->d_name);
        if (ends_with_cu(entry->d_name) && !path.failed &&
            !access(path.data, R_OK) &&
            (is_named || declares(path.data, name))) {
            hone__text_printf(names, "%s%s", n ? ", " : "", entry->d_name);
            if (n++ == 0 || is_named) {
                hone__text_clear(out);
                hone__text_puts(out, path.data);
            }
        }
        out->failed |= path.failed;
        hone__text_free(&path);
    }
    (void)closedir(dir);
    return n;
}

/* The next folder with templates; 0: that was the last. */
static int next_folder(const char **at, hone_text *out)
{
    while (**at) {
        const char *folder = *at;
        const size_t length = strcspn(folder, ":");

        *at += length + (folder[length] == ':');
        hone__text_clear(out);
        hone__text_append(out, folder, length);
        if (length && *folder != HONE_INCLUDE_FOLDER)
            return !out->failed;
    }
    return 0;
}

/* A file that is there counts first, whatever it is called. */
static int is_readable_file(const char *name)
{
    struct stat info;

    return stat(name, &info) == 0 && !S_ISDIR(info.st_mode) &&
           access(name, R_OK) == 0;
}

/* A path, and not OP/NAME. */
static int is_path(const char *name)
{
    const char *slash = strchr(name, '/');

    return ends_with_cu(name) ||
           (slash && (slash == name || name[0] == '.' ||
                      strchr(slash + 1, '/') || is_readable_file(name)));
}

/* The one of the list that is meant, whose references are meant where there is
 * nothing else; NULL: it might be several. */
static const hone_listed_template *only_one(const hone_template_list *list)
{
    const hone_listed_template *found = NULL;

    if (list->n == 1)
        return list->items;
    for (size_t i = 0; i < list->n; ++i) {
        if (list->items[i].is_reference)
            continue;
        if (found)
            return NULL;
        found = &list->items[i];
    }
    return found;
}

/* The one implementation that `name` stands for, OP or OP/NAME. *out_n: how
 * many there are, 0 or 1; it is an error if there are more. */
static hone_status find_implementation(const char *name,
                                       const char *search_path, hone_text *out,
                                       int *out_n, hone_error *err)
{
    hone_template_list list;
    hone_text names = {0};
    hone_status status = hone__templates_list(name, search_path, &list, err);
    const hone_listed_template *found = only_one(&list);

    *out_n = list.n > 0;
    if (found) {
        hone__text_clear(out);
        hone__text_puts(out, found->path);
    }
    for (size_t i = 0; i < list.n; ++i)
        hone__text_printf(&names, "%s%s/%s (%s)", i ? ", " : "",
                          list.items[i].op, list.items[i].name,
                          list.items[i].path);
    if (status == HONE_OK && list.n && !found)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "'%s' has %zu implementations, of which one has to "
                            "be named: %s",
                            name, list.n, hone__text_str(&names));
    hone__text_free(&names);
    hone__templates_list_free(&list);
    return status;
}

hone_status hone__template_find(const char *name, const char *search_path,
                                hone_text *out, hone_error *err)
{
    const char *whole_path = search_path;
    hone_text searched = {0}, folder = {0}, names = {0};
    hone_status status = HONE_OK;
    int n = is_path(name);

    if (n)
        hone__text_puts(out, name);
    while (!n && next_folder(&search_path, &folder)) {
        describe_folder(folder.data, &searched);
        hone__text_clear(out);
        n = find_in(folder.data, name, out, &names);
    }
    if (n > 1)
        status =
            hone__fail(err, HONE_ERR_INPUT,
                       "%d templates in '%s' have the name or the operation "
                       "'%s': %s; give the path of one, or rename the others",
                       n, folder.data, name, hone__text_str(&names));
    if (!n)
        status = find_implementation(name, whole_path, out, &n, err);
    if (status == HONE_OK)
        status = hone__text_check(out->failed     ? out
                                  : folder.failed ? &folder
                                                  : &searched,
                                  err);
    if (status == HONE_OK && !n)
        status =
            hone__fail(err, HONE_ERR_NOT_FOUND,
                       "there is no template '%s' in%s; 'hone list' prints "
                       "all, and the path of a .cu file is taken, too",
                       name, searched.length ? searched.data : " no folder");
    hone__text_free(&searched);
    hone__text_free(&folder);
    hone__text_free(&names);
    return status;
}

/* Nothing is shadowed where both are the same. */
static int is_same_file(const char *a, const char *b)
{
    hone_text left = {0}, right = {0};
    const int is_same = hone__text_read_file(&left, a, NULL) == HONE_OK &&
                        hone__text_read_file(&right, b, NULL) == HONE_OK &&
                        left.length == right.length &&
                        memcmp(left.data, right.data, left.length) == 0;

    hone__text_free(&left);
    hone__text_free(&right);
    return is_same;
}

int hone__template_shadowed(const char *name, const char *path,
                            const char *search_path, hone_text *out)
{
    hone_text folder = {0}, names = {0};
    int found = 0;

    while (!found && !strchr(name, '/') && !ends_with_cu(name) &&
           next_folder(&search_path, &folder)) {
        hone__text_clear(out);
        found = find_in(folder.data, name, out, &names) && !out->failed &&
                !is_same_file(path, out->data);
    }
    hone__text_free(&folder);
    hone__text_free(&names);
    return found;
}

hone_status hone__template_load(const char *name, const char *search_path,
                                hone_template **out,
                                hone_diagnostics *diagnostics, hone_error *err)
{
    hone_text path = {0};
    hone_text source = {0};
    hone_status status;

    *out = NULL;
    *diagnostics = (hone_diagnostics){0};
    status = hone__template_find(name, search_path, &path, err);
    if (!status)
        status = hone__text_read_file(&source, path.data, err);
    if (!status)
        status =
            hone__template_read(path.data, search_path, hone__text_str(&source),
                                source.length, out, diagnostics, err);
    hone__text_free(&path);
    hone__text_free(&source);
    return status;
}

/* ---- folders of headers -------------------------------------------------- */

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
