/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a device: see device_lock.h. */
#define _GNU_SOURCE /* flock, struct ucred */
#include "tuner/process/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

/* The user's own folder for what lives as long as a login, or one like it,
 * which nobody else can have made. $TMPDIR is not asked: all processes of a
 * user must find the same file. */
static int runtime_folder(char *out, size_t size)
{
    const char *given = getenv("XDG_RUNTIME_DIR");
    struct stat status;

    if (given && given[0] == '/' && access(given, W_OK | X_OK) == 0 &&
        (size_t)snprintf(out, size, "%s", given) < size)
        return 1;
    (void)snprintf(out, size, "/tmp/hone-%ld", (long)geteuid());
    (void)mkdir(out, 0700);
    return lstat(out, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

static hone_status path_of(const char *name, char *path, size_t size,
                           hone_error *err)
{
    const char *given = getenv("HONE_LOCK_DIR");
    char folder[4096];
    int length;

    if (!given || !given[0]) {
        if (!runtime_folder(folder, sizeof folder))
            return no_lock(folder, EPERM, err);
        given = folder;
    }
    length = snprintf(path, size, "%s/hone-%s.lock", given, name);
    if (length < 0 || (size_t)length >= size)
        return no_lock(given, ENAMETOOLONG, err);
    return HONE_OK;
}

/* Who may write to the folder may take the lock: it was named for them. */
static mode_t mode_of(const char *path)
{
    char folder[4096];
    struct stat status;
    mode_t mode = 0600;

    (void)snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    if (getenv("HONE_LOCK_DIR") && stat(folder, &status) == 0)
        mode |=
            (status.st_mode & 020 ? 060 : 0) | (status.st_mode & 002 ? 006 : 0);
    return mode;
}

/* A file of another user is opened for reading, which flock() is content
 * with; it may be removed just then. *out -1: it is another user's alone, who
 * has the lock as long as it is there. */
static hone_status open_file(const char *path, int *out, hone_error *err)
{
    enum { TRIES = 100 };
    struct stat status;
    int code;
    int n = 0;

    do {
        *out = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (*out >= 0) {
            if (fstat(*out, &status) == 0 && status.st_uid == geteuid())
                (void)fchmod(*out, mode_of(path)); /* whatever the umask */
            return HONE_OK;
        }
        code = errno;
        *out = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (*out >= 0)
            return HONE_OK;
        /* Removed between the two, or a folder that none can be made in. */
    } while (errno == ENOENT && code != ENOENT && ++n < TRIES);
    if (errno == EACCES && lstat(path, &status) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid != geteuid())
        return HONE_OK;
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

/* ---- the name without a file --------------------------------------------- */

static socklen_t name_of(const char *name, struct sockaddr_un *out)
{
    const size_t most = sizeof out->sun_path - 1;
    int length;

    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* The first byte is 0: a name of its own kind. */
    length = snprintf(out->sun_path + 1, most, "hone-device-%s", name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                       (size_t)(length < (int)most ? length : (int)most - 1));
}

/* Who listens there; 0: unknown. */
static long ask_holder(const char *name)
{
    struct sockaddr_un address;
    const socklen_t size = name_of(name, &address);
    struct ucred who = {0};
    socklen_t who_size = sizeof who;
    const int fd =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && connect(fd, (struct sockaddr *)(void *)&address, size) == 0)
        (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size);
    if (fd >= 0)
        (void)close(fd);
    return who.pid;
}

/* 0: somebody has it. Where there are no such sockets the file has to do. */
static int take_name(const char *name, int *out)
{
    struct sockaddr_un address;
    const socklen_t size = name_of(name, &address);

    *out = -1;
    if (getenv("HONE_LOCK_DIR"))
        return 1;
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*out < 0 ||
        (bind(*out, (struct sockaddr *)(void *)&address, size) == 0 &&
         listen(*out, 8) == 0))
        return 1;
    if (errno == EADDRINUSE) {
        (void)close(*out);
        *out = -1;
        return 0;
    }
    (void)close(*out);
    *out = -1;
    return 1;
}

/* ---- who has it ---------------------------------------------------------- */

/* From the file alone: a directory service may not answer. */
static void name_user(uid_t uid, char *out, size_t size)
{
    FILE *file = fopen("/etc/passwd", "re");
    const struct passwd *user = NULL;

    (void)snprintf(out, size, "%ld", (long)uid);
    while (file && (user = fgetpwent(file)) && user->pw_uid != uid) {
    }
    if (user)
        (void)snprintf(out, size, "%s", user->pw_name);
    if (file)
        (void)fclose(file);
}

void hone__device_lock_holder(long holder, char *out, size_t size)
{
    char path[64], user[64], comm[32] = "";
    struct stat status;
    FILE *file;

    out[0] = '\0';
    if (!holder)
        return;
    (void)snprintf(out, size, "process %ld", holder);
    (void)snprintf(path, sizeof path, "/proc/%ld/comm", holder);
    file = fopen(path, "re");
    if (file && fgets(comm, sizeof comm, file) &&
        fstat(fileno(file), &status) == 0) {
        comm[strcspn(comm, "\n")] = '\0';
        for (char *c = comm; *c; ++c)
            *c = (char)(*c < ' ' || *c > '~' ? '?' : *c);
        name_user(status.st_uid, user, sizeof user);
        (void)snprintf(out, size, "process %ld (%s, of user %s)", holder, comm,
                       user);
    }
    if (file)
        (void)fclose(file);
}

static hone_status read_patience(double *out_s, hone_error *err)
{
    const char *text = getenv("HONE_LOCK_WAIT");
    char *end = NULL;

    *out_s = 3600;
    if (!text || !text[0])
        return HONE_OK;
    *out_s = strtod(text, &end);
    if (*end || !(*out_s >= 0))
        return hone__fail(err, HONE_ERR_INPUT,
                          "HONE_LOCK_WAIT='%s' is no number of seconds", text);
    return HONE_OK;
}

static hone_status still_held(const hone_device_lock *lock, long holder,
                              double patience_s, hone_error *err)
{
    char who[128];
    struct stat status;

    hone__device_lock_holder(holder, who, sizeof who);
    if (!who[0] && lstat(lock->path, &status) == 0)
        (void)snprintf(who, sizeof who, "a process of user %ld",
                       (long)status.st_uid);
    return hone__fail(
        err, HONE_ERR_BUSY,
        "this device is still used by %s after %g s of waiting "
        "(HONE_LOCK_WAIT). If that process measures nothing, end it; the lock "
        "is %s",
        who[0] ? who : "another process", patience_s, lock->path);
}

/* ---- taking it ------------------------------------------------------------
 */

/* 1: `lock` has it. 0: `*out_holder` has. */
static hone_status try_once(const char *name, hone_device_lock *lock,
                            int *out_taken, long *out_holder, hone_error *err)
{
    hone_status status = HONE_OK;
    int fd = -1;

    *out_taken = 0;
    *out_holder = 0;
    for (;; (void)close(fd)) {
        HONE_TRY(open_file(lock->path, &fd, err));
        if (fd < 0)
            return HONE_OK;
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            if (errno != EWOULDBLOCK && errno != EINTR) /* no locks there */
                status = no_lock(lock->path, errno, err);
            *out_holder = read_holder(fd);
            break;
        }
        if (is_removed(fd, lock->path))
            continue;
        if (take_name(name, &lock->socket)) {
            write_holder(fd);
            lock->fd = fd;
            *out_taken = 1;
            return HONE_OK;
        }
        *out_holder = ask_holder(name);
        (void)unlink(lock->path);
        break;
    }
    (void)close(fd);
    return status;
}

hone_status hone__device_lock_take(const char *name,
                                   const volatile sig_atomic_t *stop,
                                   hone_lock_waiting *on_wait, void *user,
                                   hone_device_lock *out, hone_error *err)
{
    const struct timespec nap = {0, 100000000}; /* 100 ms */
    double patience_s, waited_s = 0;
    long holder;
    int taken;

    out->fd = out->socket = -1;
    HONE_TRY(read_patience(&patience_s, err));
    HONE_TRY(path_of(name, out->path, sizeof out->path, err));
    for (;; waited_s += 0.1) {
        HONE_TRY(try_once(name, out, &taken, &holder, err));
        if (taken)
            return HONE_OK;
        if (stop && *stop)
            return hone__fail(err, HONE_ERR_INTERRUPTED, "interrupted");
        if (waited_s >= patience_s)
            return still_held(out, holder, patience_s, err);
        if (on_wait)
            on_wait(user, holder);
        (void)nanosleep(&nap, NULL);
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
    if (lock->socket >= 0)
        (void)close(lock->socket);
    lock->fd = lock->socket = -1;
}
