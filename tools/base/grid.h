/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a table that fits the terminal: columns as wide as what is in
 * them, what is the same in all rows said once above, long texts wrapped
 * between words. Columns for which there is no room even so go below each row,
 * with their titles. */
#ifndef HONE_TOOLS_GRID_H
#define HONE_TOOLS_GRID_H

#include "tools/base/json.h"

enum { HONE_GRID_COLUMNS = 64 };

typedef struct hone_grid {
    hone_column columns[HONE_GRID_COLUMNS];
    size_t n_columns;
    size_t limit; /* characters of a line; 0: any number */
    int hoists;   /* what is the same in all rows is said above them */
    size_t width[HONE_GRID_COLUMNS];
    size_t natural[HONE_GRID_COLUMNS]; /* where there is room for all */
    size_t least[HONE_GRID_COLUMNS];   /* below it words would be broken */
    int is_hidden[HONE_GRID_COLUMNS];
    int is_folded[HONE_GRID_COLUMNS]; /* goes below the row */
    int failed; /* memory ran out: nothing is printed from there on */
} hone_grid;

/* Widths from the titles and from `rows`, an array; print what is above them:
 * titles, if there is more than one column. `is_all`: no others will come. */
void hone__grid_begin(hone_grid *grid, json_t *rows, int is_all);
void hone__grid_row(hone_grid *grid, json_t *row);

#endif
