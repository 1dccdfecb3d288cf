/* SPDX-License-Identifier: Apache-2.0 */
/* The variants that `hone bench` runs: from the database as they were tuned,
 * or compiled now. */
#ifndef HONE_TUNER_BENCH_VARIANTS_H
#define HONE_TUNER_BENCH_VARIANTS_H

#include "tuner/bench.h"
#include "tuner/stage.h"

enum {
    HONE_MAX_BENCH_VARIANTS = 2 + HONE_MAX_BENCH_OTHERS + HONE_MAX_BENCH_CONFIGS
};

typedef struct hone_bench_variant {
    const char *name; /* "winner", "default", "best of", "config" */
    char implementation[64];
    const hone_template *tmpl; /* of one that has to be compiled */
    hone_text config;          /* canonical */
    hone_text spec;
    hone_text cubin;
    hone_text source; /* of one that has to be compiled */
    hone_text options;
    hone_text log;
    double time_ns; /* of the winner, as it was tuned */
    int is_default;
    int is_renewed; /* compiled again: damaged in the database */
} hone_bench_variant;

typedef struct hone_bench_variants {
    int n;
    int has_winner;
    hone_bench_variant items[HONE_MAX_BENCH_VARIANTS];
} hone_bench_variants;

/* Free also after a failure. */
hone_status hone__bench_variants_read(const hone_stage *stage,
                                      const hone_bench_config *configs,
                                      size_t n_configs,
                                      hone_bench_variants *out,
                                      hone_error *err);
/* Compile those that have a source, as the one above ends with
 * (bench_compile.c). */
hone_status hone__bench_variants_compile(const hone_stage *stage,
                                         hone_bench_variants *variants,
                                         hone_error *err);
void hone__bench_variants_free(hone_bench_variants *variants);

#endif
