/* SPDX-License-Identifier: Apache-2.0 */
/* What prediction reads, made by hone__chooser_prepare(): see chooser.h. */
#ifndef HONE_RUNTIME_CHOOSER_MODEL_H
#define HONE_RUNTIME_CHOOSER_MODEL_H

#include "runtime/choose/chooser.h"
#include "runtime/expr/expr_code.h"

#include <math.h>

enum { HONE_CHOOSER_MOST_FEATURES = HONE_N_CHOOSER_FEATURES * HONE_MAX_DIMS };

/* Rows of four numbers at a time, so that a small compiler finds vectors in
 * them: what is behind the last one is 0. */
enum { HONE_CHOOSER_LANES = 4 };
static inline size_t hone__chooser_padded(size_t n)
{
    return (n + HONE_CHOOSER_LANES - 1) / HONE_CHOOSER_LANES *
           HONE_CHOOSER_LANES;
}

/* Where values of a decision are: dims, estimates, a stack. */
enum {
    HONE_CHOOSER_STACK = HONE_MAX_DIMS + HONE_CHOOSER_ESTIMATES,
    HONE_CHOOSER_NUMBER = HONE_CHOOSER_STACK + HONE_EXPR_STACK, /* nowhere */
    HONE_CHOOSER_VALUES
};

/* An operation of an estimate (a hone_op; that of constants takes the second
 * operand as it is): values[to] = values[a] op values[b], or op `number` where
 * b is HONE_CHOOSER_NUMBER. A jump goes `number` steps on. */
enum { HONE_CHOOSER_MOVE = HONE_OP_CONST };
typedef struct hone_chooser_step {
    int64_t number;
    uint16_t b, a, to, op;
} hone_chooser_step;

/* Places by fours, which are in vectors: of each such four all first values,
 * then all second ones. The places with numbers that leave the same remainder
 * by this are a group. */
enum { HONE_CHOOSER_PLACE_GROUPS = 64 };

/* With n problems, matrices row by row, rows that begin at multiples of the
 * padded length. All are in `block`. */
struct hone_chooser_model {
    double *block;
    size_t n, n_members;
    size_t row; /* n, padded */
    size_t n_times[HONE_CHOOSER_MEMBERS];
    size_t n_features;  /* those with a weight */
    double *features;   /* n_features x n, weighted */
    double *base;       /* n_members x n: log(time), of some unit; NAN: nothing
                           is known of the member there */
    double *covariance; /* n x row: of all problems */
    double *inverse;    /* of that, zeros behind it */
    double mean_deviation; /* of problems that are left out */
    double *alpha;    /* n_members x n: what the covariances with a problem are
                         multiplied by; 0 where the member has no time */
    double *scratch;  /* as the inverse */
    double *diagonal; /* n_members x n: of the inverse, of those problems alone
                         that the member has times of */
    /* Numbers of the estimates that the costs of members need, in their order:
     * of each up to its end, from that of the member in front on. */
    uint16_t *needs;
    size_t needs_end[HONE_CHOOSER_MEMBERS];
    hone_chooser_step *steps; /* of all estimates, one after the other */
    size_t n_steps;
    uint32_t *steps_begin; /* of each, and where the last one ends */
    /* Of places: the values that are not the same at all of them. */
    size_t n_place_values;
    uint16_t place_values[HONE_CHOOSER_MOST_FEATURES]; /* which */
    size_t n_place_rows; /* of HONE_CHOOSER_PLACE_GROUPS places */
    float *place_block;
    unsigned char is_placed[HONE_CHOOSER_MEMBERS]; /* some place has it */
};

/* Members, in their order, and of each of these how much those weigh who say
 * what it takes beside its cost, and the sum of what they say. */
typedef struct hone_chooser_asked {
    size_t n;
    uint16_t members[HONE_CHOOSER_MEMBERS];
    float weight[HONE_CHOOSER_MEMBERS], beside[HONE_CHOOSER_MEMBERS];
} hone_chooser_asked;

void hone__chooser_model_free(hone_chooser_model *model); /* NULL: nothing */

/* ---- chooser_features.c ---------------------------------------------------
 */

/* What is known of dims: n_dims values of each kind of feature. */
void hone__chooser_values(size_t n_dims, const hone_launch_spec *spec,
                          const int64_t *dims, double *out);
/* Those that have a weight, times that, `stride` apart; how many comes back. */
size_t hone__chooser_features(const hone_chooser *chooser, const double *values,
                              double *out, size_t stride);

/* ---- chooser_steps.c, chooser_costs.c ------------------------------------
 */

/* Make ready: `steps`, `needs`; HONE_ERR_NO_MEMORY. */
hone_status hone__chooser_prepare_costs(const hone_chooser *chooser,
                                        hone_chooser_model *model,
                                        hone_error *err);
/* What prediction corrects, of the members that are asked (n_members numbers,
 * of others not set): log of a time; not finite: no prediction. */
void hone__chooser_bases(const hone_chooser *chooser,
                         const hone_chooser_model *model,
                         const hone_launch_case *plan,
                         const hone_chooser_asked *asked, double *out);

/* ---- chooser_places.c -----------------------------------------------------
 */

/* Make ready; HONE_ERR_NO_MEMORY. */
hone_status hone__chooser_prepare_places(const hone_chooser *chooser,
                                         const hone_launch_spec *spec,
                                         hone_chooser_model *model,
                                         hone_error *err);
/* Who may be the best at dims of these values, and what these take there beside
 * what they cost. */
void hone__chooser_ask_places(const hone_chooser *chooser,
                              const hone_chooser_model *model,
                              const double *values, hone_chooser_asked *out);

/* ---- chooser_predict.c ----------------------------------------------------
 */

/* With all problems, model->row of them; that with itself comes back. */
double hone__chooser_covariances(const hone_chooser *chooser,
                                 const hone_chooser_model *model,
                                 const double *features, double *out);

/* How sure one is of guesses with this standard deviation, where `error` is
 * that of problems that are left out, or 0. */
static inline double hone__chooser_doubt(const hone_chooser_model *model,
                                         double deviation, double error)
{
    return error > 0 ? error * deviation / model->mean_deviation : deviation;
}

/* The guess of a member is set; is it a prediction? */
static inline void hone__chooser_add_predicted(hone_chooser_guesses *guesses,
                                               size_t member)
{
    const hone_chooser_guess *guess = &guesses->of[member];

    if (guess->doubt >= 0 && isfinite(guess->log_ns))
        guesses->predicted[guesses->n_predicted++] = (uint16_t)member;
}

/* Rounding may leave less than nothing of a variance. */
static inline double hone__chooser_deviation(double variance)
{
    return variance > 0 ? sqrt(variance) : 0;
}

#endif
