/* SPDX-License-Identifier: Apache-2.0 */
/* How much a cubin cache has, and less of it: see cubin_cache.h. */
#include "tuner/compile/cubin_cache.h"

#include "runtime/base/alloc.h"
#include "runtime/base/grow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DIGITS = HONE_SHA256_HEX - 1, PATH_MOST = 4096, HOUR = 3600 };

static int is_hex(const char *text, size_t length)
{
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

static hone_status fail_io(const char *what, const char *path, hone_error *err)
{
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                             "cannot %s '%s': %s", what, path, strerror(errno));
}

static hone_status add_entry(int folder, const char *key,
                             hone_cache_entries *out, hone_error *err)
{
    struct stat status;

    if (fstatat(folder, key, &status, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(status.st_mode))
        return HONE_OK; /* somebody removed it */
    if (!HONE_GROW(out->items, out->n))
        return hone__out_of_memory(err, "");
    out->items[out->n] = (hone_cache_entry){.size_bytes = status.st_size,
                                            .used_unix_s = status.st_mtime};
    memcpy(out->items[out->n++].key, key, HONE_SHA256_HEX);
    out->size_bytes += status.st_size;
    return HONE_OK;
}

static hone_status add_folder(const char *folder, const char *name,
                              hone_cache_entries *out, hone_error *err)
{
    char path[PATH_MOST];
    hone_status status = HONE_OK;
    const struct dirent *entry;
    DIR *entries;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    entries = opendir(path);
    if (!entries)
        return errno == ENOENT ? HONE_OK
                               : fail_io("read the folder", path, err);
    while (status == HONE_OK && (entry = readdir(entries)))
        if (is_hex(entry->d_name, KEY_DIGITS) &&
            strncmp(entry->d_name, name, 2) == 0)
            status = add_entry(dirfd(entries), entry->d_name, out, err);
    (void)closedir(entries);
    return status;
}

static int by_use(const void *a, const void *b)
{
    const hone_cache_entry *x = a;
    const hone_cache_entry *y = b;

    if (x->used_unix_s != y->used_unix_s)
        return x->used_unix_s < y->used_unix_s ? -1 : 1;
    return strcmp(x->key, y->key);
}

hone_status hone__cache_entries(const char *folder, hone_cache_entries *out,
                                hone_error *err)
{
    hone_status status = HONE_OK;
    const struct dirent *entry;
    int is_cache = 0;
    DIR *all = opendir(folder);

    *out = (hone_cache_entries){0};
    if (!all)
        return fail_io("read the folder", folder, err);
    while (status == HONE_OK && (entry = readdir(all))) {
        is_cache |= strcmp(entry->d_name, "CACHEDIR.TAG") == 0;
        if (is_hex(entry->d_name, 2))
            status = add_folder(folder, entry->d_name, out, err);
    }
    (void)closedir(all);
    HONE_TRY(status);
    if (!is_cache)
        return hone__fail(err, HONE_ERR_INPUT,
                          "the folder '%s' is no cubin cache: it has no "
                          "CACHEDIR.TAG; 'hone doctor' says where yours is",
                          folder);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_use);
    return HONE_OK;
}

void hone__cache_entries_free(hone_cache_entries *entries)
{
    hone__free(entries->items);
    *entries = (hone_cache_entries){0};
}

/* ---- less of it ------------------------------------------------------------
 */

static hone_status remove_entry(const char *folder,
                                const hone_cache_entry *entry, hone_error *err)
{
    char path[PATH_MOST];

    (void)snprintf(path, sizeof path, "%s/%.2s/%s", folder, entry->key,
                   entry->key);
    return unlink(path) == 0 || errno == ENOENT || errno == ESTALE
               ? HONE_OK
               : fail_io("remove", path, err);
}

hone_status hone__cache_trim(const char *folder, int64_t most_bytes,
                             int is_tried, hone_cache_trimmed *out,
                             hone_error *err)
{
    hone_cache_entries all;
    hone_status status = hone__cache_entries(folder, &all, err);

    *out = (hone_cache_trimmed){.n_before = (int64_t)all.n,
                                .bytes_before = all.size_bytes};
    for (size_t i = 0; status == HONE_OK && i < all.n &&
                       all.size_bytes - out->bytes_gone > most_bytes;
         ++i) {
        if (!is_tried)
            status = remove_entry(folder, &all.items[i], err);
        out->n_gone += status == HONE_OK;
        out->bytes_gone += status == HONE_OK ? all.items[i].size_bytes : 0;
    }
    hone__cache_entries_free(&all);
    return status;
}

void hone__cache_keep_below(const char *folder, int64_t most_bytes)
{
    char path[PATH_MOST];
    hone_cache_trimmed trimmed;
    struct stat status;
    int fd;

    (void)snprintf(path, sizeof path, "%s/trimmed", folder);
    if (stat(path, &status) == 0 && time(NULL) - status.st_mtime < HOUR)
        return;
    /* Before, so that of many that start at once few do it. */
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return;
    hone__cache_share(folder, fd);
    (void)futimens(fd, NULL);
    (void)close(fd);
    if (hone__cache_trim(folder, most_bytes, 1, &trimmed, NULL) == HONE_OK &&
        trimmed.n_gone)
        (void)hone__cache_trim(folder, most_bytes / 10 * 9, 0, &trimmed, NULL);
}
