/* SPDX-License-Identifier: Apache-2.0 */
/* Problems tuned on the devices of one machine, or on one of them, with one
 * compile farm: what `hone tune --shapes FILE` and `--device all` do. As
 * hone__tune(), the calling process must have one thread and must not have
 * initialised CUDA; while lanes run it must have no connection to their
 * database. */
#ifndef HONE_TUNER_DISPATCH_H
#define HONE_TUNER_DISPATCH_H

#include "tuner/compile/farm_link.h"
#include "tuner/dispatch/problem_cost.h"
#include "tuner/session/tune.h"

enum { HONE_DISPATCH_MOST_DEVICES = 64 };

/* A problem to be tuned on devices of one model. */
typedef struct hone_dispatch_job {
    int64_t place; /* the caller's number of the problem */
    int model;     /* of devices: 0 .. n_models - 1 */
    int group;     /* of problems: of one operation */
    int64_t budget_trials;
    double budget_s;
    int is_optional; /* nobody named it: hone__tune_may_be_left_out() */
    int is_look;     /* another job with this problem will follow */
    int is_last;     /* set when it is dealt: none of its group is left then */
    int is_ahead;    /* likewise: the device is another problem's still */
} hone_dispatch_job;

/* What became of it. */
typedef struct hone_dispatch_outcome {
    const hone_dispatch_job *job;
    size_t device;
    hone_status status; /* HONE_ERR_INTERRUPTED; those of the problem alone */
    const hone_error *error;
    const hone_tune_result *result;
} hone_dispatch_outcome;

typedef struct hone_dispatch_device {
    char name[24]; /* "cuda:0" */
    int ordinal;
    int model; /* equal ones have the same */
    int is_out;
    char why[320]; /* it is out */
    hone_device_report report;
} hone_dispatch_device;

/* Where a device's time went, in seconds. */
typedef struct hone_dispatch_use {
    int64_t n_problems;
    int64_t n_trials; /* new ones of its problems */
    double busy_s;    /* at variants: verified, timed */
    double setup_s;   /* before the first trial of each problem */
    double final_s;
    double starved_s; /* waited for compiled variants */
    double locked_s;  /* another process used it */
    double lent_s;    /* to the problem of another device */
    double idle_s;    /* there was no problem for it */
    double rest_s;    /* proposals, database, messages */
} hone_dispatch_use;

typedef struct hone_dispatch_request {
    hone_backend backend;
    int ordinals[HONE_DISPATCH_MOST_DEVICES];
    size_t n_devices;
    int prepares; /* while one problem of a device ends, the next one's search
                     opens, and its first variants are compiled */
    const hone_farm_options *farm;
    const char *db_path;
    /* In the lane: everything of the request but database, device, farm and
     * who is told of progress. */
    void (*fill)(void *user, const hone_dispatch_job *job,
                 hone_tune_request *out);
    /* In the parent: the rest. Seconds that a job is expected to take. */
    double (*cost)(void *user, const hone_dispatch_job *job);
    /* `progress` NULL: the device helps with the job, or without one has
     * nothing to do. */
    void (*on_progress)(void *user, size_t device, const hone_dispatch_job *job,
                        const hone_tune_progress *progress);
    /* A failure that is not returned ends the run. */
    void (*on_outcome)(void *user, const hone_dispatch_outcome *outcome);
    /* Something that a person should know: a device is out, .. */
    void (*on_note)(void *user, const char *sentence);
    void *user;
} hone_dispatch_request;

typedef struct hone_dispatch hone_dispatch;

/* Start farm and lanes, and ask every device what it is. Errors as hone__tune()
 * before its first trial; HONE_ERR_NO_GPU names the device that is not there.
 * The request is borrowed until hone__dispatch_close(). */
hone_status hone__dispatch_open(const hone_dispatch_request *request,
                                hone_dispatch **out, hone_error *err);
void hone__dispatch_close(hone_dispatch *dispatch);

size_t hone__dispatch_n_models(const hone_dispatch *dispatch);
size_t hone__dispatch_n_devices(const hone_dispatch *dispatch);
const hone_dispatch_device *hone__dispatch_device(const hone_dispatch *dispatch,
                                                  size_t i);

/* Of each model the first device that is not out: their numbers, in `out` of
 * HONE_DISPATCH_MOST_DEVICES; how many is returned. */
size_t hone__dispatch_of_each_model(const hone_dispatch *dispatch, size_t *out);
/* Are results of one those of the other? */
int hone__dispatch_is_same_model(const hone_device_report *a,
                                 const hone_device_report *b);

/* Tune all jobs; with one device those of equal cost in the order given.
 * HONE_ERR_INTERRUPTED after Ctrl-C; HONE_ERR_CUDA if jobs are left because no
 * device of their model is; else what ended a lane's run, with one device after
 * its outcome. In each case all that was tried is in the database. */
hone_status hone__dispatch_run(hone_dispatch *dispatch,
                               const hone_dispatch_job *jobs, size_t n,
                               hone_error *err);

/* So far. */
void hone__dispatch_use_of(const hone_dispatch *dispatch, size_t device,
                           hone_dispatch_use *out);
const hone_farm_use *hone__dispatch_farm_use(const hone_dispatch *dispatch);

/* Whether devices of a kind prepare (hone_dispatch_request): those that do not
 * share the cores with the compilers, unless $HONE_AHEAD is off. */
int hone__dispatch_prepares(hone_backend backend);
/* How many devices of a kind there are. HONE_ERR_NO_GPU, HONE_ERR_CUDA. */
hone_status hone__dispatch_count(hone_backend backend,
                                 const volatile sig_atomic_t *stop, size_t *out,
                                 hone_error *err);

#endif
