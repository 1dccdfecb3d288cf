/* SPDX-License-Identifier: Apache-2.0 */
/* The tuning database: everything that was ever measured, and the winners.
 * FORMAT.md documents the tables and the views; this is the write side, and
 * what the tuner and the commands read back. Plain structs go in, row ids
 * come out. Strings are borrowed during the call. A NULL string is stored as
 * "" where the column must have a value and as NULL elsewhere.
 *
 * One hone_db belongs to one thread at a time and must not be carried across
 * fork(). Any number of processes may use one file: a writer waits up to
 * five seconds for another one, then HONE_ERR_BUSY.
 *
 * Every put is durable when it returns, so a crash or a power failure loses
 * at most the call in flight; between hone__db_begin() and hone__db_commit()
 * the commit is what makes durable.
 *
 * Errors of every function: HONE_ERR_BUSY (locked), HONE_ERR_IO (cannot
 * write: read-only, disk full), HONE_ERR_DATABASE (damaged, or a value that
 * the schema refuses), HONE_ERR_NO_MEMORY; hone_error keeps SQLite's extended
 * code. HONE_ERR_ARGUMENT: a mandatory member is missing. */
#ifndef HONE_DB_DB_H
#define HONE_DB_DB_H

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/store/database.h"

#include <stddef.h>
#include <stdint.h>

typedef struct hone_database hone_db;

enum {
    HONE_DB_CREATE = 1,  /* make the file and its folder if missing */
    HONE_DB_READONLY = 2 /* only reads; works on read-only storage too */
};

/* A file of at most so many bytes is looked over before it is written to; one
 * beside which a log is left, as by a process that was killed, of at most so
 * many. */
enum { HONE_DB_LOOK_BYTES = 16 << 20, HONE_DB_LOOK_BYTES_LOG = 256 << 20 };

/* Open `path`; without a flag: read and write an existing file. Older files
 * are migrated when opened for writing; opened read-only they stay as they
 * are and queries see the current views, with what the file does not have as
 * NULL. Also HONE_ERR_NOT_FOUND (no such file) and HONE_ERR_DATABASE (not
 * SQLite, not ours, of a newer hone, or damaged, as a writer that looks it over
 * sees). */
hone_status hone__db_open(const char *path, int flags, hone_db **out,
                          hone_error *err);
/* Opened to be read where locks fail, so without them: why, in SQLite's words.
 * NULL: with locks, or where nobody can write. */
const char *hone__db_lockless(const hone_db *db);
void hone__db_close(hone_db *db); /* NULL is a no-op; rolls back */
/* Have all that was committed in the file alone, on the disk, and nothing in
 * the log beside it: who gives the file another name would lose that, and
 * hone__db_close() does not say when it failed. HONE_ERR_IO, HONE_ERR_BUSY. */
hone_status hone__db_empty_log(hone_db *db, hone_error *err);
/* Remove the file, which nobody has open, and what SQLite keeps beside it. */
void hone__db_remove(const char *path);

/* Read a file from end to end, unless it is larger than `most_bytes`, and say
 * how many rows it has. HONE_ERR_DATABASE: it cannot be used, and the sentence
 * says why; the rest as hone__db_open(). */
typedef struct hone_db_summary {
    int64_t version; /* of the format, 1 .. HONE_DB_VERSION */
    int64_t n_winners;
    int64_t n_trials;
    int is_read; /* from end to end */
} hone_db_summary;
hone_status hone__db_inspect(const char *path, int64_t most_bytes,
                             hone_db_summary *out, hone_error *err);

/* Put several rows in one durable step; does not nest. After a failed put
 * the caller rolls back. A rollback without a transaction is a no-op. */
hone_status hone__db_begin(hone_db *db, hone_error *err);
hone_status hone__db_commit(hone_db *db, hone_error *err);
void hone__db_rollback(hone_db *db);
/* Commit, or roll back if `status` is a failure, which is returned. */
hone_status hone__db_end(hone_db *db, hone_status status, hone_error *err);

/* From now on a commit does not wait for the disk: the caller has another
 * process call fdatasync() on the file whose name this returns (valid while
 * `db` is open; the file appears with the first write), soon after each
 * commit. A process that is killed still loses nothing it has committed, and
 * no crash damages the file; a power failure loses what was not synced. NULL,
 * and nothing changes, where the journal does not allow it. */
const char *hone__db_sync_elsewhere(hone_db *db);
/* A commit waits again; the next one makes all before it durable. */
hone_status hone__db_sync_here(hone_db *db, hone_error *err);

/* ---- what is measured: put once, the same again gives the same id ------- */

typedef struct hone_db_device {
    const char *kind; /* "cuda", "cpu" or "replay" */
    const char *name; /* "NVIDIA H200" */
    const char *arch; /* "sm_90" */
    int64_t sm_count;
    int64_t memory_bytes;
    int64_t l2_bytes;
    const char *driver_version;  /* "13000"; of a cpu device "" */
    const char *properties_json; /* object of device properties; NULL: "{}" */
} hone_db_device;

/* Identity: everything but the properties. */
hone_status hone__db_device_put(hone_db *db, const hone_db_device *device,
                                int64_t *out_id, hone_error *err);

typedef struct hone_db_template {
    const char *op;
    const char *name;   /* of the implementation: "wmma"; without a contract the
                           base name of its file: "scan.cu" */
    const char *kind;   /* "template", also NULL; "reference", "vendor" */
    const char *sha256; /* of the file and what it includes */
    const char *source; /* its text */
    size_t source_bytes;
} hone_db_template;

/* Identity: op, name, sha256. The last one put is the latest of its op. */
hone_status hone__db_template_put(hone_db *db, const hone_db_template *tmpl,
                                  int64_t *out_id, hone_error *err);

typedef struct hone_db_problem {
    const char *op;
    const int64_t *dims; /* completed */
    size_t n_dims;
    const char *label; /* "M=4096 N=4096 K=4096", for people */
} hone_db_problem;

/* Identity: op and dims. */
hone_status hone__db_problem_put(hone_db *db, const hone_db_problem *problem,
                                 int64_t *out_id, hone_error *err);
/* Append the canonical text of dims: "4096,4096,4096". */
void hone__db_dims_text(const int64_t *dims, size_t n_dims, hone_text *out);
/* And back; 0: there are not as many. */
int hone__db_dims_read(const char *text, size_t n_dims, int64_t *out);

/* Identity: both. `name` "nvrtc", `version` "13.0". */
hone_status hone__db_toolchain_put(hone_db *db, const char *name,
                                   const char *version, int64_t *out_id,
                                   hone_error *err);

/* `kind`: "cubin", "log", "source" or "samples". Stored once per content,
 * compressed. `out_sha256` names it from then on; never NULL. */
hone_status hone__db_artifact_put(hone_db *db, const char *kind,
                                  const void *bytes, size_t size_bytes,
                                  char out_sha256[HONE_SHA256_HEX],
                                  hone_error *err);
/* Append the content of an artifact, checked against its hash.
 * HONE_ERR_NOT_FOUND, HONE_ERR_DATABASE (damaged). */
hone_status hone__db_artifact_get(hone_db *db, const char *sha256,
                                  hone_text *out, hone_error *err);

/* One configuration compiled for one architecture. */
typedef struct hone_db_variant {
    int64_t template_id;
    int64_t toolchain_id;
    const char *config;      /* canonical: "BM=128,BN=64" */
    const char *types;       /* codes of the problem's type dimensions,
                                comma-joined: "4"; NULL if it has none */
    const char *arch;        /* what it was compiled for: "sm_90a" */
    const char *options;     /* compiler options, one a line; NULL: none */
    const char *compile_key; /* SHA-256 of all that decides about it
                                (FORMAT.md, when a row is valid); NULL if
                                that is unknown */
    const char *outcome;     /* "ok", "compile", "constraint", "timeout" */
    int64_t registers;       /* the next four count if outcome is ok; */
    int64_t spill_bytes;     /* negative: unknown */
    int64_t static_shared_bytes;
    int64_t compile_time_ns;  /* 0: came from a cache */
    const char *cubin_sha256; /* artifacts that were put; NULL: none */
    const char *log_sha256;
    const char *launch_plan;       /* runtime/launch/launch_spec.h */
    int is_default;                /* the template's default configuration */
    const char *compiler_warnings; /* codes of those that make it slow:
                                      "C7510,C7515"; NULL: none */
} hone_db_variant;

/* Identity: template, toolchain, config, types, arch, options. The rest is
 * replaced by what came last. */
hone_status hone__db_variant_put(hone_db *db, const hone_db_variant *variant,
                                 int64_t *out_id, hone_error *err);

/* Options of a default where nothing was tried. It is none any more where the
 * last trial of one of its template and architecture is wrong or a fault. */
#define HONE_DB_FOR_ANY_LENGTH "for any length"
hone_status hone__db_untried_withdraw(hone_db *db, hone_error *err);

/* What a variant is launched with; free with hone__db_launch_free(). */
typedef struct hone_db_launch {
    hone_text config;
    hone_text launch_plan;
    hone_text cubin;
} hone_db_launch;

/* HONE_ERR_DATABASE that hone__db_is_damage() knows: some of it is not what
 * was stored (FORMAT.md, when a row may be launched), or is not there;
 * to be put again. */
hone_status hone__db_launch_get(hone_db *db, int64_t variant_id,
                                hone_db_launch *out, hone_error *err);
void hone__db_launch_free(hone_db_launch *launch);
/* One row is damaged, not the file: others may be as good. */
int hone__db_is_damage(const hone_error *err);

/* ---- measurements ------------------------------------------------------- */

/* One `hone tune` of one problem: what all its trials have in common. */
typedef struct hone_db_session {
    int64_t device_id;
    int64_t problem_id;
    int64_t template_id;
    const char *mode;     /* "cold" or "hot" */
    const char *strategy; /* "exhaustive", "random", .. */
    uint64_t seed;
    const char *budget; /* "200", "60s", "" */
} hone_db_session;

/* Starts now, status "running". Sessions for the same work that still say
 * so, because they were killed, become "interrupted". */
hone_status hone__db_session_begin(hone_db *db, const hone_db_session *session,
                                   int64_t *out_id, hone_error *err);
/* `status`: "done" or "interrupted". */
hone_status hone__db_session_finish(hone_db *db, int64_t session_id,
                                    const char *status, hone_error *err);

/* What a session finds out about its device and itself. Negative numbers and
 * NULL: not known, and what is stored stays; so it may be called whenever
 * something becomes known. */
typedef struct hone_db_session_summary {
    double event_floor_ns; /* shortest time between two events */
    double noise_floor;    /* relative: differences below it mean nothing */
    int64_t warm_up_ns;
    int64_t device_busy_ns; /* of device_wall_ns, from first to last trial */
    int64_t device_wall_ns;
    const char *verdict; /* "decided", "tied", "too_noisy", "only_one" */
    const char *stopped; /* "exhausted", "budget", .., see FORMAT.md */
} hone_db_session_summary;

hone_status hone__db_session_measured(hone_db *db, int64_t session_id,
                                      const hone_db_session_summary *properties,
                                      hone_error *err);

/* One variant measured once, whatever became of it. Device, problem and mode
 * are its session's. */
typedef struct hone_db_trial {
    int64_t session_id;
    int64_t variant_id;
    const char *outcome;      /* tuner/judge/outcome.h spells them */
    const char *message;      /* why it is not ok; NULL: nothing to say */
    double time_ns;           /* median of one execution; 0: not timed */
    double spread_ns;         /* half the interquartile range */
    const double *samples_ns; /* each per execution, as measured */
    size_t n_samples;
    int64_t launches_per_sample;
    double error_ratio; /* error over the bound; kept if the outcome
                           is ok, wrong or unstable; may be inf;
                           negative: unknown */
    int verified;
    int64_t sm_clock_mhz; /* NVML; <= 0: unknown, and then the three */
    int64_t power_mw;     /*   below it are unknown as well */
    int64_t temperature_c;
    uint64_t throttle_reasons; /* NVML's bits */
    int64_t started_unix_ns;   /* 0: now */
    int64_t device_time_ns;    /* spent on the device for it, all in all */
    const char *timing;        /* "graph", "event", "host"; NULL: unknown,
                                  and then the next is, too, if 0 */
    int64_t n_discarded;       /* samples that were thrown away */
    int64_t sample_time_ns;    /* of device_time_ns, in samples; <= 0:
                                  unknown */
} hone_db_trial;

hone_status hone__db_trial_put(hone_db *db, const hone_db_trial *trial,
                               int64_t *out_id, hone_error *err);

/* A baseline, measured in a session. */
typedef struct hone_db_baseline {
    int64_t session_id;
    const char *name;  /* "cublaslt" */
    const char *label; /* "cuBLASLt (best of 8)" */
    int64_t algorithm; /* the fastest, its rank from 0 */
    int64_t n_algorithms;
    double time_ns; /* 0: it could not run, `message` says why */
    double spread_ns;
    int64_t n_samples;
    double error_ratio; /* negative: unknown */
    const char *message;
} hone_db_baseline;

/* Identity: session and name. */
hone_status hone__db_baseline_put(hone_db *db, const hone_db_baseline *baseline,
                                  int64_t *out_id, hone_error *err);

/* How a place of a ranking was found that took part in no final: its time is
 * that of its trial, and not to be compared with times of the final. The views
 * know it by this text. */
#define HONE_DB_BY_TRIAL "time of its trial"

/* One place of a ranking; rank 1 is the winner. */
typedef struct hone_db_ranked {
    int64_t trial_id; /* of this device, problem and mode; ok */
    double time_ns;   /* as of the final, which may differ from the
                         trial's own */
    double ci_low_ns; /* confidence interval of time_ns; 0: none */
    double ci_high_ns;
    const char *decided_by; /* one sentence; NULL: "" */
} hone_db_ranked;

/* Replace the ranking of the session's device, problem and mode, all or
 * nothing. ranked[0] gets rank 1. n_ranked 0 removes it. */
hone_status hone__db_ranking_put(hone_db *db, int64_t session_id,
                                 const hone_db_ranked *ranked, size_t n_ranked,
                                 hone_error *err);

/* ---- why: the steps to a result ----------------------------------------- */

/* One decision about a variant, a trial or a session as a whole. */
typedef struct hone_db_decision {
    int64_t session_id;
    int64_t trial_id;         /* whose; 0: there is none (yet) */
    int64_t variant_id;       /* 0: the trial's */
    int64_t against_trial_id; /* what it was compared with; 0: nothing */
    const char *kind;         /* FORMAT.md: "gated", .., "winner" */
    double ratio;             /* its time over the other's; 0: none, as the */
    double ratio_low;         /*   ends of its confidence interval */
    double ratio_high;
    int64_t n_samples; /* that it rests on */
    const char *text;  /* the reason, one sentence */
} hone_db_decision;

hone_status hone__db_decision_put(hone_db *db, const hone_db_decision *decision,
                                  int64_t *out_id, hone_error *err);

/* ---- reading back ------------------------------------------------------- */

/* What makes an old trial valid today. */
typedef struct hone_db_trial_key {
    int64_t device_id; /* holds the driver version */
    int64_t problem_id;
    int64_t template_id; /* holds the template's hash */
    int64_t toolchain_id;
    const char *mode;
} hone_db_trial_key;

typedef struct hone_db_trial_row { /* strings are valid during the call */
    int64_t trial_id;
    int64_t variant_id;
    const char *config;
    const char *arch; /* compiled for */
    const char *options;
    const char *compile_key; /* "" if there was none */
    const char *outcome;
    const char *message;
    double time_ns; /* 0: not timed */
    double spread_ns;
    int64_t n_samples;
    double error_ratio;       /* negative: unknown */
    const char *cubin_sha256; /* "" if there is none */
    const char *timing;       /* "" if unknown */
    int is_kept;              /* of a session with another text */
    int is_listed;            /* of a portfolio: no search asked for it */
    int64_t device_time_ns;   /* that it cost; 0: unknown, or none */
} hone_db_trial_row;

/* Anything but HONE_OK stops the walk and is returned. The callback must not
 * write to the same hone_db. */
typedef hone_status (*hone_db_trial_fn)(void *user,
                                        const hone_db_trial_row *row,
                                        hone_error *err);
/* Every trial that matches, oldest first: of a variant with several, the
 * last one counts. */
hone_status hone__db_trials(hone_db *db, const hone_db_trial_key *key,
                            hone_db_trial_fn callback, void *user,
                            hone_error *err);

/* A variant of an earlier text of a template. */
typedef struct hone_db_earlier { /* strings are valid during the call */
    int64_t variant_id;
    const char *config;
    const char *compile_key; /* "" if there was none */
    int is_tried;            /* it has trials that the key would find */
} hone_db_earlier;
typedef hone_status (*hone_db_earlier_fn)(void *user,
                                          const hone_db_earlier *variant,
                                          hone_error *err);
/* Those of `key->template_id`'s other texts that were compiled as the key
 * says, for `arch` and `types`: all that were tried, and what the runtime may
 * launch of other problems. The same configurations come together, the latest
 * text first. */
hone_status hone__db_variants_earlier(hone_db *db, const hone_db_trial_key *key,
                                      const char *arch, const char *types,
                                      hone_db_earlier_fn callback, void *user,
                                      hone_error *err);
/* Its key is that of `as`, so it is a variant of `as->template_id` with all of
 * its trials; of `as`, launch_plan and is_default (negative: as it is) count
 * beside. `*out_moved` is 0 if the row is damaged. */
hone_status hone__db_variant_move(hone_db *db, int64_t variant_id,
                                  const hone_db_variant *as, int *out_moved,
                                  hone_error *err);

/* How many variants came to the same end, by their last trials. */
typedef struct hone_db_ends { /* strings are valid during the call */
    const char *outcome;
    const char *message; /* "" if there was none */
    int64_t n;
} hone_db_ends;
typedef hone_status (*hone_db_ends_fn)(void *user, const hone_db_ends *ends,
                                       hone_error *err);
/* The most frequent first. */
hone_status hone__db_ends(hone_db *db, const hone_db_trial_key *key,
                          hone_db_ends_fn callback, void *user,
                          hone_error *err);

/* One of the best of a problem on a device. */
typedef struct hone_db_ranked_row { /* strings are valid during the call */
    const char *config;
    const char *dims;  /* as stored: "4096,4096,512" */
    const char *label; /* of the problem, for people */
    const char *mode;
    const char *device_name;
    const char *arch;
    int64_t sm_count;
    int64_t device_id;
    int64_t problem_id;
    int64_t rank; /* 1: the winner, or the best of its implementation */
} hone_db_ranked_row;

typedef hone_status (*hone_db_ranked_fn)(void *user,
                                         const hone_db_ranked_row *row,
                                         hone_error *err);
/* The places 1 .. n_ranks of every problem of `op` on every device of this
 * kind, among the variants of the implementation `name` (NULL: of all), in both
 * modes and of all versions of the template: what may be good elsewhere too.
 * Those of one ranking come together, the best first. */
hone_status hone__db_ranked_configs(hone_db *db, const char *op,
                                    const char *name, const char *device_kind,
                                    int64_t n_ranks, hone_db_ranked_fn callback,
                                    void *user, hone_error *err);

typedef enum hone_db_kind {
    HONE_DB_NULL,
    HONE_DB_INTEGER,
    HONE_DB_REAL,
    HONE_DB_TEXT,
    HONE_DB_BLOB
} hone_db_kind;

/* A value of SQLite. `text` of TEXT (NUL-terminated) and BLOB. */
typedef struct hone_db_value {
    hone_db_kind kind;
    int64_t integer;
    double real;       /* of INTEGER too */
    const char *text;  /* "" for NULL and numbers */
    size_t size_bytes; /* of text, without its NUL */
} hone_db_value;

/* Values for parameters of hone__db_query(). */
hone_db_value hone__db_null(void);
hone_db_value hone__db_integer(int64_t value);
hone_db_value hone__db_real(double value);
hone_db_value hone__db_text(const char *text); /* NULL gives a null value */
hone_db_value hone__db_blob(const void *bytes, size_t size_bytes);

typedef struct hone_db_row { /* valid during the call */
    size_t n_columns;
    const char *const *names;
    const hone_db_value *values;
} hone_db_row;

typedef hone_status (*hone_db_row_fn)(void *user, const hone_db_row *row,
                                      hone_error *err);
/* Run one SELECT with `?1`, `?2`, .. bound to `params`; the callback gets
 * each row (as for hone__db_trials). HONE_ERR_ARGUMENT: not one reading
 * statement, or a wrong number of parameters. */
hone_status hone__db_query(hone_db *db, const char *sql,
                           const hone_db_value *params, size_t n_params,
                           hone_db_row_fn callback, void *user,
                           hone_error *err);

/* The names of a SELECT's columns, "a, b"; it is not run. */
hone_status hone__db_columns(hone_db *db, const char *sql, hone_text *out,
                             hone_error *err);

/* What a profiler says of a kernel of a trial; again replaces it. */
hone_status hone__db_counter_put(hone_db *db, int64_t trial_id,
                                 const char *kernel, const char *name,
                                 const char *unit, double value,
                                 hone_error *err);

/* ---- several databases --------------------------------------------------
 */

typedef struct hone_db_merged { /* what was not there */
    int64_t n_sessions;
    int64_t n_trials;
    int64_t n_winners; /* problems whose ranking is another now */
    int64_t n_artifacts;
} hone_db_merged;

/* Take the rows of other databases, of any format up to the current one, all of
 * them or, after a failure, none. Again it adds nothing,
 * and in another order the same rows result (merge_rows.sql), but for their
 * ids: of trials of one variant the one that was taken last is the last, of
 * baselines the one that was measured last. Of an artifact, a launch plan and a
 * model a whole one takes the place of a damaged one; what is damaged in all of
 * them stays so. They are only read. HONE_ERR_ARGUMENT (one of them is `db`
 * itself), what opening one may return, HONE_ERR_DATABASE (a row refers to
 * none, or has what the schema refuses: `err` names the file), HONE_ERR_IO (no
 * room beside `db`). */
hone_status hone__db_merge_files(hone_db *db, const char *const *paths,
                                 size_t n, hone_db_merged *out,
                                 hone_error *err);
/* The same into a file that is not there yet, which appears when it is whole:
 * much faster for many files. HONE_ERR_IO also if it is there. */
hone_status hone__db_merge_new(const char *path, const char *const *paths,
                               size_t n, hone_db_merged *out, hone_error *err);

/* ---- what nobody needs ---------------------------------------------------
 */

/* What a database consists of; tables with their indexes. */
#define HONE_DB_PART_MAP(X)                                                    \
    X(templates, "'template'")                                                 \
    X(variants, "'variant', 'launch_form'")                                    \
    X(cubins, "'cubin'")                                                       \
    X(logs, "'log'")                                                           \
    X(sources, "'source', 'samples'")                                          \
    X(sessions, "'session', 'baseline'")                                       \
    X(trials, "'trial', 'counter'")                                            \
    X(decisions, "'decision'")                                                 \
    X(rankings, "'ranking'")                                                   \
    X(others, "") /* problems, devices, counts, the schema */
typedef enum hone_db_part {
#define HONE_DB_PART_ENUM(name, of) HONE_DB_PART_##name,
    HONE_DB_PART_MAP(HONE_DB_PART_ENUM)
#undef HONE_DB_PART_ENUM
        HONE_DB_N_PARTS
} hone_db_part;

typedef struct hone_db_collected { /* what went */
    int64_t n_templates;           /* older texts */
    int64_t n_variants, n_sessions, n_trials, n_decisions;
    int64_t n_places; /* of rankings */
    int64_t n_artifacts;
    int64_t n_models;
    int64_t bytes_before, bytes_after; /* of the file */
    int64_t bytes_freed;               /* in it, before it is made smaller */
    int has_parts; /* 0: this SQLite does not say (SQLITE_ENABLE_DBSTAT_VTAB) */
    int64_t part_before[HONE_DB_N_PARTS], part_after[HONE_DB_N_PARTS];
} hone_db_collected;

/* Remove what was measured with older texts of templates, which the runtime
 * does not launch and no tune resumes from, and what nothing refers to
 * (gc_rows.sql); then make the file smaller, for which there must be room
 * for a copy beside it. With `is_tried` all stays, and only the figures are
 * right, but bytes_after. HONE_ERR_DATABASE: a row refers to none, and
 * nothing was removed; HONE_ERR_IO after all of it went if there is no room;
 * HONE_ERR_BUSY. */
hone_status hone__db_gc(hone_db *db, int is_tried, hone_db_collected *out,
                        hone_error *err);

/* ---- is it whole? -------------------------------------------------------
 */

typedef struct hone_db_checked {
    const char *name;   /* "pages", "references", "artifacts", .. */
    const char *advice; /* what to do about a finding */
    int is_left_out;    /* a file of this format does not have it */
    int64_t n;          /* what was looked at */
    int64_t n_damaged;
    char first[512]; /* the first finding, a sentence */
} hone_db_checked;

typedef hone_status (*hone_db_check_fn)(void *user,
                                        const hone_db_checked *found,
                                        hone_error *err);
/* Look at all pages, references, hashes and kept counts; the callback gets
 * each kind. Nothing is written. What is damaged is no failure. */
hone_status hone__db_check(hone_db *db, hone_db_check_fn each, void *user,
                           hone_error *err);

/* ---- SQL that a person wrote --------------------------------------------
 *
 * One statement without parameters. HONE_ERR_ARGUMENT has SQLite's sentence
 * and the place, or says what the statement may not do. */

typedef struct hone_db_asker {
    /* Gets each column's name, before the rows; may be NULL. */
    hone_status (*columns)(void *user, const char *name, hone_error *err);
    hone_db_row_fn row;
    void *user;
} hone_db_asker;

/* Run one that only reads. */
hone_status hone__db_ask(hone_db *db, const char *sql,
                         const hone_db_asker *asker, hone_error *err);
/* Run one that changes rows, in a transaction of its own. */
hone_status hone__db_change(hone_db *db, const char *sql, int64_t *out_changed,
                            hone_error *err);

#endif
