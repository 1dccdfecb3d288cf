/* SPDX-License-Identifier: Apache-2.0 */
/* Running a compiler: see host_compiler.h. */
#define _GNU_SOURCE /* posix_spawn_file_actions_addchdir_np */
#include "tuner/compile/host_compiler.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void hone__command_start(hone_command_line *c, const char *program)
{
    *c = (hone_command_line){.words = {program}, .n = 1};
}

void hone__command_add(hone_command_line *c, ...)
{
    va_list words;

    va_start(words, c);
    for (const char *word; (word = va_arg(words, const char *)); ++c->n) {
        if (c->n < HONE_MAX_WORDS)
            c->words[c->n] = word;
    }
    va_end(words);
}

/* Not for the compiler: a sanitizer that is meant for the variants, folders in
 * which it would find headers that are neither its own nor ours to follow, and
 * a language in which nobody here could read what it says. */
static int is_kept_away(const char *variable)
{
    static const char *const names[] = {
        "LD_PRELOAD=", "CPATH=", "CPLUS_INCLUDE_PATH=", "LC_ALL=", "LANGUAGE="};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return 1;
    }
    return 0;
}

/* Freed by the caller. */
static char **clean_environment(void)
{
    static char language[] = "LC_ALL=C";
    size_t n = 0;
    size_t kept = 0;
    char **copy;

    while (environ[n])
        ++n;
    copy = hone__alloc((n + 2) * sizeof *copy);
    for (size_t i = 0; copy && i < n; ++i) {
        if (!is_kept_away(environ[i]))
            copy[kept++] = environ[i];
    }
    if (copy)
        copy[kept] = language;
    return copy;
}

/* Children inherit a limit of processor time: so much more than this process
 * has used. The farm ends a compile long before; this is for compilers whose
 * farm was killed, which nothing else would end. Returns the limit before. */
static struct rlimit limit_children(double seconds)
{
    struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit limit;
    struct rusage used;

    if (getrlimit(RLIMIT_CPU, &before) || getrusage(RUSAGE_SELF, &used) ||
        seconds <= 0)
        return before;
    limit = before;
    limit.rlim_cur = (rlim_t)used.ru_utime.tv_sec +
                     (rlim_t)used.ru_stime.tv_sec + (rlim_t)seconds + 10;
    if (limit.rlim_cur < before.rlim_cur)
        (void)setrlimit(RLIMIT_CPU, &limit);
    return before;
}

int hone__command_run(const hone_command_line *c, const char *folder,
                      const char *log, double at_most_s)
{
    posix_spawn_file_actions_t actions;
    char **environment = c->n <= HONE_MAX_WORDS ? clean_environment() : NULL;
    char *words[HONE_MAX_WORDS + 1];
    pid_t pid = 0;
    struct rlimit before;
    int how = 0;
    int code;

    memcpy(words, c->words, sizeof words);
    (void)posix_spawn_file_actions_init(&actions);
    code = posix_spawn_file_actions_addchdir_np(&actions, folder) ||
           posix_spawn_file_actions_addopen(
               &actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600) ||
           posix_spawn_file_actions_adddup2(&actions, 1, 2) || !environment;
    before = limit_children(at_most_s);
    if (!code)
        code = posix_spawnp(&pid, words[0], &actions, NULL, words, environment);
    (void)setrlimit(RLIMIT_CPU, &before);
    (void)posix_spawn_file_actions_destroy(&actions);
    hone__free(environment);
    if (code)
        return -1;
    while (waitpid(pid, &how, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}
