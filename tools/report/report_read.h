/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files that read a group share. */
#ifndef HONE_TOOLS_REPORT_READ_H
#define HONE_TOOLS_REPORT_READ_H

#include "tools/report/report.h"

/* With problem p and session s: of the operation, on the device, in the mode;
 * ?4 is the beginning of the dimensions, "" any. */
#define HONE_REPORT_OF_GROUP                                                   \
    " WHERE p.op = ?1 AND s.device_id = ?2 AND s.mode = ?3"                    \
    " AND (?4 = '' OR (p.dims >= ?4 AND p.dims < ?4 || '-'))"

typedef struct hone_report_walk {
    hone_report_group *group;
    size_t session; /* the one that was found last: rows come in their order */
} hone_report_walk;

/* NULL for what is not there; *is_lost if memory ran out. */
char *hone__report_text(const hone_db_value *value, int *is_lost);
/* Problems are in the order of their ids. NULL: it is none of them. */
hone_report_problem *hone__report_problem_of(const hone_report_group *group,
                                             int64_t id);
/* Sessions, then trials; `values` are the four of HONE_REPORT_OF_GROUP. */
hone_status hone__report_read_trials(hone_db *db, const hone_db_value *values,
                                     hone_report_walk *walk, hone_error *err);

#endif
