/* SPDX-License-Identifier: Apache-2.0 */
/* The program takes this one's place: its exit code, its signals and its
 * terminal are its own. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/preload.h"

#include "runtime/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library: $HONE_BLAS_LIBRARY, where it is installed, where it was
 * built. */
static hone_status find_library(hone_text *out, hone_error *err)
{
    static const char *const beside[] = {
        HONE_LIBDIR[0] == '/' ? HONE_LIBDIR "/hone/libhone_blas.so"
                              : "../" HONE_LIBDIR "/hone/libhone_blas.so",
        "../lib/libhone_blas.so"};
    const char *given = getenv("HONE_BLAS_LIBRARY");
    char program[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];

    if (given && *given) {
        if (!realpath(given, real))
            return hone__fail_native(err, HONE_ERR_NOT_FOUND, HONE_DOMAIN_ERRNO,
                                     errno, "HONE_BLAS_LIBRARY is '%.300s': %s",
                                     given, strerror(errno));
        return hone__text_puts(out, real), hone__text_check(out, err);
    }
    if (!realpath("/proc/self/exe", program))
        program[0] = '\0';
    program[program[0] ? strrchr(program, '/') + 1 - program : 0] = '\0';
    for (size_t i = 0; i < HONE_COUNT(beside); ++i) {
        (void)snprintf(path, sizeof path, "%s%s",
                       beside[i][0] == '/' ? "" : program, beside[i]);
        if (realpath(path, real))
            return hone__text_puts(out, real), hone__text_check(out, err);
    }
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "libhone_blas.so is not beside this program (%s); name "
                      "it with HONE_BLAS_LIBRARY",
                      beside[0]);
}

/* In front of what is preloaded already. Blanks and colons end a name there. */
static hone_status set_preload(hone_error *err)
{
    const char *others = getenv("LD_PRELOAD");
    hone_text text = {0};
    hone_status status = find_library(&text, err);

    if (status == HONE_OK && strpbrk(hone__text_str(&text), " :"))
        status = hone__fail(err, HONE_ERR_UNSUPPORTED,
                            "'%.300s' has a blank or a colon in its name, "
                            "which cannot be preloaded; copy it elsewhere and "
                            "name the copy with HONE_BLAS_LIBRARY",
                            hone__text_str(&text));
    if (status == HONE_OK && others && *others)
        hone__text_printf(&text, ":%s", others);
    if (status == HONE_OK)
        status = hone__text_check(&text, err);
    if (status == HONE_OK && setenv("LD_PRELOAD", hone__text_str(&text), 1))
        status = hone__out_of_memory(err, "");
    hone__text_free(&text);
    return status;
}

/* A file that programs are to write, wherever they change to. */
static hone_status set_path(const char *name, const char *path, hone_error *err)
{
    char here[PATH_MAX];
    hone_text text = {0};
    hone_status status;

    if (!path)
        return unsetenv(name) ? hone__out_of_memory(err, "") : HONE_OK;
    if (path[0] != '/') {
        if (!getcwd(here, sizeof here))
            return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                     "the current folder has no name: %s",
                                     strerror(errno));
        hone__text_printf(&text, "%s/", here);
    }
    hone__text_puts(&text, path);
    status = hone__text_check(&text, err);
    if (status == HONE_OK && setenv(name, hone__text_str(&text), 1))
        status = hone__out_of_memory(err, "");
    hone__text_free(&text);
    return status;
}

static hone_status set_all(const hone_options *options, const char *mode,
                           hone_error *err)
{
    const char *db = options->text[HONE_OPT_DB];
    const char *check = options->text[HONE_OPT_CHECK_EVERY];

    HONE_TRY(set_preload(err));
    HONE_TRY(set_path("HONE_BLAS_FILE", options->text[HONE_OPT_OUTPUT], err));
    HONE_TRY(set_path("HONE_BLAS_ONLY", options->text[HONE_OPT_ONLY], err));
    if (db) {
        HONE_TRY(set_path("HONE_DB", db, err));
        (void)unsetenv("HONE_PATH");
    }
    if (setenv("HONE_BLAS", mode, 1) ||
        (check && setenv("HONE_BLAS_CHECK", check, 1)) ||
        (options->text[HONE_OPT_QUIET] && setenv("HONE_BLAS_QUIET", "1", 1)))
        return hone__out_of_memory(err, "");
    return HONE_OK;
}

hone_status hone__preload(const hone_options *options, const char *mode,
                          hone_error *err)
{
    char **words = hone__alloc((options->n_items + 1) * sizeof *words);
    hone_status status =
        words ? set_all(options, mode, err) : hone__out_of_memory(err, "");

    if (status == HONE_OK) {
        for (size_t i = 0; i < options->n_items; ++i)
            words[i] = (char *)(uintptr_t)options->items[i].text;
        (void)execvp(words[0], words);
        status = hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                   "cannot start '%.300s': %s", words[0],
                                   strerror(errno));
    }
    hone__free(words);
    return status;
}
