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

/* What is open, as files of the system. */
#define OWN_FILES "/proc/self/fd/"
/* Of a name until the file is whole. */
#define NAME_END ".XXXXXX"

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

static hone_status add_temporary(hone_output_file *out, hone_error *err)
{
    hone__text_clear(&out->temporary);
    hone__text_printf(&out->temporary, "%s" NAME_END,
                      hone__text_str(&out->target));
    return hone__text_check(&out->temporary, err);
}

/* What the umask leaves of the rights of a new file. */
static unsigned new_mode(void)
{
    const mode_t mask = umask(0);

    (void)umask(mask);
    return 0666 & ~mask;
}

/* A file in the folder of the target that has no name, and goes with this
 * process, however that ends. -1: such files are not there. */
static int open_unnamed(const hone_output_file *out)
{
    const char *target = hone__text_str(&out->target);
    const char *slash = strrchr(target, '/');
    char folder[PATH_MAX], link[32];
    struct stat info;
    int fd;

    if (slash && slash - target >= PATH_MAX)
        return -1;
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash ? (int)(slash + 1 - target) : 1, slash ? target : ".");
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    (void)snprintf(link, sizeof link, OWN_FILES "%d", fd);
    if (fd >= 0 && stat(link, &info)) { /* it could never get a name */
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* One that is there and has another name until it is whole. */
static hone_status open_named(hone_output_file *out, int *out_fd,
                              hone_error *err)
{
    int code;

    HONE_TRY(add_temporary(out, err));
    *out_fd = mkstemp(out->temporary.data);
    if (*out_fd >= 0)
        return HONE_OK;
    code = errno;
    hone__text_free(&out->temporary);
    return fail(out->path, code, err);
}

/* `old` is what is there, NULL: nothing. */
static hone_status open_beside(hone_output_file *out, const struct stat *old,
                               hone_error *err)
{
    const char *target = hone__text_str(&out->target);
    const char *slash = strrchr(target, '/');
    unsigned mode = old ? old->st_mode & 0777 : new_mode();
    int code = 0, fd;

    /* With what is added to it: not when all is written. */
    if (strlen(slash ? slash + 1 : target) + strlen(NAME_END) > NAME_MAX)
        return fail(out->path, ENAMETOOLONG, err);
    fd = open_unnamed(out);
    out->is_unnamed = fd >= 0;
    if (fd < 0)
        HONE_TRY(open_named(out, &fd, err));
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
        if (!out->is_unnamed)
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
        HONE_TRY(hone__output_may_replace(out->path, err));
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

/* Where no file without a name may get one: its bytes, in one that has it. An
 * errno, or 0. */
static int copy_to(int to, int from)
{
    char bytes[1 << 14];
    ssize_t n;

    for (off_t at = 0; (n = pread(from, bytes, sizeof bytes, at)) > 0; at += n)
        for (ssize_t done = 0, k; done < n; done += k) {
            k = write(to, bytes + done, (size_t)(n - done));
            if (k < 0)
                return errno;
        }
    return n < 0 || fsync(to) ? errno : 0;
}

/* What has no name gets one that nothing else has, for a moment. An errno, or
 * 0. */
static int give_name(hone_output_file *out)
{
    struct stat info;
    char link[32];
    int code = 0, fd;

    if (add_temporary(out, NULL) != HONE_OK)
        return ENOMEM;
    (void)snprintf(link, sizeof link, OWN_FILES "%d", fileno(out->file));
    fd = mkstemp(out->temporary.data); /* of names it knows most */
    if (fd < 0) {
        code = errno;
        hone__text_free(&out->temporary);
        return code;
    }
    (void)unlink(out->temporary.data);
    if (linkat(AT_FDCWD, link, AT_FDCWD, out->temporary.data,
               AT_SYMLINK_FOLLOW)) {
        (void)close(fd);
        fd = open(out->temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  0600);
        code = fd < 0 ? errno : copy_to(fd, fileno(out->file));
        if (!code && (fstat(fileno(out->file), &info) ||
                      fchmod(fd, info.st_mode & 0777)))
            errno = 0; /* it stays ours alone */
        if (code && fd >= 0)
            (void)unlink(out->temporary.data);
    }
    if (fd >= 0)
        (void)close(fd);
    return code;
}

/* It takes the place of the target. */
static hone_status appear(hone_output_file *out, hone_error *err)
{
    int code = 0;

    if (fsync(fileno(out->file)))
        return fail(out->path, errno, err);
    HONE_TRY(hone__output_may_replace(out->target.data,
                                      err)); /* it may be one by now */
    if (out->is_unnamed) {
        code = give_name(out);
        out->is_unnamed = code != 0;
    }
    if (!code && rename(out->temporary.data, out->target.data))
        code = errno;
    return code ? fail(out->path, code, err) : HONE_OK;
}

hone_status hone__output_file_close(hone_output_file *out, hone_status status,
                                    hone_error *err)
{
    const int is_beside = out->is_unnamed || out->temporary.length > 0;
    int code = 0;

    if (!out->file)
        return status;
    errno = 0;
    if (fflush(out->file) || ferror(out->file))
        code = errno ? errno : EIO;
    if (code && status == HONE_OK)
        status = fail(out->path, code, err);
    if (status == HONE_OK && is_beside)
        status = appear(out, err);
    if (status != HONE_OK && is_beside && !out->is_unnamed)
        (void)unlink(out->temporary.data);
    if (fclose(out->file) && status == HONE_OK)
        status = fail(out->path, errno, err);
    hone__text_free(&out->temporary);
    hone__text_free(&out->target);
    out->file = NULL;
    return status;
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
