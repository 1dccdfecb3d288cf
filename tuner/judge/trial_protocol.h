/* SPDX-License-Identifier: Apache-2.0 */
/* What the tuner and the worker that owns a device say to each other: the
 * kinds of messages, jobs, reports. The same for every device. */
#ifndef HONE_TUNER_TRIAL_PROTOCOL_H
#define HONE_TUNER_TRIAL_PROTOCOL_H

#include "runtime/base/text.h"
#include "runtime/launch/launch_spec.h"
#include "tuner/judge/outcome.h"
#include "tuner/process/wire.h"

enum { HONE_MAX_SAMPLES = 64 };

enum {
    /* to it */
    HONE_DEVICE_TRIAL = 1,    /* hone_trial_job */
    HONE_DEVICE_FINAL = 2,    /* count, hone_trial_job .. */
    HONE_DEVICE_VERIFY = 3,   /* hone_trial_job: on edge shapes, not timed */
    HONE_DEVICE_CODE_JOB = 4, /* the cubin of device_code.cu, if it did not
                          inherit it: first of all */
    /* from it */
    HONE_DEVICE_READY = 16,    /* the problem is set up; hone_ready_report */
    HONE_DEVICE_FAILED = 17,   /* hone_status, domain, native, sentence */
    HONE_DEVICE_RESULT = 18,   /* hone_trial_report */
    HONE_DEVICE_RANKED = 19,   /* hone_final_report, see final.h */
    HONE_DEVICE_REFERENCE = 32 /* a name: this reference is run now; "": the
                                  last one came to its end */
};

/* One variant to try. Pointers are borrowed. */
typedef struct hone_trial_job {
    int64_t id;
    const char *launch_spec;
    hone_launch_spec *spec; /* the same read, by who received it; NULL: not */
    const void *cubin;
    size_t cubin_bytes;
    double incumbent_ns; /* best so far; 0: none */
    double noise;        /* of the session so far, see samples.h; 0: unknown */
    int fixed_samples;   /* > 0: so many, no racing */
    double timeout_s;    /* when the parent gives up; 0: 10. A trial waits for
                            a slowed card only within it */
} hone_trial_job;

typedef struct hone_trial_report {
    int64_t id;
    hone_outcome outcome;
    char message[320];
    double time_ns;
    double spread_ns;
    int n_samples;
    double samples_ns[HONE_MAX_SAMPLES];
    int n_launches; /* per sample */
    double error_ratio;
    int verified;
    hone_clocks clocks;
    double device_s; /* spent in the worker */
    int timing; /* hone_timing that was used; AUTO: not timed, or the cpu */
    int n_discarded;     /* samples during a slowdown, thrown away */
    int screened;        /* 1: dropped by the rule of samples.h */
    double screen_ratio; /* to the incumbent, where the rule stopped; 0: none */
    int alarm;           /* hone_alarm; not NONE: outcome unstable */
    double sample_s;     /* spent in samples, discarded ones included */
    /* Of a function of a vendor's library: the lines of its launch plan, with
     * the algorithm that was measured; "": another variant. */
    char vendor[512];
    hone_coverage coverage; /* of HONE_DEVICE_VERIFY */
    hone_wrong wrong;       /* elements, if they are to be shown */
    int leaving;            /* the worker ends after this report: its memory or
                               its context is damaged, a new one must start */
} hone_trial_report;

/* What a worker says when its problem is set up. */
typedef struct hone_ready_report {
    char notes[512];       /* checks left out, a smaller set-up; "" : nothing */
    double event_floor_ns; /* of an empty sample; 0: unknown */
    double warm_up_s;
} hone_ready_report;

/* Reports travel as they are in memory: both ends are one program. One of
 * another size is broken, and all zeros. */
hone_status hone__struct_send(int fd, uint32_t kind, const void *bytes,
                              size_t size, hone_error *err);
void hone__struct_unpack(hone_unpack *in, void *out, size_t size);

void hone__trial_job_pack(hone_text *out, const hone_trial_job *job);
void hone__trial_job_unpack(hone_unpack *in, hone_trial_job *out);

#endif
