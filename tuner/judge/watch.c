/* SPDX-License-Identifier: Apache-2.0 */
/* What damage to a block means: see watch.h. */
#include "tuner/judge/watch.h"

#include <stdio.h>

static const char *const pass_name[HONE_N_PASSES] = {"integers", "reals"};

/* Initial values are nobody's own: a run gets a copy of them. */
int hone__watch_is_own(const hone_watch *watch, int pass)
{
    const int inputs = pass == HONE_RUN_TIMED ? HONE_PASS_REALS : pass;

    switch (watch->kind) {
    case HONE_WATCH_OUTPUT:
    case HONE_WATCH_WORKSPACE:
        return 1;
    case HONE_WATCH_COPY:
        return pass == HONE_RUN_TIMED;
    case HONE_WATCH_INPUT:
        return watch->pass == inputs && watch->mode == HONE_ARG_IN;
    default:
        return 0;
    }
}

static void name_of(const hone_watch *watch, char *out, size_t size)
{
    switch (watch->kind) {
    case HONE_WATCH_OUTPUT:
        (void)snprintf(out, size, "the array '%s'", watch->name);
        break;
    case HONE_WATCH_EXPECTED:
        (void)snprintf(out, size, "what check %s expects on %s", watch->name,
                       pass_name[watch->pass]);
        break;
    case HONE_WATCH_COPY:
        (void)snprintf(out, size, "copy %d of the array '%s'", watch->set,
                       watch->name);
        break;
    case HONE_WATCH_WORKSPACE:
        (void)snprintf(out, size, "workspace %d", watch->index + 1);
        break;
    default:
        (void)snprintf(out, size, "the array '%s' with %s", watch->name,
                       pass_name[watch->pass]);
        break;
    }
}

hone_damage hone__watch_judge(const hone_watch *watch,
                              const hone_watch_state *state, int pass,
                              char *text, size_t size)
{
    const uint64_t n_guard =
        state->n_before ? state->n_before : state->n_behind;
    char name[120];

    if (!n_guard && !(watch->read_only && state->hash != watch->hash))
        return HONE_DAMAGE_NONE;
    name_of(watch, name, sizeof name);
    if (!hone__watch_is_own(watch, pass)) {
        (void)snprintf(text, size,
                       "it wrote outside its arrays: %s was changed", name);
        return HONE_DAMAGE_NEIGHBOUR;
    }
    if (n_guard)
        (void)snprintf(text, size, "%llu bytes %s %s were written",
                       (unsigned long long)n_guard,
                       state->n_before ? "before" : "behind", name);
    else
        (void)snprintf(text, size, "the input array '%s' was changed",
                       watch->name);
    return HONE_DAMAGE_OWN;
}
