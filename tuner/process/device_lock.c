/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a device: see device_lock.h. */
#define _DEFAULT_SOURCE /* flock */
#include "tuner/process/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* $TMPDIR is not asked: two users must find the same file. A file of another
 * user is opened for reading, which flock() is content with. */
static int open_file(const char *name)
{
    char path[128];
    int fd;

    (void)snprintf(path, sizeof path, "/tmp/hone-%.80s.lock", name);
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    else
        (void)fchmod(fd, 0666); /* whatever the umask; fails if not ours */
    return fd;
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
    const int fd = open_file(name);

    out->fd = -1;
    if (fd < 0)
        return HONE_OK;
    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            (void)close(fd); /* a file system without locks */
            return HONE_OK;
        }
        if (stop && *stop) {
            (void)close(fd);
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        }
        if (on_wait)
            on_wait(user, read_holder(fd));
        (void)nanosleep(&nap, NULL);
    }
    write_holder(fd);
    out->fd = fd;
    return HONE_OK;
}

void hone__device_lock_drop(hone_device_lock *lock)
{
    if (lock->fd < 0)
        return;
    (void)!ftruncate(lock->fd, 0);
    (void)close(lock->fd);
    lock->fd = -1;
}
