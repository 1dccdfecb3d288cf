/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command is asked to write: see output_file.h. */
#define _GNU_SOURCE /* O_PATH */
#include "tools/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hone_status fail(const char *path, int code, hone_error *err)
{
    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                             "cannot write '%s': %s", path, strerror(code));
}

/* ---- what is there ------------------------------------------------------- */

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

/* May a result take the place of a file? */
static hone_status may_replace(const char *path, hone_error *err)
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

/* Links of the system's own, as /dev/stdout ends in: they lead to what is open,
 * whatever name that has. */
static int is_open_file(const struct stat *link)
{
    struct stat own;

    return stat("/proc/self/", &own) == 0 && link->st_dev == own.st_dev;
}

/* Append where the links of `path` lead, whether something is there or not.
 * `*out_is_open`: one of them is to an open file. An errno, or 0. */
static int follow(const char *path, hone_text *out, int *out_is_open)
{
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    struct stat info;

    *out_is_open = 0;
    hone__text_puts(out, path);
    for (int i = 0; !out->failed && i < MOST_LINKS; ++i) {
        const char *slash = strrchr(out->data, '/');
        ssize_t n;

        if (lstat(out->data, &info))
            return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(info.st_mode))
            return 0;
        *out_is_open = is_open_file(&info);
        if (*out_is_open)
            return 0;
        n = readlink(out->data, link, sizeof link);
        if (n < 0)
            return errno;
        out->length =
            *link == '/' || !slash ? 0 : (size_t)(slash + 1 - out->data);
        hone__text_append(out, link, (size_t)n);
    }
    return out->failed ? ENOMEM : ELOOP;
}

/* ---- opening ------------------------------------------------------------- */

static hone_status take(hone_output_file *out, int fd, hone_error *err)
{
    out->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out->file) {
        const int code = errno;

        if (fd >= 0)
            (void)close(fd);
        return fail(out->path, code, err);
    }
    return HONE_OK;
}

/* Behind what it has: another process may have opened it. */
static hone_status open_direct(hone_output_file *out, hone_error *err)
{
    return take(
        out, open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY), err);
}

/* The number of the descriptor that is `path`, of this process's own; -1: none.
 */
static int own_descriptor(const char *path)
{
    char folder[PATH_MAX], *end;
    struct stat there, own;
    const char *slash = strrchr(path, '/');
    long number;

    if (!slash || slash == path || slash - path >= PATH_MAX)
        return -1;
    number = strtol(slash + 1, &end, 10);
    if (end == slash + 1 || *end || number < 0 || number > INT_MAX)
        return -1;
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash - path] = '\0';
    return stat(folder, &there) == 0 && stat("/proc/self/fd", &own) == 0 &&
                   there.st_dev == own.st_dev && there.st_ino == own.st_ino
               ? (int)number
               : -1;
}

/* What is open already. One of this process's own is written with it: opened
 * once more it would have a place of its own, and who writes next would write
 * over it. */
static hone_status open_open(hone_output_file *out, hone_error *err)
{
    const int number = own_descriptor(hone__text_str(&out->target));
    int fd;

    if (number < 0)
        return open_direct(out, err);
    (void)fflush(number == STDERR_FILENO ? stderr : stdout);
    fd = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return take(out, fd, err);
}

/* What the umask leaves of the rights of a new file. */
static unsigned new_mode(void)
{
    const mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

/* `old` is what is there, NULL: nothing. */
static hone_status open_beside(hone_output_file *out, const struct stat *old,
                               hone_error *err)
{
    unsigned mode = old ? old->st_mode & 0777 : new_mode();
    int code = 0, fd;

    hone__text_printf(&out->temporary, "%s.XXXXXX",
                      hone__text_str(&out->target));
    HONE_TRY(hone__text_check(&out->temporary, err));
    fd = mkstemp(out->temporary.data);
    if (fd < 0) {
        code = errno;
        hone__text_free(&out->temporary);
        return fail(out->path, code, err);
    }
    /* To whom the old one belongs, where we may; another group gets no more
     * than all have. */
    if (old && fchown(fd, old->st_uid, old->st_gid) &&
        fchown(fd, (uid_t)-1, old->st_gid))
        mode &= ~070u | (mode & 7) << 3;
    /* Where files have no modes of their own it stays ours alone. */
    if (fchmod(fd, mode))
        errno = 0;
    out->file = fdopen(fd, "w");
    if (!out->file) {
        code = errno;
        (void)close(fd);
        (void)unlink(out->temporary.data);
        hone__text_free(&out->temporary);
        return fail(out->path, code, err);
    }
    return HONE_OK;
}

static hone_status open_any(hone_output_file *out, hone_error *err)
{
    /* The kernel refuses to follow links that others laid into a folder like
     * /tmp, and so does this. It waits for nobody, whatever is there. */
    const int fd = open(out->path, O_PATH | O_CLOEXEC);
    int code = fd < 0 ? errno : 0, is_open = 0, is_new;
    struct stat info;

    if (fd >= 0) {
        if (fstat(fd, &info))
            code = errno;
        (void)close(fd);
    }
    if ((code && code != ENOENT) || !*out->path)
        return fail(out->path, code, err);
    if (!code && S_ISDIR(info.st_mode))
        return fail(out->path, EISDIR, err);
    is_new = code == ENOENT;
    if (!is_new && S_ISREG(info.st_mode))
        HONE_TRY(may_replace(out->path, err));
    code = follow(out->path, &out->target, &is_open);
    if (code)
        return fail(out->path, code, err);
    if (is_open)
        return open_open(out, err);
    if (!is_new && !S_ISREG(info.st_mode))
        return open_direct(out, err);
    return open_beside(out, is_new ? NULL : &info, err);
}

hone_status hone__output_file_open(const char *path, hone_output_file *out,
                                   hone_error *err)
{
    hone_status status;

    *out = (hone_output_file){.path = path};
    status = open_any(out, err);
    if (status != HONE_OK)
        hone__text_free(&out->target);
    return status;
}

/* ---- writing ------------------------------------------------------------- */

hone_status hone__output_file_close(hone_output_file *out, hone_status status,
                                    hone_error *err)
{
    const int is_beside = out->temporary.length > 0;
    int code = 0;

    if (!out->file)
        return status;
    errno = 0;
    if (fflush(out->file) || ferror(out->file))
        code = errno ? errno : EIO;
    if (!code && status == HONE_OK && is_beside && fsync(fileno(out->file)))
        code = errno;
    if (fclose(out->file) && !code)
        code = errno;
    /* It may be one by now. */
    if (!code && status == HONE_OK && is_beside)
        status = may_replace(out->target.data, err);
    if (!code && status == HONE_OK && is_beside &&
        rename(out->temporary.data, out->target.data))
        code = errno;
    if (is_beside && (code || status != HONE_OK))
        (void)unlink(out->temporary.data);
    hone__text_free(&out->temporary);
    hone__text_free(&out->target);
    out->file = NULL;
    return code && status == HONE_OK ? fail(out->path, code, err) : status;
}

hone_status hone__output_replace(const char *path, const void *bytes,
                                 size_t size_bytes, hone_error *err)
{
    hone_output_file out;
    hone_status status = hone__output_file_open(path, &out, err);

    if (status == HONE_OK && size_bytes &&
        fwrite(bytes, 1, size_bytes, out.file) != size_bytes)
        status = fail(path, errno, err);
    return hone__output_file_close(&out, status, err);
}
