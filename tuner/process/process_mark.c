/* SPDX-License-Identifier: Apache-2.0 */
/* See process_mark.h. */
#define _DEFAULT_SOURCE
#include "tuner/process/process_mark.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Where a process with its number is another one: a container, say. */
static void read_space(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/ns/pid", out, size - 1);

    out[n > 0 ? n : 0] = '\0';
}

/* In ticks since the machine started; 0: not to be seen. A process whose parent
 * has not looked at its end yet has ended. */
static unsigned long long read_begin(long pid, int *out_is_over)
{
    char path[64], text[1024] = "", state = '?';
    const char *behind;
    unsigned long long begun = 0;
    FILE *file;

    *out_is_over = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    behind = strrchr(text, ')'); /* of its name, which may be anything */
    if (!behind || sscanf(behind + 1,
                          " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
                          "%*d %*d %*d %*d %*d %*d %llu",
                          &state, &begun) != 2)
        return 0;
    *out_is_over = state == 'Z' || state == 'X';
    return begun;
}

void hone__process_mark_write(char *out, size_t size)
{
    struct utsname system;
    char space[64];
    int is_over;

    read_space(space, sizeof space);
    (void)snprintf(out, size, "host=%.120s pid=%ld begun=%llu in=%s",
                   uname(&system) == 0 ? system.nodename : "?", (long)getpid(),
                   read_begin((long)getpid(), &is_over), space);
}

int hone__process_mark_is_gone(const char *mark, long *out_pid)
{
    struct utsname system;
    char host[128] = "", space[64] = "", here[64];
    unsigned long long begun = 0, now;
    long pid = 0;
    int is_over;

    if (out_pid)
        *out_pid = 0;
    if (!mark || sscanf(mark, "host=%127s pid=%ld begun=%llu in=%63s", host,
                        &pid, &begun, space) != 4)
        return 0;
    if (out_pid)
        *out_pid = pid;
    read_space(here, sizeof here);
    if (pid <= 0 || uname(&system) != 0 ||
        strncmp(system.nodename, host, 120) != 0 || strcmp(here, space) != 0)
        return 0;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return 1;
    now = read_begin(pid, &is_over);
    return is_over || (now && begun && now != begun);
}
