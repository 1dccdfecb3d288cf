/* SPDX-License-Identifier: Apache-2.0 */
/* From a place in this object's code to a line of the template, by asking
 * addr2line (binutils, which every compiler here comes with). Without it a
 * report has no line. */
#ifndef HONE_TUNER_HOST_LINES_H
#define HONE_TUNER_HOST_LINES_H

#include <fcntl.h>
#include <host_fibers.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>

namespace hone_host
{

struct source_line {
    char file[128];
    int line; /* 0: unknown */
};

/* The file this object was loaded from, as another process can open it. */
enum { OBJECT_PATH = 300 };

HONE_HOST_PLAIN inline int find_object(struct dl_phdr_info *info, size_t,
                                       void *data)
{
    char *path = static_cast<char *>(data);
    const uintptr_t mine = reinterpret_cast<uintptr_t>(&find_object);
    const char *name = info->dlpi_name;
    const char own[] = "/proc/self/";

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || mine < begin ||
            mine >= begin + info->dlpi_phdr[i].p_memsz)
            continue;
        if (!*name)
            name = "/proc/self/exe";
        if (strncmp(name, own, sizeof(own) - 1) == 0)
            snprintf(path, OBJECT_PATH, "/proc/%d/%.250s", int(getpid()),
                     name + sizeof(own) - 1);
        else
            snprintf(path, OBJECT_PATH, "%.299s", name);
        return 1;
    }
    return 0;
}

/* What addr2line prints for the places; empty if it cannot. */
HONE_HOST_PLAIN inline void ask_addr2line(const uint32_t *places, int n,
                                          char *out, size_t size)
{
    char path[OBJECT_PATH] = "";
    char words[4][20];
    char name[] = "addr2line", inlined[] = "-i", file[] = "-e";
    char *arguments[9] = {name, inlined, file, path};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ends[2];
    size_t length = 0;

    out[0] = '\0';
    if (!dl_iterate_phdr(find_object, path) || pipe(ends) != 0)
        return;
    for (int i = 0; i < n && i < 4; i++) {
        snprintf(words[i], sizeof(words[i]), "0x%x", places[i]);
        arguments[4 + i] = words[i];
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const int failed =
        posix_spawnp(&child, name, &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed) {
        for (ssize_t got; length + 1 < size; length += size_t(got)) {
            got = read(ends[0], out + length, size - 1 - length);
            if (got <= 0)
                break;
        }
        waitpid(child, nullptr, 0);
    }
    out[length] = '\0';
    close(ends[0]);
}

/* The innermost line that is not of these headers: a template's if there is
 * one, else that of a header of its own. `places` from the inside out. */
HONE_HOST_PLAIN inline void find_line(const uint32_t *places, int n,
                                      source_line &found)
{
    char text[4096];

    found.file[0] = '\0';
    found.line = 0;
    ask_addr2line(places, n, text, sizeof(text));
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        char *colon = end;
        int line = 0;

        if (*end)
            *end++ = '\0';
        colon = strrchr(at, ':');
        if (!colon)
            continue;
        *colon = '\0';
        for (const char *c = colon + 1; *c >= '0' && *c <= '9'; c++)
            line = 10 * line + (*c - '0');
        const char *base = base_name(at);
        const bool ours = strncmp(base, "host_", 5) == 0 ||
                          strncmp(base, "hone_cuda_host", 14) == 0;
        if (line == 0 || ours)
            continue;
        if (found.line == 0 || is_template_file(at)) {
            snprintf(found.file, sizeof(found.file), "%.120s", base);
            found.line = line;
        }
        if (is_template_file(at))
            return;
    }
}

} /* namespace hone_host */

#endif
