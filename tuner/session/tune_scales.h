/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's function at problems of every scale (hone__template_dim_is_scale).
 */
#ifndef HONE_TUNER_TUNE_SCALES_H
#define HONE_TUNER_TUNE_SCALES_H

#include "db/db.h"
#include "gen/parse/template.h"

typedef struct hone_scales {
    hone_db *db;
    const hone_template *tmpl; /* the one that stands for the function */
    int64_t template_id;
    const int64_t *dims; /* of a problem that was tuned */
    const char *arch;    /* of its variants: "sm_90" */
} hone_scales;

/* If the last trial of its default variant, of the types of `dims`, is right,
 * it is the default for those with every other value of scales, too, where `db`
 * has none; unless the last trial of any such default is wrong: then it is none
 * where it was not tried. Nothing for kernels, for operations without scales,
 * and for more than 256 combinations of them. */
hone_status hone__tune_settle_scales(const hone_scales *scales,
                                     hone_error *err);

#endif
