/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the two JSON formats share. */
#ifndef HONE_TUNER_REPLAY_FORMATS_H
#define HONE_TUNER_REPLAY_FORMATS_H

#include "gen/json/json_reader.h"
#include "tuner/replay/replay_recording.h"

/* A JSON file that is being read. */
typedef struct hone_replay_file {
    hone_json_reader *reader;
    hone_json_event event; /* the last one: of a value that is read its first */
    const struct hone_replay_member *member; /* whose value is read */
    hone_recording *recording;
    double unit_s;      /* of all its times */
    int has_trials;     /* the list of trials was there */
    int has_units;      /* a time of it was converted to unit_s */
    int is_cache;       /* it is that of a Kernel Tuner cache */
    int is_odd_problem; /* its size is no list of numbers */

    /* The trial that is being read: value indexes, which of them are known,
     * and what else there is. */
    uint32_t values[HONE_MAX_RECORDED_PARAMS];
    unsigned char known[HONE_MAX_RECORDED_PARAMS];
    hone_recorded_trial trial;
    double time; /* in the file's unit; 0: none */
    int has_outcome;
    int has_config;
    double *samples;
    size_t n_samples;
    size_t sample_capacity;
    double samples_sum;
    char timestamp[64]; /* "" if there is none */
    char time_text[64]; /* the time as it is spelled; "" if it was computed */
    hone_replay_extra *extras;
    size_t n_extras;

    /* Who is told of each trial beside the recording; NULL: nobody, and then
     * extras are left out. */
    hone_replay_seen_fn on_trial;
    void *user;

    /* The measurement of T4 that is being read. */
    char name[64];
    char unit[32];
    double value;
    char value_text[64];
    int has_value;
} hone_replay_file;

/* Reads the value that begins with file->event. */
typedef hone_status hone_replay_fn_read(hone_replay_file *file,
                                        hone_error *err);

typedef struct hone_replay_member {
    const char *name; /* NULL: the last of a table */
    hone_replay_fn_read *read;
    size_t at;           /* where in hone_replay_file it goes */
    hone_json_kind kind; /* that the value must be of; END: any */
    const char *what;    /* else "expected .." */
} hone_replay_member;

/* A duration: a finite number that is not negative. */
hone_replay_fn_read hone__replay_duration;
#define HONE_REPLAY_COST(cost) offsetof(hone_replay_file, trial.cost_s[cost])
/* [x, ..] or [[0, x], ..] into file->samples. */
hone_replay_fn_read hone__replay_samples;
/* "timestamp" of the trial. */
hone_replay_fn_read hone__replay_timestamp;
/* Beside them: a number of the trial that nothing else is made of. */
hone_status hone__replay_extra_put(hone_replay_file *file, const char *name,
                                   const char *unit, double value,
                                   hone_error *err);
/* "results": [..] of T4. */
hone_replay_fn_read hone__replay_t4;
/* "cache": {..} of Kernel Tuner. */
hone_replay_fn_read hone__replay_kernel_tuner;

/* The members of an object whose '{' was read: those in the table and, with
 * `has_params`, those that are parameters of the trial; then all other numbers
 * are extras. All others are left out. */
hone_status hone__replay_members(hone_replay_file *file,
                                 const hone_replay_member *members,
                                 int has_params, hone_error *err);
/* All elements of a list or values of an object that was begun: each must be
 * of `kind`, else "expected WHAT". */
hone_status hone__replay_each(hone_replay_file *file, hone_replay_fn_read *read,
                              hone_json_kind kind, const char *what,
                              hone_error *err);
/* The next piece, into file->event. */
hone_status hone__replay_next(hone_replay_file *file, hone_error *err);

/* Append a parameter that is new. */
hone_status hone__replay_add_param(hone_replay_file *file, const char *name,
                                   hone_error *err);
/* file->event is a value of parameter `param` of the trial. */
hone_status hone__replay_value(hone_replay_file *file, size_t param,
                               hone_error *err);
/* Begin a trial; store it. HONE_ERR_INPUT names a parameter that has no
 * value. */
void hone__replay_begin(hone_replay_file *file);
hone_status hone__replay_put(hone_replay_file *file, hone_error *err);
/* "ms", "milliseconds", .. in seconds; 0 if it is none. */
double hone__replay_unit_s(const char *name);

#endif
