/* SPDX-License-Identifier: Apache-2.0 */
/* Which C++ compiler there is, and what it knows: see host_compiler.h. */
#define _GNU_SOURCE /* realpath */
#include "tuner/compile/host_compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_PATH = 4200,
    MOST_SECONDS = 10, /* of the processor, for a question to the compiler */
    TRIES = 3          /* before a question is given up */
};

/* A path from here stays the same when the compiler runs in a folder of its
 * own. */
void hone__host_compiler_path(char *out, size_t size)
{
    const char *chosen = getenv("CXX");
    char *real = chosen && strchr(chosen, '/') ? realpath(chosen, NULL) : NULL;

    (void)snprintf(out, size, "%s",
                   real                ? real
                   : chosen && *chosen ? chosen
                                       : "c++");
    free(real);
}

/* Its exit status and what it prints; -1 if it could not be asked. */
static int ask_compiler(const hone_command_line *c, hone_text *out)
{
    const char *base = getenv("TMPDIR");
    char log[MAX_PATH];
    int fd;
    int code;

    (void)snprintf(log, sizeof log, "%s/hone-cxx-XXXXXX",
                   base && base[0] == '/' ? base : "/tmp");
    fd = mkstemp(log);
    if (fd < 0)
        return -1;
    (void)close(fd);
    hone__text_clear(out);
    code = hone__command_run(c, "/", log, MOST_SECONDS);
    if (hone__text_read_file(out, log, NULL) != HONE_OK)
        code = -1;
    (void)unlink(log);
    return code;
}

int hone__host_ask_option(const char *path, const char *option, hone_text *out)
{
    hone_command_line c;

    hone__command_start(&c, path);
    hone__command_add(&c, option, NULL);
    if (ask_compiler(&c, out) != 0 || !out->length)
        return 0;
    out->length = strcspn(out->data, "\n");
    out->data[out->length] = '\0';
    return out->length > 0;
}

hone_status hone__host_ask_knows(const char *path, const hone_host_question *q,
                                 int *out, hone_error *err)
{
    hone_text said = {0};
    hone_command_line c;
    int code = -1;

    hone__command_start(&c, path);
    hone__command_add(&c, q->option, "-Werror", q->stage, "-x", "c++",
                      "/dev/null", "-o", "/dev/null", NULL);
    for (int i = 0; i < TRIES && code; ++i) {
        code = ask_compiler(&c, &said);
        if (code > 0 && strstr(hone__text_str(&said), q->word))
            break;
        if (code > 0)
            code = -1;
    }
    *out = code == 0;
    if (code < 0)
        (void)hone__fail(err, HONE_ERR_NO_COMPILER,
                         "the C++ compiler '%.256s' could not be asked whether "
                         "it knows %s: it could not be started, was killed or "
                         "failed; free memory, processes or space in TMPDIR. "
                         "%.300s",
                         path, q->option, hone__text_str(&said));
    hone__text_free(&said);
    return code < 0 ? HONE_ERR_NO_COMPILER : HONE_OK;
}

hone_status hone__host_sanitizer_library(hone_text *out, hone_error *err)
{
    char path[1024];

    hone__host_compiler_path(path, sizeof path);
    if (hone__host_ask_option(path, "-print-file-name=libasan.so", out) &&
        out->data[0] == '/')
        return HONE_OK;
    return hone__fail(err, HONE_ERR_NO_COMPILER,
                      "the C++ compiler '%s' has no AddressSanitizer library "
                      "(libasan.so): --sanitize needs g++; install it, or set "
                      "CXX to one that has it",
                      path);
}
