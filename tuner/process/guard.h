/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing outlives its tuner. The kernel ends a worker when its parent does
 * (PR_SET_PDEATHSIG), but not what the worker started: a C++ compiler is four
 * processes, and a stopped or sleeping one never ends by itself. So a worker
 * that starts others leads a process group, in which a small process waits
 * for the end of the tuner or of the worker and then kills the group. It is in
 * the group itself: its number cannot be another group's by then.
 *
 * How it sees the tuner's end: the tuner has the only writing end of a pipe.
 * Rejected: a thread of the worker (stopped with it), a list of groups in a
 * process beside the tuner (numbers are used again), a namespace of process
 * numbers or a control group (need rights that users often lack). */
#ifndef HONE_TUNER_GUARD_H
#define HONE_TUNER_GUARD_H

/* In the parent, before a worker is started: 0 if there can be no pipe. */
int hone__guard_open(void);
/* The end that the worker keeps; -1: none. */
int hone__guard_end(void);
/* In the worker, first of all. */
void hone__guard_inherit(void);

/* Runs when the tuner is gone and the group with it, in a process of its own;
 * for what they left behind. */
typedef void hone_guard_after(void);

/* In the worker: lead a group, and have it guarded. `after`: NULL ok. */
void hone__guard_start(hone_guard_after *after);
/* The worker leaves by itself: so does the guard. */
void hone__guard_stop(void);

#endif
