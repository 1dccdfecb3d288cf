/* SPDX-License-Identifier: Apache-2.0 */
#include "blas/mode.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { LINES = 10 };

static hone_blas_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void hone__blas_say(int is_news, const char *format, ...)
{
    char line[1024];
    const int head = snprintf(line, sizeof line, "hone: ");
    size_t length;
    va_list values;

    if (is_news && settings.is_quiet)
        return;
    va_start(values, format);
    (void)vsnprintf(line + head, sizeof line - (size_t)head - 1, format,
                    values);
    va_end(values);
    length = strlen(line);
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0)
        return; /* nobody listens */
}

/* ---- the environment ----------------------------------------------------- */

static const char *text_of(const char *name)
{
    const char *text = getenv(name);

    return text && *text ? text : NULL;
}

static void read_mode(void)
{
    static const char *const names[] = {"off", "record", "on"};
    const char *text = text_of("HONE_BLAS");

    settings.mode = HONE_BLAS_RECORD;
    for (size_t i = 0; text && i < HONE_COUNT(names); ++i) {
        if (strcmp(text, names[i]) == 0) {
            settings.mode = (hone_blas_mode)i;
            return;
        }
    }
    if (!text)
        return;
    settings.mode = HONE_BLAS_OFF;
    hone__blas_say(0,
                   "HONE_BLAS is '%.40s', which is none of off, record and "
                   "on: calls of cuBLAS are left alone",
                   text);
}

/* A number from `least` up. What cannot be read is said, with what is done
 * instead. */
static uint64_t read_number(const char *name, long long least, uint64_t without,
                            uint64_t instead, const char *done)
{
    const char *text = text_of(name);
    char *end = NULL;
    long long n;

    if (!text)
        return without;
    errno = 0;
    n = strtoll(text, &end, 10);
    if (!errno && !*end && n >= least)
        return (uint64_t)n;
    hone__blas_say(0, "%s is '%.40s', not a number from %lld up: %s", name,
                   text, least, done);
    return instead;
}

/* As NVIDIA's libraries read it: 0, and TF32 is not used whatever a program
 * allows. */
static int has_no_tf32(void)
{
    const char *text = text_of("NVIDIA_TF32_OVERRIDE");

    return text && strcmp(text, "0") == 0;
}

static void read_all(void)
{
    static const char *const what[] = {
        "", "are counted",
        "are counted and, where a tuned kernel is faster, answered by it"};
    const char *device = text_of("HONE_DEVICE");

    if (getauxval(AT_SECURE))
        return; /* another user's rights: nobody's environment counts */
    settings.is_quiet = text_of("HONE_BLAS_QUIET") != NULL;
    settings.has_no_tf32 = has_no_tf32();
    read_mode();
    if (settings.mode == HONE_BLAS_OFF)
        return;
    settings.check_every = read_number("HONE_BLAS_CHECK", 1, 0, 1,
                                       "every answered call is checked");
    settings.n_lines = read_number("HONE_BLAS_LINES", 0, LINES, LINES,
                                   "the report lists ten shapes");
    settings.file = text_of("HONE_BLAS_FILE");
    settings.only = text_of("HONE_BLAS_ONLY");
    settings.is_host = device && strcmp(device, "cpu") == 0;
    hone__blas_say(1,
                   "libhone_blas is active in process %ld: matrix products "
                   "of cuBLAS %s; HONE_BLAS=off leaves them alone",
                   (long)getpid(), what[settings.mode]);
}

const hone_blas_settings *hone__blas_settings(void)
{
    (void)pthread_once(&once, read_all);
    return &settings;
}
