/* SPDX-License-Identifier: Apache-2.0 */
/* Problems between those of a list. See between.h. */
#include "tuner/portfolio/between_run.h"

#include "runtime/base/alloc.h"
#include "tuner/judge/input_values.h"

#include <math.h>
#include <string.h>

enum {
    N_NEAR = 5,      /* of so many nearest problems one is the other end */
    TRIES = 8,       /* drawn for each problem that is wanted: the best */
    MOST_ALIGNED = 6 /* multiples of 64 are aligned to everything */
};

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

/* What each size of a problem is multiplied by, for as much work of another
 * kind: half the transforms of twice the length. */
static double scale_to(const between_run *run, const int64_t *dims,
                       const int64_t *kind)
{
    const hone_template *tmpl = run->request->tmpl;
    double ratio = 1;
    int n_sizes = 0;

    for (size_t d = 0; d < tmpl->n_dims; ++d) {
        if (hone__template_dim_is_scale(&tmpl->dims[d]) && dims[d] > 0 &&
            kind[d] > 0)
            ratio *= (double)dims[d] / (double)kind[d];
        n_sizes += run->sizes[d].is_drawn && !tmpl->dims[d].default_expr.expr;
    }
    return n_sizes ? pow(ratio, 1.0 / n_sizes) : 1;
}

static double distance(const between_run *run, const int64_t *a,
                       const int64_t *b)
{
    const double scale = scale_to(run, a, b);
    double sum = 0;

    for (size_t d = 0; d < run->request->tmpl->n_dims; ++d) {
        if (run->sizes[d].is_drawn &&
            !run->request->tmpl->dims[d].default_expr.expr) {
            const double octaves = log2((double)a[d] * scale / (double)b[d]);

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
        n += !hone__between_is_special(r->tmpl, r->dims[i]);
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

        if (i == from || hone__between_is_special(r->tmpl, r->dims[i]) ||
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

int64_t hone__between_unit(int64_t value)
{
    int64_t unit = 1;

    while (unit < 1 << MOST_ALIGNED && value % (2 * unit) == 0)
        unit *= 2;
    return unit;
}

int64_t hone__between_align(int64_t value, int64_t parent,
                            const between_size *size)
{
    const int64_t unit = hone__between_unit(parent);

    if (size->is_power)
        return (int64_t)exp2(round(log2((double)value)));
    value = (value + unit / 2) / unit * unit;
    return value < unit ? unit : value;
}

/* What the list has of a size, as it is of another kind. */
static between_size size_of_kind(const between_run *run, size_t d,
                                 const int64_t *kind)
{
    const hone_between_request *r = run->request;
    between_size out = {.least = INT64_MAX, .is_power = run->sizes[d].is_power};

    for (size_t i = 0; i < r->n_problems; ++i) {
        const double scale = scale_to(run, r->dims[i], kind);
        int64_t value = r->dims[i][d];

        if (scale != 1)
            value = hone__between_align(
                (int64_t)fmax(1, fmin((double)value * scale, 0x1p61)), value,
                &out);

        out.least = value < out.least ? value : out.least;
        out.most = value > out.most ? value : out.most;
    }
    return out;
}

/* On the way from one problem to another, of a kind. */
typedef struct between_way {
    const int64_t *kind, *from, *to;
    double from_scale, to_scale;
} between_way;

static int64_t draw_size(between_run *run, size_t d, const between_way *way,
                         double part)
{
    const between_size size = size_of_kind(run, d, way->kind);
    const double from = (double)way->from[d] * way->from_scale;
    const double to = (double)way->to[d] * way->to_scale;
    const double octaves =
        log2(from) + part * log2(to / from) + uniform(run) - 0.5;
    int64_t value = (int64_t)exp2(fmin(octaves, 62));

    value = hone__between_align(value < 1 ? 1 : value,
                                uniform(run) < 0.5 ? way->from[d] : way->to[d],
                                &size);
    if (value > size.most)
        return size.most;
    return value < size.least ? size.least : value;
}

static hone_status draw_one(between_run *run, const between_way *way,
                            int64_t *out)
{
    const hone_template *tmpl = run->request->tmpl;
    const double part = uniform(run);
    int64_t dims[HONE_MAX_DIMS];

    for (size_t d = 0; d < tmpl->n_dims; ++d) {
        if (tmpl->dims[d].default_expr.expr)
            dims[d] = HONE_DIM_DEFAULT;
        else if (run->sizes[d].is_drawn)
            dims[d] = draw_size(run, d, way, part);
        else
            dims[d] = tmpl->dims[d].n_types ? way->kind[d] : way->from[d];
    }
    return hone__template_complete_dims(tmpl, dims, tmpl->n_dims, out, NULL);
}

int hone__between_is_among(const hone_template *tmpl, const int64_t *dims,
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
        if (hone__between_is_alike(run->request->tmpl, dims, list[i]))
            least = fmin(least, distance(run, dims, list[i]));
    return least;
}

/* The one of several of a kind that is furthest from all that is tuned: what
 * lies close to another teaches little. 0: there is none. */
static int draw_best(between_run *run, const int64_t *kind, size_t from,
                     int64_t (*out)[HONE_MAX_DIMS], size_t n_out)
{
    const hone_between_request *r = run->request;
    const int64_t(*drawn)[HONE_MAX_DIMS] = (const int64_t(*)[HONE_MAX_DIMS])out;
    between_way way = {.kind = kind,
                       .from = r->dims[from],
                       .from_scale = scale_to(run, r->dims[from], kind)};
    double best = -1;

    for (int i = 0; i < TRIES; ++i) {
        int64_t dims[HONE_MAX_DIMS] = {0};
        double room;

        way.to = r->dims[other_end(run, from)];
        way.to_scale = scale_to(run, way.to, kind);
        if (draw_one(run, &way, dims) != HONE_OK ||
            hone__between_is_among(r->tmpl, dims, r->dims, r->n_problems) ||
            hone__between_is_among(r->tmpl, dims, drawn, n_out))
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

/* ---- all of them ------------------------------------------------------------
 */

static void draw_lacking(between_run *run, hone_between_kinds *kinds,
                         int64_t (*out)[HONE_MAX_DIMS], size_t *n_out)
{
    hone_between_kind *kind;

    for (size_t i = 0; i < *n_out; ++i) {
        kind = hone__between_kinds_of(kinds, run->request->tmpl, out[i]);
        if (kind)
            ++kind->n;
    }
    while (*n_out < run->request->n_wanted &&
           (kind = hone__between_kinds_neediest(kinds)) != NULL) {
        const int is_drawn =
            draw_best(run, kind->dims, kind->from, out, *n_out);

        *n_out += (size_t)is_drawn;
        kind->n += (size_t)is_drawn;
        kind->is_full = !is_drawn;
    }
}

hone_status hone__between_draw(const hone_between_request *request,
                               int64_t (*out)[HONE_MAX_DIMS], size_t *out_n,
                               hone_error *err)
{
    const size_t most = request->n_wanted * TRIES;
    hone_between_kinds kinds;
    between_run *run;

    *out_n = 0;
    if (!is_enough(request))
        return HONE_OK;
    HONE_TRY(hone__between_kinds_find(request, &kinds, err));
    run = hone__alloc(sizeof *run);
    if (!run) {
        hone__between_kinds_free(&kinds);
        return hone__out_of_memory(err, " for problems between others");
    }
    run->request = request;
    look_at(run);
    if (request->is_beyond)
        *out_n = hone__between_draw_beyond(run, HONE_BETWEEN_BEYOND, out, 0);
    draw_lacking(run, &kinds, out, out_n);
    if (request->is_beyond)
        *out_n = hone__between_draw_beyond(run, HONE_BETWEEN_FAR, out, *out_n);
    for (size_t i = 0; i < most && *out_n < request->n_wanted; ++i) {
        const size_t from = i % request->n_problems;

        if (!hone__between_is_special(request->tmpl, request->dims[from]))
            *out_n +=
                (size_t)draw_best(run, request->dims[from], from, out, *out_n);
    }
    hone__free(run);
    hone__between_kinds_free(&kinds);
    return HONE_OK;
}

hone_status hone__between_lacking(const hone_between_request *request,
                                  size_t *out, hone_error *err)
{
    hone_between_kinds kinds;

    *out = 0;
    HONE_TRY(hone__between_kinds_find(request, &kinds, err));
    for (size_t i = 0; i < kinds.n; ++i)
        if (kinds.items[i].n < HONE_BETWEEN_LEAST_PROBLEMS)
            *out += HONE_BETWEEN_LEAST_PROBLEMS - kinds.items[i].n;
    hone__between_kinds_free(&kinds);
    return HONE_OK;
}
