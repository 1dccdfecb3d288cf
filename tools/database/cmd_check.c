/* SPDX-License-Identifier: Apache-2.0 */
/* hone check: is a database, a pack or a cubin cache whole? */
#include "tools/base/commands.h"
#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/database/check.h"
#include "tools/inputs/open_to_read.h"

#include <sys/stat.h>

typedef struct check_rows {
    hone_output *output;
    int64_t n_damaged;
} check_rows;

static hone_status on_checked(void *user, const hone_db_checked *found,
                              hone_error *err)
{
    check_rows *rows = user;
    const char *state = found->is_left_out ? "none"
                        : found->n_damaged ? "damaged"
                                           : "ok";

    (void)err;
    rows->n_damaged += found->n_damaged;
    hone__output_row(
        rows->output,
        hone__json("check:s state:s looked_at:I damaged:I first:s advice:s",
                   found->name, state, found->n, found->n_damaged,
                   found->n_damaged ? found->first : NULL,
                   found->n_damaged ? found->advice : NULL));
    return HONE_OK;
}

static int is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* `db` is NULL for a pack or a folder. */
static hone_status check_each(const char *path, hone_db *db, check_rows *rows,
                              hone_error *err)
{
    if (db)
        return hone__db_check(db, on_checked, rows, err);
    return is_folder(path) ? hone__check_cache(path, on_checked, rows, err)
                           : hone__check_pack(path, on_checked, rows, err);
}

static hone_exit check(const hone_options *options, const char *path,
                       hone_db *db)
{
    check_rows rows = {.output = hone__output_begin(
                           options, "checks",
                           "check, state, looked_at:n=looked at, damaged:n, "
                           "first, advice",
                           hone__json(db ? "db:s" : "file:s", path))};
    hone_error err = {0};
    const hone_status status = check_each(path, db, &rows, &err);
    const hone_exit code = hone__output_end(rows.output, hone__json(""));

    if (status != HONE_OK)
        return hone__message_error(&err);
    if (code != HONE_EXIT_DONE)
        return code;
    return rows.n_damaged ? HONE_EXIT_NEGATIVE : HONE_EXIT_DONE;
}

hone_exit hone__cmd_check(const hone_options *options)
{
    hone_text path = {0};
    hone_db *db = NULL;
    hone_error err = {0};
    hone_exit code;
    hone_status status = HONE_OK;

    if (hone__options_arg(options, 0)[0])
        hone__text_puts(&path, hone__options_arg(options, 0));
    else
        status = hone__locate_db(options, &path, &err);
    if (status == HONE_OK)
        status = hone__text_check(&path, &err);
    if (status == HONE_OK && !is_folder(hone__text_str(&path)) &&
        !hone__check_is_pack(hone__text_str(&path)))
        status = hone__open_to_read(hone__text_str(&path), &db, &err);
    code = status == HONE_OK ? check(options, hone__text_str(&path), db)
                             : hone__message_error(&err);
    hone__db_close(db);
    hone__text_free(&path);
    return code;
}
