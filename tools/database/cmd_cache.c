/* SPDX-License-Identifier: Apache-2.0 */
/* hone cache: what a cubin cache has, less of it, and whether it is whole. */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tuner/compile/cubin_cache.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void time_text(int64_t unix_s, char out[32])
{
    const time_t at = (time_t)unix_s;
    struct tm utc;

    out[0] = '\0';
    if (gmtime_r(&at, &utc))
        (void)strftime(out, 32, "%Y-%m-%d %H:%M:%S", &utc);
}

/* The one used last first. */
static hone_status list(const hone_options *options, const char *folder,
                        hone_exit *out_code, hone_error *err)
{
    const int64_t limit = options->number[HONE_OPT_LIMIT];
    hone_cache_entries all;
    hone_output *output;
    hone_status status = hone__cache_entries(folder, &all, err);

    if (status == HONE_OK) {
        output =
            hone__output_begin(options, "items", "key, bytes:n, used_at=used",
                               hone__json("cache:s entries:I bytes:I", folder,
                                          (int64_t)all.n, all.size_bytes));
        for (size_t i = all.n;
             i > 0 && (limit <= 0 || (int64_t)(all.n - i) < limit); --i) {
            const hone_cache_entry *entry = &all.items[i - 1];
            char used[32];

            time_text(entry->used_unix_s, used);
            hone__output_row(output,
                             hone__json("key:s bytes:I used_at:s", entry->key,
                                        entry->size_bytes, used));
        }
        *out_code = hone__output_end(output, hone__json(""));
    }
    hone__cache_entries_free(&all);
    return status;
}

static hone_status trim(const hone_options *options, const char *folder,
                        hone_exit *out_code, hone_error *err)
{
    const int is_tried = options->text[HONE_OPT_DRY_RUN] != NULL;
    hone_cache_trimmed gone;
    int64_t most = 0;

    HONE_TRY(hone__option_cache_size(options, &most, err));
    if (!most)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'hone cache trim' takes how much may stay: --size "
                          "20G, or HONE_CACHE_LIMIT");
    HONE_TRY(hone__cache_trim(folder, most, is_tried, &gone, err));
    *out_code = hone__output_end(
        hone__output_begin(
            options, NULL, "",
            hone__json("cache:s dry_run:b entries:I bytes:I entries_before:I "
                       "bytes_before:I",
                       folder, is_tried, gone.n_before - gone.n_gone,
                       gone.bytes_before - gone.bytes_gone, gone.n_before,
                       gone.bytes_before)),
        hone__json(""));
    return HONE_OK;
}

static hone_status verify(const hone_options *options, const char *folder,
                          hone_exit *out_code, hone_error *err)
{
    hone_cache_checked checked;

    HONE_TRY(hone__cache_check(folder, &checked, err));
    *out_code = hone__output_end(
        hone__output_begin(
            options, NULL, "",
            hone__json("cache:s entries:I damaged:I first:s", folder, checked.n,
                       checked.n_damaged,
                       checked.n_damaged ? checked.first : NULL)),
        hone__json(""));
    if (checked.n_damaged) {
        hone__message_negative("%lld of %lld entries are damaged, the first is "
                               "%s: what is damaged is compiled again and "
                               "replaced when it is needed",
                               (long long)checked.n_damaged,
                               (long long)checked.n, checked.first);
        if (*out_code == HONE_EXIT_DONE)
            *out_code = HONE_EXIT_NEGATIVE;
    }
    return HONE_OK;
}

typedef struct action {
    const char *name;
    hone_status (*run)(const hone_options *options, const char *folder,
                       hone_exit *out_code, hone_error *err);
} action;

static const action actions[] = {
    {"list", list}, {"trim", trim}, {"verify", verify}};
enum { N_ACTIONS = sizeof actions / sizeof actions[0] };

/* Options of another action would have no effect. */
static hone_status find(const hone_options *options, const action **out,
                        hone_error *err)
{
    const char *name = hone__options_arg(options, 0);

    *out = NULL;
    for (size_t i = 0; i < N_ACTIONS; ++i)
        if (strcmp(actions[i].name, name) == 0)
            *out = &actions[i];
    if (!*out)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "'hone cache' takes list, trim or verify, not '%s'",
                          name);
    if ((*out)->run != trim &&
        (options->text[HONE_OPT_SIZE] || options->text[HONE_OPT_DRY_RUN]))
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--size and --dry-run go with 'hone cache trim'");
    if ((*out)->run != list && options->number[HONE_OPT_LIMIT])
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--limit goes with 'hone cache list'");
    return HONE_OK;
}

hone_exit hone__cmd_cache(const hone_options *options)
{
    const action *what;
    hone_text folder = {0};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status = find(options, &what, &err);

    if (status == HONE_OK)
        status = hone__locate_cache(options, &folder, &err);
    if (status == HONE_OK)
        status = what->run(options, hone__text_str(&folder), &code, &err);
    if (status != HONE_OK)
        code = hone__message_error(&err);
    hone__text_free(&folder);
    return code;
}
