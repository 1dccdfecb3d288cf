/* SPDX-License-Identifier: Apache-2.0 */
/* A particle swarm on value indexes: every particle flies on, drawn to the
 * best place that it has seen and to the best that the swarm has. Particles
 * move in turns and do not wait for one another. */
#include "tuner/search/strategy.h"

#include <string.h>

/* Measured on the recorded spaces: two thirds and one and a half times of
 * each do about as well. Without noise the swarm comes to rest between the
 * values, where rounding hides its moves. */
enum {
    MOST_PARTICLES = 64,
    ATTEMPTS = 4, /* at a place that is new */
    STALL = 1,    /* trials without progress until the swarm starts anew, in
                     neighbourhoods */
    STARTERS = 2  /* of as many trials at random, a particle starts at the
                     fastest */
};
enum { PARTICLES, INERTIA, PULL, NOISE };
static const hone_strategy_option options[] = {
    {"particles", 8, 2, MOST_PARTICLES, 1, "size of the swarm"},
    {"inertia", 0.5, 0, 1, 0, "share of its speed that a particle keeps"},
    {"pull", 1.5, 0, 4, 0,
     "towards its own best and that of all, of each at most"},
    {"noise", 0.3, 0, 4, 0, "in steps along the values"},
};
extern const hone_strategy hone__strategy_swarm;

static double option(const hone_search *search, size_t i)
{
    return hone__search_option(search, &hone__strategy_swarm, i);
}

static const double start_speed = 0.1; /* as a fraction of the values */

typedef struct swarm {
    int64_t best[MOST_PARTICLES]; /* trials */
    size_t n, most;
    size_t leader;
    size_t next;
    double *place; /* n_free each */
    double *speed;
    int *row;
    double best_ns;  /* of this swarm */
    int64_t n_stall; /* trials since it became faster */
} swarm;

static hone_status start(hone_search *search, hone_error *err)
{
    swarm *s = search->state;
    const size_t most = (size_t)option(search, PARTICLES);
    const size_t n = most * search->n_free;

    s->most = most;
    s->best_ns = INFINITY;
    s->row = hone__search_alloc(search, search->space.n_params * sizeof *s->row,
                                err);
    s->place = hone__search_alloc(search, n * sizeof *s->place, err);
    s->speed = hone__search_alloc(search, n * sizeof *s->speed, err);
    return s->row && s->place && s->speed ? HONE_OK : HONE_ERR_NO_MEMORY;
}

/* ---- flying ------------------------------------------------------------- */

/* Walls stop a particle. */
static void fly(hone_search *search, swarm *s, size_t particle)
{
    hone_chance *chance = &search->chance;
    const int *own = hone__search_values(search, s->best[particle]);
    const int *all = hone__search_values(search, s->best[s->leader]);
    double *place = s->place + particle * search->n_free;
    double *speed = s->speed + particle * search->n_free;
    const double inertia = option(search, INERTIA);
    const double pull = option(search, PULL);
    const double noise = option(search, NOISE);

    memcpy(s->row, own, search->space.n_params * sizeof *own);
    for (size_t i = 0; i < search->n_free; ++i) {
        const size_t p = search->free[i];
        const double last = search->space.n_values[p] - 1;

        speed[i] *= inertia;
        speed[i] += pull * hone__chance_unit(chance) * (own[p] - place[i]);
        speed[i] += pull * hone__chance_unit(chance) * (all[p] - place[i]);
        speed[i] += noise * hone__chance_normal(chance);
        place[i] += speed[i];
        if (place[i] < 0 || place[i] > last) {
            place[i] = place[i] < 0 ? 0 : last;
            speed[i] = 0;
        }
        s->row[p] = (int)rint(place[i]);
    }
}

static int64_t propose(hone_search *search)
{
    swarm *s = search->state;
    int64_t index = -1;

    if (s->n < 2)
        return -1;
    for (int i = 0; i < ATTEMPTS; ++i) {
        s->next = (s->next + 1) % s->n;
        search->tag = 1 + (int)s->next;
        fly(search, s, s->next);
        index = hone__move_repair(
            search, s->row, hone__search_values(search, s->best[s->next]));
        if (hone__search_is_new(search, index))
            return index;
    }
    search->space.get(search->space.user, index, s->row);
    return hone__move_near(search, s->row);
}

/* ---- learning ----------------------------------------------------------- */

static void remember(const hone_search *search, swarm *s, size_t particle,
                     int64_t slot)
{
    const double time_ns = search->trials[slot].time_ns;

    s->best[particle] = slot;
    if (time_ns >= s->best_ns)
        return;
    s->best_ns = time_ns;
    s->leader = particle;
    s->n_stall = 0;
}

static void add_particle(hone_search *search, swarm *s, int64_t slot)
{
    const int *values = hone__search_values(search, slot);
    const size_t base = s->n * search->n_free;

    for (size_t i = 0; i < search->n_free; ++i) {
        const size_t p = search->free[i];

        s->place[base + i] = values[p];
        s->speed[base + i] = start_speed * search->space.n_values[p] *
                             hone__chance_normal(&search->chance);
    }
    remember(search, s, s->n++, slot);
}

static void start_anew(hone_search *search, swarm *s)
{
    s->n = 0;
    s->n_stall = 0;
    s->best_ns = INFINITY;
    for (size_t i = 0; i < s->most; ++i) {
        const int64_t slot = hone__search_pick(search, STARTERS);

        if (slot >= 0)
            add_particle(search, s, slot);
    }
}

/* A trial that no particle proposed counts for the leader. A swarm that
 * started since may count one for the wrong particle, which does no harm. */
static void learn(hone_search *search, int64_t slot)
{
    swarm *s = search->state;
    const hone_search_trial *trial = &search->trials[slot];
    size_t particle = s->leader;

    if (++s->n_stall > STALL * search->neighbourhood)
        start_anew(search, s);
    if (isinf(trial->time_ns))
        return;
    if (s->n < s->most) {
        add_particle(search, s, slot);
        return;
    }
    if (trial->tag)
        particle = (size_t)trial->tag - 1;
    if (trial->time_ns < search->trials[s->best[particle]].time_ns)
        remember(search, s, particle, slot);
}

const hone_strategy hone__strategy_swarm = {
    .name = "swarm",
    .summary = "a swarm of particles, each drawn to its own best and to that "
               "of all",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .n_spread = 12,
    .state_bytes = sizeof(swarm),
    .start = start,
    .propose = propose,
    .learn = learn,
};
