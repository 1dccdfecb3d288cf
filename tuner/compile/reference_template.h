/* SPDX-License-Identifier: Apache-2.0 */
/* Other templates as references (`check template.NAME`), for their magnitudes
 * (`magnitude template.NAME`), as baselines (`baseline template.NAME`) and as
 * what writes inputs (`inputs template.NAME`): the default configuration of
 * each, compiled
 * before the process that owns the device starts, which inherits it. */
#ifndef HONE_TUNER_OTHER_TEMPLATE_H
#define HONE_TUNER_OTHER_TEMPLATE_H

#include "gen/parse/template.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/compile/farm.h"

/* Four checks, their magnitudes, eight baselines, inputs. */
enum { HONE_MAX_OTHERS = 17 };

typedef enum hone_reference_role {
    HONE_ROLE_CHECK,
    HONE_ROLE_BASELINE,
    HONE_ROLE_INPUTS
} hone_reference_role;

typedef struct hone_reference_template {
    const hone_template *by; /* that names it */
    const char *name;        /* "template.NAME", borrowed from who names it */
    int line;                /* where it is named */
    hone_reference_role role;
    hone_template *tmpl;
    hone_launch_spec *spec;  /* launch plan of its default configuration */
    hone_text code;          /* what the farm made of it */
    int from[HONE_MAX_DIMS]; /* its dimensions among the problem's; -1: their
                                default */
    char why[256];           /* it does not do this problem; "" : it does */
} hone_reference_template;

typedef struct hone_reference_templates {
    size_t n;
    hone_reference_template items[HONE_MAX_OTHERS];
} hone_reference_templates;

typedef struct hone_reference_templates_request {
    const hone_template *tmpl;
    const hone_launch_spec *spec; /* of its default variant */
    const int64_t *dims;          /* completed */
    int every_size;               /* `dims` tells types only */
    const hone_properties *properties;
    const char *arch; /* "sm_90", "cpu" */
    const hone_farm_options *farm;
} hone_reference_templates_request;

/* Whether this check or baseline is another template. */
int hone__reference_template_is(const char *name);

/* Read and compile what the template names; `*out` is NULL if there is
 * nothing. Errors begin with FILE:LINE: HONE_ERR_NOT_FOUND: no such template;
 * HONE_ERR_INPUT: it takes other arguments or dimensions, is checked by the
 * one that names it, or is a check and does not compile. One that refuses the
 * problem is no error: its `why` says so. */
hone_status
hone__reference_templates_open(const hone_reference_templates_request *request,
                               hone_reference_templates **out, hone_error *err);
void hone__reference_templates_close(hone_reference_templates *others);

/* Whether this argument is an input that `inputs` writes. */
int hone__template_writes_input(const hone_template *tmpl,
                                const hone_template *inputs, size_t arg);

/* NULL if there is none of this name. */
const hone_reference_template *
hone__reference_template_find(const hone_reference_templates *others,
                              const char *name);
/* Its dimensions where the problem's are `dims`: those that the problem lacks
 * are HONE_DIM_DEFAULT. */
void hone__reference_template_dims(const hone_reference_template *other,
                                   const int64_t *dims, int64_t *out);
/* HONE_ERR_INPUT: an argument has another type or size there. */
hone_status hone__reference_template_fits(const hone_reference_template *other,
                                          const hone_resolved *mine,
                                          const hone_resolved *its,
                                          hone_error *err);

#endif
