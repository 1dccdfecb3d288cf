/* SPDX-License-Identifier: Apache-2.0 */
/* What the launches of a plan need, for the gates: the same few numbers come
 * from the resolved plan or, where sizes are not known yet, from those
 * expressions that do not read them. */
#ifndef HONE_TUNER_PLAN_NEED_H
#define HONE_TUNER_PLAN_NEED_H

#include "runtime/launch/launch_spec.h"
#include "tuner/compile/gate.h"

enum { HONE_NEED_UNKNOWN = -1 };

typedef struct hone_launch_need {
    const char *kernel; /* borrowed from the spec */
    int64_t threads;
    int64_t shared_bytes; /* dynamic */
    int64_t cluster;      /* blocks; 1: none */
    int64_t together;     /* blocks of a cooperative launch; else 0 */
} hone_launch_need;

typedef struct hone_plan_need {
    size_t n_launches;
    hone_launch_need launches[HONE_MAX_RESOLVED_LAUNCHES];
    int64_t memory_bytes; /* of the device: arguments and workspaces */
} hone_plan_need;

/* Where a gate's sentence goes. */
typedef struct hone_gate_sentence {
    char *text;
    size_t size;
} hone_gate_sentence;

/* Write the sentence; returns `gate`. */
hone_gate hone__gate_say(const hone_gate_sentence *to, hone_gate gate,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The plan as for hone__gate_launch(). LIMITS, with a sentence, if it can
 * already be seen that it does not run. */
hone_gate hone__plan_need_read(const hone_launch_case *plan,
                               hone_plan_need *out,
                               const hone_gate_sentence *to);

#endif
