/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as files: finding them on a search path. */
#include "gen/parse/code.h"
#include "gen/parse/parse.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

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

/* The templates of the folder whose operation is `op`: the path of the first,
 * and the names of all. Returns how many. */
static int find_op(const char *folder, const char *op, hone_text *out,
                   hone_text *names)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir))) {
        hone_text path = {0};

        hone__text_printf(&path, "%s/%s", folder, entry->d_name);
        if (ends_with_cu(entry->d_name) && !path.failed &&
            declares(path.data, op)) {
            hone__text_printf(names, "%s%s", n ? ", " : "", entry->d_name);
            if (n++ == 0) {
                hone__text_clear(out);
                hone__text_puts(out, path.data);
            }
        }
        out->failed |= path.failed;
        hone__text_free(&path);
    }
    if (dir)
        (void)closedir(dir);
    return n;
}

/* NAME.cu in the folder, else the one template there whose operation is NAME.
 * Sets *out_found. */
static hone_status find_in(const char *folder, const char *name, hone_text *out,
                           int *out_found, hone_error *err)
{
    hone_text names = {0};
    hone_status status = HONE_OK;

    hone__text_printf(out, "%s/%s.cu", folder, name);
    *out_found = !out->failed && !access(out->data, R_OK);
    if (!*out_found) {
        const int n = find_op(folder, name, out, &names);

        *out_found = n > 0;
        if (n > 1)
            status = hone__fail(err, HONE_ERR_INPUT,
                                "%d templates in '%s' have the operation '%s': "
                                "%s; give the path of one, or rename the "
                                "operation of the others",
                                n, folder, name, hone__text_str(&names));
    }
    hone__text_free(&names);
    return status;
}

hone_status hone__template_find(const char *name, const char *search_path,
                                hone_text *out, hone_error *err)
{
    hone_text searched = {0};
    hone_text folder = {0};
    hone_status status = HONE_OK;
    int found = strchr(name, '/') || ends_with_cu(name);

    if (found)
        hone__text_puts(out, name);
    for (const char *at = search_path; !found && *at && status == HONE_OK;) {
        const size_t length = strcspn(at, ":");

        hone__text_clear(&folder);
        hone__text_append(&folder, at, length);
        hone__text_clear(out);
        status = hone__text_check(&folder, err);
        if (length && *at != HONE_INCLUDE_FOLDER && status == HONE_OK) {
            list_folder(folder.data, &searched);
            status = find_in(folder.data, name, out, &found, err);
        }
        at += length + (at[length] == ':');
    }
    if (status == HONE_OK)
        status = hone__text_check(out->failed ? out : &searched, err);
    if (status == HONE_OK && !found)
        status = hone__fail(
            err, HONE_ERR_NOT_FOUND,
            "there is no template '%s'; searched:%s. Give a name from there or "
            "the path of a .cu file",
            name, searched.length ? searched.data : " no folder");
    hone__text_free(&searched);
    hone__text_free(&folder);
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
