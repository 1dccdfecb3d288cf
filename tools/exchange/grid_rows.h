/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of one problem, device, mode and template, for formats that hold one
 * search space: which parameters and values there are, then each trial. */
#ifndef HONE_TOOLS_EXCHANGE_GRID_ROWS_H
#define HONE_TOOLS_EXCHANGE_GRID_ROWS_H

#include "tools/exchange/foreign.h"

typedef struct hone_grid_param {
    char *name;
    size_t n_values;
    char **values; /* "" where it does not exist */
} hone_grid_param;

typedef struct hone_grid_rows {
    hone_export *export;
    hone_text wanted; /* the last trial of each configuration */
    hone_text op, dims, mode, device_kind, device_name, driver_version,
        template_name, template_sha256; /* what all have in common */
    size_t n_params;
    hone_grid_param *params;
    const char **row; /* the value of each parameter of the trial */
    hone_text config; /* what `row` points into */
    int64_t n_trials;
    void *user; /* of whoever writes */
} hone_grid_rows;

/* Look at all of them. HONE_ERR_INPUT: they are not of one problem .., and the
 * sentence says how to choose. Free it, also after a failure. */
hone_status hone__grid_rows_open(hone_export *export, hone_grid_rows *out,
                                 hone_error *err);
void hone__grid_rows_free(hone_grid_rows *rows);

/* Hand each trial to the callback, with `rows->row` filled in. */
typedef hone_status hone_grid_fn(hone_grid_rows *rows,
                                 const hone_db_value *values, hone_error *err);
hone_status hone__grid_rows_each(hone_grid_rows *rows, hone_grid_fn *each,
                                 hone_error *err);

/* Of a device of kind "replay" what was replayed. */
const char *hone__grid_device(const hone_grid_rows *rows);
/* Append a value as JSON: a number, true, false or a text. */
void hone__grid_value_json(const char *value, hone_text *out);
/* Append a time in milliseconds: the counter `name` of the trial if there is
 * one, else `ns`. */
typedef struct hone_grid_counters hone_grid_counters;
hone_grid_counters *hone__grid_counters_new(void);
void hone__grid_counters_free(hone_grid_counters *counters);
hone_status hone__grid_counters_read(hone_grid_counters *counters,
                                     const hone_grid_rows *rows,
                                     const hone_db_value *values,
                                     hone_error *err);
/* Its number, NULL if there is none in milliseconds; marks it as used. */
const double *hone__grid_counter(hone_grid_counters *counters,
                                 const char *name);
void hone__grid_ms(hone_grid_counters *counters, const char *name,
                   const hone_db_value *ns, hone_text *out);
/* Those that nobody asked for. */
typedef void hone_grid_counter_fn(void *user, const char *name,
                                  const char *unit, double value);
void hone__grid_counters_rest(const hone_grid_counters *counters,
                              hone_grid_counter_fn *each, void *user);
/* Append the samples in milliseconds, "[1.5,2.0]". HONE_ERR_DATABASE: they are
 * no list of numbers. */
hone_status hone__grid_samples(const hone_db_value *samples, hone_text *out,
                               hone_error *err);

#endif
