/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: --budget, --until, --timing, --strategy, --seed, and the
 * paths of templates, database and cache. Relative XDG values are ignored, as
 * the XDG base directory specification asks. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/base/option_value.h"

#include "gen/parse/template.h"
#include "runtime/store/database.h"
#include "tools/base/message.h"
#include "tools/base/process.h"
#include "tuner/compile/cubin_cache.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static double unit_s(const char *unit)
{
    return strcmp(unit, "s") == 0   ? 1
           : strcmp(unit, "m") == 0 ? 60
           : strcmp(unit, "h") == 0 ? 3600
                                    : 0;
}

int hone__budget_read(const char *text, int64_t *out_trials, double *out_s)
{
    char *end = NULL;

    *out_trials = 0;
    *out_s = 0;
    errno = 0;
    if (!text[strspn(text, "0123456789")]) {
        *out_trials = strtoll(text, &end, 10);
        return !errno && *out_trials > 0;
    }
    *out_s = strtod(text, &end);
    *out_s *= unit_s(end);
    return isfinite(*out_s) && *out_s > 0;
}

hone_status hone__option_budget(const hone_options *options,
                                int64_t *out_trials, double *out_s,
                                hone_error *err)
{
    const char *text = options->text[HONE_OPT_BUDGET];

    *out_trials = 0;
    *out_s = 0;
    if (!text || hone__budget_read(text, out_trials, out_s))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "--budget takes a number of trials (200) or a time "
                      "(60s, 5m, 1h), not '%s'",
                      text);
}

hone_status hone__option_until(const hone_options *options, double *out_gain,
                               hone_error *err)
{
    const char *text = options->text[HONE_OPT_UNTIL];
    char *end = NULL;
    double percent;

    *out_gain = 0;
    if (!text)
        return HONE_OK;
    percent = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) ||
        !(percent > 0 && percent < 100))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--until takes a percentage above 0 and below 100 "
                          "(1, 0.5), not '%s'",
                          text);
    *out_gain = percent / 100;
    return HONE_OK;
}

hone_timing hone__option_timing(const hone_options *options)
{
    if (hone__options_is(options, HONE_OPT_TIMING, "event"))
        return HONE_TIMING_EVENT;
    return hone__options_is(options, HONE_OPT_TIMING, "graph")
               ? HONE_TIMING_GRAPH
               : HONE_TIMING_AUTO;
}

static const char default_strategy[] = "auto";

hone_status hone__option_strategy(const hone_options *options, const char **out,
                                  hone_error *err)
{
    const char *name = options->text[HONE_OPT_STRATEGY];

    *out = name ? name : default_strategy;
    return hone__search_check(*out, err);
}

hone_status hone__option_strategies(const hone_options *options,
                                    hone_strategies *out, hone_error *err)
{
    const char *text = options->text[HONE_OPT_STRATEGY];

    text = text ? text : default_strategy;
    text = strcmp(text, "all") == 0 ? hone__search_names() : text;
    out->n = 0;
    for (;;) {
        const size_t length = hone__search_list_first(text);
        char name[HONE_STRATEGY_TEXT];
        size_t i = 0;

        if (length >= sizeof name)
            return hone__fail(err, HONE_ERR_ARGUMENT,
                              "a strategy has at most %d letters",
                              HONE_STRATEGY_TEXT - 1);
        (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
        HONE_TRY(hone__search_check(name, err));
        while (i < out->n && strcmp(out->names[i], name) != 0)
            ++i;
        if (i == out->n && i < HONE_MOST_STRATEGIES)
            memcpy(out->names[out->n++], name, sizeof name);
        if (!text[length])
            return HONE_OK;
        text += length + 1;
        text += strspn(text, " ");
    }
}

uint64_t hone__option_seed(const hone_options *options)
{
    return options->text[HONE_OPT_SEED]
               ? (uint64_t)options->number[HONE_OPT_SEED]
               : 1;
}

/* ---- paths ----------------------------------------------------------------
 */

static const char *set_env(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] ? value : NULL;
}

/* Is it one of the folders there? */
static int is_listed(const char *folders, const char *folder)
{
    const size_t length = strlen(folder);

    while (folders && *folders) {
        if (strcspn(folders, ":") == length &&
            strncmp(folders, folder, length) == 0)
            return 1;
        folders = strchr(folders, ':');
        folders += folders != NULL;
    }
    return 0;
}

static void add_folders(hone_text *out, const char *folders)
{
    hone__text_printf(out, "%s%s", out->length ? ":" : "", folders);
}

/* The folder with templates that came with hone: installed beside the program,
 * else the tree it was built in. Nothing is appended if neither is there. */
static void shipped_templates(hone_text *out)
{
    static const char *const beside[] = {"../share/hone/templates",
                                         "../../templates"};
    char program[PATH_MAX], path[PATH_MAX + 32];
    struct stat info;
    char *slash;

    if (!realpath("/proc/self/exe", program))
        return;
    slash = strrchr(program, '/') + 1;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; ++i) {
        char real[PATH_MAX];

        (void)snprintf(path, sizeof path, "%.*s%s", (int)(slash - program),
                       program, beside[i]);
        if (realpath(path, real) && stat(real, &info) == 0 &&
            S_ISDIR(info.st_mode)) {
            add_folders(out, real);
            return;
        }
    }
}

/* Every value of a LIST option, and that of the environment. */
static void listed_folders(const hone_options *options, hone_option_id option,
                           const char *variable, hone_text *out)
{
    const char *given;

    for (size_t i = 0; (given = hone__options_listed(options, option, i)); ++i)
        add_folders(out, given);
    given = set_env(variable);
    if (given)
        add_folders(out, given);
}

static int is_template(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 3 && !strcmp(entry->d_name + length - 3, ".cu");
}

static int is_family(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, ':') &&
           !is_template(entry);
}

/* The folder, and those in it that have templates: families of operations. */
static void add_families(hone_text *out, const char *folder)
{
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, is_family, alphasort);

    add_folders(out, folder);
    for (int i = 0; i < n; ++i) {
        struct dirent **templates = NULL;
        hone_text path = {0};
        int n_templates;

        hone__text_printf(&path, "%s/%s", folder, names[i]->d_name);
        n_templates =
            scandir(hone__text_str(&path), &templates, is_template, NULL);
        if (n_templates > 0)
            add_folders(out, hone__text_str(&path));
        for (int j = 0; j < n_templates; ++j)
            free(templates[j]);
        free(templates);
        out->failed |= path.failed;
        hone__text_free(&path);
        free(names[i]);
    }
    free(names);
}

hone_status hone__locate_templates(const hone_options *options, hone_text *out,
                                   hone_error *err)
{
    hone_text folders = {0};
    char *at;

    listed_folders(options, HONE_OPT_TEMPLATE_PATH, "HONE_TEMPLATE_PATH",
                   &folders);
    shipped_templates(&folders);
    at = folders.data;
    while (at && !folders.failed) {
        char *next = strchr(at, ':');

        if (next)
            *next++ = '\0';
        if (*at && !is_listed(out->data, at))
            add_families(out, at);
        at = next;
    }
    out->failed |= folders.failed;
    hone__text_free(&folders);
    HONE_TRY(hone__text_check(out, err));
    if (out->length)
        return HONE_OK;
    return hone__fail(err, HONE_ERR_IO,
                      "no template folder: those that came with hone are not "
                      "beside the program; name one with --template-path or "
                      "HONE_TEMPLATE_PATH");
}

hone_status hone__locate_includes(const hone_options *options, hone_text *out,
                                  hone_error *err)
{
    hone_text folders = {0};
    hone_status status;

    listed_folders(options, HONE_OPT_INCLUDE, "HONE_INCLUDE_PATH", &folders);
    status = hone__text_check(&folders, err);
    if (status == HONE_OK)
        status = hone__search_path_include(out, hone__text_str(&folders), err);
    hone__text_free(&folders);
    return status;
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

static hone_status create_cache(const char *folder, hone_error *err)
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

/* "20G": with K, M, G or T 1024-based, as dimensions. */
static int read_size(const char *text, int64_t *out)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    const char *unit;
    double value;

    if (*text < '0' || *text > '9')
        return 0;
    value = strtod(text, &end);
    unit = *end ? strchr(units, *end) : NULL;
    if (*end && (!unit || end[1]))
        return 0;
    for (const char *u = units; unit && u <= unit; ++u)
        value *= 1024;
    if (!(value >= 1 && value < 1e18))
        return 0;
    *out = (int64_t)value;
    return 1;
}

hone_status hone__option_cache_size(const hone_options *options, int64_t *out,
                                    hone_error *err)
{
    const char *text = options->text[HONE_OPT_SIZE];
    const char *name = "--size";

    *out = 0;
    if (!text) {
        text = getenv("HONE_CACHE_LIMIT");
        name = "HONE_CACHE_LIMIT";
    }
    if (!text || !*text || read_size(text, out))
        return HONE_OK;
    return hone__fail(err, HONE_ERR_ARGUMENT,
                      "%s takes a size in bytes, with K, M, G or T (20G), not "
                      "'%s'",
                      name, text);
}

hone_status hone__locate_farm(const hone_options *options, hone_text *cache,
                              hone_farm_options *out, hone_error *err)
{
    int64_t most_bytes;

    HONE_TRY(hone__locate_cache(options, cache, err));
    HONE_TRY(hone__option_cache_size(options, &most_bytes, err));
    HONE_TRY(create_cache(hone__text_str(cache), err));
    if (most_bytes)
        hone__cache_keep_below(hone__text_str(cache), most_bytes);
    out->cache_folder = hone__text_str(cache);
    out->n_workers = (int)options->number[HONE_OPT_JOBS];
    out->compile_timeout_s = (double)options->number[HONE_OPT_COMPILE_TIMEOUT];
    out->stop = hone__interrupt_flag();
    return HONE_OK;
}
