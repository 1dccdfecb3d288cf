/* SPDX-License-Identifier: Apache-2.0 */
/* A search space as hone space shows it, of a template or a T1 file. */
#ifndef HONE_TOOLS_SPACE_VIEW_H
#define HONE_TOOLS_SPACE_VIEW_H

#include "gen/space.h"
#include "tools/base/exit_code.h"
#include "tools/base/arguments.h"
#include "tools/base/json.h"

typedef struct hone_space_view {
    const hone_options *options;
    hone_template *tmpl; /* one of these two */
    hone_t1 *t1;
    hone_space *space;
    double time_ms; /* of its construction; of a T1 file with reading it */
} hone_space_view;

/* Open what the first argument names. Mistakes in it are printed, located,
 * before this fails. Close it in any case. */
hone_status hone__space_view_open(const hone_options *options,
                                  hone_space_view *out, hone_error *err);
void hone__space_view_close(hone_space_view *view);

/* What is known of the space at once. */
json_t *hone__space_view_head(const hone_space_view *view);
const char *hone__space_view_param(const hone_space_view *view, size_t param);
/* The value as people read it. */
void hone__space_view_value(const hone_space_view *view, size_t param,
                            int value, hone_text *out);
/* Of a constraint. */
int hone__space_view_line(const hone_space_view *view, size_t constraint);
const char *hone__space_view_condition(const hone_space_view *view,
                                       size_t constraint);
const char *hone__space_view_message(const hone_space_view *view,
                                     size_t constraint);

/* Print the configurations, or as many as --limit lets through. */
hone_exit hone__space_view_list(const hone_space_view *view);

#endif
