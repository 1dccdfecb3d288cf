/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha*x + y over n elements, checked by a CPU reference, and a kernel
 * of it that a test makes misbehave: on the fake GPU or on the cpu device. */
#ifndef HONE_TESTS_AXPY_FIXTURE_H
#define HONE_TESTS_AXPY_FIXTURE_H

#include "gen/parse/template.h"
#include "runtime/base/text.h"
#include "tuner/judge/check_data.h"

/* What is wrong with the kernel, if anything. */
typedef enum defect {
    GOOD,
    WRONG,
    WRONG_LATER,      /* from run `axpy_defect_from` on */
    CHANGES_INPUT,    /* one element of x */
    WRITES_BEHIND,    /* one byte behind y */
    WRITES_ELSEWHERE, /* axpy_damage at axpy_victim, from axpy_defect_from on
                       */
    DIRTY_WORKSPACE,  /* leaves its ticket counted, and trips over it after
                         axpy_defect_from runs */
    FLIPPED,       /* a bit, in run axpy_defect_from alone: none of its doing */
    FLIPPED_INPUT, /* likewise, an element of x */
    FLIPPED_GUARD, /* likewise, one in front of the workspace */
    RACES,         /* wrong in every second run */
    READS_SHARED   /* adds what it finds in shared memory */
} defect;

extern defect axpy_defect;
extern long axpy_defect_from;
extern char *axpy_victim;
extern char axpy_damage;
extern uint32_t axpy_shared; /* a word of shared memory */

extern const hone_reference axpy_references[1];

/* The template with a check ("" for none) and a workspace of this size (an
 * expression), and its default launch plan at `dims`. */
void axpy_parse(const char *check, const char *ticket, const int64_t *dims,
                const hone_properties *properties, hone_template **out_tmpl,
                hone_text *out_text, hone_launch_spec **out_spec);

/* The kernel, in its run number `run` (from 1). */
void axpy_run(float alpha, float *x, float *y, int64_t *ticket, int64_t n,
              long run);

/* Aim WRITES_ELSEWHERE at a byte, which it changes; returns what it holds. */
char axpy_aim(void *victim, long from);

#endif
