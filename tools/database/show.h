/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `hone show` and `hone sql` share: the views, which rows of
 * them are wanted, rows as results. */
#ifndef HONE_TOOLS_SHOW_H
#define HONE_TOOLS_SHOW_H

#include "db/db.h"
#include "tools/base/output.h"

/* Every statement takes the same parameters: ?1 op, ?2 dims, ?3 mode and ?4 the
 * number of rows (-1: all). Where one of these
 * characters stands, the statement that is run has conditions for those that
 * were given alone: "?1 IS NULL OR op = ?1" would keep SQLite from its indexes.
 * A large file is read up to the limit and not sorted: rows are in the order of
 * op and dims, the problems' own index, or the last session comes first. */
#define HONE_SHOW_FILTER "\1"
#define HONE_SHOW_FILTER_BY_PROBLEM "\2"
#define HONE_SHOW_ENOUGH                                                       \
    "\3" /* LIMIT ?4, unless rows are chosen or sorted yet */
#define HONE_SHOW_LIMIT " LIMIT ?4" /* at the end of every statement */

/* What a view that counts trials looks at: as many as half a second has. */
#define HONE_SHOW_MOST_TRIALS "100000"

typedef struct hone_show_view {
    const char *name;
    const char *sql;
    const char *columns; /* those of the text form */
    const char *noun;    /* "winner", of which there may be none */
    const char *more;    /* a row if it left out trials; NULL: it never does */
    int least;           /* the oldest format of a file that has it */
} hone_show_view;

/* "" is the first one. HONE_ERR_ARGUMENT: NULL. */
const hone_show_view *hone__show_view_find(const char *name, hone_error *err);

/* ---- which rows ---------------------------------------------------------- */

enum { HONE_SHOW_MOST_VALUES = 4 + 2 * 16 };

typedef struct hone_show_query {
    hone_text sql;
    hone_text more; /* the view's own, with the same values; "": none */
    hone_text dims; /* as the database spells them; "": any */
    hone_db_value values[HONE_SHOW_MOST_VALUES];
    size_t n_values;
    double numbers[HONE_SHOW_MOST_VALUES]; /* what values borrow */
} hone_show_query;

/* The statement for --op, --dims, --mode, --where, --sort and --limit; values
 * are borrowed from the options. Free it, also after a failure.
 * HONE_ERR_ARGUMENT, HONE_ERR_DIMS. */
hone_status hone__show_query_make(const hone_options *options,
                                  const hone_show_view *view, hone_db *db,
                                  hone_show_query *out, hone_error *err);
void hone__show_query_free(hone_show_query *query);

/* ---- rows ---------------------------------------------------------------- */

enum { HONE_SHOW_MOST_COLUMNS = 64 };

/* What the member of a column is called: as it, cut to fit, the second of two
 * NAME_2. `before` are the `n` in front of it. */
void hone__show_name(const char *name, const hone_column *before, size_t n,
                     char out[40]);
/* A row as an object. */
json_t *hone__show_row(const hone_db_row *row);

#endif
