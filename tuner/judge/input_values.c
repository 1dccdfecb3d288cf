/* SPDX-License-Identifier: Apache-2.0 */
/* The values of inputs: see input_values.h. Where the values of a distribution
 * are not whole numbers of random bits, they are quantiles of uniform numbers,
 * which become sorted values where the uniform ones ascend. */
#include "tuner/judge/input_values.h"

#include "tuner/judge/check_data.h"

#include <math.h>
#include <string.h>

/* splitmix64, as in device_code.cu. */
uint64_t hone__inputs_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t hone__inputs_seed(uint64_t seed, size_t arg, int pass)
{
    return hone__inputs_mix(seed * 64 + arg * 2 + (unsigned)pass);
}

/* ---- distributions, as in device_code.cu --------------------------------- */

/* The normal distribution's quantile: PPND7 of M. J. Wichura, Algorithm AS
 * 241, Applied Statistics 37 (1988). */
static double normal_quantile(double p)
{
    const double q = p - 0.5;
    double r = 0.180625 - q * q;
    double x;

    if (r >= 0)
        return q *
               (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r +
                3.3871327179) /
               (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
    r = sqrt(-log(q < 0 ? p : 1 - p));
    if (r <= 5) {
        r -= 1.6;
        x = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r +
             1.4234372777) /
            ((0.12021132975 * r + 0.73700164250) * r + 1);
    } else {
        r -= 5;
        x = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r +
             6.6579051150) /
            ((0.012258202635 * r + 0.24197894225) * r + 1);
    }
    return q < 0 ? -x : x;
}

static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The value below which a part `u` of the distribution lies. Of zipf, rank k
 * has the weight of x^-s between k and k + 1. */
static double quantile(const hone_draw *d, double u)
{
    const double last = (double)d->first + (double)(d->span - 1);
    double v;

    if (d->kind == HONE_DRAW_ZIPF)
        v = (double)d->first - 1 +
            floor(d->a == 1 ? exp(u * d->b)
                            : pow(1 + u * d->b, 1 / (1 - d->a)));
    else if (d->kind == HONE_DRAW_NORMAL)
        v = d->a + d->b * normal_quantile(d->u_low + u * d->u_span);
    else if (d->integers)
        v = (double)d->first + floor(u * (double)d->span);
    else
        v = d->low + u * (d->high - d->low);
    return d->integers ? within(rint(v), (double)d->first, last)
                       : within(v, d->low, d->high);
}

/* Where `i` goes in a permutation of 0..n-1: four rounds of a Feistel network
 * on 2 * half_bits bits, again until the result is below n. */
static uint64_t permuted(const hone_draw *d, uint64_t seed, uint64_t i)
{
    const uint64_t mask = ((uint64_t)1 << d->half_bits) - 1;

    do {
        uint64_t left = i >> d->half_bits;
        uint64_t right = i & mask;

        for (uint64_t round = 0; round < 4; ++round) {
            const uint64_t next =
                left ^ (hone__inputs_mix((seed + round) ^ (right << 2)) & mask);

            left = right;
            right = next;
        }
        i = (left << d->half_bits) | right;
    } while (i >= d->span);
    return i;
}

double hone__inputs_value(const hone_draw *draw, uint64_t seed, uint64_t index)
{
    const uint64_t bits = hone__inputs_mix(seed ^ hone__inputs_mix(index));
    const double u = (double)(bits >> 11) * 0x1p-53;

    switch (draw->kind) {
    case HONE_DRAW_CONSTANT:
        return draw->low;
    case HONE_DRAW_PERMUTATION:
        return (double)permuted(draw, seed, index);
    case HONE_DRAW_UNIFORM:
        return draw->integers
                   ? (double)((int64_t)(bits % draw->span) + draw->first)
                   : within(draw->low + u * (draw->high - draw->low), draw->low,
                            draw->high);
    default:
        return quantile(draw, u + 0x1p-54);
    }
}

/* ---- ascending ----------------------------------------------------------- */

static double exponential(uint64_t seed, uint64_t index)
{
    const uint64_t bits = hone__inputs_mix(seed ^ hone__inputs_mix(index));

    return -log(((double)(bits >> 11) + 1) * 0x1p-53);
}

/* Sums of n + 1 exponential numbers, divided by all of them, are n sorted
 * uniform ones. */
void hone__inputs_ascending(const hone_drawn *drawn, int type, uint64_t seed,
                            void *array, int64_t n)
{
    const int64_t first = drawn->is_offsets ? 1 : 0;
    const int64_t end = n - first;
    double all = 0;
    double sum = 0;

    for (int64_t i = first; i <= end; ++i)
        all += exponential(seed, (uint64_t)i);
    for (int64_t i = first; i < end; ++i) {
        sum += exponential(seed, (uint64_t)i);
        hone__element_store(type, array, i,
                            quantile(&drawn->draw, within(sum / all, 0, 1)));
    }
    if (first) {
        hone__element_store(type, array, 0, 0);
        hone__element_store(type, array, n - 1, (double)(drawn->draw.span - 1));
    }
}

/* ---- scalars ------------------------------------------------------------- */

void hone__inputs_scalar(hone_type type, uint64_t seed, size_t arg, int pass,
                         int64_t amplitude, hone_scalar *out)
{
    const uint64_t bits = hone__inputs_mix(seed + 977 * arg + (unsigned)pass);
    const int is_complex = type == HONE_TYPE_C32 || type == HONE_TYPE_C64;
    const int part = type == HONE_TYPE_C64 ? HONE_TYPE_F64 : HONE_TYPE_F32;
    double value = 0.25 + 0.75 * ldexp((double)(bits >> 11), -53);

    if (amplitude > 0)
        value = (double)(1 + bits % (uint64_t)amplitude);
    else if (hone__type_is_integer(type))
        value = (double)(1 + bits % 8);
    memset(out, 0, sizeof *out);
    if (is_complex) {
        hone__element_store(part, out, 0, value);
        hone__element_store(part, out, 1, 0.5 * value);
    } else {
        hone__element_store((int)type, out, 0, value);
    }
}
