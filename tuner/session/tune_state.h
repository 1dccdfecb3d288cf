/* SPDX-License-Identifier: Apache-2.0 */
/* One run of hone__tune(), shared by the files that make it up. */
#ifndef HONE_TUNER_TUNE_STATE_H
#define HONE_TUNER_TUNE_STATE_H

#include "gen/expand/expand.h"
#include "gen/expand/meaning.h"
#include "tuner/process/ask.h"
#include "tuner/process/device_lock.h"
#include "tuner/compile/farm.h"
#include "tuner/judge/final.h"
#include "tuner/model/model.h"
#include "tuner/trial/device_worker.h"
#include "tuner/compile/helper_kernels.h"
#include "tuner/compile/host_unit.h"
#include "tuner/search/search.h"
#include "tuner/session/tune.h"
#include "tuner/compile/reference_template.h"
#include "tuner/trial/devices.h"
#include "tuner/session/rules.h"

#include <stdio.h>
#include <sys/stat.h>

typedef struct hone_tune_impl hone_tune_impl;

/* One variant on its way through the run. */
typedef struct hone_tune_job {
    int64_t id;
    hone_tune_impl *impl;
    int64_t index; /* in its space */
    hone_text config;
    hone_text source;
    hone_text options;
    hone_text spec;
    hone_text refusal;         /* why there is no source; empty: there is */
    char key[HONE_SHA256_HEX]; /* over all that decides about it */
    hone_launch_spec *plan;    /* spec, parsed */
    hone_compile_output compiled;
    int64_t variant_id;                 /* in the database; 0: not yet */
    char cubin_sha256[HONE_SHA256_HEX]; /* in the database; "" if none */
    int n_killed;       /* workers killed from outside while they tried it */
    double submitted_s; /* to the farm */
    int is_gated;       /* a gate rejected it: the worker never had it */
    struct hone_tune_job *next;
} hone_tune_job;

/* Jobs in the order they came. */
typedef struct hone_tune_queue {
    hone_tune_job *head;
    hone_tune_job *tail;
    int n;
} hone_tune_queue;

/* Jobs the device's worker has at a time: the one it tries and the next, which
 * waits in its pipe so that the device does not wait for us (worker.h). */
enum { HONE_TUNE_AHEAD = 2 };

/* A process that owns a device and tries variants on it. The first of a run has
 * the run's own device, others those that are lent to it. */
typedef struct hone_tune_worker {
    hone_worker process;
    hone_worker_setup setup;
    hone_tune_loan loan;   /* of a lent one */
    hone_device_lock lock; /* likewise */
    char reference[160];   /* that it runs; "": none */
    int64_t n_answered;    /* jobs, by this process */
    int is_ready;
    int gave_up;            /* it said FAILED and is about to leave */
    int leaves;             /* it said so with its last answer */
    int setups_failed;      /* in a row */
    int n_machine_faults;   /* reported by it and those before it */
    double deadline_s;      /* of the first of `trying`; of the run's clock */
    hone_tune_queue trying; /* sent to it; it is at the first */
} hone_tune_worker;

enum { HONE_TUNE_MOST_WORKERS = HONE_TUNE_MOST_LOANS + 1 };

/* A verified and timed variant: what the final chooses from. */
typedef struct hone_candidate {
    hone_tune_impl *impl;
    int64_t index; /* in its space */
    int64_t trial_id;
    int64_t variant_id;
    double time_ns;
    int registers;           /* -1: unknown, of an earlier run */
    int static_shared_bytes; /* likewise */
    char cubin_sha256[HONE_SHA256_HEX];
    double values[HONE_MOST_OBJECTIVES]; /* by its trial, then by the final */
    double energy_uj;                    /* of the final; 0: not measured */
} hone_candidate;

/* Places of a ranking that are stored, so that another device can be seeded
 * from them, and so that there is another one where the winner is damaged. */
enum { HONE_TUNE_RANKED = 50 };
/* Of an earlier run's variants that were unstable, so many are tried again; of
 * those that had too little time, so many before anything else. */
enum { HONE_TUNE_UNSTABLE = 16, HONE_TUNE_LONGER = 16 };

/* A trial of an earlier run. */
typedef struct hone_earlier_trial {
    hone_candidate candidate;
    hone_outcome outcome;
    int n_unstable; /* trials of it, or finals */
    double given_s; /* timeout: it did not end within that; 0: unknown */
    size_t place;   /* in the order of the trials */
    int is_kept;    /* of an earlier text of the template */
    int is_listed;  /* of a portfolio: it is of no budget */
} hone_earlier_trial;

/* A configuration that was tried with an earlier text of the template. */
typedef struct hone_carried {
    int64_t index; /* in the space */
    int is_kept;
} hone_carried;

/* One implementation of the operation: its space, what is known of it, and its
 * search. */
struct hone_tune_impl {
    const hone_template *tmpl;
    const char *name;      /* as the database has it */
    char compile_arch[16]; /* "sm_90a" where the template needs it */
    hone_space *space;
    hone_search *search;
    int64_t default_index;
    hone_launch_spec *default_spec;
    hone_seed seeds[HONE_MOST_SEEDS]; /* tried after it */
    size_t n_seeds;
    hone_seed *starts; /* what the request begins with: before the seeds */
    size_t n_starts;
    hone_earlier_trial *earlier; /* one for each configuration */
    size_t n_earlier;
    /* Damaged, unstable or with more time than before: tried again, first. */
    int64_t again[HONE_TUNE_RANKED + 1 + HONE_TUNE_UNSTABLE + HONE_TUNE_LONGER];
    size_t n_again;
    hone_carried *carried; /* tried with an earlier text of the template */
    size_t n_carried;
    hone_meaning *meaning; /* of the template; NULL: not asked for yet */
    int exhausted;         /* the search has no more */
    hone_turn share;       /* of the budget */
    const hone_model_part *learned; /* from other problems; NULL: nothing */
    int is_guessed; /* by that, or by what the template estimates */
    hone_features *guess_features;   /* of this problem; the run's */
    float *guess_row;                /* scratch */
    int64_t *guess_config;           /* scratch */
    int64_t template_id, session_id; /* in the database */
};

/* One whose trials are learned from. */
typedef struct hone_tune_learner {
    const hone_template *tmpl;
    hone_features *features; /* of this problem */
} hone_tune_learner;

/* The file that is written to (tune_watch.c). */
typedef struct hone_tune_database {
    int is_known; /* the rest is */
    int fd;       /* SQLite's */
    int has_log;
    int64_t size_bytes; /* that it had */
    struct stat file, log;
} hone_tune_database;

typedef struct hone_tune_run {
    const hone_tune_request *request;
    hone_tune_result *result;
    double start_s;
    double clock_s; /* time in which somebody looked after the workers */
    double looked_s;
    hone_device_report device;
    /* Those that apply here; the first is what is launched where nothing was
     * tuned. */
    hone_tune_impl impls[HONE_MAX_IMPLS];
    size_t n_impls;
    hone_farm *farm;
    hone_helper_kernels helper_kernels;
    hone_reference_templates *reference_templates; /* NULL: there are none */
    hone_tune_worker workers[HONE_TUNE_MOST_WORKERS];
    size_t n_workers;
    FILE *worker_log; /* the first's stderr, where a sanitizer reports */
    hone_tune_queue compiling; /* given to the farm */
    hone_tune_queue queued;    /* compiled, for the device */
    hone_tune_queue deferred;  /* compiled, but they spill registers: last */
    int exhausted;             /* no search has more */
    const char *strategy_why;  /* a strategy's program failed; NULL: no */
    size_t list_next;          /* of the request's list */
    double known_best_ns;      /* with a list: before it was measured */
    int64_t only_index;        /* the one that was asked for; -1: all */
    int64_t next_job;
    hone_device_lock lock;
    hone_tune_database database;
    hone_worker disk;        /* waits for it; not running: every commit does */
    hone_ready_report ready; /* what the worker said of its set-up */
    hone_tune_noise noise;
    hone_pace pace;
    hone_until until;
    double ready_s; /* when the first worker was ready; 0: not yet */
    int is_ahead;   /* it began while the device was another problem's */
    int64_t device_id, problem_id, toolchain_id; /* in the database */
    hone_model model; /* of the operation on this device; no parts: none */
    hone_tune_learner learners[HONE_MAX_IMPLS];
    size_t n_learners;
    hone_candidate *candidates;
    size_t n_candidates;
    hone_tune_progress progress;
    /* Earlier trials of implementations that try nothing, and of portfolios. */
    int64_t n_beside;
    char best_config[256];
    int64_t best_trial_id;
    /* What a callback of the farm could not return. */
    hone_status pending_status;
    hone_error pending_error;
} hone_tune_run;

/* tune.c */
/* Seconds of this run, less those in which others had the device. */
double hone__tune_elapsed_s(const hone_tune_run *run);

/* tune_ahead.c */
/* Is the device another problem's still? */
int hone__tune_awaits_turn(const hone_tune_run *run);
/* What can be done without the device, until it is this run's turn: the first
 * variants are compiled. HONE_ERR_INTERRUPTED as hone__farm_turn(). */
hone_status hone__tune_await_turn(hone_tune_run *run, hone_error *err);

/* tune_setup.c */
/* What kind of device it is tuned on. */
const hone_device_kind *hone__tune_kind(const hone_tune_run *run);

hone_status hone__tune_setup(hone_tune_run *run, hone_error *err);
void hone__tune_teardown(hone_tune_run *run);
/* Whether another implementation alone was asked for: this one tries nothing.
 */
int hone__tune_is_beside(const hone_tune_run *run, const hone_tune_impl *impl);

/* tune_remember.c */
/* Of the space, what this run tries at most, about. */
int64_t hone__tune_part_of_space(const hone_tune_run *run);
/* What is in the database, and searches that know it. */
hone_status hone__tune_remember(hone_tune_run *run, hone_error *err);

/* tune_job.c */
/* Its texts and its key. */
hone_status hone__tune_job_write(hone_tune_run *run, hone_tune_impl *impl,
                                 const int64_t *config, hone_tune_job *job,
                                 hone_error *err);
hone_status hone__tune_job_make(hone_tune_run *run, hone_tune_impl *impl,
                                int64_t index, hone_tune_job **out,
                                hone_error *err);
void hone__tune_job_free(hone_tune_job *job);

/* tune_jobs.c */
void hone__tune_queue_add(hone_tune_queue *queue, hone_tune_job *job);
/* NULL when it is empty. */
hone_tune_job *hone__tune_queue_take(hone_tune_queue *queue);
/* Keep the compilers busy with what the search proposes. */
hone_status hone__tune_propose(hone_tune_run *run, hone_error *err);
/* A hone_farm_done: `user` is the run. */
void hone__tune_compiled(void *user, int64_t id, hone_compile_output *output);
/* Jobs that will become trials. */
int64_t hone__tune_under_way(const hone_tune_run *run);

/* tune_earlier.c */
/* What the database knows to be good elsewhere. */
hone_status hone__tune_seeds_find(const hone_tune_run *run,
                                  hone_tune_impl *impl, hone_error *err);
/* "place 1 of .. on ..": where it is good, or which line of --start it is;
 * NULL: it is no seed. */
const char *hone__tune_seed_origin(const hone_tune_job *job);

/* tune_start.c */
/* The configurations of the request that are in this space, as `starts`. */
hone_status hone__tune_start_find(const hone_tune_run *run,
                                  hone_tune_impl *impl, hone_error *err);
/* Name those that are in none. */
hone_status hone__tune_start_say(const hone_tune_run *run, hone_error *err);

/* What earlier runs found out: read it, then, before anything is proposed,
 * tell it to the search. */
hone_status hone__tune_earlier_read(hone_tune_run *run, hone_tune_impl *impl,
                                    hone_error *err);
hone_status hone__tune_earlier_tell(hone_tune_run *run, hone_tune_impl *impl,
                                    hone_error *err);

/* tune_learn.c */
/* What other problems teach about this one, for all implementations. */
hone_status hone__tune_learned_open(hone_tune_run *run, hone_error *err);
/* What a search is guided by goes into its options: the model, the template's
 * estimate, both or nothing. */
void hone__tune_priors(const hone_tune_run *run, hone_tune_impl *impl,
                       hone_search_options *out);
/* If it was asked for: learn from all trials, those of this run included, and
 * measure how far that is off elsewhere. */
hone_status hone__tune_learned_keep(hone_tune_run *run, hone_error *err);
void hone__tune_learned_close(hone_tune_run *run);

/* tune_carry.c */
/* What makes a stored variant the same as this one. */
hone_status hone__tune_key_write(hone_tune_run *run, hone_tune_impl *impl,
                                 const int64_t *config, hone_tune_job *job,
                                 hone_error *err);
/* Make variants of earlier texts of the template its own, where this one has
 * not changed them. */
hone_status hone__tune_carry(hone_tune_run *run, hone_tune_impl *impl,
                             hone_error *err);

/* tune_list.c */
/* A space of the list, the default, and where the list is ranked, what was
 * tried earlier at this problem, with which it compares: solving the whole
 * space of a large template takes as long as a dozen trials. NULL: the default
 * is not valid here, and the configuration that stands for it is one of the
 * whole space. */
hone_status hone__tune_list_space(const hone_tune_run *run,
                                  const hone_template *tmpl,
                                  const int64_t *dims, hone_space **out,
                                  hone_error *err);
/* How much of the request's list will be measured; what was known before. */
hone_status hone__tune_list_plan(hone_tune_run *run, hone_error *err);
/* The next of it that is valid and was not tried yet; NULL: there is no more.
 */
hone_status hone__tune_list_next(hone_tune_run *run, hone_tune_impl **out_impl,
                                 int64_t *out_index, hone_error *err);
/* Take what the compiler made of it from the database, if it is there. */
hone_status hone__tune_list_stored(hone_tune_run *run, hone_tune_job *job,
                                   int *out_found, hone_error *err);
/* Edge shapes: what became of one that was verified there. */
hone_status hone__tune_list_proved(hone_tune_run *run, hone_tune_job *job,
                                   const hone_trial_report *report,
                                   hone_error *err);
/* Is one faster than all that was known, by more than the noise? */
int hone__tune_list_is_better(const hone_tune_run *run);

/* tune_session.c */
/* What is tuned, with what and on what, one session for each implementation;
 * trials belong to it from here on. */
hone_status hone__tune_record_open(hone_tune_run *run, hone_error *err);
/* All that was committed is on the disk, and commits wait for it again. */
hone_status hone__tune_record_settle(hone_tune_run *run, hone_error *err);
/* The key of its trials. */
hone_db_trial_key hone__tune_trial_key(const hone_tune_run *run,
                                       const hone_tune_impl *impl);
/* Is there a database, with a session of this run? */
int hone__tune_is_recorded(const hone_tune_run *run);
/* A decision about an implementation, as a row; without a database none. */
hone_status hone__tune_decide(const hone_tune_run *run,
                              const hone_tune_impl *impl,
                              const hone_db_decision *decision,
                              hone_error *err);
/* A sentence about the run as a whole. */
hone_status hone__tune_record_decision(hone_tune_run *run, const char *kind,
                                       const char *text, hone_error *err);
/* Why a stored trial ended as it did, and what else is to be said of it. */
hone_status hone__tune_record_reasons(hone_tune_run *run,
                                      const hone_tune_job *job,
                                      int64_t trial_id,
                                      const hone_trial_report *report,
                                      hone_error *err);

/* tune_watch.c */
/* HONE_ERR_DATABASE if the database was deleted, moved, replaced or cut off. */
hone_status hone__tune_database_check(hone_tune_run *run, hone_error *err);

/* tune_record.c */
/* The search learns what became of a configuration, it is counted, and is a
 * candidate if it is good. Each configuration once per run. */
hone_status hone__tune_take_outcome(hone_tune_run *run, hone_tune_impl *impl,
                                    const hone_candidate *candidate,
                                    hone_outcome outcome, const char *config,
                                    hone_error *err);
/* Store the variant with its outcome, and count it. */
hone_status hone__tune_record_trial(hone_tune_run *run, hone_tune_job *job,
                                    const hone_trial_report *report,
                                    hone_error *err);
/* What the machine ended says nothing about the variant: no trial is stored,
 * so that the next run tries it again, and a decision says why. Frees the job.
 */
hone_status hone__tune_record_interrupted(hone_tune_run *run,
                                          hone_tune_job *job, const char *why,
                                          hone_error *err);
/* Compiled, but the run ends before they are tried. */
hone_status hone__tune_record_untried(hone_tune_run *run, hone_error *err);
/* tune_trials.c */
hone_status hone__tune_worker_start(hone_tune_run *run,
                                    hone_tune_worker *worker, hone_error *err);
/* The first worker makes its context while our kernels are compiled: give
 * them to it when they are. The next ones inherit them. */
hone_status hone__tune_worker_code(hone_tune_run *run, hone_error *err);
hone_status hone__tune_worker_feed(hone_tune_run *run, hone_error *err);
/* Read what a worker said; handle its death and its deadline. */
hone_status hone__tune_worker_pump(hone_tune_run *run, hone_tune_worker *worker,
                                   hone_error *err);
/* Jobs that workers have. */
int hone__tune_n_trying(const hone_tune_run *run);
double hone__tune_trial_timeout_s(const hone_tune_run *run);
/* The first of the worker's jobs has its outcome; the worker is at the next. */
hone_status hone__tune_finish_job(hone_tune_run *run, hone_tune_worker *worker,
                                  const hone_trial_report *report,
                                  hone_error *err);

/* tune_worker_end.c */
/* The worker is gone, or is killed because its time is up: that is its job's
 * outcome, and a new worker starts. */
hone_status hone__tune_worker_replace(hone_tune_run *run,
                                      hone_tune_worker *worker,
                                      hone_outcome outcome, hone_error *err);
/* What a reference did says nothing about a variant, and it will do it again:
 * the run ends, with one message. */
hone_status hone__tune_blame_reference(const hone_tune_run *run,
                                       const hone_tune_worker *worker,
                                       const char *what, hone_error *err);
/* Its jobs come first again. */
void hone__tune_worker_put_back(hone_tune_run *run, hone_tune_worker *worker);

/* tune_loan.c */
/* Begin with what is offered. */
hone_status hone__tune_loans_take(hone_tune_run *run, hone_error *err);
/* Read what all workers said. A lent device that falls off is given back. */
hone_status hone__tune_workers_pump(hone_tune_run *run, hone_error *err);
/* Give all back. */
void hone__tune_loans_end(hone_tune_run *run);

/* tune_end.c */
/* Trials that are left of a budget in trials. */
int64_t hone__tune_budget_left(const hone_tune_run *run);
/* No more shall be proposed: the budget is spent, or another gain unlikely.
 */
int hone__tune_is_enough(const hone_tune_run *run);
/* The loop is over: say why, in the result and in the database. */
hone_status hone__tune_stop(hone_tune_run *run, hone_status status,
                            hone_error *err);

/* Without a winner: why, in the result. */
hone_status hone__tune_explain(hone_tune_run *run, int interrupted,
                               hone_error *err);

/* The best so far, as an interrupted decision, unless a winner was decided
 * before. */
hone_status hone__tune_keep_best(hone_tune_run *run, hone_error *err);

/* tune_final.c */
/* Is it what is launched where nothing was tuned? */
int hone__tune_is_default(const hone_tune_run *run, const hone_candidate *c);
/* By their times; refuted ones (no time) come last. */
void hone__tune_sort_candidates(hone_tune_run *run);
hone_status hone__tune_final(hone_tune_run *run, hone_error *err);

/* Text and cubin of a finalist, as the worker takes them. */
typedef struct hone_tune_finalist {
    hone_tune_job *job;
    hone_text cubin;
    size_t candidate;
} hone_tune_finalist;

typedef struct hone_tune_final_state {
    hone_tune_finalist finalists[HONE_MAX_FINALISTS];
    int n;
    int n_by_time; /* of them; the default variant may be there as such */
    hone_final_request request;
    hone_final_report report;
} hone_tune_final_state;

/* tune_final_record.c */
/* Who takes part, one decision each. */
hone_status hone__tune_final_announce(hone_tune_run *run,
                                      const hone_tune_final_state *f,
                                      hone_error *err);
/* Finalists that turned out wrong: a trial with that outcome, which counts
 * from now on, and a decision each. They are no candidates any more. */
hone_status hone__tune_final_refute(hone_tune_run *run,
                                    hone_tune_final_state *f, hone_error *err);
/* Baselines, decisions, ranking and what the final says of the session. */
hone_status hone__tune_final_store(hone_tune_run *run,
                                   const hone_tune_final_state *f,
                                   hone_error *err);

/* tune_objective.c */
/* What the session was asked for. */
hone_status hone__tune_objective_ask(hone_tune_run *run, hone_error *err);
/* Its values, as far as a trial tells them. */
hone_status hone__tune_objective_set(const hone_tune_run *run,
                                     hone_candidate *c, hone_error *err);
/* What the search hears of it: an objective, or the time; 0: no value. */
double hone__tune_objective_told(const hone_tune_run *run,
                                 const hone_candidate *c);
/* How many of `count` are in the final for their time. */
size_t hone__tune_objective_room(const hone_tune_run *run, size_t count);
/* Who is in it beside the first `count`, for an objective: at most
 * HONE_MOST_FINALISTS. */
hone_status hone__tune_objective_choose(hone_tune_run *run, size_t count,
                                        size_t *out, size_t *out_n,
                                        hone_error *err);
/* Winners by objectives, the front, and the numbers of both. */
hone_status hone__tune_objective_store(hone_tune_run *run,
                                       const hone_tune_final_state *f,
                                       hone_error *err);

/* Append a sentence to the result's notes. */
void hone__tune_note(hone_tune_run *run, const char *sentence);
void hone__tune_show_progress(hone_tune_run *run, const char *stage);
int hone__tune_stopped(const hone_tune_run *run);

#endif
