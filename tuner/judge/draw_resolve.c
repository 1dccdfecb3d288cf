/* SPDX-License-Identifier: Apache-2.0 */
/* What an argument is drawn from, from the words of the template and the
 * numbers of one problem: see input_values.h. */
#include "runtime/base/type.h"
#include "tuner/judge/check_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One argument while its draw is made. */
typedef struct maker {
    const hone_draw_request *request;
    const hone_template_draw *words;
    const char *name;
    hone_draw *draw;
    hone_error *err;
} maker;

static int is_integer(const maker *m)
{
    return hone__type_is_integer((hone_type)m->request->type);
}

static hone_status __attribute__((format(printf, 2, 3)))
complain(const maker *m, const char *format, ...)
{
    char text[400];
    va_list values;

    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return hone__fail(m->err, HONE_ERR_INPUT, "%s:%d:%d: %s: %s",
                      HONE_PLACE(m->request->tmpl, m->words->line),
                      m->words->column, m->name, text);
}

static hone_status number(const maker *m, const hone_template_number *from,
                          double *out)
{
    int64_t value = 0;

    *out = 0;
    if (!from->expr.expr)
        return HONE_OK;
    if (hone__expr_eval(from->expr.expr, m->request->slots, &value, m->err) !=
        HONE_OK)
        return complain(m, "%.290s", m->err ? m->err->text : "");
    *out = from->is_real ? hone__real_of_bits(value) : (double)value;
    return HONE_OK;
}

/* ---- integers ------------------------------------------------------------ */

/* What the type holds, and a double in whole numbers. */
static void limits(int type, double *low, double *high)
{
    const double bits = type == HONE_TYPE_I8 || type == HONE_TYPE_U8     ? 8
                        : type == HONE_TYPE_I32 || type == HONE_TYPE_U32 ? 32
                                                                         : 53;
    const int is_unsigned =
        type == HONE_TYPE_U8 || type == HONE_TYPE_U32 || type == HONE_TYPE_U64;

    *low = is_unsigned ? 0 : -ldexp(1, (int)(bits == 53 ? 53 : bits - 1));
    *high = bits == 53 || is_unsigned ? ldexp(1, (int)bits) - 1 : -*low - 1;
}

static void set_integers(maker *m, double low, double high)
{
    m->draw->integers = 1;
    m->draw->first = (int64_t)low;
    m->draw->span = (uint64_t)(high - low) + 1;
    m->draw->low = low;
    m->draw->high = high;
}

static hone_status empty_range(const maker *m, double low, double high)
{
    const hone_template *tmpl = m->request->tmpl;
    hone_text size = {0};
    hone_status status;

    hone__template_label_dims(tmpl, m->request->slots + tmpl->slots.dims,
                              &size);
    status = complain(m,
                      "the range %.9g..%.9g is empty at %.100s; a 'require' "
                      "keeps such sizes out",
                      low, high, hone__text_str(&size));
    hone__text_free(&size);
    return status;
}

static hone_status integer_range(maker *m, double low, double high)
{
    const int type = m->request->type;
    double least, most;

    limits(type, &least, &most);
    if (floor(low) != low || floor(high) != high)
        return complain(m, "%g is not a whole number, and the elements are %s",
                        floor(low) != low ? low : high,
                        hone__type_name((hone_type)type));
    if (low > high)
        return empty_range(m, low, high);
    if (low < least || high > most)
        return complain(m, "%.0f..%.0f do not fit into %s", low, high,
                        hone__type_name((hone_type)type));
    set_integers(m, low, high);
    return HONE_OK;
}

/* ---- reals --------------------------------------------------------------- */

/* The value of the type that is next to `value` on the side of `sign`. */
static double inward(int type, double value, int sign)
{
    uint64_t cell = 0;
    double u, ulp, near;

    hone__check_round_off((hone_type)type, &u, &ulp);
    hone__element_store(type, &cell, 0, value);
    near = hone__element_load(type, &cell, 0);
    if (sign * near >= sign * value)
        return near;
    u = fabs(value) * ulp;
    hone__element_store(
        type, &cell, 0,
        value + sign * (u < 0x1p-24 && type == HONE_TYPE_F16 ? 0x1p-24 : u));
    return hone__element_load(type, &cell, 0);
}

static hone_status real_range(maker *m, double low, double high)
{
    const int type = m->request->type;
    const double a = (double)m->request->amplitude;

    if (low > high)
        return empty_range(m, low, high);
    if (a > 0) { /* whole numbers of it */
        const double first = fmax(ceil(low), -a);
        const double last = fmin(floor(high), a);

        if (first > last)
            return complain(m,
                            "no whole number from %.0f to %.0f is in %g..%g: "
                            "leave exact(..) out of the check",
                            -a, a, low, high);
        set_integers(m, first, last);
        return HONE_OK;
    }
    m->draw->low = isinf(low) ? low : inward(type, low, 1);
    m->draw->high = isinf(high) ? high : inward(type, high, -1);
    if (m->draw->low > m->draw->high)
        m->draw->low = m->draw->high;
    return HONE_OK;
}

/* ---- the words ----------------------------------------------------------- */

/* Where nothing is said: [-1, 1), or integers up to the amplitude. */
static void set_default(maker *m)
{
    const double a =
        m->request->amplitude > 0 ? (double)m->request->amplitude : 8;
    double least, most;

    limits(m->request->type, &least, &most);
    m->draw->low = -1;
    m->draw->high = 1;
    if (m->request->amplitude > 0 || is_integer(m))
        set_integers(m, is_integer(m) ? fmax(-a, least) : -a, a);
}

static hone_status set_range(maker *m)
{
    const hone_template_draw *words = m->words;
    const int64_t a = m->request->amplitude;
    const int is_normal = words->kind == HONE_DRAW_NORMAL;
    double low = -HUGE_VAL;
    double high = HUGE_VAL;

    if (words->has_range) {
        HONE_TRY(number(m, &words->low, &low));
        HONE_TRY(number(m, &words->high, &high));
    } else if (is_normal && is_integer(m)) {
        limits(m->request->type, &low, &high);
    } else if (!is_normal && !words->is_positive) {
        set_default(m);
        return HONE_OK;
    } else if (!is_normal) {
        high = is_integer(m) ? (a > 0 ? (double)a : 8) : a > 0 ? HUGE_VAL : 1;
    }
    if (words->is_positive)
        low = is_integer(m) ? 1 : 0x1p-10;
    return is_integer(m) ? integer_range(m, low, high)
                         : real_range(m, low, high);
}

static double normal_part(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752);
}

static hone_status set_normal(maker *m)
{
    hone_draw *d = m->draw;
    const double half = d->integers ? 0.5 : 0;

    HONE_TRY(number(m, &m->words->value[0], &d->a));
    HONE_TRY(number(m, &m->words->value[1], &d->b));
    if (d->b <= 0)
        return complain(m, "the standard deviation %g is not positive", d->b);
    d->u_low = normal_part((d->low - half - d->a) / d->b);
    d->u_span = normal_part((d->high + half - d->a) / d->b) - d->u_low;
    if (d->u_span <= 0)
        return complain(m, "the range %g..%g is too far from the mean %g",
                        d->low, d->high, d->a);
    return HONE_OK;
}

static hone_status set_zipf(maker *m)
{
    hone_draw *d = m->draw;
    const double n = (double)d->span + 1;

    HONE_TRY(number(m, &m->words->value[0], &d->a));
    if (d->a < 0)
        return complain(m, "the exponent %g of zipf is negative", d->a);
    if (fabs(d->a - 1) < 1e-6)
        d->a = 1;
    d->b = d->a == 1 ? log(n) : pow(n, 1 - d->a) - 1;
    return HONE_OK;
}

static hone_status set_constant(maker *m)
{
    double value;

    HONE_TRY(number(m, &m->words->value[0], &value));
    if (is_integer(m))
        return integer_range(m, value, value);
    m->draw->low = value;
    return HONE_OK;
}

static hone_status set_permutation(maker *m)
{
    hone_draw *d = m->draw;

    HONE_TRY(integer_range(m, 0, (double)(m->request->count - 1)));
    for (d->half_bits = 1; (d->span - 1) >> (2 * d->half_bits);)
        ++d->half_bits;
    return HONE_OK;
}

static hone_status set_offsets(maker *m)
{
    double last;

    HONE_TRY(number(m, &m->words->high, &last));
    if (m->request->count < 2 && last > 0)
        return complain(m, "offsets from 0 to %.0f are at least two", last);
    m->draw->kind = HONE_DRAW_UNIFORM;
    return integer_range(m, 0, last);
}

hone_status hone__draw_resolve(const hone_draw_request *request,
                               hone_drawn *out, hone_error *err)
{
    const hone_template_arg *arg = &request->tmpl->args[request->arg];
    maker m = {request, &arg->draw, arg->name, &out->draw, err};

    memset(out, 0, sizeof *out);
    out->is_sorted = arg->draw.is_sorted;
    out->is_offsets = arg->draw.kind == HONE_DRAW_OFFSETS;
    out->file = arg->draw.file;
    out->draw.kind = (int)arg->draw.kind;
    if (!is_integer(&m) &&
        (out->draw.kind == HONE_DRAW_ZIPF || out->is_offsets ||
         out->draw.kind == HONE_DRAW_PERMUTATION))
        return complain(&m, "such values are integers, and the elements are %s",
                        hone__type_name((hone_type)request->type));
    switch (arg->draw.kind) {
    case HONE_DRAW_FILE:
        return HONE_OK;
    case HONE_DRAW_CONSTANT:
        return set_constant(&m);
    case HONE_DRAW_PERMUTATION:
        return set_permutation(&m);
    case HONE_DRAW_OFFSETS:
        return set_offsets(&m);
    case HONE_DRAW_NORMAL:
        HONE_TRY(set_range(&m));
        return set_normal(&m);
    case HONE_DRAW_ZIPF:
        HONE_TRY(set_range(&m));
        return set_zipf(&m);
    default:
        return set_range(&m);
    }
}
