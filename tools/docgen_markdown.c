/* SPDX-License-Identifier: Apache-2.0 */
/* hone-db(5), of db/FORMAT.md and of the tables that a new database has. */
#include "tools/docgen_page.h"

#include "db/db.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line may be a row of a table, with a paragraph in a cell. */
enum { LINE_BYTES = 2048 };

void hone__page_escape(const char *text, size_t length)
{
    /* What makes a list, a table or a comment does so at a line's beginning. */
    if (length && strchr("-.|[];", *text))
        (void)putchar('\\');
    for (size_t i = 0; i < length; ++i) {
        if (strchr("_*\\<>#`+", text[i]))
            (void)putchar('\\');
        (void)putchar(text[i]);
    }
}

/* ---- Markdown ------------------------------------------------------------ */

/* Words in backticks, or between two asterisks, are bold. */
static void put_inline(const char *text, size_t length)
{
    const char *const end = text + length;

    while (text < end) {
        const char *mark = strpbrk(text, "`*");
        const size_t n_marks = mark && *mark == '*' ? 2 : 1;
        const char *close;

        if (!mark || mark >= end) {
            hone__page_escape(text, (size_t)(end - text));
            return;
        }
        hone__page_escape(text, (size_t)(mark - text));
        text = mark + n_marks;
        for (close = text; close < end && *close != *mark; ++close) {
        }
        (void)printf("*");
        hone__page_escape(text, (size_t)(close - text));
        (void)printf("*");
        text = close < end ? close + n_marks : end;
    }
}

static void put_heading(const char *line)
{
    const size_t level = strspn(line, "#");

    line += level;
    line += strspn(line, " ");
    if (level == 1)
        return; /* the page has a title of its own */
    (void)printf("%s ", level == 2 ? "#" : "##");
    for (size_t i = 0; line[i]; ++i) {
        char c = line[i];

        if (c == '`')
            continue;
        if (level == 2)
            c = (char)toupper((unsigned char)c);
        hone__page_escape(&c, 1);
    }
    (void)printf("\n\n");
}

/* The end of the cell that begins at `cell`: a bar that is not in backticks. */
static const char *cell_end(const char *cell)
{
    int in_code = 0;

    for (; *cell && (*cell != '|' || in_code); ++cell)
        in_code ^= *cell == '`';
    return cell;
}

/* The first cell is a term, the others describe it. */
static void put_row(const char *line)
{
    size_t n = 0;

    for (const char *cell = line + 1; *cell;) {
        const char *end = cell_end(cell);
        const char *next = *end ? end + 1 : end;

        cell += strspn(cell, " ");
        while (end > cell && end[-1] == ' ')
            --end;
        (void)printf("%s", n == 0 ? "" : n == 1 ? "\n\t" : "; ");
        if (n == 0 && end > cell && *cell != '`')
            (void)printf("*");
        put_inline(cell, (size_t)(end - cell));
        if (n == 0 && end > cell && *cell != '`')
            (void)printf("*");
        cell = next;
        ++n;
    }
    (void)printf("\n\n");
}

int hone__page_markdown(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[LINE_BYTES];
    int in_code = 0, n_rows = 0;

    if (!file) {
        perror(path);
        return 0;
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        n_rows = line[0] == '|' ? n_rows + 1 : 0;
        if (strncmp(line, "```", 3) == 0) {
            in_code = !in_code;
            (void)printf("```\n");
        } else if (in_code) {
            (void)printf("%s\n", line);
        } else if (n_rows) {
            if (n_rows > 2) /* behind the head and its line */
                put_row(line);
        } else if (line[0] == '#') {
            put_heading(line);
        } else {
            put_inline(line, strlen(line));
            (void)printf("\n");
        }
    }
    (void)fclose(file);
    return 1;
}

/* ---- tables -------------------------------------------------------------- */

static int put_tables(sqlite3 *db)
{
    static const char sql[] =
        "SELECT m.name, c.name, c.type, c.\"notnull\", c.pk, c.cid"
        "  FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"
        " ORDER BY m.name, c.cid";
    sqlite3_stmt *rows = NULL;
    int n = 0;

    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) != SQLITE_OK)
        return 0;
    for (; sqlite3_step(rows) == SQLITE_ROW; ++n) {
        const char *table = (const char *)sqlite3_column_text(rows, 0);
        const char *column = (const char *)sqlite3_column_text(rows, 1);

        if (sqlite3_column_int(rows, 5) == 0) {
            (void)printf("%s*", n ? "\n\n" : "");
            hone__page_escape(table, strlen(table));
            (void)printf("*\n\t");
        } else {
            (void)printf(", ");
        }
        (void)printf("*");
        hone__page_escape(column, strlen(column));
        (void)printf("* %s%s%s", (const char *)sqlite3_column_text(rows, 2),
                     sqlite3_column_int(rows, 3) ? " not null" : "",
                     sqlite3_column_int(rows, 4) ? " key" : "");
    }
    (void)printf("\n\n");
    return sqlite3_finalize(rows) == SQLITE_OK && n > 0;
}

int hone__page_tables(const char *file)
{
    hone_error err = {0};
    hone_db *db = NULL;
    sqlite3 *tables = NULL;
    int is_done = 0;

    (void)unlink(file);
    if (hone__db_open(file, HONE_DB_CREATE, &db, &err) != HONE_OK)
        (void)fprintf(stderr, "docgen: %s\n", err.text);
    else
        is_done =
            sqlite3_open(file, &tables) == SQLITE_OK && put_tables(tables);
    (void)sqlite3_close(tables);
    hone__db_close(db);
    (void)unlink(file);
    return is_done;
}
