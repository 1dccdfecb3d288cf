/* SPDX-License-Identifier: Apache-2.0 */
/* What a variant's code is, and which devices it runs on, by the name of what
 * it was compiled for: "sm_90", "sm_90a" a cubin, "compute_90" PTX, which a
 * driver compiles for its device when it is loaded. */
#ifndef HONE_RUNTIME_CODE_ARCH_H
#define HONE_RUNTIME_CODE_ARCH_H

#include <stdint.h>

/* In the order in which they are preferred. */
typedef enum hone_code_form { HONE_CODE_CUBIN, HONE_CODE_PTX } hone_code_form;

hone_code_form hone__code_form(const char *compile_arch);

/* Does code for `compile_arch` ("sm_90", "compute_90") run on compute
 * capability `sm` (90)? */
int hone__arch_runs_on(const char *compile_arch, int64_t sm);

/* How far `compile_arch` is behind `arch`, in minor versions; 0 if they are not
 * to be compared. */
int hone__arch_age(const char *compile_arch, const char *arch);

/* Minor versions from a device's architecture `theirs` ("sm_80", "cpu") to
 * `ours` ("sm_86": 6), where code that was chosen for the one may run on the
 * other; else -1. */
int hone__arch_family_distance(const char *theirs, const char *ours);

#endif
