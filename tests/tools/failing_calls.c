/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded (LD_PRELOAD): the $FAIL_AT-th call into the system of all processes
 * together fails, as it may when memory, disk, descriptors or processes run
 * out; of those with the name $FAIL_NAME, if there is one, and $FAIL_FOR of
 * them in a row. $FAIL_COUNT is a file of a page of zeros, in which they count;
 * what failed is a line in it, behind 64 bytes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, NAME_AT = 64 };

static _Atomic int64_t *counter;
static int64_t fail_at;
static int64_t fail_for;
static const char *fail_name; /* NULL: any */

/* Without the functions below. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAIL_COUNT");
    const char *at = getenv("FAIL_AT");
    const char *n = getenv("FAIL_FOR");
    const long fd =
        path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    void *memory = fd < 0 ? MAP_FAILED
                          : mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_SHARED, (int)fd, 0);

    if (fd >= 0)
        (void)syscall(SYS_close, fd);
    fail_at = at ? strtoll(at, NULL, 10) : 0;
    fail_for = n ? strtoll(n, NULL, 10) : 1;
    fail_name = getenv("FAIL_NAME");
    if (memory != MAP_FAILED)
        counter = memory;
}

/* Not a file: a sandbox may forbid to write one. */
static void note(const char *name)
{
    (void)snprintf((char *)(uintptr_t)counter + NAME_AT, PAGE_BYTES - NAME_AT,
                   "%s of process %ld\n", name, (long)getpid());
}

static int fails(const char *name, int code)
{
    int64_t number;

    if (!counter || (fail_name && strcmp(name, fail_name) != 0))
        return 0;
    number = ++*counter;
    if (!fail_at || number < fail_at || number - fail_at >= fail_for)
        return 0;
    note(name);
    errno = code;
    return 1;
}

/* X(type, name, parameters, arguments, errno, what is returned) */
#define CALLS(X)                                                               \
    X(ssize_t, pread64, (int fd, void *b, size_t n, off64_t at),               \
      (fd, b, n, at), EIO, -1)                                                 \
    X(ssize_t, pread, (int fd, void *b, size_t n, off_t at), (fd, b, n, at),   \
      EIO, -1)                                                                 \
    X(ssize_t, pwrite64, (int fd, const void *b, size_t n, off64_t at),        \
      (fd, b, n, at), ENOSPC, -1)                                              \
    X(ssize_t, pwrite, (int fd, const void *b, size_t n, off_t at),            \
      (fd, b, n, at), ENOSPC, -1)                                              \
    X(int, pipe, (int ends[2]), (ends), EMFILE, -1)                            \
    X(int, pipe2, (int ends[2], int flags), (ends, flags), EMFILE, -1)         \
    X(pid_t, fork, (void), (), EAGAIN, -1)                                     \
    X(int, fsync, (int fd), (fd), EIO, -1)                                     \
    X(int, fdatasync, (int fd), (fd), EIO, -1)                                 \
    X(int, ftruncate, (int fd, off_t n), (fd, n), ENOSPC, -1)                  \
    X(int, ftruncate64, (int fd, off64_t n), (fd, n), ENOSPC, -1)              \
    X(int, rename, (const char *a, const char *b), (a, b), EIO, -1)            \
    X(int, unlink, (const char *a), (a), EIO, -1)                              \
    X(int, mkdir, (const char *a, mode_t m), (a, m), ENOSPC, -1)               \
    X(char *, mkdtemp, (char *a), (a), ENOSPC, NULL)                           \
    X(int, mkstemp, (char *a), (a), EMFILE, -1)                                \
    X(int, memfd_create, (const char *a, unsigned f), (a, f), EMFILE, -1)      \
    X(int, flock, (int fd, int how), (fd, how), ENOLCK, -1)                    \
    X(int, dup2, (int a, int b), (a, b), EMFILE, -1)                           \
    X(int, poll, (struct pollfd * p, nfds_t n, int ms), (p, n, ms), EINTR, -1) \
    X(FILE *, fopen, (const char *a, const char *m), (a, m), EMFILE, NULL)     \
    X(FILE *, fopen64, (const char *a, const char *m), (a, m), EMFILE, NULL)   \
    X(DIR *, opendir, (const char *a), (a), EMFILE, NULL)                      \
    X(int, fstat, (int fd, struct stat *s), (fd, s), EIO, -1)                  \
    X(int, fchmod, (int fd, mode_t m), (fd, m), EPERM, -1)                     \
    X(int, posix_spawnp,                                                       \
      (pid_t * pid, const char *file, const posix_spawn_file_actions_t *f,     \
       const posix_spawnattr_t *a, char *const argv[], char *const env[]),     \
      (pid, file, f, a, argv, env), EAGAIN, EAGAIN)

#define WRAP(type, name, parameters, arguments, code, failed)                  \
    __attribute__((visibility("default"))) type name parameters;               \
    type name parameters                                                       \
    {                                                                          \
        static type(*real) parameters;                                         \
                                                                               \
        if (!real) {                                                           \
            void *const symbol = dlsym(RTLD_NEXT, #name);                      \
                                                                               \
            memcpy(&real, &symbol, sizeof real);                               \
        }                                                                      \
        if (fails(#name, code))                                                \
            return failed;                                                     \
        return real arguments;                                                 \
    }
CALLS(WRAP)

/* Pipes do not fail so: only files. */
static int is_file(int fd)
{
    struct stat file;

    return syscall(SYS_newfstatat, fd, "", &file, AT_EMPTY_PATH) == 0 &&
           S_ISREG(file.st_mode);
}

__attribute__((visibility("default"))) ssize_t read(int fd, void *b, size_t n);
ssize_t read(int fd, void *b, size_t n)
{
    if (is_file(fd) && fails("read", EIO))
        return -1;
    return (ssize_t)syscall(SYS_read, fd, b, n);
}

__attribute__((visibility("default"))) ssize_t write(int fd, const void *b,
                                                     size_t n);
ssize_t write(int fd, const void *b, size_t n)
{
    if (is_file(fd) && fails("write", ENOSPC))
        return -1;
    return (ssize_t)syscall(SYS_write, fd, b, n);
}

/* Their last parameter is there or not. */
#define WRAP_OPEN(name, number, before, first)                                 \
    __attribute__((visibility("default"))) int name(before const char *path,   \
                                                    int flags, ...);           \
    int name(before const char *path, int flags, ...)                          \
    {                                                                          \
        va_list list;                                                          \
        unsigned mode = 0;                                                     \
                                                                               \
        va_start(list, flags);                                                 \
        if (flags & (O_CREAT | __O_TMPFILE))                                   \
            mode = va_arg(list, unsigned);                                     \
        va_end(list);                                                          \
        if (fails(#name, EMFILE))                                              \
            return -1;                                                         \
        return (int)syscall(SYS_openat, first, path, flags, mode);             \
    }
#define NOTHING
#define FOLDER int folder,
WRAP_OPEN(open, 0, NOTHING, AT_FDCWD)
WRAP_OPEN(open64, 0, NOTHING, AT_FDCWD)
WRAP_OPEN(openat, 0, FOLDER, folder)
WRAP_OPEN(openat64, 0, FOLDER, folder)
