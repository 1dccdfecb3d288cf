/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of templates as they are on disk. A folder or a file that is not
 * there, or that this user may not read, has no template; every other failure
 * (no memory, no descriptor left, a fault of the disk) says nothing about what
 * is there and is an error: passed over, another template would be found. */
#include "gen/parse/parse.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

int hone__ends_with_cu(const char *name)
{
    const size_t length = strlen(name);

    return length > 3 && !strcmp(name + length - 3, ".cu");
}

static hone_status no_folder(const char *folder, int error, hone_error *err)
{
    return hone__fail_native(
        err, error == ENOMEM ? HONE_ERR_NO_MEMORY : HONE_ERR_IO,
        HONE_DOMAIN_ERRNO, error, "cannot read the template folder '%s': %s",
        folder, strerror(error));
}

static hone_status read_names(DIR *dir, const char *path,
                              hone_template_folder *out, hone_error *err)
{
    const struct dirent *entry;

    while (errno = 0, (entry = readdir(dir))) {
        if (!hone__ends_with_cu(entry->d_name))
            continue;
        hone__text_append(&out->names, entry->d_name,
                          strlen(entry->d_name) + 1);
        ++out->n;
    }
    return errno ? no_folder(path, errno, err)
                 : hone__text_check(&out->names, err);
}

hone_status hone__template_folder_read(const char *path,
                                       hone_template_folder *out,
                                       hone_error *err)
{
    DIR *dir = opendir(path);
    const int error = errno;
    hone_status status;

    *out = (hone_template_folder){.path = path};
    if (!dir) {
        if (error != ENOENT && error != ENOTDIR && error != EACCES)
            return no_folder(path, error, err);
        out->is_missing = error != EACCES;
        out->is_refused = error == EACCES;
        return HONE_OK;
    }
    status = read_names(dir, path, out, err);
    (void)closedir(dir);
    if (status != HONE_OK)
        hone__template_folder_free(out);
    return status;
}

const char *hone__template_folder_next(const hone_template_folder *folder,
                                       const char *name)
{
    const char *next =
        name ? name + strlen(name) + 1 : hone__text_str(&folder->names);

    return next < hone__text_str(&folder->names) + folder->names.length ? next
                                                                        : NULL;
}

void hone__template_folder_free(hone_template_folder *folder)
{
    hone__text_free(&folder->names);
    folder->n = 0;
}

hone_status hone__template_folder_file(const hone_template_folder *folder,
                                       const char *name, hone_text *path,
                                       hone_text *text, int *out_found,
                                       hone_error *err)
{
    hone_error why = {0};
    hone_status status;

    *out_found = 0;
    hone__text_clear(path);
    hone__text_clear(text);
    hone__text_printf(path, "%s/%s", folder->path, name);
    HONE_TRY(hone__text_check(path, err));
    status = hone__text_read_file(text, path->data, &why);
    *out_found = status == HONE_OK;
    if (status == HONE_OK)
        return HONE_OK;
    /* EISDIR: a folder may be called so; ELOOP: a link may lead to itself. */
    if (status == HONE_ERR_IO &&
        (why.native == ENOENT || why.native == ENOTDIR ||
         why.native == EACCES || why.native == EISDIR || why.native == ELOOP))
        return HONE_OK;
    return hone__fail_native(err, status, why.domain, why.native, "%s",
                             why.text);
}
