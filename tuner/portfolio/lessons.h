/* SPDX-License-Identifier: Apache-2.0 */
/* What trials teach of what a template's costs leave (tuner/model), so that
 * likely problems get the variants that are fast there and not those that cost
 * little. At a problem that has trials the trees that are asked have not seen
 * these: what they leave there is what they leave at others. */
#ifndef HONE_TUNER_PORTFOLIO_LESSONS_H
#define HONE_TUNER_PORTFOLIO_LESSONS_H

#include "tuner/model/model.h"
#include "tuner/portfolio/matrix.h"

/* From all trials of the implementation on the matrix' device and of its types.
 * NULL in *out: too few to learn from. HONE_ERR_NO_MEMORY, or the database's.
 */
hone_status hone__lessons_learn(const hone_matrix *matrix, size_t impl,
                                hone_lessons **out, hone_error *err);
void hone__lessons_free(hone_lessons *lessons); /* NULL: nothing */

/* Who is to be asked at a problem, whether it has trials or not. */
typedef struct hone_lesson hone_lesson;
const hone_lesson *hone__lessons_at(const hone_lessons *lessons,
                                    const int64_t *dims);

/* log of what a configuration takes beside others for what it costs beside
 * them; `row`: its features there. NULL: 0. Thread-safe. */
double hone__lesson(const hone_lesson *lesson, const float *row);

#endif
