/* SPDX-License-Identifier: Apache-2.0 */
/* hone merge: databases into one. */
#include "db/db.h"
#include "runtime/base/alloc.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/database/merge.h"

#include <unistd.h>

/* As one value for all, unless something was shared out. */
static hone_exit say(const hone_options *options, const char *path,
                     const hone_db_merged *merged, hone_merge_open *open)
{
    const int is_shared = open->all.n_lists > 0;
    json_t *head =
        hone__json("db:s files:I sessions:I trials:I winners:I artifacts:I",
                   path, (int64_t)options->n_args, merged->n_sessions,
                   merged->n_trials, merged->n_winners, merged->n_artifacts);
    hone_output *output;
    hone_exit code;

    if (is_shared)
        head = hone__json_add(
            head, "lists:I shards:I missing_shards:I problems:I open:I",
            open->all.n_lists, open->all.n_shards, open->n_missing,
            open->all.n_problems, open->all.n_open);
    output = hone__output_begin(
        options, is_shared ? "open_shards" : NULL,
        open->n ? "shard, state, open:n=not tuned, words=problems" : "", head);
    if (is_shared)
        hone__merge_open_rows(open, output);
    code = hone__output_end(output, hone__json(""));
    hone__merge_open_say(open, path);
    return code == HONE_EXIT_DONE && open->all.n_open ? HONE_EXIT_NEGATIVE
                                                      : code;
}

static hone_status merge_files(const char *path, const char *const *paths,
                               size_t n, hone_db_merged *out, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status;

    if (access(path, F_OK) != 0)
        return hone__db_merge_new(path, paths, n, out, err);
    HONE_TRY(hone__db_open(path, HONE_DB_CREATE, &db, err));
    status = hone__db_merge_files(db, paths, n, out, err);
    hone__db_close(db);
    return status;
}

static hone_status merge_into(const hone_options *options, const char *path,
                              hone_db_merged *out, hone_merge_open *open,
                              hone_error *err)
{
    const char **paths = hone__alloc(options->n_args * sizeof *paths);
    hone_db *db = NULL;
    hone_status status;

    if (!paths)
        return hone__out_of_memory(err, "");
    for (size_t i = 0; i < options->n_args; ++i)
        paths[i] = hone__options_arg(options, i);
    status = merge_files(path, paths, options->n_args, out, err);
    if (status == HONE_OK)
        status = hone__merge_say_twice(paths, options->n_args, err);
    hone__free(paths);
    if (status == HONE_OK)
        status = hone__db_open(path, 0, &db, err);
    if (status == HONE_OK)
        status = hone__merge_open_read(db, open, err);
    hone__db_close(db);
    return status;
}

hone_exit hone__cmd_merge(const hone_options *options)
{
    hone_db_merged merged = {0};
    hone_merge_open open = {0};
    hone_text path = {0};
    hone_error err = {0};
    hone_exit code;
    hone_status status = hone__locate_db(options, &path, &err);

    if (status == HONE_OK)
        status =
            merge_into(options, hone__text_str(&path), &merged, &open, &err);
    code = status == HONE_OK
               ? say(options, hone__text_str(&path), &merged, &open)
               : hone__message_error(&err);
    hone__merge_open_free(&open);
    hone__text_free(&path);
    return code;
}
