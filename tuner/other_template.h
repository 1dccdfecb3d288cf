/* SPDX-License-Identifier: Apache-2.0 */
/* Other templates as references (`check template.NAME`) and as rivals
 * (`baseline template.NAME`): the default configuration of each, compiled
 * before the process that owns the device starts, which inherits it. */
#ifndef HONE_TUNER_OTHER_TEMPLATE_H
#define HONE_TUNER_OTHER_TEMPLATE_H

#include "gen/template.h"
#include "tuner/tuner.h"

enum { HONE_MAX_OTHERS = 12 }; /* four checks and eight baselines */

typedef struct hone_other {
    const char *name; /* "template.NAME", borrowed from who names it */
    int line;         /* where it is named */
    int is_check;
    hone_template *tmpl;
    hone_text spec;          /* launch plan of its default configuration */
    hone_text code;          /* what the farm made of it */
    int from[HONE_MAX_DIMS]; /* its dimensions among the problem's; -1: their
                                default */
    char why[256];           /* it does not do this problem; "" : it does */
} hone_other;

typedef struct hone_others {
    const hone_template *tmpl; /* that names them */
    size_t n;
    hone_other items[HONE_MAX_OTHERS];
} hone_others;

typedef struct hone_others_request {
    const hone_template *tmpl;
    const char *launch_spec; /* of its default variant */
    const int64_t *dims;     /* completed */
    int every_size;          /* `dims` tells types only */
    const hone_facts *facts;
    const char *arch; /* "sm_90", "cpu" */
    const hone_farm_options *farm;
} hone_others_request;

/* Whether this check or baseline is another template. */
int hone__other_is(const char *name);

/* Read and compile what the template names; `*out` is NULL if there is
 * nothing. Errors begin with FILE:LINE: HONE_ERR_NOT_FOUND: no such template;
 * HONE_ERR_INPUT: it takes other arguments or dimensions, is checked by the
 * one that names it, or is a check and does not compile. One that refuses the
 * problem is no error: its `why` says so. */
hone_status hone__others_open(const hone_others_request *request,
                              hone_others **out, hone_error *err);
void hone__others_close(hone_others *others);

/* NULL if there is none of this name. */
const hone_other *hone__other_find(const hone_others *others,
                                   const char *name);
/* Its dimensions where the problem's are `dims`. */
void hone__other_dims(const hone_other *other, const int64_t *dims,
                      int64_t *out);
/* HONE_ERR_INPUT: an argument has another type or size there. */
hone_status hone__other_fits(const hone_others *others,
                             const hone_other *other,
                             const hone_resolved *mine,
                             const hone_resolved *its, hone_error *err);

#endif
