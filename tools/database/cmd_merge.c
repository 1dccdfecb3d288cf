/* SPDX-License-Identifier: Apache-2.0 */
/* hone merge: databases into one. */
#include "db/db.h"
#include "runtime/base/alloc.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"

#include <unistd.h>

static hone_exit say(const hone_options *options, const char *path,
                     const hone_db_merged *merged)
{
    return hone__output_end(
        hone__output_begin(
            options, NULL, "",
            hone__json("db:s files:I sessions:I trials:I winners:I "
                       "artifacts:I",
                       path, (int64_t)options->n_args, merged->n_sessions,
                       merged->n_trials, merged->n_winners,
                       merged->n_artifacts)),
        hone__json(""));
}

static hone_status merge_files(const hone_options *options, hone_db *db,
                               hone_db_merged *out, hone_error *err)
{
    const char **paths = hone__alloc(options->n_args * sizeof *paths);
    hone_status status;

    if (!paths)
        return hone__out_of_memory(err, "");
    for (size_t i = 0; i < options->n_args; ++i)
        paths[i] = hone__options_arg(options, i);
    status = hone__db_merge_files(db, paths, options->n_args, out, err);
    hone__free(paths);
    return status;
}

static hone_status merge_into(const hone_options *options, const char *path,
                              hone_db_merged *out, hone_error *err)
{
    const int was_there = access(path, F_OK) == 0;
    hone_db *db = NULL;
    hone_status status;

    HONE_TRY(hone__db_open(path, HONE_DB_CREATE, &db, err));
    status = merge_files(options, db, out, err);
    hone__db_close(db);
    if (status != HONE_OK && !was_there)
        hone__db_remove(path);
    return status;
}

hone_exit hone__cmd_merge(const hone_options *options)
{
    hone_db_merged merged = {0};
    hone_text path = {0};
    hone_error err = {0};
    hone_exit code;
    hone_status status = hone__locate_db(options, &path, &err);

    if (status == HONE_OK)
        status = merge_into(options, hone__text_str(&path), &merged, &err);
    code = status == HONE_OK ? say(options, hone__text_str(&path), &merged)
                             : hone__message_error(&err);
    hone__text_free(&path);
    return code;
}
