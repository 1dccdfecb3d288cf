/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone verify` takes of one template: which types and listed values, how
 * many configurations of each; and what it says was covered and what was
 * not. */
#ifndef HONE_TOOLS_VERIFY_PARTS_H
#define HONE_TOOLS_VERIFY_PARTS_H

#include "gen/parse/template.h"
#include "tools/base/arguments.h"
#include "tools/base/exit_code.h"
#include "tools/base/json.h"
#include "tuner/judge/cover.h"
#include "tuner/tuner.h"

#include <string.h>

/* One combination of types and listed values. */
typedef struct hone_verify_case {
    int64_t dims[HONE_MAX_DIMS]; /* sizes that are not given are 1 */
    size_t choice[HONE_MAX_DIMS];
    int64_t limit;        /* configurations at most; 0: all */
    int64_t n_valid;      /* configurations there are */
    int64_t n_checked;    /* of these */
    int64_t n_idle;       /* of these, on no shape at all */
    int64_t n_skipped;    /* that the device has no means for */
    hone_coverage shapes; /* of the configuration with most of them */
    char why[256];        /* it is not possible, or what was skipped; "" */
    int is_refused;       /* not possible at all */
} hone_verify_case;

typedef struct hone_verify_cases {
    const hone_template *tmpl;
    int64_t base[HONE_MAX_DIMS];
    int has_sizes; /* integer dimensions are given */
    size_t n_free; /* dimensions whose values are covered .. */
    size_t free[HONE_MAX_DIMS];
    hone_cover *cover;
    int64_t n_planned; /* cases, if none is refused */
    int64_t limit;     /* of the command line; 0: none */
    int is_one;        /* one configuration of each: --config */
    size_t n;
    hone_verify_case *items;
} hone_verify_cases;

/* What this device lacks says nothing of the configuration: it is skipped. */
static inline int hone__verify_skips(const hone_tune_trial *trial,
                                     const hone_device_kind *kind)
{
    return trial->outcome == HONE_OUTCOME_LIMITS && !kind->has_limits;
}

/* Of those: at smaller sizes it could have been verified. */
static inline int hone__verify_is_too_large(const hone_tune_trial *trial)
{
    return strncmp(trial->message, "out of memory", 13) == 0;
}

/* What --dims and --limit leave; a template whose dimensions are wrong is
 * HONE_ERR_DIMS. `tmpl` is borrowed. Close it also after a failure. */
hone_status hone__verify_cases_open(const hone_options *options,
                                    const hone_template *tmpl,
                                    hone_verify_cases *out, hone_error *err);
void hone__verify_cases_close(hone_verify_cases *cases);

/* The next case, NULL: there is none. */
hone_status hone__verify_cases_next(hone_verify_cases *cases,
                                    hone_verify_case **out, hone_error *err);
/* The last case is not possible, because of `why`. */
void hone__verify_cases_refuse(hone_verify_cases *cases, const char *why);

/* "T=f64 TRANS=1": the types and values of a case; "" : there are none. */
void hone__verify_case_label(const hone_template *tmpl, const int64_t *dims,
                             hone_text *out);
/* What was covered and what was not: a sentence, .. */
void hone__verify_cases_say(const hone_verify_cases *cases, hone_text *out);
/* .. and the cases as JSON, appended to an array. */
json_t *hone__verify_cases_json(const hone_verify_cases *cases, json_t *array);

/* What the command exits with: `code` is that of its output, `nothing` the
 * sentence where nothing was verified, else NULL. (cmd_verify.c) */
hone_exit hone__verify_conclude(hone_status status, hone_exit code,
                                int64_t n_failed, const char *nothing,
                                const hone_error *err);

/* The farm's builds, in words. (cmd_verify.c) */
const char *hone__verify_build_name(hone_host_build build);

/* --shapes, the whole command: `request` is all that other options say of it.
 * (verify_shapes.c) */
hone_exit hone__verify_shapes(const hone_options *options,
                              const hone_tune_request *request);

/* ---- --show and --dump, and what they say of a wrong variant
 * (verify_say.c) */

/* Into the request; makes the folder of --dump. HONE_ERR_ARGUMENT;
 * HONE_ERR_INPUT: there are files in it; HONE_ERR_IO. */
hone_status hone__verify_wrong_options(const hone_options *options,
                                       hone_tune_request *out, hone_error *err);
/* For a person: the elements of the first failures, or with --show of all.
 * `n_shown` counts the failures. */
void hone__verify_wrong_say(const hone_options *options, const char *op,
                            const hone_tune_trial *trial, int *n_shown);
/* The same for programs; null where there is nothing to show. */
json_t *hone__verify_wrong_json(const hone_wrong *wrong);

#endif
