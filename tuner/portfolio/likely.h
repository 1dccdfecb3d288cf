/* SPDX-License-Identifier: Apache-2.0 */
/* Problems that a program may ask for next: between those that are tuned. What
 * configurations cost there is known from their template (`feature COST`)
 * without measuring anything; so a portfolio has candidates that would be the
 * cheapest there, and its members cover these problems, too. */
#ifndef HONE_TUNER_PORTFOLIO_LIKELY_H
#define HONE_TUNER_PORTFOLIO_LIKELY_H

#include "gen/space.h"
#include "tuner/model/features.h"
#include "tuner/portfolio/lessons.h"

enum { HONE_LIKELY_MOST = 896 };

typedef struct hone_likely {
    const hone_template *tmpl;
    hone_space *space;
    hone_features *features;
    const hone_lesson *lesson;
    float *row; /* scratch */
} hone_likely;

/* Costs of a template's configurations at a problem, and what trials teach
 * beside them (`lesson`, which may be NULL); close it also after a failure.
 * HONE_ERR_CONSTRAINT: none is valid there. */
hone_status hone__likely_open(const hone_template *tmpl, const int64_t *dims,
                              const hone_properties *properties,
                              const hone_lesson *lesson, hone_likely *out,
                              hone_error *err);
/* The same, of known configurations alone: of it only costs may be asked, and
 * it is open where no configuration is valid, too. */
hone_status hone__likely_open_unsolved(const hone_template *tmpl,
                                       const int64_t *dims,
                                       const hone_properties *properties,
                                       const hone_lesson *lesson,
                                       hone_likely *out, hone_error *err);
void hone__likely_close(hone_likely *likely);

/* The logarithm of a cost, `*out_beside` of it by the lesson; NAN: it is no
 * configuration there, or one that the template advises against, or its cost
 * cannot be evaluated. */
double hone__likely_cost(const hone_likely *likely, const int64_t *config,
                         double *out_beside);
/* The configuration that costs least, as far as a sample of the space and steps
 * from its best ones find it, and the logarithm of its cost. `config` has room
 * for the parameters. HONE_ERR_CONSTRAINT: none says what it costs. */
hone_status hone__likely_cheapest(const hone_likely *likely, int64_t *config,
                                  double *out_cost, hone_error *err);

#endif
