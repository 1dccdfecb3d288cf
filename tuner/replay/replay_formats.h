/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of the two JSON formats share. */
#ifndef HONE_TUNER_REPLAY_FORMATS_H
#define HONE_TUNER_REPLAY_FORMATS_H

#include "gen/json/json_reader.h"
#include "tuner/replay/replay_recording.h"

/* A JSON file that is being read. */
typedef struct hone_replay_file {
    hone_json_reader *reader;
    hone_recording *recording;
    double unit_s;  /* of all its times */
    int has_trials; /* the list of trials was there */
    int is_cache;   /* it was that of a Kernel Tuner cache */

    /* The configuration that is being read: value indexes, and which of them
     * are known. */
    uint32_t values[HONE_MAX_RECORDED_PARAMS];
    unsigned char known[HONE_MAX_RECORDED_PARAMS];

    double *samples; /* of the trial that is being read */
    size_t n_samples;
    size_t sample_capacity;
} hone_replay_file;

/* `begin` is the first event of the value in each of these. */

/* "results": [..] of T4. */
hone_status hone__replay_t4(hone_replay_file *file,
                            const hone_json_event *begin, hone_error *err);
/* "cache": {..} of Kernel Tuner. A text that ends inside is not an error:
 * the recording is marked as interrupted. */
hone_status hone__replay_kernel_tuner(hone_replay_file *file,
                                      const hone_json_event *begin,
                                      hone_error *err);

/* A value of parameter `param` of the current configuration. */
hone_status hone__replay_value(hone_replay_file *file, size_t param,
                               const hone_json_event *event, hone_error *err);
/* Store the current configuration and forget it. HONE_ERR_INPUT names a
 * parameter that has no value. */
hone_status hone__replay_put(hone_replay_file *file,
                             const hone_recorded_trial *trial, hone_error *err);
/* A duration: a finite number that is not negative. */
hone_status hone__replay_duration(const hone_replay_file *file,
                                  const hone_json_event *event,
                                  const char *what, double *out,
                                  hone_error *err);
/* [x, ..] or [[0, x], ..] into file->samples. */
hone_status hone__replay_samples(hone_replay_file *file,
                                 const hone_json_event *begin, hone_error *err);
double hone__replay_samples_sum(const hone_replay_file *file);
/* "ms", "milliseconds", .. in seconds; 0 if it is none. */
double hone__replay_unit_s(const char *name);

#endif
