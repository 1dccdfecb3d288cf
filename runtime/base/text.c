/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text and whole-file reading and writing: see text.h. */
#include "runtime/base/text.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for `extra` bytes and the terminating NUL. */
static int reserve(hone_text *text, size_t extra)
{
    size_t capacity = text->capacity ? text->capacity : 256;
    char *data;

    if (text->failed || extra > SIZE_MAX / 4 - text->length) {
        text->failed = 1;
        return 0;
    }
    while (capacity < text->length + extra + 1)
        capacity *= 2;
    if (capacity == text->capacity)
        return 1;
    data = hone__realloc(text->data, capacity);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void hone__text_append(hone_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void hone__text_puts(hone_text *text, const char *string)
{
    hone__text_append(text, string, strlen(string));
}

void hone__text_printf(hone_text *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = 1;
        return;
    }
    va_start(args, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format,
                    args);
    va_end(args);
    text->length += (size_t)length;
}

void hone__shell_word(const char *word, hone_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "+,-./:=@_";

    if (*word && !word[strspn(word, plain)]) {
        hone__text_puts(out, word);
        return;
    }
    hone__text_puts(out, "'");
    for (; *word; ++word)
        hone__text_append(out, *word == '\'' ? "'\\''" : word,
                          *word == '\'' ? 4 : 1);
    hone__text_puts(out, "'");
}

void hone__text_clear(hone_text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

void hone__text_free(hone_text *text)
{
    hone__free(text->data);
    *text = (hone_text){0};
}

const char *hone__text_str(const hone_text *text)
{
    return text->data ? text->data : "";
}

hone_status hone__text_check(const hone_text *text, hone_error *err)
{
    return text->failed ? hone__out_of_memory(err, " while building a text")
                        : HONE_OK;
}

hone_status hone__text_fail(hone_text *text, hone_status status,
                            hone_error *err)
{
    if (text->failed)
        status = hone__text_check(text, err);
    else
        (void)hone__fail(err, status, "%s", hone__text_str(text));
    hone__text_free(text);
    return status;
}

static hone_status cannot(const char *what, const char *path, hone_error *err)
{
    const int code = errno;

    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                             "cannot %s '%s': %s", what, path, strerror(code));
}

/* Not what it is called, but what it is: opening a pipe may wait for ever, and
 * a device may give bytes for ever. */
const char *hone__file_noun(unsigned mode)
{
    return S_ISDIR(mode)    ? "folder"
           : S_ISFIFO(mode) ? "pipe"
           : S_ISSOCK(mode) ? "socket"
                            : "device";
}

static hone_status too_large(const char *path, int64_t most_bytes,
                             hone_error *err)
{
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, EFBIG,
                             "cannot read '%s': it is longer than the %lld MiB "
                             "that such a file may have",
                             path, (long long)(most_bytes >> 20));
}

hone_status hone__file_open(const char *path, int64_t most_bytes, int *out,
                            hone_error *err)
{
    hone_status status = HONE_OK;
    struct stat info;

    *out = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    /* A socket is not opened, but there. */
    if ((*out < 0 && errno != ENXIO) ||
        (*out < 0 ? stat(path, &info) : fstat(*out, &info)))
        status = cannot("open", path, err);
    else if (!S_ISREG(info.st_mode))
        status = hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO,
                                   S_ISDIR(info.st_mode) ? EISDIR : EINVAL,
                                   "cannot read '%s': it is a %s; name a file",
                                   path, hone__file_noun(info.st_mode));
    else if (info.st_size > most_bytes)
        status = too_large(path, most_bytes, err);
    if (status != HONE_OK && *out >= 0) {
        (void)close(*out);
        *out = -1;
    }
    return status;
}

hone_status hone__text_read_most(hone_text *text, const char *path,
                                 int64_t most_bytes, hone_error *err)
{
    const size_t before = text->length;
    hone_status status;
    char buffer[16384];
    ssize_t n;
    int fd;

    HONE_TRY(hone__file_open(path, most_bytes, &fd, err));
    do {
        n = read(fd, buffer, sizeof buffer);
        if (n > 0)
            hone__text_append(text, buffer, (size_t)n);
        /* It may grow, or be of a file system without sizes. */
        if ((int64_t)(text->length - before) > most_bytes)
            break;
    } while (n > 0 ? !text->failed : n < 0 && errno == EINTR);
    if (n < 0)
        status = cannot("read", path, err);
    else if (n > 0 && !text->failed)
        status = too_large(path, most_bytes, err);
    else
        status = hone__text_check(text, err);
    (void)close(fd);
    return status;
}

hone_status hone__text_read_file(hone_text *text, const char *path,
                                 hone_error *err)
{
    return hone__text_read_most(text, path, HONE_MOST_FILE_BYTES, err);
}

int hone__write_all(int fd, const void *bytes, size_t size_bytes)
{
    const char *at = bytes;

    while (size_bytes) {
        const ssize_t n = write(fd, at, size_bytes);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        at += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

hone_status hone__file_replace(const char *path, const void *bytes,
                               size_t size_bytes, hone_error *err)
{
    hone_text temporary = {0};
    hone_status status = HONE_OK;
    int fd;

    hone__text_printf(&temporary, "%s.XXXXXX", path);
    HONE_TRY(hone__text_check(&temporary, err));
    fd = mkstemp(temporary.data);
    if (fd < 0 || hone__write_all(fd, bytes, size_bytes) || fsync(fd) ||
        fchmod(fd, 0644) || rename(temporary.data, path)) {
        const int code = errno;

        if (fd >= 0)
            (void)unlink(temporary.data);
        errno = code;
        status = cannot("write", path, err);
    }
    if (fd >= 0)
        (void)close(fd);
    hone__text_free(&temporary);
    return status;
}

hone_status hone__folder_create(const char *path, hone_error *err)
{
    hone_status status = HONE_OK;
    char *copy = hone__strdup(path);
    char *slash = copy;

    if (!copy)
        return hone__out_of_memory(err, "");
    while (slash && *slash) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0777) && errno != EEXIST) {
            status = cannot("create folder", copy, err);
            break;
        }
        if (slash)
            *slash = '/';
    }
    hone__free(copy);
    return status;
}
