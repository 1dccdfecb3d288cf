/* SPDX-License-Identifier: Apache-2.0 */
/* What no result takes the place of: see output_file.h. */
#include "tools/base/output_file.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What SQLite's files begin with: a database (its NUL included), what was
 * written to one and is not in it yet (either order of bytes), and what undoes
 * a change that was not ended. */
static const struct {
    char bytes[17];
    size_t size_bytes;
} sqlite_headers[] = {
    {"SQLite format 3", 16},
    {"\x37\x7f\x06\x82", 4},
    {"\x37\x7f\x06\x83", 4},
    {"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8},
};

static int is_sqlite(const char *path)
{
    char header[16];
    /* What cannot be read is no matter of this, and a pipe is not waited for.
     */
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    const ssize_t got = fd < 0 ? -1 : read(fd, header, sizeof header);
    const size_t n = got < 0 ? 0 : (size_t)got;

    if (fd >= 0)
        (void)close(fd);
    for (size_t i = 0; i < sizeof sqlite_headers / sizeof *sqlite_headers; ++i)
        if (n >= sqlite_headers[i].size_bytes &&
            memcmp(header, sqlite_headers[i].bytes,
                   sqlite_headers[i].size_bytes) == 0)
            return 1;
    return 0;
}

/* Is it what SQLite has beside a database? That may be open, and is not looked
 * into. */
static int is_beside_sqlite(const char *path)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    const size_t length = strlen(path);
    char database[PATH_MAX];

    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        const size_t end = strlen(ends[i]);

        if (length <= end || length - end >= sizeof database ||
            strcmp(path + length - end, ends[i]) != 0)
            continue;
        memcpy(database, path, length - end);
        database[length - end] = '\0';
        return is_sqlite(database);
    }
    return 0;
}

hone_status hone__output_may_replace(const char *path, hone_error *err)
{
    if (!is_beside_sqlite(path) && !is_sqlite(path))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "'%s' is a database, or a part of one, which the result "
                      "would take the place of; name another file",
                      path);
}

hone_status hone__output_spares(const char *path, const char *input,
                                hone_error *err)
{
    struct stat to, from;

    if (!path || !input || stat(path, &to) || stat(input, &from) ||
        to.st_dev != from.st_dev || to.st_ino != from.st_ino ||
        !S_ISREG(from.st_mode))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "'%s' is what is read, which the result would take the "
                      "place of; name another file",
                      path);
}
