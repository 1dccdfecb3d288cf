/* SPDX-License-Identifier: Apache-2.0 */
/* What a configuration is at a problem, as numbers that a model learns from:
 * what the template says (parameters, lets, its own features), what a launch
 * is (blocks, threads, shared memory), and what follows for the device (blocks
 * on a multiprocessor, waves, how full the last one is, bytes and operations
 * of a block). Sizes are logarithms, so that a ratio is a difference. */
#ifndef HONE_TUNER_MODEL_FEATURES_H
#define HONE_TUNER_MODEL_FEATURES_H

#include "gen/parse/template.h"
#include "runtime/base/device_properties.h"
#include "runtime/base/text.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_features hone_features;

/* Of one problem on one device. The template must outlive it.
 * HONE_ERR_NO_MEMORY. */
hone_status hone__features_create(const hone_template *tmpl,
                                  const int64_t *dims,
                                  const hone_properties *properties,
                                  hone_features **out, hone_error *err);
void hone__features_free(hone_features *features);

/* How many there are: the same for all problems and devices of a template's
 * text. */
size_t hone__features_count(const hone_features *features);

/* What they are called and the digest of the template's text, in one line,
 * joined by blanks: with another text the same name may mean something else. */
void hone__features_identify(const hone_features *features, hone_text *out);

/* Those of one configuration; what cannot be evaluated is 0. Not for two
 * threads at a time. */
void hone__features_get(hone_features *features, const int64_t *config,
                        float *out);

/* The template's own estimate (`feature COST`): log of a time in any unit;
 * INFINITY where it cannot be evaluated. `row` gets the features. Only if there
 * is one. */
int hone__features_have_cost(const hone_features *features);
double hone__features_cost(hone_features *features, const int64_t *config,
                           float *row);
/* The same from a configuration's features; -0.0 where it could not be
 * evaluated, which no estimate is. */
double hone__features_row_cost(const hone_features *features, const float *row);

#endif
