/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning one problem: what is asked for, how it goes on, what comes out. */
#ifndef HONE_TUNER_TUNE_H
#define HONE_TUNER_TUNE_H

#include "db/db.h"
#include "gen/parse/template.h"
#include "tuner/compile/farm.h"
#include "tuner/device/device.h"
#include "tuner/judge/check_data.h"
#include "tuner/judge/final.h"
#include "tuner/judge/objective.h"
#include "tuner/judge/outcome.h"
#include "tuner/search/start.h"

typedef struct hone_tune_progress {
    int64_t n_done;    /* trials with an outcome, resumed ones included */
    int64_t n_resumed; /* of these, found in the database */
    int64_t n_planned; /* by budget and space; 0 if limited by time only */
    int64_t n_compiled;
    double elapsed_s;
    double budget_s;         /* 0: none */
    double best_ns;          /* 0: none yet */
    const char *best_config; /* "" : none yet; valid during the call */
    const char *stage; /* "tuning", "final", "waiting for process 12", .. */
    int64_t outcomes[HONE_N_OUTCOMES];
} hone_tune_progress;

/* One trial for who asked. */
typedef struct hone_tune_trial {
    const hone_template *tmpl; /* the implementation */
    const char *config;
    hone_outcome outcome;
    const char *message;
    const hone_coverage *coverage; /* of verify_only */
    const hone_wrong *wrong;       /* likewise, if they are to be shown */
} hone_tune_trial;

/* A configuration of one implementation, as the database spells it. */
typedef struct hone_tune_entry {
    const hone_template *tmpl;
    const char *config;
} hone_tune_entry;

/* Other devices of the same model that help with the trials of a run. Whoever
 * lends them appends while the run goes on; the run gives each back once. */
enum { HONE_TUNE_MOST_LOANS = 63 };

typedef struct hone_tune_loan {
    int64_t number; /* the lender's */
    int ordinal;
    char name[24]; /* "cuda:1" */
    hone_device_report report;
} hone_tune_loan;

/* Whose turn a device is that two problems share: while one is measured, the
 * other is prepared. */
typedef struct hone_tune_turn {
    int is_mine;    /* set by a message to the run's farm link */
    double since_s; /* when it was */
} hone_tune_turn;

typedef struct hone_tune_loans {
    hone_tune_loan offered[HONE_TUNE_MOST_LOANS]; /* not taken yet */
    size_t n;
    int is_over; /* no more are taken: offers would have to wait */
    /* `why` it fell off; NULL: it did not. */
    void (*give_back)(void *user, int64_t number, const char *why);
    void *user;
} hone_tune_loans;

typedef struct hone_tune_request {
    const hone_template *tmpl;
    /* Implementations that compete, all of one contract, in the order in which
     * they would be launched untuned; `tmpl` is the first of them. None: there
     * is only `tmpl`. At most HONE_MAX_IMPLS. */
    const hone_template *const *impls;
    size_t n_impls;
    /* Only this one of them tries variants; what is known of the others takes
     * part in the final and the ranking. NULL: all. */
    const hone_template *only;
    const int64_t *dims; /* completed */
    int device;          /* CUDA ordinal */
    /* What it is, as hone__device_describe() said; NULL: it is asked. */
    const hone_device_report *described;
    int is_locked; /* the caller has the device's lock */
    hone_mode mode;
    const char *strategy;  /* of tuner/search/search.h */
    double answer_s;       /* that one that is a program may take; 0: 60 */
    int64_t budget_trials; /* 0: no such limit */
    double budget_s;       /* 0: no such limit */
    double until_gain;     /* stop when another such gain is unlikely, see
                              rules.h: 0.01 for 1 %; 0: do not */
    /* Of several runs that share the configurations of this problem among them,
     * `part` of 0 .. n_parts-1 (search.h); 0 parts: there is one run. */
    int part;
    int n_parts;
    /* Of a list of problems that is shared out, "shard 3/6 of LIST": stored
     * with the session (FORMAT.md). NULL: it is no part of one. */
    const char *shard;
    uint64_t seed;
    hone_tune_loans *loans;            /* NULL: nobody lends */
    const hone_tune_turn *turn;        /* NULL: the device is this run's */
    const hone_objectives *objectives; /* beside the time; NULL: none */
    const hone_start *start; /* tried right after the default; NULL: none */
    int without_seeds;       /* do not begin with what is good elsewhere */
    int learn; /* in the end, a model of the operation from all its trials */
    double trial_timeout_s; /* 0: 10 */
    int fixed_samples;      /* > 0: so many for every variant, no racing */
    hone_timing timing;
    const int64_t *config; /* this one only, also one that `prefer` leaves out;
                              NULL: the space */
    /* These only, in this order, as far as they are valid here: there is no
     * search and no budget, cubins come from the database, and there is a final
     * only where one of them is faster than all that was known. `strategy` is
     * the session's name for it. NULL: there is no list. */
    const hone_tune_entry *list;
    size_t n_list;
    int list_edges;    /* nothing is timed: they are verified on edge shapes */
    int list_unranked; /* whatever they take, there is no final */
    const hone_reference *references;
    size_t n_references;
    hone_db *db; /* NULL with verify_only: nothing is stored */
    /* Only verify, on small shapes that divide nothing: `dims` gives types and
     * listed values, and the space is that of every size, or with
     * `space_of_dims` that of `dims`, at which all is verified as well. */
    int verify_only;
    int space_of_dims;
    int dims_alone;      /* with it: nothing but `dims` is verified .. */
    int64_t budget_each; /* .. so many of each implementation; 0: all */
    int verbose;         /* what kernels print is shown on stderr */
    int show;            /* so many wrong elements are read, if any are wrong */
    const char
        *dump; /* folder for the arrays of the first wrong one, or NULL */
    hone_farm_options farm;
    void (*on_trial)(void *user, const hone_tune_trial *trial); /* NULL ok */
    void (*on_progress)(void *user, const hone_tune_progress *progress);
    void *user;
} hone_tune_request;

/* A baseline measured beside the winner, interleaved with it. */
typedef struct hone_tune_baseline {
    char name[64];
    char label[96];
    double time_ns;   /* median; 0 if it could not run */
    double spread_ns; /* half the interquartile range */
    int algorithm;
    int n_algorithms;
    char message[256]; /* why it could not run */
} hone_tune_baseline;

/* A finalist that the final did not time to the end, though its trial was. */
typedef struct hone_tune_out {
    char implementation[64];
    char config[256];
    double trial_ns;
    char outcome[16]; /* as a trial's: "wrong", "fault", ..; "no_room": there
                         was none for it beside the others */
    char message[320];
} hone_tune_out;

enum {
    HONE_MAX_IMPLS = 16,
    HONE_TUNE_MOST_OUT = 32,
    HONE_TUNE_MOST_FRONT = 64
};

/* The best by an objective, or one of a front. */
typedef struct hone_tune_best {
    char objective[120];
    double value; /* NaN: nobody has one */
    double default_value;
    char implementation[64];
    char config[256];
    double time_ns;
    double energy_uj; /* 0: not measured */
    double values[HONE_MOST_OBJECTIVES];
} hone_tune_best;

/* What became of one implementation. */
typedef struct hone_tune_part {
    char name[64];
    int applies;
    char reason[256]; /* why it does not */
    int64_t n_trials;
    double best_ns; /* of its trials; 0: none was valid */
} hone_tune_part;

typedef struct hone_tune_result {
    char device_name[128];
    char arch[16];
    int64_t space_raw;
    int64_t space_valid;
    int64_t n_trials; /* with an outcome, resumed ones included */
    int64_t n_resumed;
    /* Configurations that were tried with an earlier text of the template:
     * resumed, since this one leaves them as they were, or stale. */
    int64_t n_kept;
    int64_t n_stale;
    int is_edited; /* this run was the first to keep some, or some are stale */
    int64_t n_seeded;  /* of what is good elsewhere (rules.h), tried here */
    int64_t n_started; /* of those that the request begins with, tried here */
    int64_t n_guided;  /* implementations searched with a model's guess */
    /* The model that was learned in the end; 0 trials: none. */
    int64_t model_trials;
    int64_t model_problems;
    double model_error;    /* see tuner/model/model.h; negative: not known */
    int64_t n_compiled;    /* variants that have a cubin */
    int64_t n_compiles;    /* of the compiler; the rest shared one or came from
                              the cache */
    int64_t n_gated;       /* rejected before they were compiled */
    int64_t n_deferred;    /* spill registers: left for the end */
    int64_t n_samples;     /* of all trials of this run */
    double sample_s;       /* spent in these samples */
    int64_t n_discarded;   /* samples during a slowdown, repeated */
    int64_t n_helped;      /* trials on devices that were lent */
    int64_t n_retried;     /* trials whose worker was killed from outside */
    int64_t n_interrupted; /* variants without an outcome, for the machine
                              ended them: the next run tries them again */
    int64_t outcomes[HONE_N_OUTCOMES];
    int has_winner;
    char message[512];       /* why there is none (outcome.h); "" if there is */
    char implementation[64]; /* the winner's */
    char winner[256];
    double time_ns; /* of the winner, median of the final */
    double ci_low_ns;
    double ci_high_ns;
    double spread_ns;
    double default_ns;  /* of the default variant in the same final */
    double error_ratio; /* worst error over the bound; at most 1 */
    double flops;       /* declared work; 0 if not declared */
    double bytes;
    int sm_clock_mhz;       /* -1 unknown */
    char stopped[16];       /* "exhausted", "budget", "unlikely",
                               "interrupted", "strategy": its program
                               failed; "": it did not come to it */
    char stopped_why[1024]; /* a sentence */
    char decided_by[160];
    char verdict[16];      /* "decided", "tied", "too_noisy", "only_one",
                              "interrupted": no final, ""; see FORMAT.md */
    double noise_floor;    /* relative, of the final; negative: unknown */
    double event_floor_ns; /* of an empty pair of events; 0: unknown */
    char notes[1024];      /* checks left out, alarms, a smaller set-up: what a
                              person should know; "" : nothing */
    size_t n_parts; /* one for each implementation, in the request's order */
    hone_tune_part parts[HONE_MAX_IMPLS];
    size_t n_baselines;
    hone_tune_baseline baselines[HONE_MAX_BASELINES];
    size_t n_out;                          /* of the final, or of several; .. */
    hone_tune_out out[HONE_TUNE_MOST_OUT]; /* .. of which the first are here */
    size_t n_bests;                        /* one for each objective */
    hone_tune_best bests[HONE_MOST_OBJECTIVES];
    size_t n_front; /* of several objectives, of which the first are here */
    hone_tune_best front[HONE_TUNE_MOST_FRONT];
    double seconds;
    /* Where they went: until the first trial could start, trials, final. */
    double setup_s;
    double trials_s;
    double final_s;
    double device_busy_s; /* of trials_s */
    double starved_s;     /* of trials_s: nothing was compiled yet */
    double locked_s;      /* of setup_s: another process used the device */
    double awaited_s;     /* of none of these: until another problem ended */
} hone_tune_result;

/* Tune one problem: every trial is in the database when this returns, also
 * with HONE_ERR_INTERRUPTED. Calling it again resumes. A run in which no
 * variant is valid returns HONE_OK with has_winner 0. Errors:
 * HONE_ERR_NO_GPU, HONE_ERR_NO_NVRTC, HONE_ERR_CUDA (the device stopped
 * answering), HONE_ERR_DATABASE, HONE_ERR_CONSTRAINT (the template's arch
 * line), HONE_ERR_NO_MEMORY (device memory too small for the problem). */
hone_status hone__tune(const hone_tune_request *request, hone_tune_result *out,
                       hone_error *err);

/* A failure that concerns this problem only: others may be tuned. */
int hone__tune_is_of_the_problem(hone_status status);
/* The same of a problem that nobody named: a reference that fails there, say,
 * is no mistake that has to be mended first. */
int hone__tune_may_be_left_out(hone_status status);

/* Can a device of this kind tell what the objectives ask for? HONE_ERR_NO_GPU:
 * no energy. */
hone_status hone__tune_check_objectives(const hone_device_kind *kind,
                                        const hone_objectives *objectives,
                                        hone_error *err);

/* The name of the lock that a measuring process holds (device_lock.h). */
void hone__tune_lock_name(const hone_device_kind *kind,
                          const hone_device_report *device, char *out,
                          size_t size);

/* Append the codes of the type dimensions, comma-joined, as the database has
 * them beside a variant. */
void hone__tune_types(const hone_template *tmpl, const int64_t *dims,
                      hone_text *out);

#endif
