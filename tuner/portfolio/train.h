/* SPDX-License-Identifier: Apache-2.0 */
/* A chooser of a table of times: the weights and parameters with which it loses
 * least at problems that were left out. Pure. */
#ifndef HONE_TUNER_PORTFOLIO_TRAIN_H
#define HONE_TUNER_PORTFOLIO_TRAIN_H

#include "tuner/portfolio/portfolio.h"

/* With fewer problems one that is left out leaves too few to learn from. */
enum { HONE_TRAIN_LEAST_PROBLEMS = HONE_CHOOSER_LEAST_TIMES + 1 };

/* `chooser` has members, dims and times. Sets weights, parameters and errors,
 * and leaves it prepared with them; the same times give the same. `safe`:
 * n_members flags, as for hone__chooser_decide(). What was lost with each
 * problem left out is of the weights that were chosen by it, so rather too
 * small. */
hone_status hone__portfolio_train(hone_chooser *chooser,
                                  const hone_launch_case *plan,
                                  const unsigned char *safe,
                                  hone_portfolio_loss *out, hone_error *err);

/* What choices lose: of each problem its time over that of the best member,
 * added up. */
typedef struct hone_loss_sum {
    double sum; /* of logarithms */
    double worst;
    size_t n;
} hone_loss_sum;

void hone__loss_add(hone_loss_sum *sum, double time_ns, double best_ns);
hone_portfolio_loss hone__loss_of(const hone_loss_sum *sum);

#endif
