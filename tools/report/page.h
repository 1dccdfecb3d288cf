/* SPDX-License-Identifier: Apache-2.0 */
/* The page: overview, a section for each group, provenance. */
#ifndef HONE_TOOLS_REPORT_PAGE_H
#define HONE_TOOLS_REPORT_PAGE_H

#include "tools/report/tables.h"

/* Parts are written as groups come and put together at the end. */
typedef struct hone_report_page {
    hone_text overview, contents, sections, provenance;
    size_t n_groups, n_problems, n_trials;
    hone_table_limits limits;
} hone_report_page;

/* A group, whose parameters are analysed already. */
hone_status hone__report_page_add(hone_db *db, const hone_report_group *group,
                                  hone_report_page *page, hone_error *err);
/* Append the page. */
void hone__report_page_write(hone_report_page *page, hone_text *out);
void hone__report_page_free(hone_report_page *page);

#endif
