/* SPDX-License-Identifier: Apache-2.0 */
/* A tune: what one `hone tune` has found out about one problem so far, read
 * from its database while it runs. */
#ifndef HONE_TOOLS_WATCH_H
#define HONE_TOOLS_WATCH_H

#include "db/db.h"
#include "tools/base/json.h"
#include "tuner/judge/outcome.h"

enum {
    HONE_WATCH_MOST_IMPLEMENTATIONS = 24, /* more are not shown */
    HONE_WATCH_MOST_OTHERS = 64,
    HONE_WATCH_RECENT_S = 10, /* what the rate is of */
    /* A tune that was killed stays `running` until its problem is tuned again.
     * Where its process cannot be asked for, as on another machine, it is taken
     * for one that runs no longer than this after its last trial. */
    HONE_WATCH_MOST_AGE_S = 86400
};

/* A tune that runs at the same time, on another device. */
typedef struct hone_watch_other {
    char op[64];
    char label[256];
    char device[128];
    int64_t n_trials;
    double best_ns; /* 0: none is right yet */
} hone_watch_other;

typedef struct hone_watch_implementation {
    char name[64];
    char sha256[65]; /* of its template's text */
    int64_t n_trials;
    int64_t n_ok;
    int64_t device_time_ns;
    double best_ns;    /* 0: none is right yet */
    double default_ns; /* the default variant's; 0: unknown */
} hone_watch_implementation;

typedef struct hone_watch {
    /* Which; a tune with another key is another tune. */
    int64_t problem_id;
    int64_t device_id;
    int64_t first_session_id;
    char mode[8];

    char op[64];
    char label[256];
    char device[128];
    char strategy[64];
    char budget[128]; /* "200", "60s", "", "200, shard 3/6 of .." */
    int64_t seed;
    int64_t started_unix_s;
    int64_t ended_unix_s; /* 0: it runs, is lost, or nobody knows */
    int is_running;
    int is_lost;   /* it has not said that it ended, and its process is gone, or
                      nothing was heard of it for HONE_WATCH_MOST_AGE_S */
    long lost_pid; /* 0: nobody knows its process */
    char verdict[32]; /* "" until there is one */

    hone_watch_implementation implementations[HONE_WATCH_MOST_IMPLEMENTATIONS];
    size_t n_implementations;
    int64_t counts[HONE_N_OUTCOMES];
    int64_t n_trials;
    int64_t n_own; /* of them by this run: what its rate is of */
    int64_t last_trial_id;
    int64_t last_trial_unix_ns;
    int64_t n_recent; /* trials of the last HONE_WATCH_RECENT_S seconds */
    double *best_ns;  /* after each trial; 0: none yet */
    size_t n_best;
    size_t best_of;    /* the implementation that has it */
    char config[1024]; /* of the best */

    hone_watch_other others[HONE_WATCH_MOST_OTHERS];
    size_t n_others;
} hone_watch;

/* Begins as {0}. Bring it up to date: the tune that runs, or the last one.
 * `*out_any` is 0 if the database has none. HONE_ERR_BUSY: not this time; the
 * rest as hone__db_query(). */
hone_status hone__watch_read(hone_db *db, hone_watch *tune, int *out_any,
                             hone_error *err);
void hone__watch_free(hone_watch *tune); /* back to {0} */
/* Those that run beside it: a part of hone__watch_read(). */
hone_status hone__watch_read_others(hone_db *db, hone_watch *tune,
                                    hone_error *err);
/* What was last seen before it does not run. */
int64_t hone__watch_oldest_unix_s(void);
json_t *hone__watch_others_json(const hone_watch *tune);

/* ---- as it is shown ------------------------------------------------------ */

typedef struct hone_watch_page {
    int n_columns;  /* lines are cut here */
    int n_lines;    /* 0: any number */
    int is_unicode; /* blocks for the curve */
    int is_bold;    /* heads may be bold */
} hone_watch_page;

/* Seconds to go by the budget; negative: unknown. */
double hone__watch_left_s(const hone_watch *tune, int64_t now_unix_s);
/* Trials a second, of the last seconds; of a tune that is over, on average. */
double hone__watch_rate(const hone_watch *tune, int64_t now_unix_s);

/* The page, each line ended by a newline. */
void hone__watch_draw(const hone_watch *tune, const hone_watch_page *page,
                      int64_t now_unix_s, hone_text *out);
/* "gemm M=64: 7/25 trials  1.3/s  left 14s  best 12.3 us simt BM=64,.." */
void hone__watch_line(const hone_watch *tune, int64_t now_unix_s,
                      hone_text *out);
/* Everything but the implementations, and those. */
json_t *hone__watch_json(const hone_watch *tune, int64_t now_unix_s);
json_t *hone__watch_implementation_json(const hone_watch *tune, size_t i);

/* `n` values as `n_cells` characters, the higher the greater the logarithm;
 * a cell is the last of those that fall on it. Values of 0 are blank. */
void hone__watch_curve(const double *values, size_t n, size_t n_cells,
                       int is_unicode, hone_text *out);

/* ---- the terminal -------------------------------------------------------- */

/* Is stdout one on which a page can be drawn in place? */
int hone__screen_is_there(void);
/* Another screen until hone__screen_end(), which also restores the keyboard. */
void hone__screen_begin(void);
void hone__screen_end(void);
/* Lines and columns as they are now. */
void hone__screen_size(hone_watch_page *page);
/* Replace what is on the screen. */
void hone__screen_show(const hone_text *page);
/* Wait; 1: 'q' was typed. Ends early at a key, a signal, another size. */
int hone__screen_wait(double seconds);
/* Does the locale's character set have blocks? */
int hone__screen_is_unicode(void);

#endif
