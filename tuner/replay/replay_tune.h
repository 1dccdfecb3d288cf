/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning on a recording: the search of a real run, its trials answered from
 * the recording and stored under a device of kind 'replay'. */
#ifndef HONE_TUNER_REPLAY_TUNE_H
#define HONE_TUNER_REPLAY_TUNE_H

#include "tuner/replay/replay_run.h"
#include "tuner/session/tune.h"

enum { HONE_REPLAY_RANKS = 50 }; /* kept in the database and in the result */

typedef struct hone_replay_tune_request {
    const hone_recording *recording;
    const char *strategy;
    hone_replay_budget budget;
    double until_gain; /* as hone_tune_request's */
    uint64_t seed;
    double answer_s;         /* as hone_tune_request's */
    const hone_start *start; /* NULL: none */
    hone_db *db;
    const volatile sig_atomic_t *stop; /* NULL ok */
    void (*on_progress)(void *user, const hone_tune_progress *progress);
    void *user;
} hone_replay_tune_request;

typedef struct hone_replay_rank {
    int64_t index; /* of the configuration */
    int64_t trial_id;
    int64_t step; /* when it was tried */
    double time_ns;
} hone_replay_rank;

typedef struct hone_replay_tune_result {
    hone_tune_result tune; /* what a real run says, as far as it applies */
    double simulated_s;
    size_t n_ranked;
    hone_replay_rank ranked[HONE_REPLAY_RANKS]; /* fastest first */
} hone_replay_tune_result;

/* Every call is a session of its own: nothing is resumed, since a trial costs
 * nothing. HONE_ERR_INTERRUPTED (what was done is stored), HONE_ERR_ARGUMENT
 * (strategy), HONE_ERR_DATABASE and its kin. A recording without a valid
 * configuration gives HONE_OK and no winner. */
hone_status hone__replay_tune(const hone_replay_tune_request *request,
                              hone_replay_tune_result *out, hone_error *err);

/* Append the problem for people: "4096 x 4096", "" without dimensions. */
void hone__recording_label(const hone_recording *recording, hone_text *out);
/* Append "NAME", the recording's device, or its file if it does not say. */
void hone__recording_device(const hone_recording *recording, hone_text *out);

#endif
