/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between those of a list. See between.h. */
#include "tuner/portfolio/between.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/input_values.h"

#include <math.h>
#include <string.h>

enum {
    N_NEAR = 5,      /* of so many nearest problems one is the other end */
    TRIES = 8,       /* drawn for each problem that is wanted: the best */
    BEYOND = 4,      /* times the largest of the list */
    LEAST_UNIT = 16, /* beyond a list all sizes are aligned to that */
    MOST_ALIGNED = 6 /* multiples of 64 are aligned to everything */
};

/* What a list has of one dimension. */
typedef struct between_size {
    int is_drawn; /* a size that is not the same everywhere */
    int64_t least, most;
    int is_power; /* always of two */
} between_size;

typedef struct between_run {
    const hone_between_request *request;
    between_size sizes[HONE_MAX_DIMS];
    uint64_t n_draws;
} between_run;

static double uniform(between_run *run)
{
    const uint64_t bits = hone__inputs_mix(
        run->request->seed + ++run->n_draws * 0x9e3779b97f4a7c15u);

    return (double)(bits >> 11) * 0x1p-53;
}

/* ---- what the list has ------------------------------------------------------
 */

static void look_at(between_run *run)
{
    const hone_between_request *r = run->request;

    for (size_t d = 0; d < r->tmpl->n_dims; ++d) {
        between_size *size = &run->sizes[d];

        *size = (between_size){0, INT64_MAX, 0, 1};
        for (size_t i = 0; i < r->n_problems; ++i) {
            const int64_t value = r->dims[i][d];

            size->least = value < size->least ? value : size->least;
            size->most = value > size->most ? value : size->most;
            size->is_power &= value > 0 && (value & (value - 1)) == 0;
        }
        size->is_drawn = !r->tmpl->dims[d].n_types && size->least > 0 &&
                         size->least < size->most;
    }
}

/* Of the same types and choices? */
static int is_alike(const hone_template *tmpl, const int64_t *a,
                    const int64_t *b)
{
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (tmpl->dims[d].n_types && a[d] != b[d])
            return 0;
    return 1;
}

/* Is there a default that the size differs from? Whatever it is, such as rows
 * with room between them, would not be that between two. */
static int is_special(const hone_template *tmpl, const int64_t *dims)
{
    for (size_t d = 0; d < tmpl->n_dims; ++d)
        if (tmpl->dims[d].default_expr.expr &&
            !hone__template_dim_follows(tmpl, d, dims))
            return 1;
    return 0;
}

static double distance(const between_run *run, const int64_t *a,
                       const int64_t *b)
{
    double sum = 0;

    for (size_t d = 0; d < run->request->tmpl->n_dims; ++d) {
        if (run->sizes[d].is_drawn &&
            !run->request->tmpl->dims[d].default_expr.expr) {
            const double octaves = log2((double)a[d] / (double)b[d]);

            sum += octaves * octaves;
        }
    }
    return sum;
}

/* Are there problems enough? Those of other types count: their sizes are wanted
 * of these types, too, and what is drawn may be what a chooser lacks. */
static int is_enough(const hone_between_request *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_problems; ++i)
        n += !is_special(r->tmpl, r->dims[i]);
    return n >= HONE_BETWEEN_LEAST_PROBLEMS;
}

/* One of the nearest to problem `from`, of whatever types: its sizes are what
 * is wanted, and those of f16 say where those of f32 may come to lie. */
static size_t other_end(between_run *run, size_t from)
{
    const hone_between_request *r = run->request;
    size_t near[N_NEAR];
    double far[N_NEAR];
    size_t n = 0;

    for (size_t i = 0; i < r->n_problems; ++i) {
        const double apart = distance(run, r->dims[from], r->dims[i]);
        size_t at = n < N_NEAR ? n : N_NEAR - 1;

        if (i == from || is_special(r->tmpl, r->dims[i]) ||
            (n == N_NEAR && apart >= far[at]))
            continue;
        for (; at && far[at - 1] > apart; --at) {
            far[at] = far[at - 1];
            near[at] = near[at - 1];
        }
        far[at] = apart;
        near[at] = i;
        n += n < N_NEAR;
    }
    return near[(size_t)(uniform(run) * (double)n)];
}

/* ---- one problem -------------------------------------------------------- */

static int64_t unit_of(int64_t value)
{
    int64_t unit = 1;

    while (unit < 1 << MOST_ALIGNED && value % (2 * unit) == 0)
        unit *= 2;
    return unit;
}

static int64_t align_as(int64_t value, int64_t parent, const between_size *size)
{
    const int64_t unit = unit_of(parent);

    if (size->is_power)
        return (int64_t)exp2(round(log2((double)value)));
    value = (value + unit / 2) / unit * unit;
    return value < unit ? unit : value;
}

static int64_t draw_size(between_run *run, size_t d, int64_t from, int64_t to,
                         double part)
{
    const between_size *size = &run->sizes[d];
    const double octaves = log2((double)from) +
                           part * log2((double)to / (double)from) +
                           uniform(run) - 0.5;
    int64_t value = (int64_t)exp2(octaves);

    value =
        align_as(value < 1 ? 1 : value, uniform(run) < 0.5 ? from : to, size);
    if (value > size->most)
        return size->most;
    return value < size->least ? size->least : value;
}

static hone_status draw_one(between_run *run, size_t from, size_t to,
                            int64_t *out)
{
    const hone_between_request *r = run->request;
    const int64_t *a = r->dims[from];
    const int64_t *b = r->dims[to];
    const double part = uniform(run);
    int64_t dims[HONE_MAX_DIMS];

    for (size_t d = 0; d < r->tmpl->n_dims; ++d) {
        if (r->tmpl->dims[d].default_expr.expr)
            dims[d] = HONE_DIM_DEFAULT;
        else if (run->sizes[d].is_drawn)
            dims[d] = draw_size(run, d, a[d], b[d], part);
        else
            dims[d] = a[d];
    }
    return hone__template_complete_dims(r->tmpl, dims, r->tmpl->n_dims, out,
                                        NULL);
}

static int is_among(const hone_template *tmpl, const int64_t *dims,
                    const int64_t (*list)[HONE_MAX_DIMS], size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if (memcmp(list[i], dims, tmpl->n_dims * sizeof *dims) == 0)
            return 1;
    return 0;
}

/* To the nearest of the same types, in a list. */
static double room_around(const between_run *run, const int64_t *dims,
                          const int64_t (*list)[HONE_MAX_DIMS], size_t n)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < n; ++i)
        if (is_alike(run->request->tmpl, dims, list[i]))
            least = fmin(least, distance(run, dims, list[i]));
    return least;
}

/* The one of several that is furthest from all that is tuned: what lies close
 * to another teaches little. 0: there is none. */
static int draw_best(between_run *run, size_t from,
                     int64_t (*out)[HONE_MAX_DIMS], size_t n_out)
{
    const hone_between_request *r = run->request;
    const int64_t(*drawn)[HONE_MAX_DIMS] = (const int64_t(*)[HONE_MAX_DIMS])out;
    double best = -1;

    for (int i = 0; i < TRIES; ++i) {
        int64_t dims[HONE_MAX_DIMS] = {0};
        double room;

        if (draw_one(run, from, other_end(run, from), dims) != HONE_OK ||
            is_among(r->tmpl, dims, r->dims, r->n_problems) ||
            is_among(r->tmpl, dims, drawn, n_out))
            continue;
        room = fmin(room_around(run, dims, r->dims, r->n_problems),
                    room_around(run, dims, drawn, n_out));
        if (room > best) {
            best = room;
            memcpy(out[n_out], dims, sizeof dims);
        }
    }
    return best >= 0;
}

/* ---- beyond the list ----------------------------------------------------- */

/* The geometric mean of what the list has of a size, and aligned: whoever is
 * valid anywhere is likely to be valid there. */
static int64_t moderate(const between_run *run, size_t d)
{
    const hone_between_request *r = run->request;
    const between_size *size = &run->sizes[d];
    double octaves = 0;
    int64_t value;
    size_t n = 0;

    for (size_t i = 0; i < r->n_problems; ++i)
        if (!is_special(r->tmpl, r->dims[i])) {
            octaves += log2((double)r->dims[i][d]);
            ++n;
        }
    value = align_as((int64_t)exp2(octaves / (double)n), LEAST_UNIT, size);
    if (value > size->most)
        return size->most;
    return value < size->least ? size->least : value;
}

/* One that is larger in size `d` than all, of the types of the largest: how far
 * variants of other types may be launched is verified without tuning there
 * (reach.c). Other sizes are moderate: beside one row, say, few variants would
 * be valid, and the others reach no further than before. */
static hone_status draw_beyond(const between_run *run, size_t d, int64_t *out)
{
    const hone_between_request *r = run->request;
    const int64_t *largest = NULL;
    int64_t dims[HONE_MAX_DIMS];

    for (size_t i = 0; i < r->n_problems; ++i)
        if (!is_special(r->tmpl, r->dims[i]) &&
            (!largest || r->dims[i][d] > largest[d]))
            largest = r->dims[i];
    if (!largest)
        return HONE_ERR_DIMS;
    for (size_t k = 0; k < r->tmpl->n_dims; ++k) {
        dims[k] = r->tmpl->dims[k].n_types  ? largest[k]
                  : !run->sizes[k].is_drawn ? largest[k]
                  : k == d                  ? largest[k]
                                            : moderate(run, k);
        if (r->tmpl->dims[k].default_expr.expr)
            dims[k] = HONE_DIM_DEFAULT;
    }
    if (dims[d] > INT64_MAX / BEYOND)
        return HONE_ERR_OVERFLOW;
    dims[d] *= BEYOND;
    if (!run->sizes[d].is_power && dims[d] > BEYOND * LEAST_UNIT) {
        const int64_t unit =
            unit_of(largest[d]) > LEAST_UNIT ? unit_of(largest[d]) : LEAST_UNIT;

        dims[d] = (dims[d] / unit - 1) * unit; /* and not more aligned for it */
    }
    return hone__template_complete_dims(r->tmpl, dims, r->tmpl->n_dims, out,
                                        NULL);
}

/* How many, at most half of what is wanted. */
static size_t draw_all_beyond(const between_run *run,
                              int64_t (*out)[HONE_MAX_DIMS])
{
    const hone_between_request *r = run->request;
    const int64_t(*drawn)[HONE_MAX_DIMS] = (const int64_t(*)[HONE_MAX_DIMS])out;
    size_t n = 0;

    for (size_t d = 0; d < r->tmpl->n_dims && n < r->n_wanted / 2; ++d)
        if (run->sizes[d].is_drawn && !r->tmpl->dims[d].default_expr.expr &&
            draw_beyond(run, d, out[n]) == HONE_OK &&
            !is_among(r->tmpl, out[n], r->dims, r->n_problems) &&
            !is_among(r->tmpl, out[n], drawn, n))
            ++n;
    return n;
}

hone_status hone__between_draw(const hone_between_request *request,
                               int64_t (*out)[HONE_MAX_DIMS], size_t *out_n,
                               hone_error *err)
{
    const size_t most = request->n_wanted * TRIES;
    between_run *run;

    *out_n = 0;
    if (!is_enough(request))
        return HONE_OK;
    run = hone__alloc(sizeof *run);
    if (!run)
        return hone__out_of_memory(err, " for problems between others");
    run->request = request;
    look_at(run);
    if (request->is_beyond)
        *out_n = draw_all_beyond(run, out);
    for (size_t i = 0; i < most && *out_n < request->n_wanted; ++i) {
        const size_t from = i % request->n_problems;

        if (!is_special(request->tmpl, request->dims[from]))
            *out_n += (size_t)draw_best(run, from, out, *out_n);
    }
    hone__free(run);
    return HONE_OK;
}
