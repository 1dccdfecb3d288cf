/* SPDX-License-Identifier: Apache-2.0 */
/* The file of recorded shapes, which many processes append to: see
 * docs and hone-record(5). Who writes has the file's lock, so that a title
 * comes once, and what a full disk left of a line is taken back. A process that
 * was killed may leave a part of a line: the next one ends it, and its sum is
 * wrong. */
#include "runtime/record/record.h"

#include "runtime/base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ASK_AGAIN_MS = 5 };

static const char sum_key[] = " sum=";

/* ---- a line -------------------------------------------------------------- */

static uint32_t sum_of(const char *line, size_t length)
{
    const uint64_t hash = hone__hash64(line, length);

    return (uint32_t)(hash ^ hash >> 32);
}

void hone__record_line(const char *shape, uint64_t n_launches,
                       const char *facts, hone_text *out)
{
    const size_t start = out->length;

    hone__text_printf(out, "%s %" PRIu64 " %s", shape, n_launches, facts);
    if (!out->failed)
        hone__text_printf(
            out, "%s%08" PRIx32 "\n", sum_key,
            sum_of(hone__text_str(out) + start, out->length - start));
}

int hone__record_line_is_whole(char *line)
{
    const size_t length = strlen(line);
    const size_t key = sizeof sum_key - 1;
    char *at = length < key + 8 ? NULL : line + length - key - 8;
    char expected[16];

    if (!at || strncmp(at, sum_key, key) != 0)
        return 0;
    (void)snprintf(expected, sizeof expected, "%08" PRIx32,
                   sum_of(line, (size_t)(at - line)));
    if (strcmp(at + key, expected) != 0)
        return 0;
    *at = '\0';
    return 1;
}

/* ---- the file ------------------------------------------------------------ */

static hone_status fail(const char *path, hone_error *err)
{
    const int code = errno;

    return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, code,
                             "cannot append launched shapes to '%.300s': %s",
                             path, strerror(code));
}

static hone_status take_lock(int file, const char *path, int wait_ms,
                             hone_error *err)
{
    const struct timespec pause = {0, ASK_AGAIN_MS * 1000000L};

    while (flock(file, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(path, err);
        if (wait_ms <= 0)
            return hone__fail(err, HONE_ERR_BUSY,
                              "another process keeps '%.300s' locked", path);
        (void)nanosleep(&pause, NULL);
        wait_ms -= ASK_AGAIN_MS;
    }
    return HONE_OK;
}

/* Lock held. */
static hone_status append(int file, const char *path, const hone_text *lines,
                          hone_error *err)
{
    static const char title[] = HONE_RECORD_TITLE "\n";
    struct stat now;
    char last = '\n';
    int failed = fstat(file, &now);

    if (failed || (now.st_size && pread(file, &last, 1, now.st_size - 1) != 1))
        return fail(path, err);
    if (!now.st_size)
        failed = hone__write_all(file, title, sizeof title - 1);
    else if (last != '\n')
        failed = hone__write_all(file, "\n", 1);
    if (!failed)
        failed = hone__write_all(file, lines->data, lines->length);
    if (failed) {
        const hone_status status = fail(path, err);

        /* A line of which a part stays has a wrong sum. */
        if (ftruncate(file, now.st_size))
            return status;
        return status;
    }
    return HONE_OK;
}

hone_status hone__record_append(int file, const char *path,
                                const hone_text *lines, int wait_ms,
                                hone_error *err)
{
    hone_status status;

    HONE_TRY(take_lock(file, path, wait_ms, err));
    status = append(file, path, lines, err);
    (void)flock(file, LOCK_UN);
    return status;
}
