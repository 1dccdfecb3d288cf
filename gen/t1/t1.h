/* SPDX-License-Identifier: Apache-2.0 */
/* Space definitions in T1 form: parameters and conditions as Python
 * expressions in JSON (BAT and Kernel Tuner write and read them). Only
 * "ConfigurationSpace" is read; README.md says what is understood. */
#ifndef HONE_GEN_T1_H
#define HONE_GEN_T1_H

#include "gen/solve/graph.h"
#include "gen/parse/template.h"

typedef struct hone_t1_param {
    const char *name;
    size_t n_values;
    const hone_datum *values;
    const char *const *texts; /* the values as people read them */
    const char *const *json;  /* the same as JSON */
    const char *default_text; /* "Default" as it is spelled; NULL: none */
    size_t default_value;     /* its place; n_values: none, or no such value */
} hone_t1_param;

typedef struct hone_t1_condition {
    const char *text;
    int line; /* of the expression */
    int column;
    hone_node root;
} hone_t1_condition;

typedef struct hone_t1 {
    hone_arena arena;
    hone_graph graph; /* variable i is parameter i */
    const char *path;
    const char *name; /* General.BenchmarkName, or "" */
    size_t n_params;
    hone_t1_param *params;
    size_t n_conditions;
    hone_t1_condition *conditions;
} hone_t1;

/* Read a definition. On HONE_ERR_INPUT `diagnostics` holds every mistake, and
 * `err` their number. `path` is copied; `source` need not outlive the call.
 */
hone_status hone__t1_read(const char *path, const char *source, size_t length,
                          hone_t1 **out, hone_diagnostics *diagnostics,
                          hone_error *err);
void hone__t1_free(hone_t1 *t1);

#endif
