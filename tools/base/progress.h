/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of a long command on stderr: a bar on a terminal, a line every few
 * seconds elsewhere, nothing with --quiet. And of what cannot say how far it
 * is: a note after a second, and whenever twice as much time has gone. */
#ifndef HONE_TOOLS_PROGRESS_H
#define HONE_TOOLS_PROGRESS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hone_progress_step {
    int64_t n_done;
    int64_t n_total;      /* 0: unknown */
    double budget_s;      /* 0: none; else the time left follows from it too */
    const char *unit;     /* "variants": what is counted */
    const char *best;     /* "12.3 us BM=128,..", or "" */
    const char *failures; /* "3 wrong, 1 fault", or "" */
} hone_progress_step;

/* One at a time. `label` is copied. */
void hone__progress_begin(const char *label);
/* Cheap; draws at most ten times a second. */
void hone__progress_show(const hone_progress_step *step);
/* The same with a row for each of several things that go on at once. */
enum { HONE_PROGRESS_MOST_ROWS = 64 };
void hone__progress_begin_rows(size_t n);
/* Another label begins another piece of work; `step` NULL: there is none. */
void hone__progress_show_row(size_t i, const char *label,
                             const hone_progress_step *step);
/* Remove the bars. */
void hone__progress_end(void);
/* Wipe the bar before something else is written to stderr. */
void hone__progress_wipe(void);

/* "1.234 us", "45.67 ms": four digits. `out` has at least 32 bytes. */
void hone__time_text(double time_ns, char *out);

typedef struct hone_waiting {
    char what[160];
    int is_started;
    int is_over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
} hone_waiting;

/* From here to the end nothing else may write messages, or fork. "building
 * the search space of gemm/wmma" */
void hone__waiting_begin(hone_waiting *waiting, const char *what,
                         const char *of);
void hone__waiting_end(hone_waiting *waiting);

#endif
