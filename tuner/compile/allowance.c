/* SPDX-License-Identifier: Apache-2.0 */
/* Cores, memory and time for compiling: see allowance.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "tuner/compile/allowance.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* ---- control groups -------------------------------------------------- */

/* Where the group of one controller is looked for, and what its limits are
 * called. Version 2 has one tree for all controllers. */
typedef struct group_kind {
    const char *controller; /* in /proc/self/cgroup; "" for version 2 */
    const char *folder;
    const char *quota; /* "QUOTA PERIOD", or the quota alone */
    const char *period;
    const char *memory;
} group_kind;

static const group_kind kinds[] = {
    {"", "/sys/fs/cgroup", "cpu.max", NULL, "memory.max"},
    {"cpu", "/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us",
     NULL},
    {"memory", "/sys/fs/cgroup/memory", NULL, NULL, "memory.limit_in_bytes"},
};

/* Two numbers of a file. Returns how many there are: "max" is none. */
static int read_numbers(const char *path, long long out[2])
{
    FILE *file = fopen(path, "re");
    int n = 0;

    if (file) {
        n = fscanf(file, "%lld %lld", &out[0], &out[1]);
        (void)fclose(file);
    }
    return n < 0 ? 0 : n;
}

static int join(char out[PATH_BYTES], const char *folder, const char *name)
{
    return snprintf(out, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES;
}

static void take_quota(const group_kind *kind, const char *folder,
                       hone_allowance *out)
{
    char path[PATH_BYTES];
    long long value[2] = {0, 0};
    long long unused[2];
    int n = join(path, folder, kind->quota) ? read_numbers(path, value) : 0;

    if (n == 1 && kind->period && join(path, folder, kind->period)) {
        n += read_numbers(path, unused) > 0;
        value[1] = unused[0];
    }
    if (n == 2 && value[0] > 0 && value[1] > 0) {
        const long long cores = (value[0] - 1) / value[1] + 1;

        if (cores < out->n_cores)
            out->n_cores = (int)cores;
    }
}

static void take_memory(const group_kind *kind, const char *folder,
                        hone_allowance *out)
{
    char path[PATH_BYTES];
    long long value[2];

    if (join(path, folder, kind->memory) && read_numbers(path, value) &&
        value[0] > 0 && value[0] < out->memory_bytes)
        out->memory_bytes = value[0];
}

/* The limits of the group and of all groups above it. A container sees its
 * own group as the root of the tree, whatever its path is called outside:
 * folders that are not there are passed over on the way up. */
static void walk_up(const char *root, const group_kind *kind, const char *group,
                    hone_allowance *out)
{
    char folder[PATH_BYTES];
    const int base =
        snprintf(folder, sizeof folder, "%s%s", root, kind->folder);

    if (base >= PATH_BYTES ||
        snprintf(folder + base, sizeof folder - (size_t)base, "%s", group) >=
            PATH_BYTES - base)
        return;
    for (;;) {
        char *slash;

        if (kind->quota)
            take_quota(kind, folder, out);
        if (kind->memory)
            take_memory(kind, folder, out);
        slash = strrchr(folder + base, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
}

/* Is `name` in the list "cpu,cpuacct"? */
static int lists(const char *list, const char *name)
{
    const size_t length = strlen(name);

    while (*list) {
        const size_t item = strcspn(list, ",");

        if (item == length && strncmp(list, name, length) == 0)
            return 1;
        list += item + (list[item] == ',');
    }
    return 0;
}

/* Lines "NUMBER:CONTROLLERS:PATH". */
static void read_groups(const char *root, hone_allowance *out)
{
    char line[PATH_BYTES];
    FILE *file;

    (void)snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    file = fopen(line, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        ++controllers;
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
            if (kinds[i].controller[0] ? lists(controllers, kinds[i].controller)
                                       : !*controllers)
                walk_up(root, &kinds[i], path, out);
        }
    }
    if (file)
        (void)fclose(file);
}

/* ---- processes killed for want of memory ------------------------------- */

/* "oom_kill 3" in a file of such lines; -1: it is not there. */
static int64_t read_oom_kills(const char *root, const char *folder,
                              const char *group, const char *name)
{
    char path[PATH_BYTES], line[256];
    long long n = -1;
    FILE *file;

    if (snprintf(path, sizeof path, "%s%s%s/%s", root, folder, group, name) >=
        PATH_BYTES)
        return -1;
    file = fopen(path, "re");
    while (file && n < 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "oom_kill %lld", &n) != 1)
            n = -1;
    }
    if (file)
        (void)fclose(file);
    return n;
}

/* Of the line "NUMBER:CONTROLLERS:PATH". A container's group is the root. */
static int64_t oom_kills_of_group(const char *root, const char *controllers,
                                  const char *group)
{
    const int is_old = controllers[0] != '\0';
    const char *const folder =
        is_old ? "/sys/fs/cgroup/memory" : kinds[0].folder;
    const char *const name = is_old ? "memory.oom_control" : "memory.events";
    int64_t n;

    if (is_old && !lists(controllers, "memory"))
        return -1;
    n = read_oom_kills(root, folder, group, name);
    return n < 0 ? read_oom_kills(root, folder, "", name) : n;
}

int64_t hone__allowance_oom_kills(const char *root)
{
    char line[PATH_BYTES];
    int64_t n = -1;
    FILE *file;

    (void)snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    file = fopen(line, "re");
    while (file && n < 0 && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        n = oom_kills_of_group(root, controllers + 1,
                               strcmp(path, "/") == 0 ? "" : path);
    }
    if (file)
        (void)fclose(file);
    return n < 0 ? read_oom_kills(root, "/proc", "", "vmstat") : n;
}

/* ---- the machine ----------------------------------------------------- */

static void read_available(const char *root, hone_allowance *out)
{
    char line[PATH_BYTES];
    long long kib;
    FILE *file;

    (void)snprintf(line, sizeof line, "%s/proc/meminfo", root);
    file = fopen(line, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1 && kib > 0 &&
            kib < INT64_MAX / 1024)
            out->memory_bytes = kib * 1024;
    }
    if (file)
        (void)fclose(file);
}

void hone__allowance_files(const char *root, hone_allowance *out)
{
    *out = (hone_allowance){.n_cores = INT_MAX, .memory_bytes = INT64_MAX};
    read_available(root, out);
    read_groups(root, out);
}

/* Of more cores than a cpu_set_t holds the first 1024 count, which is more
 * than there are workers. */
static int affinity_cores(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    return online < 1 ? 1 : (int)online;
}

void hone__allowance_read(hone_allowance *out)
{
    const int cores = affinity_cores();

    hone__allowance_files("", out);
    if (cores < out->n_cores)
        out->n_cores = cores;
}

int hone__allowance_workers(const hone_allowance *allowance)
{
    const int64_t by_memory =
        allowance->memory_bytes / ((int64_t)HONE_WORKER_MIB << 20);
    int64_t n = allowance->n_cores;

    if (n > by_memory)
        n = by_memory;
    if (n > HONE_MOST_COMPILE_WORKERS)
        n = HONE_MOST_COMPILE_WORKERS;
    return n < 1 ? 1 : (int)n;
}

int64_t hone__allowance_cap(const hone_allowance *allowance, int n_workers)
{
    const int64_t least = (int64_t)HONE_LEAST_CAP_MIB << 20;
    const int64_t share = allowance->memory_bytes / n_workers;

    if (allowance->memory_bytes == INT64_MAX)
        return 0;
    return share > least ? share : least;
}

/* ---- time ------------------------------------------------------------ */

/* 15 s is the lower end of the times that, by reports on other tuners, no
 * winner has ever taken. The factor lets a space of slow compiles have its
 * tail: in the spaces we ship the slowest compile takes 1.2 to 1.3 times the
 * 95th percentile, so four only ever ends what is out of proportion. */
static const double least_s = 15;
static const double factor = 4;

void hone__limit_start(hone_compile_limit *limit, double at_most_s)
{
    *limit = (hone_compile_limit){.at_most_s = at_most_s};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

void hone__limit_add(hone_compile_limit *limit, double seconds)
{
    double sorted[HONE_LIMIT_WINDOW];
    size_t n;

    limit->seconds[limit->n_seen++ % HONE_LIMIT_WINDOW] = seconds;
    n = limit->n_seen < HONE_LIMIT_WINDOW ? limit->n_seen : HONE_LIMIT_WINDOW;
    memcpy(sorted, limit->seconds, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], by_size);
    limit->common_s = sorted[(95 * n + 99) / 100 - 1];
}

double hone__limit_s(const hone_compile_limit *limit)
{
    double s = factor * limit->common_s;

    if (limit->n_seen < HONE_LIMIT_LEARNS)
        return limit->at_most_s;
    if (s < least_s)
        s = least_s;
    return s < limit->at_most_s ? s : limit->at_most_s;
}

void hone__limit_text(const hone_compile_limit *limit, char *out, size_t size)
{
    if (hone__limit_s(limit) >= limit->at_most_s)
        (void)snprintf(out, size, "the most any compile may take");
    else
        (void)snprintf(out, size,
                       "%.0f times what 95 %% of the last %zu compiles took "
                       "(%.1f s), but at least %.0f s",
                       factor,
                       limit->n_seen < HONE_LIMIT_WINDOW
                           ? limit->n_seen
                           : (size_t)HONE_LIMIT_WINDOW,
                       limit->common_s, least_s);
}
