/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as files: finding them on a search path. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void describe(const hone_template_folder *folder, hone_text *out)
{
    hone__text_printf(out, "%s %s", out->length ? "," : "", folder->path);
    if (folder->is_missing)
        hone__text_puts(out, " (is not there)");
    else if (folder->is_refused)
        hone__text_puts(out, " (cannot be read: permission denied)");
    else
        hone__text_printf(out, " (%zu template%s)", folder->n,
                          folder->n == 1 ? "" : "s");
}

/* Does the text begin an operation of that name? Blanks its comments. */
static int declares(hone_text *text, const char *op)
{
    const size_t length = strlen(op);
    hone_heading heading;

    if (!text->length)
        return 0;
    hone__code_blank(text->data, text->length);
    return hone__heading_read(text->data, text->length, &heading) &&
           heading.is_op && heading.op.end - heading.op.begin == length &&
           memcmp(text->data + heading.op.begin, op, length) == 0;
}

static int is_named(const char *file, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(file, name, length) == 0 && !strcmp(file + length, ".cu");
}

/* What a search found so far. */
typedef struct search {
    hone_text *path; /* of the template */
    hone_text folder;
    hone_text names;    /* of all that may be meant, in that folder */
    hone_text searched; /* which folders, and what is in them */
    int n;
} search;

static void search_free(search *s)
{
    hone__text_free(&s->folder);
    hone__text_free(&s->names);
    hone__text_free(&s->searched);
}

static hone_status search_check(const search *s, hone_error *err)
{
    HONE_TRY(hone__text_check(s->path, err));
    HONE_TRY(hone__text_check(&s->names, err));
    return hone__text_check(&s->searched, err);
}

/* The templates of the folder that `name` may mean, NAME.cu and those whose
 * operation it is. */
static hone_status find_in(search *s, const hone_template_folder *folder,
                           const char *name, hone_error *err)
{
    hone_text path = {0}, text = {0};
    hone_status status = HONE_OK;
    const char *file = NULL;

    while (status == HONE_OK &&
           (file = hone__template_folder_next(folder, file))) {
        int found;

        status =
            hone__template_folder_file(folder, file, &path, &text, &found, err);
        if (status != HONE_OK || !found ||
            (!is_named(file, name) && !declares(&text, name)))
            continue;
        hone__text_printf(&s->names, "%s%s", s->n ? ", " : "", file);
        if (s->n++ == 0 || is_named(file, name)) {
            hone__text_clear(s->path);
            hone__text_puts(s->path, path.data);
        }
    }
    hone__text_free(&path);
    hone__text_free(&text);
    return status;
}

/* A folder that may not be listed may still be entered. */
static void find_unlisted(search *s, const hone_template_folder *folder,
                          const char *name)
{
    hone__text_clear(s->path);
    hone__text_printf(s->path, "%s/%s.cu", folder->path, name);
    s->n = !s->path->failed && !access(s->path->data, R_OK);
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

/* In one folder after the other, up to one that has what is meant. */
static hone_status search_path_for(search *s, const char *name,
                                   const char **search_path, hone_error *err)
{
    while (!s->n && next_folder(search_path, &s->folder)) {
        hone_template_folder folder;
        hone_status status =
            hone__template_folder_read(s->folder.data, &folder, err);

        HONE_TRY(status);
        describe(&folder, &s->searched);
        if (folder.is_refused)
            find_unlisted(s, &folder, name);
        else
            status = find_in(s, &folder, name, err);
        hone__template_folder_free(&folder);
        HONE_TRY(status);
    }
    HONE_TRY(hone__text_check(&s->folder, err));
    return search_check(s, err);
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

    return hone__ends_with_cu(name) ||
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
    if (status == HONE_OK)
        status = hone__text_check(&names, err);
    if (status == HONE_OK && list.n && !found)
        status = hone__fail(err, HONE_ERR_INPUT,
                            "'%s' has %zu implementations, of which one has to "
                            "be named: %s",
                            name, list.n, hone__text_str(&names));
    hone__text_free(&names);
    hone__templates_list_free(&list);
    return status;
}

/* `name` is no path. */
static hone_status find(const char *name, const char *search_path, search *s,
                        hone_error *err)
{
    const char *rest = search_path;

    HONE_TRY(search_path_for(s, name, &rest, err));
    if (s->n > 1)
        return hone__fail(
            err, HONE_ERR_INPUT,
            "%d templates in '%s' have the name or the operation "
            "'%s': %s; give the path of one, or rename the others",
            s->n, s->folder.data, name, s->names.data);
    if (!s->n)
        HONE_TRY(find_implementation(name, search_path, s->path, &s->n, err));
    if (!s->n)
        return hone__fail(err, HONE_ERR_NOT_FOUND,
                          "there is no template '%s' in%s; 'hone list' prints "
                          "all, and the path of a .cu file is taken, too",
                          name,
                          s->searched.length ? s->searched.data : " no folder");
    return hone__text_check(s->path, err);
}

hone_status hone__template_find(const char *name, const char *search_path,
                                hone_text *out, hone_error *err)
{
    search s = {.path = out};
    hone_status status;

    if (is_path(name)) {
        hone__text_puts(out, name);
        return hone__text_check(out, err);
    }
    status = find(name, search_path, &s, err);
    search_free(&s);
    return status;
}

/* Nothing is shadowed where both are the same. */
static hone_status is_same_file(const char *a, const char *b, int *out_same,
                                hone_error *err)
{
    hone_text left = {0}, right = {0};
    hone_status status = hone__text_read_file(&left, a, err);

    if (status == HONE_OK)
        status = hone__text_read_file(&right, b, err);
    *out_same =
        status == HONE_OK && left.length == right.length &&
        memcmp(hone__text_str(&left), hone__text_str(&right), left.length) == 0;
    hone__text_free(&left);
    hone__text_free(&right);
    return status;
}

hone_status hone__template_shadowed(const char *name, const char *path,
                                    const char *search_path, int *out_found,
                                    hone_text *out, hone_error *err)
{
    search s = {.path = out};
    hone_status status = HONE_OK;

    *out_found = 0;
    while (status == HONE_OK && !*out_found && *search_path &&
           !strchr(name, '/') && !hone__ends_with_cu(name)) {
        int is_same = 1;

        s.n = 0;
        hone__text_clear(&s.names);
        status = search_path_for(&s, name, &search_path, err);
        if (status == HONE_OK && s.n)
            status = is_same_file(path, out->data, &is_same, err);
        *out_found = status == HONE_OK && !is_same;
    }
    search_free(&s);
    return status;
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
