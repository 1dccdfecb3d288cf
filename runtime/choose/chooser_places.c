/* SPDX-License-Identifier: Apache-2.0 */
/* Who may be the best at some dims: the members of the places that are most
 * like them. A member says what it costs in 0.1 to 0.2 us, which
 * is too much for a hundred of them. See chooser.h. */
#include "runtime/choose/chooser_model.h"

#include <math.h>
#include <string.h>

/* Of 512 places, sixteen had some 24 of 70 members, and the best of these was
 * hardly missed; four would have had nine (docs/decisions.md, 219). Of 940, 10
 * to 30 of 111 that reach (227). They are the nearest of the nearest of each
 * GROUPS: of the sixteen nearest of all some fourteen, the nearest always, and
 * it takes a third of the time (238). */
enum { NEAREST = 16, GROUPS = HONE_CHOOSER_PLACE_GROUPS };

/* What a member takes beside its cost is a mean of what those of them say that
 * have it, each with 1/(FAR + the square of how far it is): at the pairs that
 * were measured at unseen problems it was off by 0.077 in place of 0.086 for
 * what the nearest says (229), in the same way for FAR from 0.05 to 1. */
static const float FAR = 0.25F;

/* Sizes in octaves, alignments in halves of them, of all dims alike: what was
 * learned of times says nothing of who is the best. */
#define CHOOSER_WEIGHT(name, usual) usual,
static const float usual_weights[] = {HONE_CHOOSER_FEATURES(CHOOSER_WEIGHT)};
#undef CHOOSER_WEIGHT

/* Four numbers at a time, and as bits. */
typedef float lanes __attribute__((vector_size(16), may_alias));
typedef int32_t masks __attribute__((vector_size(16), may_alias));
enum { LANES = sizeof(lanes) / sizeof(float) };

static float weigh(const hone_chooser *c, const double *values, size_t which)
{
    return usual_weights[which / c->n_dims] * (float)values[which];
}

/* Those that are not everywhere the same. `all`: n_places x `n` values. */
static void find_values(const hone_chooser *c, const double *all, size_t n,
                        hone_chooser_model *m)
{
    for (size_t v = 0; v < n; ++v) {
        size_t i = 1;

        while (i < c->n_places && all[i * n + v] == all[v])
            ++i;
        if (i < c->n_places)
            m->place_values[m->n_place_values++] = (uint16_t)v;
    }
}

/* Behind the last place are some that are infinitely far. */
static hone_status allocate(const hone_chooser *c, hone_chooser_model *m)
{
    size_t n;

    m->n_place_rows = (c->n_places + GROUPS - 1) / GROUPS;
    n = m->n_place_rows * GROUPS * m->n_place_values;
    m->place_block = hone__alloc((n + 1) * sizeof *m->place_block);
    for (size_t i = 0; m->place_block && i < n; ++i)
        m->place_block[i] = INFINITY;
    return m->place_block ? HONE_OK : HONE_ERR_NO_MEMORY;
}

static void put_place(const hone_chooser *c, hone_chooser_model *m, size_t i,
                      const double *values)
{
    float *to =
        &m->place_block[i / LANES * LANES * m->n_place_values + i % LANES];

    for (size_t v = 0; v < m->n_place_values; ++v, to += LANES)
        *to = weigh(c, values, m->place_values[v]);
    for (size_t j = 0; j < c->places[i].n_members; ++j)
        m->is_placed[c->places[i].members[j]] = 1;
}

hone_status hone__chooser_prepare_places(const hone_chooser *c,
                                         const hone_launch_spec *spec,
                                         hone_chooser_model *m, hone_error *err)
{
    const size_t n = HONE_N_CHOOSER_FEATURES * c->n_dims;
    double *all = hone__alloc((c->n_places * n + 1) * sizeof *all);
    hone_status status = all ? HONE_OK : HONE_ERR_NO_MEMORY;

    for (size_t i = 0; all && i < c->n_places; ++i)
        hone__chooser_values(c->n_dims, spec, c->places[i].dims, &all[i * n]);
    if (all) {
        find_values(c, all, n, m);
        status = allocate(c, m);
    }
    for (size_t i = 0; !status && i < c->n_places; ++i)
        put_place(c, m, i, &all[i * n]);
    hone__free(all);
    return status ? hone__out_of_memory(err, "") : HONE_OK;
}

/* Numbers of all groups. */
typedef union of_groups {
    lanes lanes[GROUPS / LANES];
    masks masks[GROUPS / LANES];
    float number[GROUPS];
    int32_t bits[GROUPS];
} of_groups;

/* Of each: the square of how far its nearest place is, and the row of that. */
typedef struct nearest {
    of_groups far, row;
} nearest;

static masks either(masks which, masks yes, masks no)
{
    return (which & yes) | (~which & no);
}

static lanes all_lanes(float number)
{
    return (lanes){number, number, number, number};
}

/* No branch depends on what is near: a wrong guess takes longer than a row. */
static void find_nearest(const hone_chooser_model *m, const lanes *at,
                         nearest *out)
{
    const lanes *values = (const void *)m->place_block;

    for (size_t g = 0; g < GROUPS / LANES; ++g) {
        out->far.lanes[g] = all_lanes(INFINITY);
        out->row.masks[g] = (masks){0};
    }
    for (int32_t row = 0; row < (int32_t)m->n_place_rows; ++row)
        for (size_t g = 0; g < GROUPS / LANES; ++g) {
            lanes far = {0};
            masks is_nearer;

            for (size_t v = 0; v < m->n_place_values; ++v) {
                const lanes apart = *values++ - at[v];

                far += apart * apart;
            }
            is_nearer = far < out->far.lanes[g];
            out->far.masks[g] =
                either(is_nearer, (masks)far, out->far.masks[g]);
            out->row.masks[g] = either(is_nearer, (masks){row, row, row, row},
                                       out->row.masks[g]);
        }
}

/* The bits of what is not negative grow with it. The last ones give way to the
 * number of the group: places are often as far as others are, and no two then.
 */
static void tell_apart(nearest *near)
{
    masks number = {0, 1, 2, 3};

    for (size_t g = 0; g < GROUPS / LANES; ++g, number += LANES)
        near->far.masks[g] = (near->far.masks[g] & -GROUPS) | number;
}

/* What NEAREST groups are below, found bit by bit from the first one on: most
 * often some ten of them tell. */
static int32_t find_limit(const nearest *near)
{
    int32_t limit = 0, bit = 1 << 30, n = 0;

    for (; n != NEAREST; bit >>= 1) {
        const int32_t next = limit | bit;
        masks below = {0};

        for (size_t g = 0; g < GROUPS / LANES; ++g)
            below -= near->far.masks[g] < (masks){next, next, next, next};
        n = below[0] + below[1] + below[2] + below[3];
        limit = n <= NEAREST ? next : limit;
    }
    return limit;
}

static void ask_place(const hone_chooser_place *place, float far,
                      hone_chooser_asked *out)
{
    const float weight = 1 / (FAR + far);

    for (size_t j = 0; j < place->n_members; ++j) {
        out->weight[place->members[j]] += weight;
        out->beside[place->members[j]] += weight * place->beside[j];
    }
}

void hone__chooser_ask_places(const hone_chooser *c,
                              const hone_chooser_model *m, const double *values,
                              hone_chooser_asked *out)
{
    lanes at[HONE_CHOOSER_MOST_FEATURES];
    nearest near;
    int32_t limit;

    for (size_t v = 0; v < m->n_place_values; ++v)
        at[v] = all_lanes(weigh(c, values, m->place_values[v]));
    find_nearest(m, at, &near);
    tell_apart(&near);
    limit = c->n_places ? find_limit(&near) : 0;
    for (size_t j = 0; j < c->n_members; ++j) {
        out->weight[j] = !m->is_placed[j];
        out->beside[j] = 0;
    }
    for (size_t g = 0; g < GROUPS; ++g) {
        const size_t place = (size_t)near.row.bits[g] * GROUPS + g;

        if (place < c->n_places && near.far.bits[g] < limit)
            ask_place(&c->places[place], near.far.number[g], out);
    }
    out->n = 0;
    for (size_t j = 0; j < c->n_members; ++j) {
        out->members[out->n] = (uint16_t)j;
        out->n += out->weight[j] > 0;
    }
}
