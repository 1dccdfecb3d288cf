/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a report, which the page's script sorts and filters. */
#ifndef HONE_TOOLS_REPORT_TABLES_H
#define HONE_TOOLS_REPORT_TABLES_H

#include "tools/report/chart.h"

/* `columns` is "shape, time \265s:n": titles, and n where there are numbers. A
 * cell that is missing is an en dash, which sorts last. */
void hone__table_begin(hone_text *out, const char *id, const char *caption,
                       const char *columns);
void hone__table_end(hone_text *out);
void hone__table_row(hone_text *out);
/* Which rows a table lists, and which of them are folded. */
typedef struct hone_table_limits {
    size_t most;       /* trials and sessions */
    size_t fold_above; /* a table of more rows is folded behind the first */
} hone_table_limits;
void hone__table_text(hone_text *out, const char *text); /* NULL: missing */
void hone__table_number(hone_text *out, double value);   /* not > 0: missing */
void hone__table_count(hone_text *out, int64_t value);   /* < 0: missing */

/* Of a group; ids begin with `id`. */
void hone__table_problems(const hone_report_group *group, const char *id,
                          const hone_table_limits *limits, hone_text *out);
hone_status hone__table_trials(hone_db *db, const hone_report_group *group,
                               const char *id, const hone_table_limits *limits,
                               hone_text *out, hone_error *err);
void hone__table_sessions(const hone_report_group *group, const char *id,
                          const hone_table_limits *limits, hone_text *out);
void hone__table_outcomes(const hone_report_group *group, const char *id,
                          hone_text *out);

/* The numbers behind a chart that no other table has, folded in; nothing for
 * the other charts. */
void hone__table_of_chart(const hone_report_group *group,
                          const hone_report_params *params, const char *chart,
                          const char *id, hone_text *out);

#endif
