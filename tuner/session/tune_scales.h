/* SPDX-License-Identifier: Apache-2.0 */
/* What is right at problems of every scale (hone__template_dim_is_scale). */
#ifndef HONE_TUNER_TUNE_SCALES_H
#define HONE_TUNER_TUNE_SCALES_H

#include "db/db.h"
#include "gen/parse/template.h"

/* `of`, which is stored for the types of `dims`, for those with every other
 * value of scales, too, where `db` has nothing of that configuration. Nothing
 * for operations without scales, or with more than 256 combinations, and for an
 * algorithm of a library, which is of one problem. */
hone_status hone__tune_put_scales(hone_db *db, const hone_template *tmpl,
                                  const int64_t *dims,
                                  const hone_db_variant *of, hone_error *err);

#endif
