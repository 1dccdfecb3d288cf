/* SPDX-License-Identifier: Apache-2.0 */
/* Robust statistics: see measure.h. */
#include "tuner/judge/statistics.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

double hone__median(double *values, size_t n)
{
    if (!n)
        return 0;
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/* Quartiles by linear interpolation between order statistics. */
static double quantile(const double *sorted, size_t n, double q)
{
    const double at = q * (double)(n - 1);
    const size_t i = (size_t)at;

    return i + 1 < n
               ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
               : sorted[n - 1];
}

double hone__half_iqr(const double *sorted, size_t n)
{
    if (n < 2)
        return 0;
    return 0.5 * (quantile(sorted, n, 0.75) - quantile(sorted, n, 0.25));
}

void hone__median_interval(const double *sorted, size_t n, double *out_low,
                           double *out_high)
{
    /* Largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the interval is from
     * the k-th smallest to the k-th largest value. */
    double tail = n ? ldexp(1.0, -(int)n) : 1;
    double term = tail;
    size_t k = 0;

    while (n && k < n / 2 && tail <= 0.025) {
        ++k;
        term *= (double)(n - k + 1) / (double)k;
        tail += term;
    }
    if (!n) {
        *out_low = *out_high = 0;
        return;
    }
    k = k ? k - 1 : 0;
    *out_low = sorted[k];
    *out_high = sorted[n - 1 - k];
}
