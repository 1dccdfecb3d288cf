/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a device: see device_lock.h. */
#define _DEFAULT_SOURCE /* flock */
#include "tuner/process/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static hone_status no_lock(const char *path, int code, hone_error *err)
{
    return hone__fail_native(
        err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
        "no lock for this device: %s: %s. Without it two tuners would measure "
        "each other; set HONE_LOCK_DIR to a folder that everybody who uses "
        "the device can write to",
        path, strerror(code));
}

/* $TMPDIR is not asked: two users must find the same file. */
static hone_status path_of(const char *name, char *path, size_t size,
                           hone_error *err)
{
    const char *folder = getenv("HONE_LOCK_DIR");
    const int length = snprintf(path, size, "%s/hone-%s.lock",
                                folder && folder[0] ? folder : "/tmp", name);

    if (length < 0 || (size_t)length >= size)
        return no_lock(folder ? folder : name, ENAMETOOLONG, err);
    return HONE_OK;
}

/* A file of another user is opened for reading, which flock() is content
 * with; it may be removed just then. */
static hone_status open_file(const char *path, int *out, hone_error *err)
{
    int code;

    do {
        *out = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*out >= 0) {
            (void)fchmod(*out, 0666); /* whatever the umask */
            return HONE_OK;
        }
        code = errno;
        *out = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (*out >= 0)
            return HONE_OK;
    } while (errno == ENOENT && code != ENOENT);
    return no_lock(path, code, err);
}

/* Who held the file before has removed it: others find another one there. */
static int is_removed(int fd, const char *path)
{
    struct stat ours, theirs;

    return fstat(fd, &ours) != 0 || stat(path, &theirs) != 0 ||
           ours.st_dev != theirs.st_dev || ours.st_ino != theirs.st_ino;
}

static long read_holder(int fd)
{
    char text[24] = "";

    return pread(fd, text, sizeof text - 1, 0) > 0 ? strtol(text, NULL, 10) : 0;
}

/* For people and for the message of those who wait. */
static void write_holder(int fd)
{
    char text[24];
    const int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)n, 0);
}

hone_status hone__device_lock_take(const char *name,
                                   const volatile sig_atomic_t *stop,
                                   hone_lock_waiting *on_wait, void *user,
                                   hone_device_lock *out, hone_error *err)
{
    const struct timespec nap = {0, 100000000}; /* 100 ms */

    out->fd = -1;
    HONE_TRY(path_of(name, out->path, sizeof out->path, err));
    for (;;) {
        hone_status status = HONE_OK;
        int fd = -1;

        HONE_TRY(open_file(out->path, &fd, err));
        while (status == HONE_OK && flock(fd, LOCK_EX | LOCK_NB)) {
            if (errno != EWOULDBLOCK && errno != EINTR) {
                /* a file system without locks */
                status = no_lock(out->path, errno, err);
            } else if (stop && *stop) {
                status = hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
            } else {
                if (on_wait)
                    on_wait(user, read_holder(fd));
                (void)nanosleep(&nap, NULL);
            }
        }
        if (status == HONE_OK && !is_removed(fd, out->path)) {
            write_holder(fd);
            out->fd = fd;
            return HONE_OK;
        }
        (void)close(fd);
        HONE_TRY(status);
    }
}

void hone__device_lock_drop(hone_device_lock *lock)
{
    if (lock->fd < 0)
        return;
    /* Fails where it is another user's, which then stays there, empty. */
    if (!is_removed(lock->fd, lock->path))
        (void)unlink(lock->path);
    (void)!ftruncate(lock->fd, 0);
    (void)close(lock->fd);
    lock->fd = -1;
}
