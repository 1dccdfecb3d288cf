/* SPDX-License-Identifier: Apache-2.0 */
/* Option values that have a little grammar of their own, and where things are:
 * option, then environment, then default; of folders that are searched, one
 * after the other. */
#ifndef HONE_TOOLS_OPTION_VALUE_H
#define HONE_TOOLS_OPTION_VALUE_H

#include "runtime/base/text.h"
#include "tools/base/arguments.h"
#include "tuner/dispatch/dispatch.h"
#include "tuner/search/search.h"
#include "tuner/tuner.h"

/* What a command wants of a device: which one it takes without --device. */
typedef enum hone_purpose {
    HONE_FOR_TIMES,   /* cuda */
    HONE_FOR_NUMERICS /* cpu: always there */
} hone_purpose;
/* --device: "cuda", "cuda:N" or "cpu". HONE_ERR_ARGUMENT. */
hone_status hone__option_device(const hone_options *options,
                                hone_purpose purpose, hone_backend *out_backend,
                                int *out_ordinal, hone_error *err);
/* --device of a command that takes several: "cuda:0,2" or "cpu,cpu", all of one
 * kind; "all" is every GPU, as many as there are. HONE_ERR_ARGUMENT. */
typedef struct hone_devices {
    hone_backend backend;
    int ordinals[HONE_DISPATCH_MOST_DEVICES];
    size_t n;
    int is_all; /* `ordinals` has the first; the rest is not counted yet */
} hone_devices;
hone_status hone__option_devices(const hone_options *options, hone_devices *out,
                                 hone_error *err);
/* "200" trials, or "60s", "5m", "1h"; 0: neither. The other one is 0. */
int hone__budget_read(const char *text, int64_t *out_trials, double *out_s);
/* --budget. HONE_ERR_ARGUMENT. */
hone_status hone__option_budget(const hone_options *options,
                                int64_t *out_trials, double *out_s,
                                hone_error *err);
/* --until: "1" or "1%" gives 0.01; 0 if it is not given.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_until(const hone_options *options, double *out_gain,
                               hone_error *err);
/* --mode; cold if it is not given. */
hone_mode hone__option_mode(const hone_options *options);
/* --mode for measuring on a device. One without caches runs on the same arrays
 * each time and so is always hot: HONE_ERR_ARGUMENT for cold there. */
hone_status hone__option_device_mode(const hone_options *options,
                                     hone_backend backend, hone_mode *out,
                                     hone_error *err);
/* --timing; auto if it is not given. */
hone_timing hone__option_timing(const hone_options *options);
/* Several values of --strategy. */
enum { HONE_MOST_STRATEGIES = 64, HONE_STRATEGY_TEXT = 512 };
typedef struct hone_strategies {
    char names[HONE_MOST_STRATEGIES][HONE_STRATEGY_TEXT]; /* with options */
    size_t n;
} hone_strategies;

/* --strategy, the name of one with its options; auto if it is not given.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_strategy(const hone_options *options, const char **out,
                                  hone_error *err);
/* --strategy as a list: "local:kicks=4,params=2,genetic", or "all" of the
 * table. Each comes once. HONE_ERR_ARGUMENT. */
hone_status hone__option_strategies(const hone_options *options,
                                    hone_strategies *out, hone_error *err);
/* --seed; 1 if it is not given. */
uint64_t hone__option_seed(const hone_options *options);

/* Each appends a path (folders separated by colons for templates).
 * HONE_ERR_IO when neither the option, nor the environment, nor $HOME says
 * where. */
hone_status hone__locate_templates(const hone_options *options, hone_text *out,
                                   hone_error *err);
/* Folders of headers, marked as such. Nothing if none is named;
 * HONE_ERR_INPUT for one that is not there. */
hone_status hone__locate_includes(const hone_options *options, hone_text *out,
                                  hone_error *err);
hone_status hone__locate_db(const hone_options *options, hone_text *out,
                            hone_error *err);
hone_status hone__locate_cache(const hone_options *options, hone_text *out,
                               hone_error *err);

/* How large the cache may be: --size, else HONE_CACHE_LIMIT; 0: nobody says.
 * HONE_ERR_ARGUMENT. */
hone_status hone__option_cache_size(const hone_options *options, int64_t *out,
                                    hone_error *err);

/* The compile processes: --cache-dir, --jobs and --compile-timeout as far as
 * the command has them, Ctrl-C. `cache` gets the folder, which the farm borrows
 * and which is created with its CACHEDIR.TAG, so that backups leave it out; and
 * kept below HONE_CACHE_LIMIT.
 * HONE_ERR_IO. */
hone_status hone__locate_farm(const hone_options *options, hone_text *cache,
                              hone_farm_options *out, hone_error *err);

#endif
