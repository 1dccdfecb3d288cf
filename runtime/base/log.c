/* SPDX-License-Identifier: Apache-2.0 */
/* The log: see log.h. A lock is held while a function of the program's runs,
 * so that it is not called any more once hone_log_set() has returned. */
#include "runtime/base/log.h"

#include "runtime/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NOTHING = -1,
    MESSAGE_BYTES = 2048, /* what does not fit is cut */
    LINE_BYTES = MESSAGE_BYTES + 100
};

/* All but `most` under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int most = NOTHING; /* the last level that is wanted */
static struct {
    int is_chosen; /* by the program, or by HONE_LOG */
    hone_log_function *function;
    void *user;
    int file; /* of HONE_LOG; 0: none is open */
} to;

static const char *name_of(hone_log_level level)
{
    static const char *const names[] = {
#define LEVEL_NAME(name, value, spelling) [value] = spelling,
        HONE_LOG_LEVEL_MAP(LEVEL_NAME)
#undef LEVEL_NAME
    };
    const size_t index = (size_t)level;

    return index < sizeof names / sizeof names[0] ? names[index] : "?";
}

/* ---- HONE_LOG ------------------------------------------------------------ */

/* One line, written at once: other processes may write to the same file. */
static void write_line(void *user, hone_log_level level, const char *message)
{
    const int file = *(const int *)user;
    struct timespec now = {0};
    struct tm utc = {0};
    char line[LINE_BYTES];
    char when[40];
    int length;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    length = snprintf(line, sizeof line, "%s.%03dZ hone[%ld] %s: %s\n", when,
                      (int)(now.tv_nsec / 1000000), (long)getpid(),
                      name_of(level), message);
    if (length > 0 && (size_t)length < sizeof line)
        (void)hone__write_all(file, line, (size_t)length);
}

static hone_status open_log(const char *path, hone_error *err)
{
    const int is_stderr = strcmp(path, "stderr") == 0;

    to.file =
        is_stderr
            ? STDERR_FILENO
            : open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                   0644); /* a pipe that nobody reads waits for ever */
    if (to.file < 0) {
        const int code = errno;

        to.file = 0;
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                                 "HONE_LOG: cannot write '%.300s': %s", path,
                                 strerror(code));
    }
    to.function = write_line;
    to.user = &to.file;
    to.is_chosen = 1;
    atomic_store(&most, HONE_LOG_INFO);
    return HONE_OK;
}

hone_status hone__log_start(hone_error *err)
{
    const char *path = getenv("HONE_LOG");
    hone_status status = HONE_OK;

    if (!path || !*path)
        return HONE_OK;
    (void)pthread_mutex_lock(&lock);
    if (!to.is_chosen)
        status = open_log(path, err);
    (void)pthread_mutex_unlock(&lock);
    return status;
}

/* ---- for programs -------------------------------------------------------- */

void hone__log_set(hone_log_function *function, void *user,
                   hone_log_level level)
{
    (void)pthread_mutex_lock(&lock);
    if (to.file > STDERR_FILENO)
        (void)close(to.file);
    to.file = 0;
    to.is_chosen = 1;
    to.function = function;
    to.user = user;
    atomic_store(&most, function ? (int)level : NOTHING);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- for the runtime ----------------------------------------------------- */

int hone__log_wants(hone_log_level level)
{
    return (int)level <= atomic_load_explicit(&most, memory_order_relaxed);
}

void hone__log(hone_log_level level, const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list list;

    if (!hone__log_wants(level))
        return;
    va_start(list, format);
    (void)vsnprintf(message, sizeof message, format, list);
    va_end(list);
    (void)pthread_mutex_lock(&lock);
    if (to.function && hone__log_wants(level))
        to.function(to.user, level, message);
    (void)pthread_mutex_unlock(&lock);
}

hone_status hone__log_failure(hone_status status, const char *what,
                              const hone_error *err)
{
    if (status != HONE_OK)
        hone__log(HONE_LOG_ERROR, "%s: %s: %s", what, hone_status_name(status),
                  err->text);
    return status;
}
