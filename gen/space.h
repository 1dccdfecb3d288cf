/* SPDX-License-Identifier: Apache-2.0 */
/* Search spaces: the configurations that satisfy every constraint, of a
 * template for one problem on one device (or for all problems of an
 * architecture), or of a T1 definition. A space is kept in a form whose size
 * does not depend on how many configurations it holds; README.md says how it
 * is found. */
#ifndef HONE_GEN_SPACE_H
#define HONE_GEN_SPACE_H

#include "gen/parse/template.h"
#include "gen/solve/solve.h"
#include "gen/t1/t1.h"

/* A configuration is the vector of parameter values in declared order, or of
 * their indexes in the parameters' lists of values.
 *
 * Configurations are numbered 0 .. count-1. Their order is lexicographic in
 * an order of the parameters that follows from the definition, the problem
 * and the device alone; it need not be the declared one, and is no promise
 * from one version to the next.
 *
 * Constraints mean: for each configuration they are evaluated in declared
 * order up to the first that rejects it. A space in which this meets one that
 * cannot be evaluated is an error, whatever the other configurations do. */
typedef struct hone_space {
    size_t n_params;
    int *n_values;        /* of each parameter */
    size_t n_constraints; /* `require` lines or conditions */
    int64_t raw;          /* product of n_values, saturated at INT64_MAX */
    int64_t count;        /* valid configurations */
    /* The rest is for space*.c alone. */
    const hone_template *tmpl; /* one of these two */
    hone_t1 *t1;
    hone_arena arena;
    hone_graph graph; /* of a template; a T1 definition has its own */
    hone_csp csp;
    hone_solve_watch watch; /* of csp */
    hone_choices *choices;
    int **by_rank;    /* NULL, also of a parameter: ranks are value indexes */
    int **ranks;      /* of each value */
    hone_node *roots; /* all constraints, split, in declared order */
    size_t *owner;    /* the constraint that each belongs to */
    size_t n_roots;
    hone_diagram *diagram;
    int64_t *slots; /* of a template: properties and dimensions filled in */
    int has_dims;
    int is_whole;  /* `prefer` leaves nothing out */
    int is_listed; /* it holds some known configurations only */
} hone_space;

/* `dims` NULL, or a size of it HONE_DIM_DEFAULT: constraints that read integer
 * dimensions are left out. A size of 0 is one like others. NULL: dimensions
 * that list their values take their default. `properties` is mandatory.
 * HONE_ERR_INPUT or HONE_ERR_OVERFLOW: a constraint cannot be evaluated (the
 * sentence has the template's line and the values); HONE_ERR_CONSTRAINT: the
 * template's `arch` line excludes the device; HONE_ERR_UNSUPPORTED: more
 * than 9.2e18 valid configurations, or no compact form. An empty space is no
 * error here. The template must outlive the space. */
hone_status hone__space_create(const hone_template *tmpl, const int64_t *dims,
                               const hone_properties *properties,
                               hone_space **out, hone_error *err);
/* The same for a T1 definition, which must outlive it. */
hone_status hone__space_create_t1(hone_t1 *t1, hone_space **out,
                                  hone_error *err);
/* The same with what `prefer` leaves out: all that is right, for variants that
 * are known from elsewhere. */
hone_status hone__space_create_whole(const hone_template *tmpl,
                                     const int64_t *dims,
                                     const hone_properties *properties,
                                     hone_space **out, hone_error *err);
/* The same without looking for the valid configurations, which takes nearly all
 * of the time: for asking about a few that are known. Only hone__space_check(),
 * hone__space_format(), hone__space_settle_indexes() and hone__space_free() may
 * be called on it; of its members n_params, n_values, n_constraints and raw are
 * as always, and count is 0. `is_whole`: what `prefer` leaves out is valid.
 *
 * hone__space_check() is HONE_OK here for those configurations that
 * hone__space_find() finds in the solved space. A constraint that cannot be
 * evaluated is no error of this space: checking the configuration is
 * HONE_ERR_INPUT or HONE_ERR_OVERFLOW, and others are what they are. */
hone_status hone__space_create_unsolved(const hone_template *tmpl,
                                        const int64_t *dims,
                                        const hone_properties *properties,
                                        int is_whole, hone_space **out,
                                        hone_error *err);
/* Of the whole space those of `configs` that are valid, n_params values each,
 * in any order, and the default configuration if it is. Value indexes are those
 * of the whole space; numbers are its own. What differs in one value from a
 * configuration of it is mostly not in it, hone__space_check() is HONE_OK for
 * valid ones that are not, and hone__space_explain() speaks of the whole
 * space. A constraint that cannot be evaluated leaves out the configuration. */
hone_status hone__space_create_listed(const hone_template *tmpl,
                                      const int64_t *dims,
                                      const hone_properties *properties,
                                      const int64_t *configs, size_t n,
                                      hone_space **out, hone_error *err);
void hone__space_free(hone_space *space);

/* Configuration `index` (0 .. count-1). */
void hone__space_get_indexes(const hone_space *space, int64_t index,
                             int *out_value_indexes);
/* Its number, -1 if it is not valid. */
int64_t hone__space_find_indexes(const hone_space *space,
                                 const int *value_indexes);
/* The same with the values of a template's parameters. */
void hone__space_get(const hone_space *space, int64_t index, int64_t *out);
int64_t hone__space_find(const hone_space *space, const int64_t *config);

/* Configurations first .. first+n-1, n_params value indexes each. */
void hone__space_rows(const hone_space *space, int64_t first, int64_t n,
                      uint16_t *out);
/* What a constraint does; counts are of raw configurations, saturated. */
typedef struct hone_space_reason {
    int64_t alone;    /* that it rejects */
    int64_t rejected; /* that it rejects and no earlier one does */
} hone_space_reason;

/* `out` has n_constraints entries. `out_pruned`, if not NULL, has one for
 * each value of the first parameter, then of the next ..: the constraint
 * that, with the earlier ones, leaves no configuration with this value; -1 if
 * the value occurs. Not for two threads on one space at the same time. */
hone_status hone__space_explain(const hone_space *space, hone_space_reason *out,
                                int *out_pruned, hone_error *err);
/* Of an empty space: which constraint left nothing. Returns
 * HONE_ERR_NOT_FOUND with a located sentence. */
hone_status hone__space_fail_empty(const hone_space *space, hone_error *err);

/* Why is this one not valid? HONE_OK if it is, HONE_ERR_CONSTRAINT with the
 * template's line, condition and message, HONE_ERR_INPUT for a value outside
 * a domain. Templates only, as what follows. */
hone_status hone__space_check(const hone_space *space, const int64_t *config,
                              hone_error *err);
/* The default configuration. If it is not valid in `space`, the valid one
 * that differs from it in the fewest parameters, of those in the fewest steps
 * along their lists of values, of those the first. If the space is empty,
 * what hone__space_fail_empty() says. */
hone_status hone__space_default(const hone_space *space, int64_t *out,
                                hone_error *err);

/* The same with ranks in place of value indexes: values of a parameter that are
 * numbers ascend, others are as declared. What is found gets the ranks of
 * parameters that do not exist there, as by hone__space_settle_indexes(). */
void hone__space_get_ranks(const hone_space *space, int64_t index, int *out);
int64_t hone__space_find_ranks(const hone_space *space, int *ranks);
/* Index of the value of this rank. */
int hone__space_value_at(const hone_space *space, size_t param, int rank);

/* Give the parameters that do not exist at this configuration (`when` of a
 * param) their defaults, which is how the space numbers it; a neighbour of a
 * configuration that differs in one value may so become valid. `out_exists`
 * may be NULL. HONE_ERR_NO_MEMORY. For T1 definitions too, where all exist. */
hone_status hone__space_settle_indexes(const hone_space *space,
                                       int *value_indexes,
                                       unsigned char *out_exists,
                                       hone_error *err);

/* "BM=128,BN=64,..", the parameters that exist, in declared order: the
 * canonical spelling that the database keeps. */
void hone__space_format(const hone_space *space, const int64_t *config,
                        hone_text *out);
/* The same for those parameters that `exists` says; NULL: all. */
void hone__config_format(const hone_template *tmpl, const int64_t *config,
                         const unsigned char *exists, hone_text *out);
/* Parse such a text in any order; parameters left out take their default.
 * HONE_ERR_INPUT names the parameter and lists its values. */
hone_status hone__config_parse(const hone_template *tmpl, const char *text,
                               int64_t *out, hone_error *err);

#endif
