/* SPDX-License-Identifier: Apache-2.0 */
/* The magnitude of an element: see magnitude.h. */
#include "tuner/judge/magnitude.h"

#include "gen/parse/template.h"
#include "tuner/judge/check_data.h"

#include <math.h>

enum { SAFETY = 8 };

double hone__magnitude_step(int type)
{
    switch (type) {
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
