/* SPDX-License-Identifier: Apache-2.0 */
/* What the space*.c files and config.c share. Private to them. */
#ifndef HONE_GEN_SPACE_PARTS_H
#define HONE_GEN_SPACE_PARTS_H

#include "gen/expand/values.h"
#include "gen/space.h"

/* --- space.c --- */
/* Room for the choices; then fill them in. */
hone_status hone__space_prepare(hone_space *space, size_t n_params,
                                hone_error *err);
/* Add a constraint, split; its number is n_constraints before the call. */
hone_status hone__space_add(hone_space *space, hone_node root, hone_error *err);
/* Solve it. `*out_constraint` is n_constraints, or the first one that cannot
 * be evaluated for a configuration that all earlier ones let through, and
 * `value_indexes` that configuration: then there is no diagram. */
hone_status hone__space_solve(hone_space *space, size_t *out_constraint,
                              int *value_indexes, hone_error *err);
/* Instead: it is asked about single configurations by their values only, or
 * holds these alone, n_params value indexes each. */
void hone__space_leave_unsolved(hone_space *space);
hone_status hone__space_list(hone_space *space, const uint16_t *rows, size_t n,
                             hone_error *err);

/* --- space_rank.c --- */
/* Fill in the ranks of a template's values. */
hone_status hone__space_rank(hone_space *space, hone_error *err);

/* --- space_exists.c --- */
/* One configuration of a template, for which expressions are evaluated; each
 * let when it is first needed, so that one that nobody needs cannot fail. */
typedef struct hone_space_trial {
    const hone_template *tmpl;
    hone_values values;
    unsigned char *let_is_ready;
} hone_space_trial;

/* HONE_ERR_NO_MEMORY; close it all the same. */
hone_status hone__space_trial_open(const hone_space *space,
                                   const int64_t *config, hone_space_trial *out,
                                   hone_error *err);
void hone__space_trial_close(hone_space_trial *trial);
hone_status hone__space_trial_eval(hone_space_trial *trial,
                                   const hone_template_expr *expr, int64_t *out,
                                   hone_error *err);

/* --- config.c --- */
/* HONE_ERR_INPUT: the parameter has no such value; lists those it has. */
hone_status hone__param_refuse(const hone_template *tmpl,
                               const hone_param *param, const char *text,
                               size_t length, hone_error *err);

#endif
