/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's own kernels (device_code.cu), through the same compile farm and
 * cache as every variant. */
#ifndef HONE_TUNER_OWN_CODE_H
#define HONE_TUNER_OWN_CODE_H

#include "tuner/farm.h"

/* In a farm of others' work: a job of this number, whose answer the farm's
 * callback gives to hone__own_code_take(). */
enum { HONE_OWN_CODE_JOB = -1 };
typedef struct hone_own_code {
    hone_text cubin;
    hone_text log;
    int done;
} hone_own_code;

void hone__own_code_take(hone_own_code *code,
                         const hone_compile_output *output);
hone_status hone__own_code_submit(hone_farm *farm, const char *arch,
                                  hone_error *err);
/* When it is done: HONE_ERR_NVRTC if it does not compile. */
hone_status hone__own_code_check(const hone_own_code *code, const char *arch,
                                 hone_error *err);
/* Work the farm until it is done. */
hone_status hone__own_code_finish(hone_own_code *code, hone_farm *farm,
                                  const char *arch, hone_error *err);
/* Submit and finish. */
hone_status hone__own_code_wait(hone_own_code *code, hone_farm *farm,
                                const char *arch, hone_error *err);
void hone__own_code_free(hone_own_code *code);

/* With a farm of its own: append the cubin for `arch`. */
hone_status hone__own_code_compile(const hone_farm_options *options,
                                   const char *arch, hone_text *out,
                                   hone_error *err);

#endif
