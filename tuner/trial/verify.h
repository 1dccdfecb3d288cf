/* SPDX-License-Identifier: Apache-2.0 */
/* Is a variant right? Poisoned outputs, the result against every check, on
 * exact integers and on reals, and nothing written but the outputs: neither
 * inputs and guard bands nor any other block. */
#ifndef HONE_TUNER_VERIFY_H
#define HONE_TUNER_VERIFY_H

#include "tuner/trial/problem.h"
#include "tuner/trial/variant.h"

typedef enum hone_verification {
    /* Before it is timed: integers and reals; where no check has integers,
     * reals twice. What one run leaves in a workspace, or in the kernel's own
     * variables, may so spoil the second. */
    HONE_VERIFY_FIRST,
    /* After it was timed, in one run: thousands of executions may have left
     * its workspaces in a state that the next one cannot stand. */
    HONE_VERIFY_AGAIN,
    /* After it was timed: only whether everything that must not change is as
     * it was; nothing is run. */
    HONE_VERIFY_MEMORY
} hone_verification;

/* HONE_OK with the verdict; an error is a failure of the tuner's own work. */
hone_status hone__verify(hone_problem *problem, hone_subject subject,
                         hone_verification which, hone_verdict *out,
                         hone_error *err);

/* ---- wrong_values.c ------------------------------------------------------ */

/* How far an element may be off: tolerance * magnitude + relative * |expected|
 * + absolute, as hone_compare has it; nothing in the exact pass. */
typedef struct hone_wrong_rule {
    double tolerance;
    double relative;
    double absolute;
} hone_wrong_rule;

/* When an output is wrong: read that of `check` in this run, note in
 * `out->wrong` as many of its wrong elements as the problem wants shown, and
 * write everything that the run had in its hands as files. */
hone_status hone__wrong_values(hone_problem *problem, const hone_check *check,
                               const hone_verify_run *run,
                               const hone_wrong_rule *rule, int64_t n_wrong,
                               hone_verdict *out, hone_error *err);

/* ---- fault_place.c ------------------------------------------------------- */

/* Under AddressSanitizer: which argument an address belongs to that a kernel
 * must not touch. From now on the sanitizer's reports end with a line about
 * the address (compile_log.h reads it). Does nothing where there is no
 * sanitizer. */
void hone__fault_place_install(void);
/* What a kernel is about to get: the problem's arrays in one pass, and the
 * subject's workspaces. Borrowed until the next call; NULL: nothing. */
void hone__fault_place_watch(const hone_problem *problem, int pass,
                             const hone_subject *subject);

#endif
