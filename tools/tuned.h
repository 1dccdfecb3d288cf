/* SPDX-License-Identifier: Apache-2.0 */
/* What `hone run` and `hone bench` begin with: one problem on one device, and
 * where what is known of it lies. */
#ifndef HONE_TOOLS_TUNED_H
#define HONE_TOOLS_TUNED_H

#include "gen/parse/template.h"
#include "tools/arguments.h"
#include "tuner/tuner.h"

typedef struct hone_tuned {
    hone_template *tmpl;
    int64_t dims[HONE_MAX_DIMS]; /* completed */
    hone_backend backend;
    int device;
    hone_mode mode;
    hone_text db_path;
    hone_text cache; /* its folder, which exists */
    uint64_t seed;
    const hone_reference *references;
    size_t n_references;
} hone_tuned;

/* From the argument OP and its options. Free with hone__tuned_free(), also
 * after a failure. */
hone_status hone__tuned_read(const hone_options *options, hone_tuned *out,
                             hone_error *err);
void hone__tuned_free(hone_tuned *tuned);

/* The command at the end of a message of the runtime ("run: hone tune OP ..")
 * with the template, the folders and the files of this command line. */
void hone__tuned_mend_hint(const hone_options *options, const hone_tuned *tuned,
                           hone_error *err);

/* Says once that another process measures on the GPU. `user` is an int, 0
 * before. */
void hone__tuned_say_waiting(void *user, long holder);

#endif
