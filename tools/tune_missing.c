/* SPDX-License-Identifier: Apache-2.0 */
/* hone tune --missing-from: the problems that a database has no winner for, as
 * a file for --shapes. */
#include "tools/tune_parts.h"

#include "tools/base/message.h"
#include "tools/base/option_value.h"
#include "tools/base/process.h"
#include "tuner/trial/devices.h"

#include <inttypes.h>
#include <string.h>

typedef struct missing {
    const hone_options *options;
    hone_shapes shapes;
    hone_device_report device; /* name "": of any */
    const char *mode;          /* NULL: any */
    size_t n;                  /* without a winner */
} missing;

/* Only of a device that is named: a list is made anywhere. */
static hone_status read_device(missing *of, hone_error *err)
{
    const hone_options *options = of->options;
    hone_backend backend;
    int ordinal;

    if (options->text[HONE_OPT_MODE])
        of->mode = hone__mode_name(hone__option_mode(options));
    if (!options->text[HONE_OPT_DEVICE])
        return HONE_OK;
    HONE_TRY(
        hone__option_device(options, HONE_FOR_TIMES, &backend, &ordinal, err));
    return hone__device_describe(backend, ordinal, HONE_ANSWER_S,
                                 hone__interrupt_flag(), &of->device, err);
}

/* All that is tuned, once: a question for each of the list would take longer.
 */
static const char winners_sql[] =
    "SELECT p.op, p.dims FROM problem p"
    " WHERE EXISTS (SELECT 1 FROM ranking r"
    "                WHERE r.problem_id = p.problem_id AND r.rank = 1"
    "                  AND (?1 IS NULL OR r.device_id IN"
    "                       (SELECT device_id FROM device WHERE name = ?1"
    "                           AND arch = ?2))"
    "                  AND (?3 IS NULL OR r.mode = ?3))";

static hone_status on_winner(void *user, const hone_db_row *row,
                             hone_error *err)
{
    missing *of = user;
    const hone_shapes *shapes = &of->shapes;
    int64_t dims[HONE_MAX_DIMS];

    (void)err;
    for (size_t op = 0; op < shapes->n_ops; ++op) {
        const hone_template *tmpl = shapes->ops[op].impls.items[0];
        hone_shape *shape;

        if (strcmp(tmpl->op, row->values[0].text) != 0 ||
            !hone__db_dims_read(row->values[1].text, tmpl->n_dims, dims))
            continue;
        shape = hone__shapes_find(shapes, op, dims);
        if (shape)
            shape->is_tuned = 1;
    }
    return HONE_OK;
}

static hone_status look(missing *of, hone_error *err)
{
    const hone_db_value values[] = {
        hone__db_text(of->device.name[0] ? of->device.name : NULL),
        hone__db_text(of->device.arch), hone__db_text(of->mode)};
    hone_db *db = NULL;
    hone_status status = hone__db_open(of->options->text[HONE_OPT_MISSING_FROM],
                                       HONE_DB_READONLY, &db, err);

    if (status == HONE_OK)
        status = hone__db_query(db, winners_sql, values, 3, on_winner, of, err);
    hone__db_close(db);
    for (size_t i = 0; i < of->shapes.n; ++i)
        of->n += !of->shapes.items[i].is_tuned;
    return status;
}

/* ---- what is printed -------------------------------------------------------
 */

static void write_dims(const hone_shape *shape, hone_text *out)
{
    hone__text_clear(out);
    hone__db_dims_text(shape->dims, shape->tmpl->n_dims, out);
}

static hone_exit print_text(const missing *of)
{
    const hone_shapes *shapes = &of->shapes;
    hone_text all = {0}, dims = {0};

    for (size_t i = 0; i < shapes->n; ++i) {
        const hone_shape *shape = &shapes->items[i];

        if (shape->is_tuned)
            continue;
        write_dims(shape, &dims);
        hone__text_printf(&all, "%s %s", shapes->ops[shape->op].name,
                          hone__text_str(&dims));
        if (shape->n_launches)
            hone__text_printf(&all, " %" PRIu64, shape->n_launches);
        hone__text_puts(&all, "\n");
    }
    all.failed |= dims.failed;
    hone__text_free(&dims);
    return hone__output_text(&all);
}

static hone_exit print_rows(const missing *of)
{
    const hone_shapes *shapes = &of->shapes;
    hone_output *output = hone__output_begin(
        of->options, "missing", "name, dims, launches:n",
        hone__json("db:s problems:I", of->options->text[HONE_OPT_MISSING_FROM],
                   (int64_t)shapes->n));
    hone_text dims = {0};

    for (size_t i = 0; i < shapes->n; ++i) {
        const hone_shape *shape = &shapes->items[i];

        if (shape->is_tuned)
            continue;
        write_dims(shape, &dims);
        hone__output_row(output,
                         hone__json("name:s op:s dims:s launches:P",
                                    shapes->ops[shape->op].name,
                                    shape->tmpl->op, hone__text_str(&dims),
                                    (int64_t)shape->n_launches));
    }
    hone__text_free(&dims);
    return hone__output_end(output, hone__json(""));
}

hone_exit hone__tune_missing(const hone_options *options)
{
    missing of = {.options = options};
    hone_error err = {0};
    hone_exit code;
    hone_status status = read_device(&of, &err);

    if (status == HONE_OK)
        status = hone__shapes_read(options, &of.shapes, &err);
    if (status == HONE_OK)
        status = look(&of, &err);
    if (status != HONE_OK) {
        code = hone__message_error(&err);
    } else {
        code =
            hone__output_is_text(options) ? print_text(&of) : print_rows(&of);
        hone__message_note("%zu of %zu problems have no winner in %s", of.n,
                           of.shapes.n, options->text[HONE_OPT_MISSING_FROM]);
    }
    hone__shapes_free(&of.shapes);
    return code;
}
