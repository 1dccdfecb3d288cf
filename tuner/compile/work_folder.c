/* SPDX-License-Identifier: Apache-2.0 */
/* Anybody may put anything into /tmp: no link is followed, and nobody else's
 * folder is touched. */
#include "tuner/compile/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HOUR_S = 3600,
    FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

static const char prefix[] = "hone-work-";
static const char lock_name[] = "lock";

enum { DEEPEST = 4 };

static const char *base_folder(void)
{
    const char *base = getenv("TMPDIR");

    return base && base[0] == '/' ? base : "/tmp";
}

/* Empty the folder and close it. Its lock goes last, when nothing else is
 * there: who is killed here, or cannot remove all, leaves a folder that the
 * next sweep knows. Returns whether something stays. */
static int empty(int folder, int depth)
{
    DIR *list = fdopendir(folder);
    const struct dirent *entry;
    int stays = 0;

    if (!list) {
        (void)close(folder);
        return 1;
    }
    while ((entry = readdir(list))) {
        const char *name = entry->d_name;
        int inner;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            (depth == 0 && strcmp(name, lock_name) == 0) ||
            unlinkat(folder, name, 0) == 0)
            continue;
        inner = depth == DEEPEST ? -1 : openat(folder, name, FOLDER);
        if (inner >= 0)
            (void)empty(inner, depth + 1);
        stays |= unlinkat(folder, name, AT_REMOVEDIR) != 0;
    }
    if (depth == 0 && !stays)
        (void)unlinkat(folder, lock_name, 0);
    (void)closedir(list);
    return stays;
}

/* The lock file of a folder, -1 if there is none. */
static int open_lock(int folder, int flags)
{
    return openat(folder, lock_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags,
                  0600);
}

/* Where the disk knows no locks, the folder is never taken for left behind. */
static int lock_folder(const char *path)
{
    const int folder = open(path, FOLDER);
    const int lock = folder < 0 ? -1 : open_lock(folder, O_CREAT | O_EXCL);
    struct stat status;
    const int ok =
        lock >= 0 &&
        (flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        fstat(lock, &status) == 0 && status.st_nlink;

    if (folder >= 0)
        (void)close(folder);
    if (lock >= 0 && !ok)
        (void)close(lock);
    return ok; /* the lock stays open */
}

const char *hone__work_folder_make(char *path, size_t size)
{
    /* Between the folder and its lock a sweep may come. */
    for (int attempt = 0; attempt < 8; ++attempt) {
        const int n =
            snprintf(path, size, "%s/%sXXXXXX", base_folder(), prefix);

        if (n < 0 || (size_t)n >= size || !mkdtemp(path))
            return NULL;
        if (lock_folder(path))
            return path;
        hone__work_folder_remove(path);
    }
    return NULL;
}

void hone__work_folder_remove(const char *path)
{
    const int folder = path ? open(path, FOLDER) : -1;

    if (folder < 0)
        return;
    if (!empty(folder, 0))
        (void)rmdir(path);
}

/* Nobody's: its lock can be had, or it never got one. */
static int is_left_behind(int folder, int *out_lock)
{
    struct stat status;

    *out_lock = -1;
    if (fstat(folder, &status) || status.st_uid != geteuid())
        return 0;
    *out_lock = open_lock(folder, 0);
    if (*out_lock < 0)
        return errno == ENOENT && time(NULL) - status.st_mtime > HOUR_S;
    return flock(*out_lock, LOCK_EX | LOCK_NB) == 0;
}

/* If it is empty: who emptied it was killed before the last step. */
static void remove_unlocked(int base, const char *name, int folder)
{
    enum { WHILE_S = 2 };
    struct stat status;

    if (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        time(NULL) - status.st_mtime > WHILE_S)
        (void)unlinkat(base, name, AT_REMOVEDIR);
}

void hone__work_folder_sweep(void)
{
    DIR *base = opendir(base_folder());
    const struct dirent *entry;

    while (base && (entry = readdir(base))) {
        int folder;
        int lock;

        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0)
            continue;
        folder = openat(dirfd(base), entry->d_name, FOLDER);
        if (folder < 0)
            continue;
        if (is_left_behind(folder, &lock)) {
            if (!empty(folder, 0))
                (void)unlinkat(dirfd(base), entry->d_name, AT_REMOVEDIR);
        } else {
            if (lock < 0)
                remove_unlocked(dirfd(base), entry->d_name, folder);
            (void)close(folder);
        }
        if (lock >= 0)
            (void)close(lock);
    }
    if (base)
        (void)closedir(base);
}
