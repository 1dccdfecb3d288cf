/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a view are wanted: see show.h. */
#include "tools/database/show.h"

#include "gen/parse/suggest.h"
#include "tools/inputs/dims_stored.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the view's own conditions ------------------------------------------- */

/* Conditions in the place of FILTER. Where there is no op, the range of all
 * texts has SQLite begin with the problems. Dims are digits and commas, which
 * come before '-': what begins with "64,64" and ends or goes on behind a comma
 * lies between it and "64,64-". `is_last`: nothing is chosen or sorted after
 * it. */
static void write_view(const char *sql, size_t length, int is_last,
                       const hone_db_value *values, hone_text *out)
{
    for (size_t i = 0; i < length; ++i) {
        const char c = sql[i];

        if (c == HONE_SHOW_ENOUGH[0]) {
            hone__text_puts(out, is_last ? HONE_SHOW_LIMIT : "");
            continue;
        }
        if (c != HONE_SHOW_FILTER[0] && c != HONE_SHOW_FILTER_BY_PROBLEM[0]) {
            hone__text_append(out, &c, 1);
            continue;
        }
        if (values[0].kind != HONE_DB_NULL)
            hone__text_puts(out, " WHERE op = ?1");
        else if (c == HONE_SHOW_FILTER[0] && values[1].kind == HONE_DB_NULL)
            hone__text_puts(out, " WHERE 1");
        else
            hone__text_puts(out, " WHERE op BETWEEN '' AND x''");
        if (values[1].kind != HONE_DB_NULL)
            hone__text_puts(out, " AND dims >= ?2 AND dims < ?2 || '-'");
        if (values[2].kind != HONE_DB_NULL)
            hone__text_puts(out, " AND mode = ?3");
    }
}

/* ---- --where and --sort ---------------------------------------------------
 */

/* Is the name one of "a, b, c"? */
static int is_column(const char *names, const char *name, size_t length)
{
    while (*names) {
        const size_t n = strcspn(names, ",");

        if (n == length && memcmp(names, name, n) == 0)
            return 1;
        names += n + strspn(names + n, ", ");
    }
    return 0;
}

/* Candidates stay in `list`. */
static void offer(const char *names, hone_text *list, hone_suggestion *near)
{
    hone__text_puts(list, names);
    for (char *at = list->failed ? NULL : list->data; at && *at;) {
        const size_t n = strcspn(at, ",");
        char *next = at + n + strspn(at + n, ", ");

        at[n] = '\0';
        hone__suggest_offer(near, at);
        at = next;
    }
}

static hone_status check_column(const hone_show_view *view, const char *names,
                                const char *option, const char *name,
                                size_t length, hone_error *err)
{
    hone_suggestion near = hone__suggest(name, length);
    hone_text list = {0};

    if (is_column(names, name, length))
        return HONE_OK;
    offer(names, &list, &near);
    (void)hone__fail(err, HONE_ERR_ARGUMENT,
                     "%s: %s have no column '%.*s'; they have %s%s", option,
                     view->name, (int)length, name, names,
                     hone__suggest_text(&near));
    hone__text_free(&list);
    return HONE_ERR_ARGUMENT;
}

/* A number; of a column of times also with a unit, "200us". 0: it is none. */
static int read_number(const char *column, size_t length, const char *value,
                       double *out)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const int is_time =
        length > 3 && memcmp(column + length - 3, "_ns", 3) == 0;
    char *end;

    *out = strtod(value, &end);
    if (end == value || !*end)
        return end != value;
    end += strspn(end, " ");
    for (size_t i = 0; i < sizeof units / sizeof units[0] && is_time; ++i)
        if (strcmp(end, units[i].unit) == 0) {
            *out *= units[i].ns;
            return 1;
        }
    return 0;
}

/* COLUMN, a comparison and VALUE. A value that is a number is compared as one
 * with numbers, and as text with texts; an empty one is what is not known. */
static hone_status add_where(const hone_show_view *view, const char *names,
                             const char *text, hone_show_query *query,
                             hone_error *err)
{
    static const struct {
        const char *sign;
        const char *sql;
    } signs[] = {{">=", ">="}, {"<=", "<="}, {"!=", "IS NOT"}, {"=", "IS"},
                 {"<", "<"},   {">", ">"},   {"~", "GLOB"}};
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *sign = text + length, *value, *sql = NULL;
    double number;
    int is_number;

    for (size_t i = 0; i < sizeof signs / sizeof signs[0] && !sql; ++i) {
        if (strncmp(sign, signs[i].sign, strlen(signs[i].sign)) == 0) {
            sql = signs[i].sql;
            sign += strlen(signs[i].sign);
        }
    }
    if (!length || !sql)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--where takes COLUMN, one of = != < <= > >= ~ and a "
                          "value, as in 'time_ns<1000', not '%s'",
                          text);
    HONE_TRY(check_column(view, names, "--where", text, length, err));
    value = sign;
    if (query->n_values + 2 > HONE_SHOW_MOST_VALUES)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "there are more than %d --where and --sort",
                          (HONE_SHOW_MOST_VALUES - 4) / 2);
    is_number = read_number(text, length, value, &number);
    /* SQLite has every number before every text. */
    if (*value && !is_number && strchr("<>", *sql) && length > 3 &&
        memcmp(text + length - 3, "_ns", 3) == 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--where: '%.*s' is a time, and '%s' is none: say "
                          "nanoseconds, or 1.5us, 2ms",
                          (int)length, text, value);
    query->values[query->n_values] =
        *value ? hone__db_text(value) : hone__db_null();
    query->values[query->n_values + 1] = *value && is_number
                                             ? hone__db_real(number)
                                             : query->values[query->n_values];
    hone__text_printf(&query->sql,
                      " AND CASE typeof(\"%.*s\") WHEN 'text' THEN \"%.*s\" %s "
                      "?%zu ELSE \"%.*s\" %s ?%zu END",
                      (int)length, text, (int)length, text, sql,
                      query->n_values + 1, (int)length, text, sql,
                      query->n_values + 2);
    query->n_values += 2;
    return HONE_OK;
}

/* COLUMN or COLUMN:desc. What is not known comes last. */
static hone_status add_sort(const hone_show_view *view, const char *names,
                            const char *text, int is_first,
                            hone_show_query *query, hone_error *err)
{
    const size_t length = strcspn(text, ":");
    const char *order = text + length;
    const int is_down = strcmp(order, ":desc") == 0;

    if (*order && !is_down && strcmp(order, ":asc") != 0)
        return hone__fail(err, HONE_ERR_ARGUMENT,
                          "--sort takes COLUMN, COLUMN:asc or COLUMN:desc, not "
                          "'%s'",
                          text);
    HONE_TRY(check_column(view, names, "--sort", text, length, err));
    hone__text_printf(&query->sql, "%s\"%.*s\"%s NULLS LAST",
                      is_first ? " ORDER BY " : ", ", (int)length, text,
                      is_down ? " DESC" : "");
    return HONE_OK;
}

static hone_status add_conditions(const hone_options *options,
                                  const hone_show_view *view, const char *names,
                                  hone_show_query *query, hone_error *err)
{
    int n_sorts = 0;

    hone__text_puts(&query->sql, ") WHERE 1");
    for (size_t i = 0; i < options->n_listed; ++i)
        if (options->listed[i].option == HONE_OPT_WHERE)
            HONE_TRY(
                add_where(view, names, options->listed[i].text, query, err));
    for (size_t i = 0; i < options->n_listed; ++i)
        if (options->listed[i].option == HONE_OPT_SORT)
            HONE_TRY(add_sort(view, names, options->listed[i].text, !n_sorts++,
                              query, err));
    hone__text_puts(&query->sql, HONE_SHOW_LIMIT);
    return HONE_OK;
}

/* Around the view, where rows are chosen or sorted by its columns. */
static hone_status write_query(const hone_options *options,
                               const hone_show_view *view, hone_db *db,
                               hone_show_query *query, hone_error *err)
{
    const size_t length = strlen(view->sql) - strlen(HONE_SHOW_LIMIT);
    hone_text names = {0};
    hone_status status;

    if (!options->text[HONE_OPT_WHERE] && !options->text[HONE_OPT_SORT]) {
        write_view(view->sql, strlen(view->sql), 1, query->values, &query->sql);
        return HONE_OK;
    }
    hone__text_puts(&query->sql, "SELECT * FROM (");
    write_view(view->sql, length, 0, query->values, &query->sql);
    status = hone__text_check(&query->sql, err);
    if (status == HONE_OK)
        status = hone__db_columns(
            db, query->sql.data + strlen("SELECT * FROM ("), &names, err);
    if (status == HONE_OK)
        status =
            add_conditions(options, view, hone__text_str(&names), query, err);
    hone__text_free(&names);
    return status;
}

hone_status hone__show_query_make(const hone_options *options,
                                  const hone_show_view *view, hone_db *db,
                                  hone_show_query *out, hone_error *err)
{
    HONE_TRY(hone__dims_stored(options, options->text[HONE_OPT_OP], &out->dims,
                               err));
    out->values[0] = hone__db_text(options->text[HONE_OPT_OP]);
    out->values[1] =
        hone__db_text(out->dims.length ? hone__text_str(&out->dims) : NULL);
    out->values[2] = hone__db_text(options->text[HONE_OPT_MODE]);
    out->values[3] = hone__db_integer(
        options->text[HONE_OPT_LIMIT] ? options->number[HONE_OPT_LIMIT] : -1);
    out->n_values = 4;
    if (view->more)
        write_view(view->more, strlen(view->more), 1, out->values, &out->more);
    HONE_TRY(hone__text_check(&out->more, err));
    HONE_TRY(write_query(options, view, db, out, err));
    return hone__text_check(&out->sql, err);
}

void hone__show_query_free(hone_show_query *query)
{
    hone__text_free(&query->sql);
    hone__text_free(&query->more);
    hone__text_free(&query->dims);
}
