/* SPDX-License-Identifier: Apache-2.0 */
/* The cubin cache, and temporary folders: see cubin_cache.h. An entry
 * FOLDER/ab/<key> starts with a magic word and the SHA-256 of the rest, which
 * is a packed compile output; failed compiles are kept too, so that they are
 * not tried again. */
#define _GNU_SOURCE /* F_OFD_SETLK, flock */
#include "tuner/compile/cubin_cache.h"

#include "runtime/base/text.h"
#include "tuner/process/worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[] = "hone-cubin 1\n";
enum {
    HEAD_BYTES = sizeof magic - 1 + HONE_SHA256_HEX,
    PATH_BYTES = 4096,
    HOUR_S = 3600,
    FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

hone_status hone__cache_key(const hone_compile_input *input,
                            const hone_toolchain *toolchain, const char *opened,
                            char out_key[HONE_SHA256_HEX], hone_error *err)
{
    hone_text all = {0};
    hone_status status;

    /* Each part with its length, so that no two inputs run together. The
     * name is left out: it is only what messages call the source. */
    hone__pack_string(&all, input->source);
    hone__pack_string(&all, input->options);
    hone__pack_string(&all, input->arch);
    hone__pack_bytes(&all, input->headers.bytes, input->headers.size_bytes);
    hone__toolchain_pack(&all, toolchain);
    if (*opened)
        hone__pack_string(&all, opened);
    status = hone__text_check(&all, err);
    if (status == HONE_OK)
        hone__sha256_hex(all.data, all.length, out_key);
    hone__text_free(&all);
    return status;
}

/* "FOLDER/MIDDLE/NAME"; HONE_ERR_IO if that is too long. */
static hone_status make_path(const char *folder, const char *middle,
                             const char *name, char out[PATH_BYTES],
                             hone_error *err)
{
    if (snprintf(out, PATH_BYTES, "%s/%s/%s", folder, middle, name) <
        PATH_BYTES)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_IO,
                      "the cache folder's path is too long: '%s'", folder);
}

/* The folder of a key's entry, and the entry: "FOLDER/ab/" "KEY". */
static hone_status entry_path(const char *folder, const char *key,
                              const char *name, char out[PATH_BYTES],
                              hone_error *err)
{
    const char shard[3] = {key[0], key[1], '\0'};

    return make_path(folder, shard, name, out, err);
}

void hone__cache_share(const char *folder, int fd)
{
    struct stat cache, own;
    mode_t more;

    if (stat(folder, &cache) || fstat(fd, &own))
        return;
    more = (cache.st_mode & 020 ? 070 : 0u) | (cache.st_mode & 002 ? 007 : 0u);
    if (!S_ISDIR(own.st_mode))
        more &= 066;
    /* A file that has another name, too, may be anybody's. */
    if (!S_ISDIR(own.st_mode) && (!S_ISREG(own.st_mode) || own.st_nlink != 1))
        return;
    if ((own.st_mode & more) != more && own.st_uid == geteuid())
        (void)fchmod(fd, (own.st_mode & 07777) | more);
}

/* One of the cache's folders. */
static hone_status make_folder(const char *folder, const char *path,
                               hone_error *err)
{
    int fd;

    HONE_TRY(hone__folder_create(path, err));
    fd = open(path, FOLDER);
    if (fd >= 0) {
        hone__cache_share(folder, fd);
        (void)close(fd);
    }
    return HONE_OK;
}

/* Writers rename their file within seconds; an hour allows for clocks that
 * differ between the machines that share a folder. */
static void sweep(const char *folder)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    struct stat status;
    DIR *files = NULL;
    int tmp = -1;

    if (make_path(folder, ".", "tmp", path, NULL) == HONE_OK)
        tmp = open(path, FOLDER);
    if (tmp >= 0)
        files = fdopendir(tmp);
    while (files && (entry = readdir(files))) {
        if (fstatat(tmp, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode) && time(NULL) - status.st_mtime > HOUR_S)
            (void)unlinkat(tmp, entry->d_name, 0);
    }
    if (files)
        (void)closedir(files);
    else if (tmp >= 0)
        (void)close(tmp);
}

hone_status hone__cache_prepare(const char *folder, hone_error *err)
{
    static const char tag[] =
        "Signature: 8a477f597d28d172789f06886806bc55\n"
        "# Compiled kernels of hone; may be deleted at any time.\n";
    char path[PATH_BYTES];

    HONE_TRY(hone__folder_create(folder, err));
    HONE_TRY(make_path(folder, ".", "CACHEDIR.TAG", path, err));
    if (access(path, F_OK) != 0)
        HONE_TRY(hone__file_replace(path, tag, sizeof tag - 1, err));
    sweep(folder);
    return HONE_OK;
}

/* The byte of the lock file that stands for a key: its first 60 bits. */
static off_t lock_offset(const char *key)
{
    char digits[16];

    memcpy(digits, key, 15);
    digits[15] = '\0';
    return (off_t)strtoll(digits, NULL, 16);
}

/* A byte each of one file that stays empty, instead of a file per key that
 * nobody could remove without a race. The locks belong to the descriptor, so
 * they end with the process that holds it. */
int hone__cache_lock(const char *folder, const char *key, double patience_s)
{
    /* A compile takes some 10 ms at least; a server of many machines is not to
     * be asked by each of them 200 times a second. */
    struct timespec nap = {0, 5000000};
    const double until_s = hone__now_s() + patience_s;
    struct flock range = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = lock_offset(key),
                          .l_len = 1};
    char path[PATH_BYTES];
    int lock = -1;

    if (make_path(folder, ".", "lock", path, NULL) == HONE_OK)
        lock = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock >= 0)
        hone__cache_share(folder, lock);
    while (lock >= 0 && fcntl(lock, F_OFD_SETLK, &range)) {
        const int taken = errno == EAGAIN || errno == EACCES || errno == EINTR;

        if (!taken || hone__now_s() >= until_s) {
            (void)close(lock);
            return -1;
        }
        (void)nanosleep(&nap, NULL);
        if (nap.tv_nsec < 80000000)
            nap.tv_nsec *= 2;
    }
    return lock;
}

void hone__cache_unlock(int lock)
{
    if (lock >= 0)
        (void)close(lock); /* the lock goes with its last descriptor */
}

/* What is used stays longest (cache_room.c). Once a day is enough, and not
 * every disk keeps times of reading. */
static void note_use(const char *path)
{
    enum { DAY_S = 24 * HOUR_S };
    struct stat status;

    if (stat(path, &status) == 0 && time(NULL) - status.st_mtime > DAY_S)
        (void)utimensat(AT_FDCWD, path, NULL, 0);
}

hone_status hone__cache_load(const char *folder, const char *key,
                             hone_compile_output *out, hone_error *err)
{
    char path[PATH_BYTES];
    char sum[HONE_SHA256_HEX];
    hone_text file = {0};
    hone_status status = HONE_ERR_NOT_FOUND;

    *out = (hone_compile_output){.registers = -1};
    if (entry_path(folder, key, key, path, NULL) == HONE_OK &&
        hone__text_read_file(&file, path, NULL) == HONE_OK &&
        file.length > HEAD_BYTES &&
        memcmp(file.data, magic, sizeof magic - 1) == 0) {
        const char *body = file.data + HEAD_BYTES;
        const size_t body_bytes = file.length - HEAD_BYTES;

        hone__sha256_hex(body, body_bytes, sum);
        if (memcmp(sum, file.data + sizeof magic - 1, sizeof sum) == 0) {
            hone_unpack in = {body, body + body_bytes, 0};

            hone__compile_output_unpack(&in, out);
            if (!in.broken)
                status = hone__compile_output_check(out, err);
        }
    }
    hone__text_free(&file);
    out->cached = status == HONE_OK;
    if (status == HONE_OK)
        note_use(path);
    if (status != HONE_OK)
        hone__compile_output_free(out);
    return status;
}

/* The temporary file is in a folder of its own, which is quick to sweep. */
static hone_status write_entry(const char *folder, const char *key,
                               const hone_text *bytes, hone_error *err)
{
    char temporary[PATH_BYTES];
    char path[PATH_BYTES];
    hone_status status = HONE_OK;
    int fd;

    HONE_TRY(make_path(folder, "tmp", "", path, err));
    HONE_TRY(make_folder(folder, path, err));
    HONE_TRY(make_path(folder, "tmp", "XXXXXX", temporary, err));
    HONE_TRY(entry_path(folder, key, "", path, err));
    HONE_TRY(make_folder(folder, path, err));
    HONE_TRY(entry_path(folder, key, key, path, err));
    fd = mkstemp(temporary);
    if (fd >= 0 && fchmod(fd, 0644) == 0)
        hone__cache_share(folder, fd);
    if (fd < 0 || hone__write_all(fd, bytes->data, bytes->length) ||
        fsync(fd) || rename(temporary, path)) {
        const int code = errno;

        if (fd >= 0)
            (void)unlink(temporary);
        status =
            hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                              "cannot write '%s': %s", path, strerror(code));
    }
    if (fd >= 0)
        (void)close(fd);
    return status;
}

hone_status hone__cache_store(const char *folder, const char *key,
                              const hone_compile_output *output,
                              hone_error *err)
{
    char sum[HONE_SHA256_HEX];
    hone_text body = {0};
    hone_text file = {0};
    hone_status status;

    hone__compile_output_pack(&body, output);
    hone__sha256_hex(hone__text_str(&body), body.length, sum);
    hone__text_append(&file, magic, sizeof magic - 1);
    hone__text_append(&file, sum, sizeof sum);
    hone__text_append(&file, hone__text_str(&body), body.length);
    status = hone__text_check(body.failed ? &body : &file, err);
    if (status == HONE_OK)
        status = write_entry(folder, key, &file, err);
    hone__text_free(&body);
    hone__text_free(&file);
    return status;
}
