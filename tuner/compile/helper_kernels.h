/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's own kernels (device_code.cu), through the same compile farm and
 * cache as every variant. */
#ifndef HONE_TUNER_HELPER_KERNELS_H
#define HONE_TUNER_HELPER_KERNELS_H

#include "tuner/compile/farm.h"

/* In a farm of others' work: a job of this number, whose answer the farm's
 * callback gives to hone__helper_kernels_take(). */
enum { HONE_HELPER_KERNELS_JOB = -1 };
/* The text of cuda/device_code.cu. */
extern const char hone__device_code[];

typedef struct hone_helper_kernels {
    hone_text cubin;
    hone_text log;
    int done;
} hone_helper_kernels;

void hone__helper_kernels_take(hone_helper_kernels *code,
                               const hone_compile_output *output);
hone_status hone__helper_kernels_submit(hone_farm *farm, const char *arch,
                                        hone_error *err);
/* When it is done: HONE_ERR_NVRTC if it does not compile. */
hone_status hone__helper_kernels_check(const hone_helper_kernels *code,
                                       const char *arch, hone_error *err);
/* Work the farm until it is done. */
hone_status hone__helper_kernels_finish(hone_helper_kernels *code,
                                        hone_farm *farm, const char *arch,
                                        hone_error *err);
void hone__helper_kernels_free(hone_helper_kernels *code);

/* With a farm of its own: append the cubin for `arch`. */
hone_status hone__helper_kernels_compile(const hone_farm_options *options,
                                         const char *arch, hone_text *out,
                                         hone_error *err);

#endif
