/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of other tuners as rows: those of a device of kind "replay", which no
 * tune compares with a real one. */
#ifndef HONE_TOOLS_EXCHANGE_FOREIGN_H
#define HONE_TOOLS_EXCHANGE_FOREIGN_H

#include "tools/exchange/exchange.h"
#include "tuner/judge/outcome.h"

/* What all trials of a file have in common. */
typedef struct hone_foreign {
    const char *op;
    const char *dims;   /* "4096,64", "" if unknown */
    const char *label;  /* of the problem */
    const char *device; /* as the file names it */
    const char *by;     /* "Kernel Tuner" */
    const char *sha256; /* of what the file says */
    const char *mode;   /* "hot" */
    int64_t session;    /* from 1 */
    int64_t started_unix_s;
} hone_foreign;

/* Fill import->row with it, and with what is not known of a trial. */
hone_status hone__foreign_begin(hone_import *import, const hone_foreign *what,
                                hone_error *err);
/* Append "NAME=VALUE" to a configuration; a VALUE of "" is a parameter that
 * does not exist in it. HONE_ERR_INPUT: it cannot be spelled. */
hone_status hone__foreign_param(hone_text *config, const char *name,
                                const char *value, hone_error *err);
/* Configuration and outcome of the trial, and its time: `time` x 10^shift ns,
 * in decimal; as `spelled` has it if that is not "". */
hone_status hone__foreign_trial(hone_import *import, const char *config,
                                hone_outcome outcome, double time,
                                const char *spelled, int shift,
                                hone_error *err);
/* Between ns and the unit of a file: 6 of milliseconds. -1: it is none. */
int hone__unit_shift(double unit_s);
/* "2023-02-13 19:25:58.916914+00:00" as nanoseconds; 0: it is none. */
int64_t hone__timestamp_read(const char *text);
void hone__timestamp_write(int64_t unix_ns, hone_text *out);
/* The SHA-256 of a file, whatever it is compressed with. */
hone_status hone__foreign_hash(const char *path, char out[HONE_SHA256_HEX],
                               hone_error *err);
/* "gemm" of "folder/gemm.autotune.json". */
void hone__foreign_name(const char *path, hone_text *out);

#endif
