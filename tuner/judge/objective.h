/* SPDX-License-Identifier: Apache-2.0 */
/* What a run looks for beside the least time: expressions over what is known of
 * a trial, the less the better. Numbers are doubles: an energy times a time
 * leaves 64-bit integers behind. */
#ifndef HONE_TUNER_OBJECTIVE_H
#define HONE_TUNER_OBJECTIVE_H

#include "runtime/base/error.h"

#include <stddef.h>

/* X(name, meaning). What nobody knows of a trial is NaN. */
#define HONE_FACT_MAP(X)                                                       \
    X(time_ns, "time of one execution")                                        \
    X(energy_uj, "energy of one execution in microjoules, measured in the "    \
                 "final")                                                      \
    X(registers, "of a thread, the most of its kernels")                       \
    X(spill_bytes, "that the compiler spills, of a thread")                    \
    X(shared_bytes, "of shared memory in a block, the most of its launches")   \
    X(workspace_bytes, "of device memory beside the arguments")                \
    X(launches, "of kernels in one execution")                                 \
    X(threads, "of a block, the most of its launches")                         \
    X(flops, "that the template declares, 0 if it does not")                   \
    X(bytes, "likewise")

typedef enum hone_fact {
#define HONE_FACT_ENUM(name, meaning) HONE_FACT_##name,
    HONE_FACT_MAP(HONE_FACT_ENUM)
#undef HONE_FACT_ENUM
        HONE_N_FACTS
} hone_fact;

typedef struct hone_facts {
    double value[HONE_N_FACTS];
} hone_facts;

/* All unknown. */
hone_facts hone__facts(void);

typedef struct hone_objective {
    char name[120]; /* as it was given */
    char text[120]; /* the expression */
    unsigned uses;  /* bit per fact */
} hone_objective;

enum { HONE_MOST_OBJECTIVES = 4 };

typedef struct hone_objectives {
    hone_objective items[HONE_MOST_OBJECTIVES];
    size_t n; /* 0: the time alone */
} hone_objectives;

/* "time", "energy", "edp" (energy times time) or an expression: numbers, facts,
 * + - * /, parentheses, min, max, pow, sqrt, log. Several with commas between.
 * HONE_ERR_ARGUMENT says where it goes wrong, or which facts there are. */
hone_status hone__objectives_read(const char *text, hone_objectives *out,
                                  hone_error *err);
/* NaN where a fact that it uses is unknown, or it has no value. */
double hone__objective_value(const hone_objective *objective,
                             const hone_facts *facts);
int hone__objective_uses(const hone_objective *objective, hone_fact fact);
int hone__objectives_use(const hone_objectives *objectives, hone_fact fact);
/* The first that a trial tells, and that is not the time; NULL: there is none.
 */
const hone_objective *
hone__objectives_searched(const hone_objectives *objectives);

/* Names and facts with a sentence each, for help; 0: there are no more. */
int hone__objective_about(size_t i, const char **out_name,
                          const char **out_summary);

/* Which of `n` rows of `m` values nobody beats in one value without losing in
 * another. A row with an unknown value is not on the front. */
void hone__pareto_front(const double *rows, size_t n, size_t m,
                        int *out_is_on_front);

#endif
