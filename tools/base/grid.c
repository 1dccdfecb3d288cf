/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text: see grid.h. */
#include "tools/base/grid.h"

#include "tools/base/wrap.h"

#include <stdio.h>
#include <string.h>

enum {
    GAP = 2,     /* between columns */
    NARROW = 18, /* a text column is not wrapped to less */
    LONG = 40,   /* longer words are broken: paths, hashes */
    TALL = 3,    /* lines of a cell; what takes more goes below its row */
    INDENT = 4   /* of what had no room in its row */
};

static void print(hone_grid *grid, const hone_text *text)
{
    grid->failed |= text->failed;
    if (!grid->failed)
        (void)fwrite(text->data, 1, text->length, stdout);
}

/* ---- cells --------------------------------------------------------------- */

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

static void print_hoisted(hone_grid *grid, json_t *row)
{
    hone_text line = {0}, text = {0};
    const char *comma = "in all rows: ", *cell;

    for (size_t i = 0; i < grid->n_columns; ++i) {
        if (!grid->is_hidden[i])
            continue;
        cell = cell_text(grid, row, i, &text);
        hone__text_printf(&line, "%s%s %s", comma, grid->columns[i].title,
                          *cell ? cell : "-");
        comma = ", ";
    }
    hone__text_clear(&text);
    hone__wrap(hone__text_str(&line), 0, 0, grid->limit, &text);
    print(grid, &text);
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

static int is_text(const hone_grid *grid, size_t column)
{
    return grid->columns[column].cell == HONE_CELL_TEXT ||
           grid->columns[column].cell == HONE_CELL_CONFIG;
}

static void measure_column(hone_grid *grid, json_t *rows, size_t column)
{
    const char *title = grid->columns[column].title;
    size_t word = hone__wrap_word(title), width = hone__wrap_width(title);
    hone_text text = {0};

    for (size_t j = 0; j < json_array_size(rows); ++j) {
        const char *cell =
            cell_text(grid, json_array_get(rows, j), column, &text);
        const size_t cell_width = hone__wrap_width(cell);
        const size_t cell_word = hone__wrap_word(cell);

        width = cell_width > width ? cell_width : width;
        word = cell_word > word ? cell_word : word;
    }
    hone__text_free(&text);
    word = word < NARROW ? NARROW : word > LONG ? LONG : word;
    grid->width[column] = grid->natural[column] = width;
    grid->least[column] = is_text(grid, column) && word < width ? word : width;
}

static int is_shown(const hone_grid *grid, size_t column)
{
    return !grid->is_hidden[column] && !grid->is_folded[column];
}

static size_t total(const hone_grid *grid, const size_t *widths)
{
    size_t sum = 0;

    for (size_t i = 0; i < grid->n_columns; ++i)
        if (is_shown(grid, i))
            sum += widths[i] + (sum ? GAP : 0);
    return sum;
}

/* A column goes below the rows: the last of those with long texts, else the
 * last one. 0: one is left, which stays. */
static int fold(hone_grid *grid)
{
    size_t wide = grid->n_columns, last = grid->n_columns, n_shown = 0;

    for (size_t i = 0; i < grid->n_columns; ++i)
        if (is_shown(grid, i)) {
            last = i;
            wide = is_text(grid, i) && grid->natural[i] > NARROW ? i : wide;
            ++n_shown;
        }
    if (n_shown < 2)
        return 0;
    grid->is_folded[wide < grid->n_columns ? wide : last] = 1;
    return 1;
}

/* The widest text columns give way, until the line fits. */
static void shrink(hone_grid *grid)
{
    while (total(grid, grid->width) > grid->limit) {
        size_t widest = grid->n_columns, excess, room;

        for (size_t i = 0; i < grid->n_columns; ++i)
            if (is_shown(grid, i) && grid->width[i] > grid->least[i] &&
                (widest == grid->n_columns ||
                 grid->width[i] > grid->width[widest]))
                widest = i;
        if (widest == grid->n_columns)
            return;
        /* Step by step, so that equally wide ones share. */
        excess = total(grid, grid->width) - grid->limit;
        excess = excess > 8 ? 8 : excess;
        room = grid->width[widest] - grid->least[widest];
        grid->width[widest] -= excess < room ? excess : room;
    }
}

/* Would a cell take so many lines that the table is hard to read? One that has
 * half of the line would gain little below its row. */
static int is_tall(const hone_grid *grid)
{
    for (size_t i = 0; i < grid->n_columns; ++i)
        if (is_shown(grid, i) && grid->natural[i] > TALL * grid->width[i] &&
            2 * grid->width[i] < grid->limit)
            return 1;
    return 0;
}

static void fit(hone_grid *grid)
{
    if (!grid->limit)
        return;
    while (total(grid, grid->least) > grid->limit && fold(grid))
        ;
    do {
        memcpy(grid->width, grid->natural, sizeof grid->width);
        shrink(grid);
    } while (is_tall(grid) && fold(grid));
    /* One column is left, and a word of it is too long for a line. */
    for (size_t i = 0; i < grid->n_columns; ++i)
        if (is_shown(grid, i) && grid->width[i] > grid->limit)
            grid->width[i] = grid->limit;
}

/* ---- printing ------------------------------------------------------------ */

static void put_part(const hone_grid *grid, size_t column, const char *text,
                     size_t length, hone_text *out)
{
    const size_t width = grid->width[column];
    const size_t used = hone__wrap_line(text, length);
    const int pad = (int)(width > used ? width - used : 0);

    if (!is_text(grid, column))
        hone__text_printf(out, "%*s", pad, "");
    hone__text_append(out, text, length);
    if (is_text(grid, column))
        hone__text_printf(out, "%*s", pad, "");
}

static void end_line(hone_text *out)
{
    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
    hone__text_puts(out, "\n");
}

/* Puts a line of each cell, and moves `rest` on; 0: that was the last. */
static int put_line(const hone_grid *grid, const char *rest[HONE_GRID_COLUMNS],
                    hone_text *out)
{
    const char *gap = "";
    int is_more = 0;

    for (size_t i = 0; i < grid->n_columns; ++i) {
        const char *text = rest[i] ? rest[i] : "";
        const size_t length = grid->limit ? strcspn(text, "\n") : strlen(text);
        size_t skip = 0, n = length;

        if (!is_shown(grid, i))
            continue;
        hone__text_puts(out, gap);
        gap = "  ";
        if (grid->limit)
            n = hone__wrap_fitting(text, length, grid->width[i], &skip);
        put_part(grid, i, text, n, out);
        text += n + skip;
        text += n + skip == length && *text == '\n';
        rest[i] = *text ? text : NULL;
        is_more |= rest[i] != NULL;
    }
    end_line(out);
    return is_more;
}

/* What had no room in the row, unless nothing is known. */
static void put_folded(const hone_grid *grid, const char *const *cells,
                       hone_text *out)
{
    for (size_t i = 0; i < grid->n_columns; ++i) {
        const char *title = grid->columns[i].title;

        if (!grid->is_folded[i] || !*cells[i] || strcmp(cells[i], "-") == 0)
            continue;
        hone__text_printf(out, "%*s%s: ", INDENT, "", title);
        hone__wrap(cells[i], INDENT + hone__wrap_width(title) + 2, 2 * INDENT,
                   grid->limit, out);
    }
}

static void print_cells(hone_grid *grid, const hone_text *cells, int is_title)
{
    const char *rest[HONE_GRID_COLUMNS] = {NULL};
    const char *whole[HONE_GRID_COLUMNS] = {NULL};
    hone_text out = {0};

    for (size_t i = 0; i < grid->n_columns; ++i)
        rest[i] = whole[i] = hone__text_str(&cells[i]);
    while (put_line(grid, rest, &out))
        ;
    if (!is_title)
        put_folded(grid, whole, &out);
    print(grid, &out);
    hone__text_free(&out);
}

void hone__grid_row(hone_grid *grid, json_t *row)
{
    hone_text cells[HONE_GRID_COLUMNS] = {{0}};

    for (size_t i = 0; i < grid->n_columns; ++i)
        if (!grid->is_hidden[i])
            (void)cell_text(grid, row, i, &cells[i]);
    print_cells(grid, cells, 0);
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
    print_cells(grid, cells, 1);
    for (size_t i = 0; i < grid->n_columns; ++i)
        hone__text_free(&cells[i]);
}

void hone__grid_begin(hone_grid *grid, json_t *rows, int is_all)
{
    if (grid->hoists && is_all && json_array_size(rows) > 1)
        hoist(grid, rows);
    for (size_t i = 0; i < grid->n_columns; ++i)
        if (!grid->is_hidden[i])
            measure_column(grid, rows, i);
    fit(grid);
    if (json_array_size(rows) && grid->n_columns > 1 && !grid->failed)
        print_titles(grid);
}
