/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU references of the shipped templates, as the tuner takes them. */
#ifndef HONE_TOOLS_REFERENCES_H
#define HONE_TOOLS_REFERENCES_H

#include "tuner/judge/check_data.h"

const hone_reference *hone__references(size_t *out_n);

/* Name and operation of number `i`, from 0; returns 0 after the last. */
int hone__reference_about(size_t i, const char **out_name,
                          const char **out_summary);

#endif
