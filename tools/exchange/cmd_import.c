/* SPDX-License-Identifier: Apache-2.0 */
/* hone import: what a file of another program, or of hone export, has. */
#include "tools/exchange/exchange.h"

#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hone_exit say(const hone_import *import, const char *db,
                     const hone_format *format, const hone_db_merged *merged)
{
    const hone_exit code = hone__output_end(
        hone__output_begin(
            import->options, NULL, "",
            hone__json("file:s kind:s db:s rows:I left_out:I sessions:I "
                       "trials:I winners:I",
                       import->path, format->title, db, import->n_rows,
                       import->n_left_out, merged->n_sessions, merged->n_trials,
                       merged->n_winners)),
        hone__json(""));

    if (import->note.length)
        hone__message_note("%s", hone__text_str(&import->note));
    return code;
}

/* All rows, then all of them into the database. */
static hone_status take(hone_import *import, hone_db *db,
                        const hone_format *format, hone_db_merged *out,
                        hone_error *err)
{
    int64_t line = 0;
    hone_status status = hone__db_import_begin(db, &import->rows, err);

    if (status == HONE_OK)
        status = format->read(import, err);
    if (status == HONE_OK && import->n_rows == 0)
        status = hone__fail(err, HONE_ERR_INPUT, "%s: there is no trial in it",
                            import->path);
    if (status == HONE_OK) {
        hone_error inner = {0};

        status = hone__db_import_end(import->rows, out, &line, &inner);
        if (status == HONE_ERR_INPUT)
            status = hone__import_fail(import, line, err, "%s", inner.text);
        else if (status != HONE_OK)
            *err = inner;
    }
    hone__db_import_close(import->rows);
    return status;
}

/* `is_new`: the file gets its name later, and what SQLite keeps beside it goes
 * away. */
static hone_status import_into(hone_import *import, const char *path,
                               const hone_format *format, int is_new,
                               hone_db_merged *out, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status = hone__db_open(path, HONE_DB_CREATE, &db, err);

    if (status == HONE_OK)
        status = take(import, db, format, out, err);
    if (status == HONE_OK && is_new)
        status = hone__db_empty_log(db, err);
    hone__db_close(db);
    return status;
}

/* ---- into a file that is not there ----------------------------------------
 * It appears when it is whole: what appeared at its place while the rows were
 * read is another's, and is neither removed nor written over. */

/* A name beside `path`, which does not exist, in a folder that does. */
static hone_status name_beside(const char *path, hone_text *out,
                               hone_error *err)
{
    const char *slash = strrchr(path, '/');
    hone_status status = HONE_OK;
    int file;

    if (slash && slash != path) {
        hone__text_append(out, path, (size_t)(slash - path));
        status = hone__text_check(out, err);
        if (status == HONE_OK)
            status = hone__folder_create(out->data, err);
        hone__text_clear(out);
    }
    hone__text_printf(out, "%s.import-XXXXXX", path);
    if (status == HONE_OK)
        status = hone__text_check(out, err);
    if (status != HONE_OK)
        return status;
    file = mkstemp(out->data);
    if (file < 0)
        return hone__fail_native(err, HONE_ERR_IO, HONE_DOMAIN_ERRNO, errno,
                                 "cannot make '%s': %s; make its folder "
                                 "writable or name another database",
                                 path, strerror(errno));
    (void)close(file);
    (void)unlink(out->data); /* SQLite makes it anew, with the usual rights */
    return HONE_OK;
}

static hone_status give_name(const char *from, const char *path,
                             hone_db_merged *out, hone_error *err)
{
    hone_db *db = NULL;
    hone_status status;

    if (link(from, path) == 0)
        return HONE_OK;
    if (errno != EEXIST) /* a disk without links */
        return hone__db_merge_new(path, &from, 1, out, err);
    status = hone__db_open(path, HONE_DB_CREATE, &db, err);
    if (status == HONE_OK)
        status = hone__db_merge_files(db, &from, 1, out, err);
    hone__db_close(db);
    return status;
}

/* In a sentence that names the file beside it, which nobody knows. */
static void name_database(const char *path, const char *beside, hone_error *err)
{
    const hone_error inner = *err;
    const char *at = strstr(inner.text, beside);

    if (at)
        (void)hone__fail_native(err, inner.status, inner.domain, inner.native,
                                "%.*s%.500s%s", (int)(at - inner.text),
                                inner.text, path, at + strlen(beside));
}

static hone_status import_trials(hone_import *import, const char *path,
                                 const hone_format *format, hone_db_merged *out,
                                 hone_error *err)
{
    hone_text beside = {0};
    hone_status status;

    if (access(path, F_OK) == 0)
        return import_into(import, path, format, 0, out, err);
    status = name_beside(path, &beside, err);
    if (status == HONE_OK) {
        status = import_into(import, beside.data, format, 1, out, err);
        if (status == HONE_OK)
            status = give_name(beside.data, path, out, err);
        hone__db_remove(beside.data);
        if (status != HONE_OK)
            name_database(path, beside.data, err);
    }
    hone__text_free(&beside);
    return status;
}

hone_exit hone__cmd_import(const hone_options *options)
{
    hone_import import = {.options = options,
                          .path = hone__options_arg(options, 0)};
    const hone_format *format = NULL;
    hone_db_merged merged = {0};
    hone_text path = {0};
    hone_error err = {0};
    hone_exit code = HONE_EXIT_DONE;
    hone_status status = hone__format_of_file(import.path, &format, &err);

    if (status == HONE_OK && format->has_trials &&
        options->text[HONE_OPT_OUTPUT])
        status = hone__fail(&err, HONE_ERR_ARGUMENT,
                            "'%s' has trials, which go to a database (--db); "
                            "--output is for what a T1 file becomes",
                            import.path);
    if (status == HONE_OK)
        status = hone__output_spares(options->text[HONE_OPT_OUTPUT],
                                     import.path, &err);
    if (status == HONE_OK && !format->has_trials) {
        status = format->read(&import, &err);
    } else if (status == HONE_OK) {
        status = hone__locate_db(options, &path, &err);
        if (status == HONE_OK)
            status = import_trials(&import, hone__text_str(&path), format,
                                   &merged, &err);
        if (status == HONE_OK)
            code = say(&import, hone__text_str(&path), format, &merged);
    }
    if (status != HONE_OK)
        code = hone__message_error(&err);
    hone__arena_free(&import.row.arena);
    hone__text_free(&import.note);
    hone__text_free(&path);
    return code;
}
