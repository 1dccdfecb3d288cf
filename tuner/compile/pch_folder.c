/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for precompiled headers: see pch_folder.h. */
#include "tuner/compile/pch_folder.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char prefix[] = "hone-pch-";

static const char *base_folder(void)
{
    const char *base = getenv("TMPDIR");

    return base && base[0] == '/' ? base : "/tmp";
}

const char *hone__pch_folder_make(char *path, size_t size)
{
    const int n = snprintf(path, size, "%s/%s%ld-XXXXXX", base_folder(), prefix,
                           (long)getpid());

    return n > 0 && (size_t)n < size ? mkdtemp(path) : NULL;
}

void hone__pch_folder_remove(const char *path)
{
    DIR *folder = path ? opendir(path) : NULL;
    const struct dirent *entry;
    char file[4096];

    if (!folder)
        return;
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] != '.' &&
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name) <
                (int)sizeof file)
            (void)unlink(file);
    }
    (void)closedir(folder);
    (void)rmdir(path);
}

void hone__pch_folder_sweep(void)
{
    DIR *base = opendir(base_folder());
    const struct dirent *entry;
    char path[4096];

    if (!base)
        return;
    while ((entry = readdir(base))) {
        const char *name = entry->d_name;
        long pid;

        if (strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        pid = strtol(name + sizeof prefix - 1, NULL, 10);
        if (pid > 1 && kill((pid_t)pid, 0) != 0 && errno == ESRCH &&
            snprintf(path, sizeof path, "%s/%s", base_folder(), name) <
                (int)sizeof path)
            hone__pch_folder_remove(path);
    }
    (void)closedir(base);
}
