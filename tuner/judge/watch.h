/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a problem that variants must not change, or whose guard bands
 * they must not: what each one is, and what damage to it means. The same on
 * every device; pure. */
#ifndef HONE_TUNER_WATCH_H
#define HONE_TUNER_WATCH_H

#include "runtime/launch/launch_spec.h"
#include "tuner/judge/check_data.h"

typedef enum hone_watch_kind {
    HONE_WATCH_INPUT,    /* of a pass; also initial values */
    HONE_WATCH_OUTPUT,   /* may be written: only the guards count */
    HONE_WATCH_EXPECTED, /* of a check in a pass */
    HONE_WATCH_COPY,     /* of the rotation */
    HONE_WATCH_WORKSPACE /* of the variant: only the guards count */
} hone_watch_kind;

typedef struct hone_watch {
    hone_watch_kind kind;
    int pass;
    int index; /* argument, check or workspace */
    int set;
    int read_only;
    hone_arg_mode mode; /* of an argument */
    const char *name;   /* of the argument or the check */
    uint64_t hash;      /* of the contents, as they must be */
} hone_watch;

/* What was found in a block. */
typedef struct hone_watch_state {
    uint64_t hash;
    uint64_t n_before; /* bytes of the guards that were written */
    uint64_t n_behind;
} hone_watch_state;

/* What a variant did to memory that is not its own. */
typedef enum hone_damage {
    HONE_DAMAGE_NONE,
    HONE_DAMAGE_OWN,      /* its inputs, or the guards of its own arrays: can
                             be put right */
    HONE_DAMAGE_NEIGHBOUR /* anything else: nobody knows what else */
} hone_damage;

/* A run's "pass" if it was timed. */
enum { HONE_RUN_TIMED = HONE_N_PASSES };

/* Whether a run in `pass` had this block in its hands. */
int hone__watch_is_own(const hone_watch *watch, int pass);
/* The damage; a sentence if there is some. */
hone_damage hone__watch_judge(const hone_watch *watch,
                              const hone_watch_state *state, int pass,
                              char *text, size_t size);

#endif
