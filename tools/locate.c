/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of templates, database and cache. Relative XDG values are ignored,
 * as the XDG base directory specification asks. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/locate.h"

#include "gen/parse/template.h"
#include "runtime/base/paths.h"
#include "tools/message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of this program; "" if the system does not say. */
static void program_folder(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    char *slash;

    out[n > 0 ? n : 0] = '\0';
    slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
}

static int is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *set_env(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

static void add_folders(hone_text *out, const char *folders)
{
    hone__text_printf(out, "%s%s", out->length ? ":" : "", folders);
}

/* The folder with templates that came with hone: installed beside the program,
 * else the tree it was built in. Nothing is appended if neither is there. */
static hone_status shipped_templates(hone_text *out, hone_error *err)
{
    static const char *const beside[] = {"/../share/hone/templates",
                                         "/../../templates"};
    char folder[4096], resolved[4096];

    program_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; ++i) {
        hone_text candidate = {0};
        hone_status status;
        char *real = NULL;

        hone__text_printf(&candidate, "%s%s", folder, beside[i]);
        status = hone__text_check(&candidate, err);
        if (status == HONE_OK && is_folder(hone__text_str(&candidate)))
            real = realpath(hone__text_str(&candidate), resolved);
        hone__text_free(&candidate);
        HONE_TRY(status);
        if (real) {
            add_folders(out, real);
            break;
        }
    }
    return HONE_OK;
}

hone_status hone__locate_templates(const hone_options *options, hone_text *out,
                                   hone_error *err)
{
    const size_t before = out->length;
    const char *given;

    for (size_t i = 0;
         (given = hone__options_listed(options, HONE_OPT_TEMPLATE_PATH, i));
         ++i)
        add_folders(out, given);
    given = set_env("HONE_TEMPLATE_PATH");
    if (given)
        add_folders(out, given);
    HONE_TRY(shipped_templates(out, err));
    HONE_TRY(hone__text_check(out, err));
    if (out->length > before)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_IO,
                      "no template folder: those that came with hone are not "
                      "beside the program; name one with --template-path or "
                      "HONE_TEMPLATE_PATH");
}

hone_status hone__locate_includes(const hone_options *options, hone_text *out,
                                  hone_error *err)
{
    const char *given;

    for (size_t i = 0;
         (given = hone__options_listed(options, HONE_OPT_INCLUDE, i)); ++i)
        HONE_TRY(hone__search_path_include(out, given, err));
    given = set_env("HONE_INCLUDE_PATH");
    return given ? hone__search_path_include(out, given, err) : HONE_OK;
}

hone_status hone__locate_db(const hone_options *options, hone_text *out,
                            hone_error *err)
{
    if (options->text[HONE_OPT_DB]) {
        hone__text_puts(out, options->text[HONE_OPT_DB]);
        HONE_TRY(hone__text_check(out, err));
    } else {
        HONE_TRY(hone__default_database(out, err));
    }
    hone__message_detail("database %s", hone__text_str(out));
    return HONE_OK;
}

hone_status hone__locate_cache(const hone_options *options, hone_text *out,
                               hone_error *err)
{
    const char *given = options->text[HONE_OPT_CACHE_DIR];
    const char *xdg = set_env("XDG_CACHE_HOME");
    const char *home = set_env("HOME");

    if (!given)
        given = set_env("HONE_CACHE_DIR");
    if (given)
        hone__text_puts(out, given);
    else if (xdg && xdg[0] == '/')
        hone__text_printf(out, "%s/hone", xdg);
    else if (home)
        hone__text_printf(out, "%s/.cache/hone", home);
    else
        return hone__fail(err, HONE_ERR_IO,
                          "nothing says where the cubin cache is: set HOME "
                          "or XDG_CACHE_HOME, or name it with --cache-dir");
    return hone__text_check(out, err);
}

hone_status hone__cache_create(const char *folder, hone_error *err)
{
    /* The first line is fixed by the Cache Directory Tagging specification
     * (its MD5 identifies the file). */
    static const char tag[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                              "# Cubins compiled by hone; safe to delete.\n";
    hone_text path = {0};
    hone_status status = hone__folder_create(folder, err);

    hone__message_detail("cubin cache %s", folder);
    if (status == HONE_OK) {
        hone__text_printf(&path, "%s/CACHEDIR.TAG", folder);
        status = hone__text_check(&path, err);
    }
    if (status == HONE_OK && access(path.data, F_OK) != 0)
        status = hone__file_replace(path.data, tag, sizeof tag - 1, err);
    hone__text_free(&path);
    return status;
}
