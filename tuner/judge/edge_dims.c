/* SPDX-License-Identifier: Apache-2.0 */
/* Which edge shapes a variant is tried on. Some templates take few sizes
 * in one dimension (multiples of a tile, powers of two), and some variants
 * fewer: then the other dimensions keep their odd sizes. */
#include "tuner/judge/cover.h"

#include <string.h>

/* Sizes per dimension that leads, taken in turn from a row: ones, primes below
 * and just above usual tiles, and a larger row for operations of one
 * dimension, where a small size reaches one block only. The fourth is few: it
 * is often a batch, which multiplies all that the others cost; one whose
 * default is 1 has it too. */
enum { ROW = 4, N_ROWS = HONE_EDGE_BEYOND };
static const int64_t rows[N_ROWS][ROW] = {
    {1, 1, 1, 1},
    {61, 37, 113, 3},
    {131, 259, 97, 2},
    {16, 520, 40, 5},
};
/* One dimension beyond every block, the others short: kernels whose blocks
 * go round a row, or walk down columns. The first of these that is allowed. */
static const int64_t short_row[ROW] = {5, 3, 7, 2};
enum { N_BEYOND = 6 };
static const int64_t beyond[N_BEYOND] = {2053, 2056, 2112, 2304, 3072, 4096};
/* Where that is a batch. */
static const int64_t many[N_BEYOND] = {131, 132, 144, 160, 192, 256};
/* The first of these that is not too much: what belongs to the problem may
 * make an array of every unit of the dimension. */
enum { N_LONG = 4 };
static const int64_t long_rows[N_LONG] = {1000003, 10007, 1009, 101};

/* What the dimensions that follow others (leading dimensions, strides) are
 * larger by, in turn, times the first of these scales that is allowed: vectors
 * and copies of tiles want multiples. */
enum { N_PADS = 4, N_SCALES = 6, MULTIPLE = 64 };
static const int64_t pads[N_PADS] = {3, 5, 1, 7};
static const int64_t scales[N_SCALES] = {1, 2, 4, 8, 16, 32};

/* What a dimension is changed to after the problem's own size: 1 and 2 (in
 * odd rows 2 and 1, for dimensions that choose one of two), 4, 8, .. */
enum { N_POWERS = 17, MOST_CHANGED = 3 };
/* Of all arrays together: what the cpu device runs in well under a second,
 * and in a second or two. */
static const int64_t most_bytes = 4 << 20;
static const int64_t most_bytes_long = 20 << 20;
/* Where several sizes multiply: a reference runs nine times for a magnitude,
 * and under a sanitizer it is a hundred times slower. */
static const int64_t most_bytes_product = 2 << 20;
/* As far as the template declares its work. */
static const int64_t most_flops = 400000000;
/* Of what has grown, which many variants of a template may need. */
static const int64_t most_flops_grown = 25000000;

typedef struct shape_search {
    const hone_template *tmpl;
    hone_launch_case plan; /* at `dims` */
    const int64_t *given;  /* the problem's */
    size_t row;
    int scale; /* of what a grown row may cost */
    int64_t *dims;
    int64_t pad[HONE_MAX_DIMS]; /* of those that follow others */
} shape_search;

/* Sizes whose default is an expression follow the others; what a row says is
 * said to those that lead. */
static int leads(const hone_template_dim *dim)
{
    return !dim->n_types && !dim->default_expr.expr;
}

/* Those that follow get their defaults and what they are padded by; 0: they
 * have none. */
static int follow(const shape_search *s)
{
    for (size_t i = 0; i < s->tmpl->n_dims; ++i) {
        if (!s->tmpl->dims[i].default_expr.expr)
            continue;
        if (hone__template_default_dim(s->tmpl, i, s->dims, &s->dims[i],
                                       NULL) != HONE_OK ||
            __builtin_add_overflow(s->dims[i], s->pad[i], &s->dims[i]))
            return 0;
    }
    return 1;
}

/* One that most callers leave at 1 is a batch, wherever it stands. */
static int is_batch(const hone_template_dim *dim)
{
    return !dim->n_types && dim->default_value == 1;
}

/* Returns the integer dimension that leads if there is one alone, else -1. */
static int take_row(const hone_template *tmpl, const int64_t *given, size_t row,
                    int64_t *out)
{
    size_t n_integers = 0;
    int which = -1;

    for (size_t i = 0; i < tmpl->n_dims; ++i) {
        out[i] = given[i];
        if (!leads(&tmpl->dims[i]))
            continue;
        out[i] = n_integers && is_batch(&tmpl->dims[i])
                     ? rows[row][ROW - 1]
                     : rows[row][n_integers % ROW];
        n_integers++;
        which = (int)i;
    }
    return n_integers == 1 ? which : -1;
}

static int is_within(const shape_search *s, int64_t at_most, int64_t flops)
{
    hone_resolved resolved;
    int64_t bytes = 0;

    if (!follow(s) ||
        hone__launch_spec_resolve(&s->plan, &resolved, NULL) != HONE_OK)
        return 0;
    for (size_t i = 0; i < resolved.n_args; ++i)
        bytes += resolved.args[i].size_bytes;
    return bytes <= at_most && resolved.flops <= flops;
}

static int is_allowed(const shape_search *s, int64_t at_most)
{
    return is_within(s, at_most, at_most == INT64_MAX ? INT64_MAX : most_flops);
}

/* Change the dimensions of `mask` from `dim` on, the last of them fastest. */
static int try_changes(const shape_search *s, unsigned mask, size_t dim)
{
    const int64_t kept = dim < s->plan.n_dims ? s->dims[dim] : 0;

    if (dim == s->plan.n_dims)
        return is_allowed(s, most_bytes);
    if (!(mask >> dim & 1))
        return try_changes(s, mask, dim + 1);
    for (int power = -1; power < N_POWERS; ++power) {
        s->dims[dim] =
            power < 0
                ? s->given[dim]
                : (int64_t)1 << (power < 2 && s->row % 2 ? 1 - power : power);
        if (s->dims[dim] >= 1 && try_changes(s, mask, dim + 1))
            return 1;
    }
    s->dims[dim] = kept;
    return 0;
}

/* One dimension, then two, then three. In vain that is thousands of plans. */
static int find(const shape_search *s, unsigned changeable)
{
    if (hone__edge_is_hopeless(&s->plan, changeable))
        return 0;
    for (int n = 1; n <= MOST_CHANGED; ++n)
        for (unsigned mask = 1; mask <= changeable; ++mask)
            if (__builtin_popcount(mask) == n && (mask & ~changeable) == 0 &&
                try_changes(s, mask, 0))
                return 1;
    return 0;
}

/* ---- larger -------------------------------------------------------------- */

/* What those are that do not grow. */
typedef enum beside { SHORT, GIVEN, GROWN, N_BESIDE } beside;

/* Size number `step` of those that are tried: a quarter more each time, odd
 * and then a multiple of 64. */
static int64_t grown(int64_t from, int step)
{
    for (int i = 0; i < step / 2; ++i)
        from += from / 4 + 1;
    return step % 2 ? (from + 63) / 64 * 64 : from | 1;
}

/* `size` of dimension `dim`, or of all but batches, which are 1. */
static void set_grown(const shape_search *s, size_t dim, beside others,
                      unsigned leading, int64_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < s->plan.n_dims; ++i) {
        if (!(leading >> i & 1))
            continue;
        if (i == dim)
            s->dims[i] = size;
        else if (others == GIVEN)
            s->dims[i] = s->given[i];
        else if (is_batch(&s->tmpl->dims[i]))
            s->dims[i] = 1;
        else if (others == GROWN)
            s->dims[i] = size;
        else /* as it is with the sizes themselves */
            s->dims[i] = size % 64 ? short_row[n++ % ROW] : 64;
    }
}

/* Some constraints want as many elements as the blocks of a grid take: one
 * dimension grows until they hold, then all of them do. */
static int grow(const shape_search *s, unsigned leading, int64_t at_most)
{
    int64_t kept[HONE_MAX_DIMS];

    memcpy(kept, s->dims, s->plan.n_dims * sizeof *kept);
    for (int others = 0; others < N_BESIDE; ++others)
        for (size_t dim = 0; dim < s->plan.n_dims; ++dim)
            for (int step = 0; leading >> dim & 1; ++step) {
                const int64_t size = grown(kept[dim], step);

                if (size > at_most)
                    break;
                set_grown(s, dim, (beside)others, leading, size);
                if (is_within(s, at_most, s->scale * most_flops_grown))
                    return 1;
            }
    memcpy(s->dims, kept, s->plan.n_dims * sizeof *kept);
    return 0;
}

/* A row that is allowed in some way, of the problem's sizes and small ones, or
 * larger; the row as it stands if there is none. */
static void change(const shape_search *s, unsigned leading)
{
    const int is_long = s->row + 1 >= N_ROWS;

    if (!find(s, leading) && s->row)
        (void)grow(s, leading,
                   is_long ? s->scale * most_bytes_long : most_bytes);
}

/* ---- smaller ------------------------------------------------------------- */

/* Where arrays are too large, since several sizes multiply or what belongs to
 * one unit of the only size is large, the largest size is halved, and odd
 * again, as often as that helps. */
static void shrink(const shape_search *s, unsigned leading, int64_t at_most,
                   int64_t least)
{
    while (!is_allowed(s, at_most)) {
        int64_t *largest = NULL;
        int64_t kept;

        for (size_t i = 0; i < s->plan.n_dims; ++i)
            if (leading >> i & 1 && (!largest || s->dims[i] > *largest))
                largest = &s->dims[i];
        if (!largest || *largest < least)
            return;
        kept = *largest;
        *largest = kept / 2 | 1;
        if (!is_allowed(s, INT64_MAX)) {
            *largest = kept;
            return;
        }
    }
}

/* A long size for the only dimension; the row's own if none is allowed. */
static void lengthen(const shape_search *s, int dim)
{
    const int64_t kept = s->dims[dim];

    for (int i = 0; i < N_LONG; ++i) {
        s->dims[dim] = long_rows[i];
        if (is_allowed(s, most_bytes_long))
            return;
    }
    s->dims[dim] = kept;
}

/* Dimension `dim` beyond every block; 0: not allowed in any way. A batch
 * multiplies the blocks of the others, so that it goes less far, and is 1
 * beside another: thousands of blocks take minutes under a sanitizer. */
static int go_beyond(const shape_search *s, size_t dim, unsigned leading)
{
    const int64_t *far = is_batch(&s->tmpl->dims[dim]) ? many : beyond;

    for (int i = 0; i < N_BEYOND; ++i) {
        size_t n = 0;

        for (size_t k = 0; k < s->plan.n_dims; ++k)
            if (leading >> k & 1)
                s->dims[k] = k == dim ? far[i]
                             : is_batch(&s->tmpl->dims[k])
                                 ? 1
                                 : short_row[n++ % ROW];
        if (is_allowed(s, most_bytes) || find(s, leading & ~(1u << dim)))
            return 1;
    }
    return 0;
}

/* The first of the scales of what a dimension is larger by that is allowed; 0:
 * none of them is. */
static int64_t first_allowed(const shape_search *s, size_t dim, int64_t pad)
{
    shape_search tried = *s;

    for (int k = 0; k < N_SCALES; ++k) {
        tried.pad[dim] = pad * scales[k];
        if (is_allowed(&tried, INT64_MAX))
            return tried.pad[dim];
    }
    return 0;
}

/* To the next multiple; 0: it is one, or may not be larger. */
static int64_t to_multiple(const shape_search *s, size_t dim)
{
    shape_search tried = *s;

    if (!follow(s) || s->dims[dim] <= 0)
        return 0;
    tried.pad[dim] = (MULTIPLE - s->dims[dim] % MULTIPLE) % MULTIPLE;
    return is_allowed(&tried, INT64_MAX) ? tried.pad[dim] : 0;
}

/* The dimensions that follow others larger than their defaults, each as far as
 * it is allowed; 0: none of them may be. */
static int go_apart(shape_search *s, unsigned leading)
{
    size_t n = 0;
    int any = 0;

    if (!is_allowed(s, INT64_MAX))
        change(s, leading);
    for (size_t i = 0; i < s->tmpl->n_dims; ++i) {
        if (!s->tmpl->dims[i].default_expr.expr)
            continue;
        s->pad[i] = s->row == HONE_EDGE_ALIGNED
                        ? to_multiple(s, i)
                        : first_allowed(s, i, pads[n++ % N_PADS]);
        any |= s->pad[i] > 0;
    }
    (void)follow(s);
    return any;
}

/* Sizes that may be 0 are, the others small; 0: there are none. A variant that
 * cannot be launched there has failed: the shape is not left out. */
static int go_empty(const shape_search *s)
{
    int any = 0;

    for (size_t i = 0; i < s->tmpl->n_dims; ++i) {
        if (!s->tmpl->dims[i].from_zero || !leads(&s->tmpl->dims[i]))
            continue;
        s->dims[i] = 0;
        any = 1;
    }
    return any && follow(s);
}

int hone__edge_dims(const hone_template *tmpl, const hone_launch_case *plan,
                    int scale, size_t row, int64_t *out)
{
    const int is_apart = row == HONE_EDGE_APART || row == HONE_EDGE_ALIGNED;
    const int only = take_row(tmpl, plan->dims,
                              is_apart || row == HONE_EDGE_EMPTY ? 1
                              : row < N_ROWS                     ? row
                                                                 : 0,
                              out);
    shape_search s = {.tmpl = tmpl,
                      .plan = {plan->spec, out, tmpl->n_dims, plan->properties},
                      .given = plan->dims,
                      .row = row,
                      .scale = scale,
                      .dims = out};
    unsigned leading = 0;
    size_t n = N_ROWS;

    for (size_t i = 0; i < tmpl->n_dims; ++i)
        leading |= (leads(&tmpl->dims[i]) ? 1u : 0u) << i;
    if (is_apart)
        return go_apart(&s, leading);
    if (row == HONE_EDGE_EMPTY)
        return go_empty(&s);
    if (row >= N_ROWS) {
        for (size_t i = 0; i < tmpl->n_dims; ++i)
            if (leading >> i & 1 && n++ == row)
                return only < 0 && go_beyond(&s, i, leading);
        return 0;
    }
    if (only >= 0 && row + 1 == N_ROWS)
        lengthen(&s, only);
    if (!is_allowed(&s, INT64_MAX))
        change(&s, leading);
    else if (only < 0)
        shrink(&s, leading, most_bytes_product, 16);
    else
        shrink(&s, leading, most_bytes_long, 4);
    return follow(&s);
}
