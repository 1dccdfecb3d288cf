/* SPDX-License-Identifier: Apache-2.0 */
/* hone export: the trials of an operation, or its search space, as a file for
 * other programs. */
#include "tools/exchange/exchange.h"

#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/database/show.h"
#include "tools/inputs/open_to_read.h"

#include <string.h>

/* Of formats that are only read. */
hone_status hone__write_nothing(hone_export *export, hone_error *err)
{
    (void)export;
    return hone__fail(err, HONE_ERR_INTERNAL, "this format is only read");
}

/* --format, or what the name of the file says. */
static hone_status find_format(const hone_options *options, const char *path,
                               const hone_format **out, hone_error *err)
{
    const char *name = options->text[HONE_OPT_EXPORT_FORMAT];
    const char *dot = strrchr(path, '.');

    if (!name && dot && strcmp(dot, ".csv") == 0)
        name = "csv";
    if (!name &&
        (strcmp(path, "-") == 0 || (dot && strcmp(dot, ".jsonl") == 0)))
        name = "jsonl";
    if (!name)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "say with --format what '%s' is to be: jsonl, csv, "
                          "kernel-tuner, t4 or t1",
                          path);
    for (size_t i = 0; i < hone__n_formats; ++i)
        if (strcmp(hone__formats[i].name, name) == 0)
            *out = &hone__formats[i];
    return HONE_OK;
}

/* "OP" or "OP/NAME". */
static hone_status split_name(const char *text, hone_text *op,
                              const char **name, hone_error *err)
{
    const char *slash = strchr(text, '/');

    *name = slash ? slash + 1 : NULL;
    hone__text_append(op, text, slash ? (size_t)(slash - text) : strlen(text));
    return hone__text_check(op, err);
}

static hone_status no_trials(const hone_export *export, const char *path,
                             hone_error *err)
{
    return hone__fail(err, HONE_ERR_NOT_FOUND,
                      "database '%s' has no trial of %s that was asked for; "
                      "run: hone show coverage",
                      path, hone__options_arg(export->options, 0));
}

/* A database is read as it is; the statement is that of `hone show`. */
static hone_status write_trials(hone_export *export, const hone_format *format,
                                hone_options *options, const char *path,
                                hone_error *err)
{
    static const hone_show_view view = {
        "trials", "SELECT * FROM trial_v1" HONE_SHOW_FILTER HONE_SHOW_LIMIT,
        "",       "trial",
        NULL,     1};
    hone_show_query query = {.n_values = 0};
    hone_status status = hone__open_to_read(path, &export->db, err);

    if (status == HONE_OK)
        status = hone__show_query_make(options, &view, export->db, &query, err);
    if (status == HONE_OK) {
        export->wanted = hone__text_str(&query.sql);
        export->values = query.values;
        export->n_values = query.n_values;
        status = format->write(export, err);
    }
    if (status == HONE_OK && export->n_rows == 0)
        status = no_trials(export, path, err);
    hone__show_query_free(&query);
    hone__db_close(export->db);
    return status;
}

static hone_status write_file(hone_export *export, const hone_format *format,
                              hone_error *err)
{
    hone_options options = *export->options;
    hone_text op = {0}, path = {0};
    hone_status status;

    if (!format->has_trials)
        return format->write(export, err);
    status = split_name(hone__options_arg(export->options, 0), &op,
                        &export->implementation, err);
    options.text[HONE_OPT_OP] = hone__text_str(&op);
    if (status == HONE_OK)
        status = hone__locate_db(&options, &path, err);
    if (status == HONE_OK)
        status =
            write_trials(export, format, &options, hone__text_str(&path), err);
    hone__text_free(&op);
    hone__text_free(&path);
    return status;
}

hone_exit hone__cmd_export(const hone_options *options)
{
    const char *path =
        options->text[HONE_OPT_OUTPUT] ? options->text[HONE_OPT_OUTPUT] : "-";
    hone_output_file out = {.path = path};
    hone_export export = {.options = options, .out = &out};
    const hone_format *format = NULL;
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status = find_format(options, path, &format, &err);

    if (status == HONE_OK)
        status = hone__out_open(path, &out, &err);
    if (status == HONE_OK)
        status = hone__out_close(&out, write_file(&export, format, &err), &err);
    if (status != HONE_OK)
        code = hone__message_error(&err);
    else if (strcmp(path, "-") != 0)
        hone__message_note(format->has_trials ? "%s: %lld trials (%s)"
                                              : "%s: %lld parameters (%s)",
                           path, (long long)export.n_rows, format->title);
    if (code == HONE_EXIT_DONE && export.note.length)
        hone__message_note("%s", hone__text_str(&export.note));
    hone__text_free(&export.line);
    hone__text_free(&export.note);
    return code;
}
