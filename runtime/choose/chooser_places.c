/* SPDX-License-Identifier: Apache-2.0 */
/* Who may be the best at some dims: the members of the places that are most
 * like them. A member says what it costs in a quarter of a microsecond, which
 * is too much for a hundred of them. See chooser.h. */
#include "runtime/choose/chooser_model.h"

#include <string.h>

/* Of 512 places, sixteen had some 24 of 70 members, and the best of these was
 * hardly missed; four would have had nine (docs/decisions.md, 219). Of 940, 10
 * to 30 of 111 that reach (227). */
enum { NEAREST = 16 };

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

/* Four numbers at a time, from where numbers lie. */
typedef float lanes __attribute__((vector_size(16), aligned(4), may_alias));
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

hone_status hone__chooser_prepare_places(const hone_chooser *c,
                                         const hone_launch_spec *spec,
                                         hone_chooser_model *m, hone_error *err)
{
    const size_t n = HONE_N_CHOOSER_FEATURES * c->n_dims;
    double *all = hone__alloc((c->n_places * n + 1) * sizeof *all);

    m->place_row = hone__chooser_padded(c->n_places);
    if (all) {
        for (size_t i = 0; i < c->n_places; ++i)
            hone__chooser_values(c->n_dims, spec, c->places[i].dims,
                                 &all[i * n]);
        find_values(c, all, n, m);
        m->place_block = hone__alloc((m->n_place_values * m->place_row + 1) *
                                     sizeof *m->place_block);
    }
    for (size_t i = 0; m->place_block && i < c->n_places; ++i) {
        for (size_t v = 0; v < m->n_place_values; ++v)
            m->place_block[v * m->place_row + i] =
                weigh(c, &all[i * n], m->place_values[v]);
        for (size_t j = 0; j < c->places[i].n_members; ++j)
            m->is_placed[c->places[i].members[j]] = 1;
    }
    hone__free(all);
    return m->place_block ? HONE_OK : hone__out_of_memory(err, "");
}

/* Squares of how far each place is from `at`. */
static void measure(const hone_chooser_model *m, const float *at, float *out)
{
    for (size_t i = 0; i < m->place_row; i += LANES) {
        lanes sum = {0};

        for (size_t v = 0; v < m->n_place_values; ++v) {
            const lanes apart =
                *(const lanes *)&m->place_block[v * m->place_row + i] - at[v];

            sum += apart * apart;
        }
        *(lanes *)&out[i] = sum;
    }
}

/* The nearest, the nearest first; how many comes back. */
static size_t find_nearest(const float *far, size_t n, size_t *out)
{
    size_t n_out = 0;

    for (size_t i = 0; i < n; ++i) {
        size_t at = n_out < NEAREST ? n_out++ : NEAREST;

        if (at == NEAREST && !(far[i] < far[out[--at]]))
            continue;
        for (; at && far[out[at - 1]] > far[i]; --at)
            out[at] = out[at - 1];
        out[at] = i;
    }
    return n_out;
}

void hone__chooser_ask_places(const hone_chooser *c,
                              const hone_chooser_model *m, const double *values,
                              float *asked, float *beside)
{
    float at[HONE_CHOOSER_MOST_FEATURES], far[HONE_CHOOSER_PLACES];
    size_t nearest[NEAREST], n;

    for (size_t v = 0; v < m->n_place_values; ++v)
        at[v] = weigh(c, values, m->place_values[v]);
    measure(m, at, far);
    n = find_nearest(far, c->n_places, nearest);
    for (size_t j = 0; j < c->n_members; ++j) {
        asked[j] = !m->is_placed[j];
        beside[j] = 0;
    }
    while (n--) {
        const hone_chooser_place *place = &c->places[nearest[n]];
        const float weight = 1 / (FAR + far[nearest[n]]);

        for (size_t j = 0; j < place->n_members; ++j) {
            asked[place->members[j]] += weight;
            beside[place->members[j]] += weight * place->beside[j];
        }
    }
}
