/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded (LD_PRELOAD): locks on files whose path contains $LOCK_FILE fail
 * with $LOCK_ERRNO, from the $LOCK_FROM-th on, $LOCK_TIMES times (0: all). What
 * they are given back with works. Each failure is a byte in $LOCK_LOG. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int fcntl_fn(int fd, int command, ...);

__attribute__((visibility("default"))) int fcntl(int fd, int command, ...);
__attribute__((visibility("default"))) int fcntl64(int fd, int command, ...);

static int is_named(int fd)
{
    const char *const name = getenv("LOCK_FILE");
    char link[40], path[1024];
    ssize_t length;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (!name || length < 0)
        return 0;
    path[length] = '\0';
    return strstr(path, name) != NULL;
}

static int number_of(const char *name)
{
    const char *const text = getenv(name);

    return text ? (int)strtol(text, NULL, 10) : 0;
}

static void note(void)
{
    const char *const path = getenv("LOCK_LOG");
    const int fd =
        path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

    if (fd >= 0) {
        (void)!write(fd, "x", 1);
        (void)close(fd);
    }
}

static int fails(int fd)
{
    static int n;
    const int first = number_of("LOCK_FROM"), times = number_of("LOCK_TIMES");

    if (!is_named(fd) || ++n < first || (times && n >= first + times))
        return 0;
    note();
    errno = number_of("LOCK_ERRNO");
    return 1;
}

static int call(int fd, int command, void *argument)
{
    fcntl_fn *real = NULL;
    void *const symbol = dlsym(RTLD_NEXT, "fcntl64");

    if ((command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK) &&
        ((const struct flock *)argument)->l_type != F_UNLCK && fails(fd))
        return -1;
    memcpy(&real, &symbol, sizeof real);
    return real(fd, command, argument);
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    void *argument;

    va_start(list, command);
    argument = va_arg(list, void *);
    va_end(list);
    return call(fd, command, argument);
}

int fcntl64(int fd, int command, ...)
{
    va_list list;
    void *argument;

    va_start(list, command);
    argument = va_arg(list, void *);
    va_end(list);
    return call(fd, command, argument);
}
