/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of `hone doctor` share: its rows, and how it asks what may
 * hang or crash. */
#ifndef HONE_TOOLS_DOCTOR_PARTS_H
#define HONE_TOOLS_DOCTOR_PARTS_H

#include "tools/base/output.h"

#include "tuner/process/ask.h"

typedef struct hone_doctor {
    const hone_options *options;
    hone_output *output;
    double answer_s; /* that each library may take to answer */
    const volatile sig_atomic_t *stop;
    int has_gpu; /* what --require can name */
    int has_nvrtc;
    hone_error unusable; /* the database; HONE_OK: it is not */
    hone_error ended;    /* a Ctrl-C; nothing is asked after it */
} hone_doctor;

/* One row. state: "ok", "missing", "none" for what nobody needs, or
 * "unusable". */
void hone__doctor_line(hone_output *output, const char *what, const char *state,
                       const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* What could not be found out for lack of memory is not missing. Nor is what
 * a Ctrl-C left open, which the doctor notes. */
void hone__doctor_missing(hone_doctor *doctor, const char *what,
                          const hone_error *err);

/* Does nothing else need to be asked? */
int hone__doctor_is_over(const hone_doctor *doctor);
/* Ask a process of its own: nobody knows what somebody else's library does when
 * it is loaded. `what` begins the sentence for when it does not answer in time
 * or ends the process; then the status is `blame`. */
hone_status hone__doctor_ask(const hone_doctor *doctor, hone_worker_main *run,
                             void *user, const char *what, hone_status blame,
                             void *out, size_t out_bytes, hone_error *err);

/* The rows of NVRTC and CUDA's headers: which is taken and why, what it
 * compiles for, and which others there are. */
void hone__doctor_nvrtc(hone_doctor *doctor);

#endif
