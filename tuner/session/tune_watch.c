/* SPDX-License-Identifier: Apache-2.0 */
/* Is the database still the file that a run writes to? SQLite goes on with a
 * file that has no name any more, and with one that was cut off: nobody would
 * ever see what is stored there. Nothing is opened here: closing a second
 * descriptor of the file would drop SQLite's locks. */
#include "tuner/session/tune_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The descriptor with which this process has the file open; -1: none. */
static int find_descriptor(const struct stat *file)
{
    struct stat open_file;

    for (int fd = 3; fd < 1024; ++fd) {
        if (fstat(fd, &open_file) == 0 && is_same(&open_file, file))
            return fd;
    }
    return -1;
}

/* Bytes 16 and 28 of the header: size of a page, pages. */
static unsigned long read_number(const unsigned char *bytes, int n)
{
    unsigned long value = 0;

    for (int i = 0; i < n; ++i)
        value = value << 8 | bytes[i];
    return value;
}

/* Does the file have all pages that its header says? Not so in the middle of a
 * checkpoint, also of one that failed: what is missing is in the log then. */
static int is_whole(int fd, off_t size_bytes)
{
    unsigned char head[100];
    unsigned long page_bytes;

    if (pread(fd, head, sizeof head, 0) != (ssize_t)sizeof head ||
        memcmp(head, "SQLite format 3", 16) != 0)
        return 0;
    page_bytes = read_number(head + 16, 2);
    page_bytes = page_bytes == 1 ? 65536 : page_bytes;
    return (unsigned long)size_bytes >= page_bytes * read_number(head + 28, 4);
}

/* Shorter than it was, and not because somebody tidied it up. */
static int is_cut_off(hone_tune_database *database)
{
    const struct timespec nap = {0, 50000000};
    struct stat file;

    for (int i = 0; i < 10; ++i) {
        if (fstat(database->fd, &file) == 0 &&
            (file.st_size >= database->size_bytes ||
             is_whole(database->fd, file.st_size))) {
            database->size_bytes = file.st_size;
            return 0;
        }
        (void)nanosleep(&nap, NULL);
    }
    return 1;
}

static hone_status lost(const char *path, const char *what, hone_error *err)
{
    return hone__fail(err, HONE_ERR_DATABASE,
                      "the database '%s' %s while this run wrote to it: what "
                      "it stored since then is not there. Put the file back "
                      "if you have it, then run the same command again",
                      path, what);
}

hone_status hone__tune_database_check(hone_tune_run *run, hone_error *err)
{
    const char *path = run->request->db->path;
    struct stat now, log;
    char log_path[4096];

    if (stat(path, &now))
        return lost(path, "was deleted or moved away", err);
    if (!run->database.is_known) {
        run->database.fd = find_descriptor(&now);
        run->database.is_known = 1;
        if (run->database.fd < 0)
            return lost(path, "was replaced by another file", err);
        (void)fstat(run->database.fd, &run->database.file);
    }
    if (!is_same(&now, &run->database.file))
        return lost(path, "was replaced by another file", err);
    if (is_cut_off(&run->database))
        return lost(path, "was cut off", err);
    /* What is not in the file yet is in its log. */
    (void)snprintf(log_path, sizeof log_path, "%s-wal", path);
    if (stat(log_path, &log)) {
        return run->database.has_log
                   ? lost(path, "lost its log, PATH-wal,", err)
                   : HONE_OK;
    }
    if (run->database.has_log && !is_same(&log, &run->database.log))
        return lost(path, "got another log, PATH-wal,", err);
    run->database.has_log = 1;
    run->database.log = log;
    return HONE_OK;
}
