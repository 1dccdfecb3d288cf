/* SPDX-License-Identifier: Apache-2.0 */
/* Under AddressSanitizer: which argument an address belongs to that a kernel
 * must not touch. */
#ifndef HONE_TUNER_FAULT_PLACE_H
#define HONE_TUNER_FAULT_PLACE_H

#include "tuner/trial/problem.h"

/* From now on the sanitizer's reports end with a line about the address
 * (compile_log.h reads it). Does nothing where there is no sanitizer. */
void hone__fault_place_install(void);
/* What a kernel is about to get: the problem's arrays in one pass, and the
 * variant's workspaces. Borrowed until the next call; NULL: nothing. */
void hone__fault_place_watch(const hone_problem *problem, int pass,
                             const hone_block *workspaces, size_t n);

#endif
