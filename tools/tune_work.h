/* SPDX-License-Identifier: Apache-2.0 */
/* A `hone tune` under way: what its files share. */
#ifndef HONE_TOOLS_TUNE_WORK_H
#define HONE_TOOLS_TUNE_WORK_H

#include "tools/base/option_value.h"
#include "tools/base/progress.h"
#include "tools/base/start_file.h"
#include "tools/tune_parts.h"
#include "tuner/dispatch/dispatch.h"

/* A model of device, and which of them are left; the first gives its name. */
typedef struct hone_tune_model {
    int ordinals[HONE_DISPATCH_MOST_DEVICES];
    size_t n;
    char name[24]; /* "cuda:0" */
    hone_device_report report;
} hone_tune_model;

typedef struct hone_tune_work {
    const hone_options *options;
    hone_shapes shapes;
    hone_tune_shard shard; /* of --shard; the shapes are its own */
    hone_devices devices;
    hone_tune_request request; /* all but template and dims */
    hone_start_file start;
    hone_objectives objectives; /* none: the time */
    hone_output *output;        /* begun by the first shape with a result */
    hone_text db_path;
    hone_text db_option; /* for commands in messages: " --db FILE", or "" */
    hone_text cache;
    int n_without_winner;
    int n_cut; /* whose trials ended with the strategy's program */
    /* Where the budget is one for all shapes: what is known of each, model by
     * model of the devices. Else NULL. */
    hone_tune_share *shares;
    /* Rows that are printed at the end, in the same order; NULL: each is
     * printed when it is there. */
    json_t **rows;
    size_t n_models;
    hone_dispatch *dispatch; /* of several problems or devices; else NULL */
    int is_several;          /* devices */
    /* Of several devices: their models, of which one is left. */
    hone_tune_model models[HONE_DISPATCH_MOST_DEVICES];
    size_t n_model_devices;
    json_t *device_rows; /* what they waited for, and the compilers */
    json_t *compile_row;
    json_t *portfolios; /* NULL: none were asked for */
    const char *on;     /* which of several devices tuned it; NULL: the one */
    size_t place;       /* of the shape that is tuned, as of a piece */
    int is_look;        /* the first time */
    size_t n_listed;    /* of the shapes; those behind were drawn */
    int is_between;     /* tuning what nobody named: no row, no word */
} hone_tune_work;

/* ---- one shape (tune_shapes.c) ------------------------------------------- */

/* "gemm M=64 N=64 K=64". */
void hone__tune_title(const hone_shape *shape, hone_text *out);
/* The request for a shape: `out` is work->request before. */
void hone__tune_shape_request(const hone_tune_work *work,
                              const hone_shape *shape, hone_tune_request *out);
/* The part of it that is this shard's, where there are shards: of a request
 * that has its budget. Borrows from `work`. */
void hone__tune_shape_part(const hone_tune_work *work, const hone_shape *shape,
                           hone_tune_request *request);
/* What came of the shape at work->place: its row, messages, what it teaches
 * about the rest of the budget. Returns the failure if it ends the command. */
hone_status hone__tune_shape_outcome(hone_tune_work *work,
                                     const hone_tune_request *request,
                                     const hone_tune_result *result,
                                     hone_status status, hone_error *err);
/* Of a budget in seconds: rows and a note of the problems that it ended before.
 */
void hone__tune_say_unreached(hone_tune_work *work, double seconds);
/* Is there one budget for all shapes? */
static inline int hone__tune_is_shared(const hone_tune_work *work)
{
    return work->shapes.is_counted && work->shapes.n &&
           (work->request.budget_trials > 0 || work->request.budget_s > 0);
}

/* Begin the table of rows, where that has not been done. */
void hone__tune_begin_output(hone_tune_work *work);
/* Print a row, which is taken. */
void hone__tune_put_row(hone_tune_work *work, json_t *row);
/* How far a problem is, as a line: `best` and `failures` have 320 and 160
 * bytes. */
hone_progress_step hone__tune_step(const hone_tune_progress *progress,
                                   char *best, char *failures);
void hone__tune_on_progress(void *user, const hone_tune_progress *progress);

/* ---- all shapes (tune_all.c) --------------------------------------------- */

hone_status hone__tune_all(hone_tune_work *work, hone_error *err);

/* ---- several problems, several devices (tune_devices.c) ------------------ */

/* From here on the database is not open. Close it in any case. */
hone_status hone__tune_devices_open(hone_tune_work *work, hone_error *err);
/* A callback of hone_tune_spending: `user` is the work. */
hone_status hone__tune_devices_tune(void *user, const hone_tune_piece *pieces,
                                    size_t n, hone_error *err);
/* Says what several devices and compilers waited for, and opens the database
 * again. */
hone_status hone__tune_devices_close(hone_tune_work *work, hone_status status,
                                     hone_error *err);

/* ---- portfolios (tune_portfolio.c) --------------------------------------- */

/* Of all shapes, for each model of device: work->portfolios. */
hone_status hone__tune_portfolios(hone_tune_work *work, hone_error *err);

#endif
