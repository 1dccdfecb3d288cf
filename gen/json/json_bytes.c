/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes from zlib, which reads plain files too: see json_bytes.h. */
#include "gen/json/json_bytes.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 16 };

hone_status hone__bytes_open(const char *path, hone_bytes *out, hone_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    *out = (hone_bytes){.line = 1, .column = 1};
    if (fd < 0)
        return hone__fail_native(
            err, errno == ENOENT ? HONE_ERR_NOT_FOUND : HONE_ERR_IO,
            HONE_DOMAIN_ERRNO, errno, "cannot open %s: %s", path,
            strerror(errno));
    out->file = gzdopen(fd, "rb");
    if (!out->file)
        (void)close(fd);
    out->path = hone__strdup(path);
    out->own_buffer = hone__alloc(BUFFER_BYTES);
    out->buffer = out->own_buffer;
    if (!out->file || !out->path || !out->buffer)
        return hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
    return HONE_OK;
}

hone_status hone__bytes_open_text(const char *name, const char *text,
                                  size_t length, hone_bytes *out,
                                  hone_error *err)
{
    *out = (hone_bytes){.path = hone__strdup(name),
                        .buffer = text,
                        .n = length,
                        .line = 1,
                        .column = 1,
                        .ended = 1};
    return out->path ? HONE_OK
                     : hone__fail(err, HONE_ERR_NO_MEMORY, "out of memory");
}

void hone__bytes_close(hone_bytes *bytes)
{
    if (bytes->file)
        (void)gzclose(bytes->file);
    hone__free(bytes->own_buffer);
    hone__free(bytes->path);
    *bytes = (hone_bytes){.ended = 1};
}

void hone__bytes_broken(hone_bytes *bytes, const char *format, ...)
{
    va_list arguments;

    if (bytes->error.status != HONE_OK)
        return;
    va_start(arguments, format);
    (void)vsnprintf(bytes->sentence, sizeof bytes->sentence, format, arguments);
    va_end(arguments);
    (void)hone__fail(&bytes->error, HONE_ERR_INPUT, "%s:%lld:%lld: %s",
                     bytes->path, bytes->line, bytes->column, bytes->sentence);
}

void hone__bytes_refill(hone_bytes *bytes)
{
    const int n = gzread(bytes->file, bytes->own_buffer, BUFFER_BYTES);
    int code = Z_OK;
    const char *message;

    bytes->before += bytes->n;
    bytes->at = 0;
    bytes->n = n > 0 ? (size_t)n : 0;
    if (bytes->n)
        return;
    bytes->ended = 1;
    message = gzerror(bytes->file, &code);
    if (code == Z_ERRNO)
        hone__bytes_broken(bytes, "the file cannot be read: %s",
                           strerror(errno));
    else if (code == Z_BUF_ERROR)
        hone__bytes_broken(bytes, "the gzip file is truncated; copy it again");
    else if (code != Z_OK && code != Z_STREAM_END)
        hone__bytes_broken(
            bytes, "the gzip file is damaged (%s); copy it again", message);
}
