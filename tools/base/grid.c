/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text: see grid.h. */
#include "tools/base/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    GAP = 2,      /* between columns */
    NARROW = 18,  /* a text column is not wrapped to less, */
    NARROWEST = 8 /* but where nothing else helps */
};

size_t hone__grid_limit(void)
{
    const char *columns = getenv("COLUMNS");
    const long named = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;

    if (named >= 2 * NARROW)
        return (size_t)named;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= 2 * NARROW)
        return size.ws_col;
    return 0;
}

/* ---- cells --------------------------------------------------------------- */

/* Columns on a terminal: code points of UTF-8, up to the end of the line. */
static size_t line_width(const char *text, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; ++i)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

static size_t text_width(const char *text)
{
    size_t most = 0;

    for (;;) {
        const size_t length = strcspn(text, "\n");
        const size_t width = line_width(text, length);

        most = width > most ? width : most;
        if (!text[length])
            return most;
        text += length + 1;
    }
}

/* Is the part "K=V" one of the list "K=V,..."? */
static int has_part(const char *list, const char *part, size_t length)
{
    while (*list) {
        const size_t n = strcspn(list, ",");

        if (n == length && memcmp(list, part, n) == 0)
            return 1;
        list += n + (list[n] == ',');
    }
    return 0;
}

/* A configuration as what it has that the default has not. */
static void put_difference(const char *config, const char *other,
                           hone_text *out)
{
    const char *comma = "";

    while (*config) {
        const size_t n = strcspn(config, ",");

        if (!has_part(other, config, n)) {
            hone__text_puts(out, comma);
            hone__text_append(out, config, n);
            comma = ",";
        }
        config += n + (config[n] == ',');
    }
    if (!*comma)
        hone__text_puts(out, "(default)");
}

/* The default that a column's configurations are compared with: the member
 * "default_KEY" of the row. */
static const char *default_of(json_t *row, const char *key)
{
    char member[64];

    (void)snprintf(member, sizeof member, "default_%s", key);
    return json_string_value(json_object_get(row, member));
}

static const char *cell_text(hone_grid *grid, json_t *row, size_t column,
                             hone_text *text)
{
    const hone_column *spec = &grid->columns[column];
    json_t *value = json_object_get(row, spec->key);
    const char *string = json_string_value(value);
    const char *other =
        spec->cell == HONE_CELL_CONFIG ? default_of(row, spec->key) : NULL;

    hone__text_clear(text);
    if (string && other && *string)
        put_difference(string, other, text);
    else if (column + 1 == grid->n_columns && string)
        hone__value_lines(string, text);
    else
        hone__value_text(value, spec->cell, text);
    grid->failed |= text->failed;
    return hone__text_str(text);
}

/* ---- what is the same ---------------------------------------------------- */

static int is_same(hone_grid *grid, json_t *rows, size_t column)
{
    hone_text first = {0}, text = {0};
    int same = 1;

    (void)cell_text(grid, json_array_get(rows, 0), column, &first);
    for (size_t i = 1; i < json_array_size(rows) && same; ++i)
        same = strcmp(cell_text(grid, json_array_get(rows, i), column, &text),
                      hone__text_str(&first)) == 0;
    hone__text_free(&first);
    hone__text_free(&text);
    return same;
}

/* Of a text, how much of it fits into a line: up to a blank or behind a comma,
 * where there is one. `*out_skip` characters are at neither line. */
static size_t fitting(const char *text, size_t length, size_t width,
                      size_t *out_skip)
{
    size_t n = 0, columns = 0, best = 0;

    *out_skip = 0;
    while (n < length) {
        columns += ((unsigned char)text[n] & 0xc0) != 0x80;
        if (columns > width)
            break;
        ++n;
        if (n == length || text[n] == ' ' || text[n - 1] == ',')
            best = n;
    }
    if (n == length || !best)
        return n;
    *out_skip = text[best] == ' ';
    return best;
}

static void print_hoisted(hone_grid *grid, json_t *row)
{
    hone_text line = {0}, text = {0};
    const char *comma = "in all rows: ";
    const char *at;

    for (size_t i = 0; i < grid->n_columns; ++i) {
        if (!grid->is_hidden[i])
            continue;
        hone__text_printf(&line, "%s%s %s", comma, grid->columns[i].title,
                          cell_text(grid, row, i, &text));
        comma = ", ";
    }
    grid->failed |= line.failed;
    for (at = hone__text_str(&line); *at && !grid->failed;) {
        size_t skip;
        const size_t n = fitting(at, strlen(at),
                                 grid->limit ? grid->limit : SIZE_MAX, &skip);

        (void)printf("%.*s\n", (int)n, at);
        at += n + skip;
    }
    hone__text_free(&line);
    hone__text_free(&text);
}

static void hoist(hone_grid *grid, json_t *rows)
{
    size_t n_shown = grid->n_columns;

    for (size_t i = 0; i < grid->n_columns && n_shown > 1; ++i) {
        grid->is_hidden[i] = is_same(grid, rows, i);
        n_shown -= (size_t)grid->is_hidden[i];
    }
    if (n_shown < grid->n_columns)
        print_hoisted(grid, json_array_get(rows, 0));
}

/* ---- widths -------------------------------------------------------------- */

static void measure(hone_grid *grid, json_t *rows)
{
    hone_text text = {0};

    for (size_t i = 0; i < grid->n_columns; ++i) {
        if (grid->is_hidden[i])
            continue;
        grid->last = i;
        grid->width[i] = text_width(grid->columns[i].title);
        for (size_t j = 0; j < json_array_size(rows); ++j) {
            const size_t width =
                text_width(cell_text(grid, json_array_get(rows, j), i, &text));

            if (width > grid->width[i])
                grid->width[i] = width;
        }
    }
    hone__text_free(&text);
}

static size_t total(const hone_grid *grid)
{
    size_t sum = 0;

    for (size_t i = 0; i < grid->n_columns; ++i)
        if (!grid->is_hidden[i])
            sum += grid->width[i] + (sum ? GAP : 0);
    return sum;
}

/* The widest text columns give way, until the line fits or none can. */
static void shrink(hone_grid *grid, size_t least)
{
    while (grid->limit && total(grid) > grid->limit) {
        size_t widest = grid->n_columns, excess, room;

        for (size_t i = 0; i < grid->n_columns; ++i)
            if (!grid->is_hidden[i] && grid->width[i] > least &&
                (grid->columns[i].cell == HONE_CELL_TEXT ||
                 grid->columns[i].cell == HONE_CELL_CONFIG) &&
                (widest == grid->n_columns ||
                 grid->width[i] > grid->width[widest]))
                widest = i;
        if (widest == grid->n_columns)
            return;
        /* Step by step, so that equally wide ones share. */
        excess = total(grid) - grid->limit;
        excess = excess > 8 ? 8 : excess;
        room = grid->width[widest] - least;
        grid->width[widest] -= excess < room ? excess : room;
    }
}

/* ---- printing ------------------------------------------------------------ */

static void print_part(const hone_grid *grid, size_t column, const char *text,
                       size_t length)
{
    const size_t width = grid->width[column];
    const size_t used = line_width(text, length);
    const int pad = (int)(width > used ? width - used : 0);

    if (grid->columns[column].cell == HONE_CELL_TEXT ||
        grid->columns[column].cell == HONE_CELL_CONFIG)
        (void)printf("%.*s%*s", (int)length, text,
                     column == grid->last ? 0 : pad, "");
    else
        (void)printf("%*s%.*s", pad, "", (int)length, text);
}

/* Prints a line of each cell, and moves `rest` on; 0: that was the last. */
static int print_line(const hone_grid *grid,
                      const char *rest[HONE_GRID_COLUMNS])
{
    const char *gap = "";
    int is_more = 0;

    for (size_t i = 0; i < grid->n_columns; ++i) {
        const size_t length = rest[i] ? strcspn(rest[i], "\n") : 0;
        size_t skip = 0, n = length;

        if (grid->is_hidden[i])
            continue;
        /* The columns behind may be empty in this line. */
        (void)fputs(gap, stdout);
        gap = "  ";
        if (grid->limit && rest[i])
            n = fitting(rest[i], length, grid->width[i], &skip);
        print_part(grid, i, rest[i] ? rest[i] : "", n);
        if (!rest[i])
            continue;
        rest[i] += n + skip;
        if (n + skip == length && *rest[i] == '\n')
            ++rest[i];
        else if (!*rest[i])
            rest[i] = NULL;
        is_more |= rest[i] != NULL;
    }
    (void)putchar('\n');
    return is_more;
}

static void print_cells(hone_grid *grid, hone_text cells[HONE_GRID_COLUMNS])
{
    const char *rest[HONE_GRID_COLUMNS] = {NULL};

    for (size_t i = 0; i < grid->n_columns; ++i)
        rest[i] = hone__text_str(&cells[i]);
    if (grid->failed)
        return;
    if (grid->limit) {
        while (print_line(grid, rest))
            ;
        return;
    }
    /* Whole lines, however long; what a cell has in more goes below them. */
    for (size_t i = 0, n = 0; i < grid->n_columns; ++i) {
        if (grid->is_hidden[i])
            continue;
        (void)fputs(n++ ? "  " : "", stdout);
        print_part(grid, i, rest[i], strlen(rest[i]));
    }
    (void)putchar('\n');
}

void hone__grid_row(hone_grid *grid, json_t *row)
{
    hone_text cells[HONE_GRID_COLUMNS] = {{0}};

    for (size_t i = 0; i < grid->n_columns; ++i)
        if (!grid->is_hidden[i])
            (void)cell_text(grid, row, i, &cells[i]);
    print_cells(grid, cells);
    for (size_t i = 0; i < grid->n_columns; ++i)
        hone__text_free(&cells[i]);
}

static void print_titles(hone_grid *grid)
{
    hone_text cells[HONE_GRID_COLUMNS] = {{0}};

    for (size_t i = 0; i < grid->n_columns; ++i) {
        hone__text_puts(&cells[i], grid->columns[i].title);
        grid->failed |= cells[i].failed;
    }
    print_cells(grid, cells);
    for (size_t i = 0; i < grid->n_columns; ++i)
        hone__text_free(&cells[i]);
}

void hone__grid_begin(hone_grid *grid, json_t *rows, int is_all)
{
    if (grid->hoists && is_all && json_array_size(rows) > 1)
        hoist(grid, rows);
    measure(grid, rows);
    shrink(grid, NARROW);
    shrink(grid, NARROWEST);
    if (json_array_size(rows) && grid->n_columns > 1 && !grid->failed)
        print_titles(grid);
}
