/* SPDX-License-Identifier: Apache-2.0 */
/* What most commands begin with: a template, a problem, a configuration. */
#ifndef HONE_TOOLS_INPUTS_H
#define HONE_TOOLS_INPUTS_H

#include "gen/space.h"
#include "gen/parse/template.h"
#include "tools/base/arguments.h"

#include "tools/base/json.h"
#include "tuner/tuner.h"

/* Find and parse a template. Mistakes in it are printed on stderr, located,
 * before this returns HONE_ERR_INPUT with their number. */
hone_status hone__load_template(const hone_options *options, const char *name,
                                hone_template **out, hone_error *err);

/* All implementations of the operation `name`, in the order in which they would
 * be launched untuned; the one template that `name` stands for if it is a file,
 * OP/NAME, or an operation without contract. HONE_ERR_INPUT also where their
 * contracts differ. Free with hone__implementations_free(), also after a
 * failure. */
typedef struct hone_implementations {
    hone_template **items;
    size_t n;
    hone_template *named; /* of several the one that was; or NULL */
} hone_implementations;
hone_status hone__load_implementations(const hone_options *options,
                                       const char *name,
                                       hone_implementations *out,
                                       hone_error *err);
/* The same, where one implementation was named with those beside it. */
hone_status hone__load_siblings(const hone_options *options, const char *name,
                                hone_implementations *out, hone_error *err);
void hone__implementations_free(hone_implementations *list);

/* Mistakes in a file, located, on stderr; frees them. */
void hone__print_mistakes(hone_diagnostics *diagnostics, const char *path,
                          const hone_text *source);

/* The problem of --dims, completed. Without --dims: `*out_given` is 0, type
 * dimensions have their default and integer ones are 1; a type dimension
 * without default is HONE_ERR_DIMS. */
hone_status hone__load_dims(const hone_options *options,
                            const hone_template *tmpl,
                            int64_t out_dims[HONE_MAX_DIMS], int *out_given,
                            hone_error *err);

/* A configuration: that of `text`, what it leaves out being the default; of
 * NULL room for one. Free it, also after a failure. */
hone_status hone__load_config(const hone_template *tmpl, const char *text,
                              int64_t **out, hone_error *err);

/* --arch, default "sm_90". */
const char *hone__load_arch(const hone_options *options);

/* The space for --dims and --arch; with --config also what `prefer` leaves
 * out. */
hone_status hone__load_space(const hone_options *options,
                             const hone_template *tmpl, hone_space **out,
                             hone_error *err);

/* [4096, "f32"], as --dims spells it. */
json_t *hone__dims_json(const hone_template *tmpl, const int64_t *dims);

/* {"ok": 12, "wrong": 1}: those that occurred, of HONE_N_OUTCOMES counts. */
json_t *hone__outcomes_json(const int64_t *counts);

/* What `hone run` and `hone bench` begin with. */

/* From the argument OP and its options. Free with hone__tuned_free(), also
 * after a failure. */
typedef struct hone_tuned_options {
    hone_tuned tuned;
    hone_implementations impls; /* that it borrows */
} hone_tuned_options;
hone_status hone__tuned_read(const hone_options *options,
                             hone_tuned_options *out, hone_error *err);
void hone__tuned_free(hone_tuned_options *read);

/* The command at the end of a message of the runtime ("run: hone tune OP ..")
 * with the template, the folders and the files of this command line. */
void hone__tuned_mend_hint(const hone_options *options, const hone_tuned *tuned,
                           hone_error *err);

#endif
