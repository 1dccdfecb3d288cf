/* SPDX-License-Identifier: Apache-2.0 */
/* The system's C++ compiler as a producer of variants: see host_compiler.h.
 */
#include "tuner/compile/host_compiler.h"

#include "runtime/base/alloc.h"
#include "runtime/base/hash.h"
#include "tuner/process/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 48, MAX_PATH = 4200 };

/* A command line; its words are borrowed. */
typedef struct command {
    const char *words[MAX_ARGUMENTS + 1];
    int n;
} command;

static void add(command *c, const char *word)
{
    if (c->n < MAX_ARGUMENTS)
        c->words[c->n++] = word;
    c->words[c->n] = NULL;
}

/* The environment without LD_PRELOAD: the compiler must not run with a
 * sanitizer that is meant for the variants. Freed by the caller. */
static char **clean_environment(void)
{
    extern char **environ;
    size_t n = 0;
    size_t kept = 0;
    char **copy;

    while (environ[n])
        ++n;
    copy = hone__alloc((n + 1) * sizeof *copy);
    for (size_t i = 0; copy && i < n; ++i) {
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            copy[kept++] = environ[i];
    }
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

/* Run it with stdout and stderr in the file `log`, for so much processor time
 * at most. Exit status, -1 if it could not be started. */
static int run_command(const command *c, const char *log, double at_most_s)
{
    posix_spawn_file_actions_t actions;
    char **environment = clean_environment();
    char *words[MAX_ARGUMENTS + 1];
    pid_t pid = 0;
    struct rlimit before;
    int how = 0;
    int code;

    memcpy(words, c->words, sizeof words);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 1, log,
                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)posix_spawn_file_actions_adddup2(&actions, 1, 2);
    before = limit_children(at_most_s);
    code = environment ? posix_spawnp(&pid, words[0], &actions, NULL, words,
                                      environment)
                       : ENOMEM;
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

/* ---- which compiler -----------------------------------------------------
 */

static const char *const build_names[] = {"plain", "sanitized", "races"};

static void add_flags(const hone_host_compiler *compiler, command *c)
{
    /* Hidden: inline variables of two objects in one process must not be
     * taken for the same one (GNU unique symbols are). */
    static const char *const common[] = {"-std=c++17",
                                         "-O1",
                                         "-g1",
                                         "-fPIC",
                                         "-w",
                                         "-fno-strict-aliasing",
                                         "-ffp-contract=off",
                                         "-pthread",
                                         "-fvisibility=hidden"};
    static const char *const sanitized[] = {
        "-fsanitize=address,undefined", "-fno-sanitize=vptr",
        "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"};
    static const char *const races[] = {"-fsanitize=thread",
                                        "-DHONE_HOST_RACE=1"};

    add(c, compiler->path);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; ++i)
        add(c, common[i]);
    for (size_t i = 0; compiler->build == HONE_HOST_SANITIZED &&
                       i < sizeof sanitized / sizeof sanitized[0];
         ++i)
        add(c, sanitized[i]);
    for (size_t i = 0; compiler->build == HONE_HOST_RACES &&
                       i < sizeof races / sizeof races[0];
         ++i)
        add(c, races[i]);
}

static void choose_path(char *out, size_t size)
{
    const char *chosen = getenv("CXX");

    (void)snprintf(out, size, "%s", chosen && *chosen ? chosen : "c++");
}

/* The first line of what `PATH OPTION` prints. */
static int ask_compiler(const char *path, const char *option, hone_text *out)
{
    const char *base = getenv("TMPDIR");
    char log[MAX_PATH];
    command c = {.n = 0};
    int fd;
    int ok;

    (void)snprintf(log, sizeof log, "%s/hone-cxx-XXXXXX",
                   base && base[0] == '/' ? base : "/tmp");
    fd = mkstemp(log);
    if (fd < 0)
        return 0;
    (void)close(fd);
    add(&c, path);
    add(&c, option);
    ok = run_command(&c, log, 0) == 0 &&
         hone__text_read_file(out, log, NULL) == HONE_OK && out->length;
    if (ok) {
        out->length = strcspn(out->data, "\n");
        out->data[out->length] = '\0';
    }
    (void)unlink(log);
    return ok;
}

hone_status hone__host_sanitizer_library(hone_text *out, hone_error *err)
{
    char path[1024];

    choose_path(path, sizeof path);
    if (ask_compiler(path, "-print-file-name=libasan.so", out) &&
        out->data[0] == '/')
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NO_COMPILER,
                      "the C++ compiler '%s' has no AddressSanitizer library "
                      "(libasan.so): --sanitize needs g++; install it, or set "
                      "CXX to one that has it",
                      path);
}

hone_status hone__host_compiler_open(hone_host_compiler *compiler,
                                     hone_host_build build,
                                     hone_toolchain *out_toolchain,
                                     hone_error *err)
{
    hone_text version = {0};
    command flags = {.n = 0};
    char sum[HONE_SHA256_HEX];
    hone_text all = {0};

    choose_path(compiler->path, sizeof compiler->path);
    compiler->build = build;
    compiler->headers_ready = 0;
    if (!ask_compiler(compiler->path, "--version", &version)) {
        hone__text_free(&version);
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "the C++ compiler '%s' does not run: the cpu device "
                          "needs one; install g++ (apt-get install g++), or "
                          "set CXX to yours. A temporary folder (TMPDIR) that "
                          "cannot be written or has no space left shows the "
                          "same way",
                          compiler->path);
    }
    /* Whatever else decides about the object goes into one hash. */
    add_flags(compiler, &flags);
    for (int i = 0; i < flags.n; ++i)
        hone__text_puts(&all, flags.words[i]);
    for (const hone_host_file *f = hone__host_files; f->name; ++f)
        hone__text_puts(&all, f->text);
    hone__sha256_hex(hone__text_str(&all), all.length, sum);
    hone__text_free(&all);
    (void)snprintf(out_toolchain->name, sizeof out_toolchain->name, "c++");
    (void)snprintf(out_toolchain->version, sizeof out_toolchain->version,
                   "%.56s, %s, headers %.8s", hone__text_str(&version),
                   build_names[build], sum);
    hone__text_free(&version);
    return HONE_OK;
}

/* ---- compiling ----------------------------------------------------------
 */

/* The file error in `err` as what it means here. */
static hone_status no_room(const char *folder, hone_error *err)
{
    char why[200] = "";

    if (err)
        (void)snprintf(why, sizeof why, "%.190s", err->text);
    return hone__fail(err, HONE_ERR_NO_COMPILER,
                      "the compiler's temporary folder '%s' cannot be "
                      "written (%s); free space there, or set TMPDIR",
                      folder, why);
}

/* Write our headers and precompile the one that includes the others. */
static hone_status prepare_headers(hone_host_compiler *compiler,
                                   const char *folder, hone_error *err)
{
    char path[MAX_PATH];
    char header[MAX_PATH];
    char ours[MAX_PATH];
    char log[MAX_PATH];
    command c = {.n = 0};

    for (const hone_host_file *f = hone__host_files; f->name; ++f) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, f->name);
        if (hone__file_replace(path, f->text, strlen(f->text), err))
            return no_room(folder, err);
    }
    (void)snprintf(header, sizeof header, "%s/hone_cuda_host.h", folder);
    (void)snprintf(path, sizeof path, "%s/hone_cuda_host.h.gch", folder);
    (void)snprintf(log, sizeof log, "%s/gch.log", folder);
    (void)snprintf(ours, sizeof ours, "-I%s", folder);
    add_flags(compiler, &c);
    add(&c, "-DHONE_HOST=1");
    add(&c, ours);
    add(&c, "-x");
    add(&c, "c++-header");
    add(&c, header);
    add(&c, "-o");
    add(&c, path);
    (void)run_command(
        &c, log, compiler->at_most_s); /* without it compiles are only slower */
    compiler->headers_ready = 1;
    return HONE_OK;
}

/* The template's own compiler options are NVRTC's and are left out. */
static int compile_unit(const hone_host_compiler *compiler,
                        const hone_compile_input *input, const char *folder,
                        const char *unit, const char *object, const char *log)
{
    char ours[MAX_PATH];
    char theirs[MAX_PATH];
    char half[MAX_PATH];
    command c = {.n = 0};
    command link = {.n = 0};
    int code;

    (void)snprintf(ours, sizeof ours, "-I%s", folder);
    (void)snprintf(theirs, sizeof theirs, "-I%s", input->folder);
    (void)snprintf(half, sizeof half, "%s/unit.o", folder);
    add_flags(compiler, &c);
    add(&c, "-DHONE_HOST=1");
    add(&c, ours);
    add(&c, theirs);
    if (compiler->build != HONE_HOST_RACES) {
        add(&c, "-shared");
        add(&c, unit);
        add(&c, "-o");
        add(&c, object);
        return run_command(&c, log, compiler->at_most_s);
    }
    /* The hooks of the race build are ours: no libtsan. */
    add(&c, "-c");
    add(&c, unit);
    add(&c, "-o");
    add(&c, half);
    code = run_command(&c, log, compiler->at_most_s);
    if (code)
        return code;
    add(&link, compiler->path);
    add(&link, "-shared");
    add(&link, "-pthread");
    add(&link, half);
    add(&link, "-o");
    add(&link, object);
    return run_command(&link, log, compiler->at_most_s);
}

hone_status hone__host_compile(hone_host_compiler *compiler,
                               const hone_compile_input *input,
                               const char *folder, hone_compile_output *out,
                               hone_error *err)
{
    const double start_s = hone__now_s();
    char unit[MAX_PATH];
    char object[MAX_PATH];
    char log[MAX_PATH];
    int code;

    *out = (hone_compile_output){.registers = -1};
    if (!folder)
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "no temporary folder can be made for the compiler; "
                          "set TMPDIR to one that can be written");
    if (!compiler->headers_ready)
        HONE_TRY(prepare_headers(compiler, folder, err));
    (void)snprintf(unit, sizeof unit, "%s/unit.cpp", folder);
    (void)snprintf(object, sizeof object, "%s/unit.so", folder);
    (void)snprintf(log, sizeof log, "%s/unit.log", folder);
    if (hone__file_replace(unit, input->source, strlen(input->source), err))
        return no_room(folder, err);
    code = compile_unit(compiler, input, folder, unit, object, log);
    out->compile_ms = 1e3 * (hone__now_s() - start_s);
    (void)hone__text_read_file(&out->log, log, NULL);
    /* Not the variant's fault, so not its outcome. */
    if (code < 0 ||
        (code && strstr(hone__text_str(&out->log), "No space left on device")))
        return hone__fail(err, HONE_ERR_NO_COMPILER,
                          "the C++ compiler '%s' could not be started, was "
                          "killed, or found no room in '%s'; free space or "
                          "memory, or set TMPDIR. %.300s",
                          compiler->path, folder, hone__text_str(&out->log));
    out->ok = code == 0;
    return out->ok ? hone__text_read_file(&out->cubin, object, err) : HONE_OK;
}
