/* SPDX-License-Identifier: Apache-2.0 */
/* Templates as files: finding them on a search path. */
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

/* Path of NAME.cu in the first folder that has it. */
static hone_status find(const char *name, const char *search_path,
                        hone_text *out, hone_error *err)
{
    hone_text searched = {0};
    hone_status status;

    for (const char *at = search_path; *at && !out->failed;) {
        const size_t length = strcspn(at, ":");

        const int is_searched = length && *at != HONE_INCLUDE_FOLDER;

        hone__text_clear(out);
        hone__text_append(out, at, length);
        if (is_searched)
            list_folder(hone__text_str(out), &searched);
        hone__text_printf(out, "/%s.cu", name);
        if (is_searched && !out->failed && !access(out->data, R_OK)) {
            hone__text_free(&searched);
            return HONE_OK;
        }
        at += length + (at[length] == ':');
    }
    status = hone__text_check(out->failed ? out : &searched, err);
    if (status == HONE_OK)
        status = hone__fail(
            err, HONE_ERR_NOT_FOUND,
            "there is no template '%s'; searched:%s. Give a name from there or "
            "the path of a .cu file",
            name, searched.length ? searched.data : " no folder");
    hone__text_free(&searched);
    return status;
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
        status =
            hone__template_read(path.data, search_path, hone__text_str(&source),
                                source.length, out, diagnostics, err);
    hone__text_free(&path);
    hone__text_free(&source);
    return status;
}
