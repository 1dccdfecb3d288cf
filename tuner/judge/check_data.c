/* SPDX-License-Identifier: Apache-2.0 */
/* Checks, the same on every device: see check_data.h. */
#include "tuner/judge/check_data.h"

#include "runtime/base/type.h"

#include <float.h>
#include <math.h>
#include <string.h>

int hone__arg_is_written(const hone_resolved_arg *arg)
{
    return !arg->is_absent &&
           (arg->mode == HONE_ARG_OUT || arg->mode == HONE_ARG_INOUT);
}

/* ---- half precision ------------------------------------------------------ */

/* Round to nearest even: scale so that the kept bits are the integer part,
 * let nearbyint round, scale back. `digits` counts the hidden one. */
static uint16_t to_half(double value, int digits, int bias)
{
    const int stored = digits - 1;
    const int max_exponent = (1 << (15 - stored)) - 1;
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent = 0;
    double units;

    if (isnan(value))
        return (uint16_t)(sign | (max_exponent << stored) |
                          (1 << (stored - 1)));
    value = fabs(value);
    if (value == 0)
        return sign;
    (void)frexp(isinf(value) ? 1 : value, &exponent);
    exponent += bias - 1;
    if (exponent < 1)
        exponent = 1; /* subnormal: the spacing stays */
    units = nearbyint(ldexp(value, stored - (exponent - bias)));
    if (units >= ldexp(1, digits)) {
        units /= 2;
        ++exponent;
    }
    if (isinf(value) || exponent >= max_exponent)
        return (uint16_t)(sign | (max_exponent << stored));
    if (units < ldexp(1, stored)) /* subnormal: exponent field 0 */
        return (uint16_t)(sign | (int)units);
    return (uint16_t)(sign | (exponent << stored) |
                      ((int)units & ((1 << stored) - 1)));
}

static double from_half(uint16_t bits, int digits, int bias)
{
    const int stored = digits - 1;
    const int max_exponent = (1 << (15 - stored)) - 1;
    const int exponent = bits >> stored & max_exponent;
    const int fraction = bits & ((1 << stored) - 1);
    double value;

    if (exponent == max_exponent)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - bias - stored);
    else
        value = ldexp(fraction + (1 << stored), exponent - bias - stored);
    return bits & 0x8000 ? -value : value;
}

/* ---- eight bits ---------------------------------------------------------- */

/* OCP 8-bit Floating Point Specification (OFP8), 2023: `stored` bits of
 * fraction, the largest number and what no number is. e4m3 has no infinity. */
typedef struct small_format {
    int stored, bias, largest, infinity;
} small_format;

static const small_format e4m3 = {3, 7, 0x7e, -1};
static const small_format e5m2 = {2, 15, 0x7b, 0x7c};

/* To nearest even; beyond the largest it is that, as CUDA converts. */
static uint8_t to_small(double value, const small_format *f)
{
    const int sign = signbit(value) ? 0x80 : 0;
    int exponent = 0;
    double bits;

    if (isnan(value))
        return 0x7f;
    value = fabs(value);
    if (value == 0)
        return (uint8_t)sign;
    (void)frexp(fmin(value, 0x1p20), &exponent);
    exponent += f->bias - 1;
    if (exponent < 1)
        exponent = 1; /* subnormal: the spacing stays */
    bits =
        nearbyint(ldexp(fmin(value, 0x1p20), f->stored + f->bias - exponent));
    bits += ldexp(exponent - 1, f->stored);
    return (uint8_t)(sign | (int)fmin(bits, f->largest));
}

static double from_small(int bits, const small_format *f)
{
    const int rest = bits & 0x7f;
    const int exponent = rest >> f->stored;
    const int fraction = rest & ((1 << f->stored) - 1);
    double value;

    if (rest > f->largest)
        value = rest == f->infinity ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - f->bias - f->stored);
    else
        value =
            ldexp(fraction + (1 << f->stored), exponent - f->bias - f->stored);
    return bits & 0x80 ? -value : value;
}

enum { F16_DIGITS = 11, F16_BIAS = 15, BF16_DIGITS = 8, BF16_BIAS = 127 };

double hone__element_load(int type, const void *array, int64_t index)
{
    const uint16_t *halves = array;

    switch (type) {
    case HONE_TYPE_F16:
        return from_half(halves[index], F16_DIGITS, F16_BIAS);
    case HONE_TYPE_BF16:
        return from_half(halves[index], BF16_DIGITS, BF16_BIAS);
    case HONE_TYPE_E4M3:
        return from_small(((const uint8_t *)array)[index], &e4m3);
    case HONE_TYPE_E5M2:
        return from_small(((const uint8_t *)array)[index], &e5m2);
    case HONE_TYPE_F64:
        return ((const double *)array)[index];
    case HONE_TYPE_I8:
        return ((const int8_t *)array)[index];
    case HONE_TYPE_I32:
        return ((const int32_t *)array)[index];
    case HONE_TYPE_U8:
        return ((const uint8_t *)array)[index];
    case HONE_TYPE_U32:
        return ((const uint32_t *)array)[index];
    case HONE_TYPE_I64:
        return (double)((const int64_t *)array)[index];
    case HONE_TYPE_U64:
        return (double)((const uint64_t *)array)[index];
    default:
        return (double)((const float *)array)[index];
    }
}

/* The nearest integer of the type: the conversion alone is undefined outside
 * its range. */
static double clamp(double value, double low, double high)
{
    return isnan(value) ? 0 : value < low ? low : value > high ? high : value;
}

void hone__element_store(int type, void *array, int64_t index, double value)
{
    switch (type) {
    case HONE_TYPE_F16:
        ((uint16_t *)array)[index] = to_half(value, F16_DIGITS, F16_BIAS);
        break;
    case HONE_TYPE_BF16:
        ((uint16_t *)array)[index] = to_half(value, BF16_DIGITS, BF16_BIAS);
        break;
    case HONE_TYPE_E4M3:
        ((uint8_t *)array)[index] = to_small(value, &e4m3);
        break;
    case HONE_TYPE_E5M2:
        ((uint8_t *)array)[index] = to_small(value, &e5m2);
        break;
    case HONE_TYPE_F64:
        ((double *)array)[index] = value;
        break;
    case HONE_TYPE_I8:
        ((int8_t *)array)[index] = (int8_t)clamp(value, -128, 127);
        break;
    case HONE_TYPE_I32:
        ((int32_t *)array)[index] = (int32_t)clamp(value, INT32_MIN, INT32_MAX);
        break;
    case HONE_TYPE_U8:
        ((uint8_t *)array)[index] = (uint8_t)clamp(value, 0, 255);
        break;
    case HONE_TYPE_U32:
        ((uint32_t *)array)[index] = (uint32_t)clamp(value, 0, UINT32_MAX);
        break;
    case HONE_TYPE_I64:
        ((int64_t *)array)[index] =
            value >= 0x1p63 ? INT64_MAX
                            : (int64_t)clamp(value, -0x1p63, 0x1p63);
        break;
    case HONE_TYPE_U64:
        ((uint64_t *)array)[index] =
            value >= 0x1p64 ? UINT64_MAX : (uint64_t)clamp(value, 0, 0x1p64);
        break;
    default:
        ((float *)array)[index] = (float)value;
        break;
    }
}

int hone__type_is_real(int type)
{
    return type < HONE_TYPE_I8 || type == HONE_TYPE_E4M3 ||
           type == HONE_TYPE_E5M2;
}

int hone__type_is_long(int type)
{
    return type == HONE_TYPE_I64 || type == HONE_TYPE_U64;
}

/* ---- checks -------------------------------------------------------------- */

/* Where interval i of `spread` equal ones begins, of n elements: i * n /
 * spread, which would overflow. */
static int64_t begin_of(int64_t i, int64_t n, int64_t spread)
{
    return n / spread * i + n % spread * i / spread;
}

int64_t hone__inputs_elements(int64_t n, double cost, int64_t *index)
{
    const int64_t tail = 64;
    const int64_t spread = HONE_N_SAMPLES - tail;
    int64_t count = 0;

    if (cost * (double)n <= (double)HONE_MAX_REFERENCE_FLOPS ||
        n <= HONE_N_SAMPLES)
        return 0;
    /* Anywhere in its interval: at equal distances all may be in one column,
     * or all in the same place of a thread's vector. */
    for (int64_t i = 0; i < spread; ++i) {
        const int64_t first = begin_of(i, n - tail, spread);
        const int64_t width = begin_of(i + 1, n - tail, spread) - first;

        index[count++] =
            first + (int64_t)(hone__inputs_mix((uint64_t)i) % (uint64_t)width);
    }
    for (int64_t i = n - tail; i < n; ++i)
        index[count++] = i;
    return count;
}

hone_status hone__check_slots(const hone_template *tmpl, const int64_t *dims,
                              const hone_properties *properties,
                              hone_check_slots *out, hone_error *err)
{
    int64_t *slots = out->value;

    memset(out, 0, sizeof *out);
    if (tmpl->slots.total > sizeof out->value / sizeof out->value[0])
        return hone__fail(err, HONE_ERR_UNSUPPORTED,
                          "%s declares more names than a check can read",
                          tmpl->path);
    memcpy(slots, properties->value, sizeof properties->value);
    memcpy(slots + tmpl->slots.dims, dims, tmpl->n_dims * sizeof slots[0]);
    for (size_t i = 0; i < tmpl->n_params; ++i)
        slots[tmpl->slots.params + i] =
            tmpl->params[i].values[tmpl->params[i].default_index];
    /* A let that has no value here stays 0. */
    for (size_t i = 0; i < tmpl->n_lets; ++i)
        (void)hone__expr_eval(tmpl->lets[i].value.expr, slots,
                              &slots[tmpl->slots.lets + i], NULL);
    return HONE_OK;
}

static hone_status read_number(const hone_template *tmpl,
                               const hone_template_number *number,
                               const char *name, const int64_t *slots,
                               double *out, hone_error *err)
{
    int64_t value = 0;

    HONE_TRY(hone__expr_eval(number->expr.expr, slots, &value, err));
    *out = number->is_real ? hone__real_of_bits(value) : (double)value;
    return *out >= 0
               ? HONE_OK
               : hone__fail(err, HONE_ERR_INPUT,
                            "%s:%d: %s of this check is %g here, and "
                            "must not be negative",
                            HONE_PLACE(tmpl, number->expr.line), name, *out);
}

hone_status hone__check_bounds(const hone_template *tmpl,
                               const hone_template_check *check, int arg,
                               const int64_t *dims,
                               const hone_properties *properties,
                               hone_bounds *out, hone_error *err)
{
    hone_check_slots slots;

    memset(out, 0, sizeof *out);
    HONE_TRY(hone__check_slots(tmpl, dims, properties, &slots, err));
    for (size_t i = 0; i < check->n_bounds; ++i) {
        const hone_template_bound *bound = &check->bounds[i];

        for (int k = 0; k < HONE_N_BOUNDS; ++k) {
            if (!bound->number[k].expr.expr ||
                (bound->arg >= 0 && bound->arg != arg))
                continue;
            out->given[k] = 1;
            HONE_TRY(read_number(tmpl, &bound->number[k], hone__bound_names[k],
                                 slots.value, &out->number[k], err));
        }
    }
    return HONE_OK;
}

void hone__check_round_off(hone_type type, double *out_u, double *out_ulp)
{
    const int is_double = type == HONE_TYPE_F64 || type == HONE_TYPE_C64;

    *out_u = *out_ulp = 0;
    if (hone__type_is_integer(type))
        return;
    *out_u = is_double ? 0x1p-53 : 0x1p-24;
    *out_ulp = is_double                ? 0x1p-52
               : type == HONE_TYPE_F16  ? 0x1p-10
               : type == HONE_TYPE_BF16 ? 0x1p-7
               : type == HONE_TYPE_E4M3 ? 0x1p-3
               : type == HONE_TYPE_E5M2 ? 0x1p-2
                                        : 0x1p-23;
}

double hone__check_least(hone_type type)
{
    return type == HONE_TYPE_F16    ? 0x1p-24
           : type == HONE_TYPE_E4M3 ? 0x1p-9
           : type == HONE_TYPE_E5M2 ? 0x1p-16
                                    : 0;
}

enum { REFERENCE_PREFIX = sizeof "cpu." - 1 };

hone_status hone__reference_find(const hone_template *tmpl, const char *name,
                                 const hone_reference *references,
                                 size_t n_references,
                                 const hone_reference **out, hone_error *err)
{
    for (size_t i = 0; i < n_references; ++i) {
        *out = &references[i];
        if (strcmp(references[i].name, name + REFERENCE_PREFIX) == 0)
            return HONE_OK;
    }
    return hone__fail(err, HONE_ERR_INPUT,
                      "%s: there is no CPU reference '%s'; hone's own are "
                      "listed in hone-template(5)",
                      tmpl->path, name);
}

hone_status hone__references_check(const hone_template *tmpl,
                                   const hone_reference *references,
                                   size_t n_references, hone_error *err)
{
    for (size_t i = 0; i < tmpl->n_checks; ++i) {
        const char *name = tmpl->checks[i].reference;
        const hone_reference *ignored;

        if (strncmp(name, "cpu.", REFERENCE_PREFIX) == 0)
            HONE_TRY(hone__reference_find(tmpl, name, references, n_references,
                                          &ignored, err));
    }
    return HONE_OK;
}

/* ---- magnitudes ---------------------------------------------------------- */

enum { SAFETY = 8 };

double hone__magnitude_step(int type)
{
    switch (type) {
    case HONE_TYPE_E4M3: /* a step or two of the type */
    case HONE_TYPE_E5M2:
        return 0x1p-2;
    case HONE_TYPE_BF16:
        return 0x1p-4;
    case HONE_TYPE_F16:
    case HONE_TYPE_TF32:
        return 0x1p-5;
    case HONE_TYPE_F32:
        return 0x1p-12;
    case HONE_TYPE_F64: /* a kernel may compute parts of it in f32 */
        return 0x1p-20;
    default:
        return 0;
    }
}

double hone__magnitude_most(int type)
{
    switch (type) {
    case HONE_TYPE_E4M3:
        return 448;
    case HONE_TYPE_E5M2:
        return 57344;
    case HONE_TYPE_F16:
        return 65504;
    case HONE_TYPE_BF16:
        return 0x1.fep127;
    case HONE_TYPE_TF32:
    case HONE_TYPE_F32:
        return FLT_MAX;
    default:
        return DBL_MAX;
    }
}

/* Uniform in [-1, 1), the same for `index` >> `shift`. */
static double common(uint64_t seed, uint64_t index, unsigned shift)
{
    const uint64_t bits = hone__inputs_mix(
        seed + shift + 64 * hone__inputs_mix(shift < 64 ? index >> shift : 0));

    return ldexp((double)(bits >> 11), -52) - 1.0;
}

double hone__magnitude_perturbed(double value, uint64_t seed, uint64_t index,
                                 double step)
{
    const double own = common(seed, index, 0);
    const double shared = common(seed, index, 5) + common(seed, index, 10) +
                          common(seed, index, 64);

    return value + value * step * (own + 0.5 * shared);
}

double hone__magnitude_square(double value, double moved, double step)
{
    const double s = (moved - value) / step;

    return isfinite(s) ? s * s : 0;
}

double hone__magnitude_factor(void)
{
    return 3.0 * SAFETY * SAFETY / HONE_MAGNITUDE_RUNS;
}

double hone__magnitude(double value, double squares)
{
    return fmax(fabs(value), sqrt(squares * hone__magnitude_factor()));
}
