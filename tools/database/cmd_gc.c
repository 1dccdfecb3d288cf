/* SPDX-License-Identifier: Apache-2.0 */
/* hone gc: what nobody needs any more goes. */
#include "db/db.h"
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"

static hone_exit say(const hone_options *options, const char *path,
                     const hone_db_collected *gone)
{
#define PART_NAME(name, of) #name,
    static const char *const names[] = {HONE_DB_PART_MAP(PART_NAME)};
#undef PART_NAME
    const int is_tried = options->text[HONE_OPT_DRY_RUN] != NULL;
    hone_output *output = hone__output_begin(
        options, "parts",
        "part, before_bytes:n=bytes before, after_bytes:n=bytes after",
        hone__json("db:s dry_run:b templates:I variants:I sessions:I "
                   "trials:I decisions:I places:I artifacts:I models:I "
                   "bytes_before:I bytes_after:I",
                   path, is_tried, gone->n_templates, gone->n_variants,
                   gone->n_sessions, gone->n_trials, gone->n_decisions,
                   gone->n_places, gone->n_artifacts, gone->n_models,
                   gone->bytes_before,
                   is_tried ? gone->bytes_before - gone->bytes_freed
                            : gone->bytes_after));

    for (size_t i = 0; gone->has_parts && i < HONE_DB_N_PARTS; ++i)
        hone__output_row(
            output, hone__json("part:s before_bytes:I after_bytes:I", names[i],
                               gone->part_before[i], gone->part_after[i]));
    return hone__output_end(output, hone__json(""));
}

/* Opening an older file for writing brings it to the current format. */
static hone_status refuse_old(const hone_options *options, const char *path,
                              hone_error *err)
{
    hone_db_summary summary;

    if (!options->text[HONE_OPT_DRY_RUN])
        return HONE_OK;
    HONE_TRY(hone__db_inspect(path, 0, &summary, err));
    if (summary.version == HONE_DB_VERSION)
        return HONE_OK;
    return hone__fail(
        err, HONE_ERR_UNSUPPORTED,
        "database '%s' has format %lld; hone gc would bring it to "
        "%d, which a dry run does not: try a copy of it",
        path, (long long)summary.version, HONE_DB_VERSION);
}

hone_exit hone__cmd_gc(const hone_options *options)
{
    hone_db_collected gone;
    hone_text path = {0};
    hone_db *db = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status = hone__locate_db(options, &path, &err);

    if (status == HONE_OK)
        status = refuse_old(options, hone__text_str(&path), &err);
    if (status == HONE_OK)
        status = hone__db_open(hone__text_str(&path), 0, &db, &err);
    if (status == HONE_OK)
        status = hone__db_gc(db, options->text[HONE_OPT_DRY_RUN] != NULL, &gone,
                             &err);
    code = status == HONE_OK ? say(options, hone__text_str(&path), &gone)
                             : hone__message_error(&err);
    hone__db_close(db);
    hone__text_free(&path);
    return code;
}
