/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of hone simulate share: every strategy on every space (one
 * recording each) gives a cell; tables and figures are made of the cells. */
#ifndef HONE_TOOLS_SIMULATE_H
#define HONE_TOOLS_SIMULATE_H

#include "tools/base/option_value.h"
#include "tools/base/output.h"
#include "tools/base/start_file.h"
#include "tuner/replay/replay_score.h"

/* Spaces whose budget is at most so many evaluations decide by luck: the
 * score is also given without them. */
enum { HONE_LONG_BUDGET = 100 };

/* Evaluation counts at which curves have a value. */
enum { HONE_MOST_MARKS = 12 };

/* What the runs of one strategy on one recording gave. */
typedef struct hone_simulated {
    double best_ns;     /* median; 0: none found a valid one */
    double fraction;    /* of the optimum, mean */
    double evaluations; /* mean */
    double simulated_s; /* mean */
    double score;
    int has_score;
    hone_replay_budget budget; /* of the figures above, but the score */
    hone_replay_fraction curve[HONE_MOST_MARKS];
    char message[1024]; /* what is missing and why */
} hone_simulated;

typedef struct hone_simulation {
    const hone_options *options;
    hone_recordings *files; /* one list per argument */
    const hone_recording **spaces;
    size_t n_spaces;
    char **names;                /* of the spaces, short and unique */
    hone_replay_budget *budgets; /* of their scores; {0, 0}: no score */
    int64_t **starts;            /* of --start, for each space; or NULL */
    hone_start_file start;
    hone_strategies strategies;
    int64_t repeats;
    uint64_t seed;
    int64_t batch;
    int n_threads;
    hone_replay_budget budget;      /* of --budget */
    double until_gain;              /* of --until; 0: none */
    int64_t marks[HONE_MOST_MARKS]; /* ascending */
    size_t n_marks;                 /* 0: no curves are wanted */
    hone_simulated *cells; /* all strategies of a space, then the next */
} hone_simulation;

hone_simulated *hone__simulation_cell(const hone_simulation *s, size_t space,
                                      size_t strategy);

/* Run one cell (simulate_run.c). */
hone_status hone__simulation_run(const hone_simulation *s, size_t space,
                                 size_t strategy, hone_error *err);

/* Fill `names` (simulate_names.c). HONE_ERR_NO_MEMORY. */
hone_status hone__simulation_names(hone_simulation *s, hone_error *err);

/* Scores of one strategy over the spaces. */
typedef struct hone_score_summary {
    size_t n; /* 0: there is none */
    double mean;
    double median;
    double worst;
} hone_score_summary;

/* Over all of them, and over those that do not decide by luck. */
hone_status hone__simulation_summary(const hone_simulation *s, size_t strategy,
                                     hone_score_summary out[2],
                                     hone_error *err);

/* Results (simulate_rows.c): rows for all formats, and what follows them. */
hone_output *hone__simulation_begin(const hone_simulation *s);
json_t *hone__simulation_row(const hone_simulation *s, size_t space,
                             size_t strategy);
hone_status hone__simulation_tail(const hone_simulation *s, json_t **out,
                                  hone_error *err);

/* --curves, --at and --svg: fill `marks` (simulate_rows.c).
 * HONE_ERR_ARGUMENT. */
hone_status hone__simulation_marks(hone_simulation *s, hone_error *err);
/* One mark of a curve; of `space` n_spaces the mean over the spaces. 0: none
 * of them has a valid configuration. */
int hone__simulation_fraction(const hone_simulation *s, size_t space,
                              size_t strategy, size_t mark,
                              hone_replay_fraction *out);
/* The name of a space; "all" for `space` n_spaces. */
const char *hone__simulation_space(const hone_simulation *s, size_t space);
/* The curves as rows of CSV. */
hone_exit hone__simulation_curves_csv(const hone_simulation *s);

/* The curves as a figure, an SVG (simulate_svg.c). HONE_ERR_IO. */
hone_status hone__simulation_svg(const hone_simulation *s, const char *path,
                                 hone_error *err);

/* The scores, the curves as a table of text (simulate_table.c). */
hone_exit hone__simulation_score_table(const hone_simulation *s);
hone_exit hone__simulation_curves_table(const hone_simulation *s);

#endif
