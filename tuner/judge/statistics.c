/* SPDX-License-Identifier: Apache-2.0 */
/* Robust statistics, and numbers that cannot be true: see statistics.h. */
#include "tuner/judge/statistics.h"

#include <math.h>
#include <stdio.h>
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

/* ---- numbers that cannot be true ----------------------------------------- */

/* Clocks run a little above what the driver names as their maximum, and a
 * median of few samples is not exact. */
static const double slack = 1.1;
static const double equal_within = 1e-3;

/* Dense f16 operations of one multiprocessor per clock (a multiply-add is
 * two), from the architecture papers' peak rates over multiprocessors and
 * boost clock: V100 125 TFLOP/s at 80 x 1.53 GHz, T4 65 at 40 x 1.59, A100
 * 312 at 108 x 1.41, A40 149.7 at 84 x 1.74, L40S 362 at 142 x 2.52, H100 SXM
 * 989 at 132 x 1.83, B200 2250 at 148 x 1.86, RTX 5090 419 at 170 x 2.41. */
static const struct {
    int64_t sm;
    double flops_per_clock;
} tensor_rates[] = {{70, 1024},  {72, 1024},  {75, 1024},  {80, 2048},
                    {86, 1024},  {87, 2048},  {88, 1024},  {89, 1024},
                    {90, 4096},  {100, 8192}, {101, 8192}, {103, 8192},
                    {110, 8192}, {120, 1024}, {121, 1024}};

double hone__tensor_flops_per_clock(int64_t sm)
{
    for (size_t i = 0; i < sizeof tensor_rates / sizeof tensor_rates[0]; ++i) {
        if (tensor_rates[i].sm == sm)
            return tensor_rates[i].flops_per_clock;
    }
    return 0; /* a card of the future: no bound is better than a wrong one */
}

hone_roofline hone__selfcheck_roofline(int64_t sm, int64_t sm_count,
                                       int64_t clock_khz,
                                       int64_t memory_clock_khz,
                                       int64_t bus_bits, int has_bytes)
{
    /* One multiprocessor reads 64 bytes a clock from the level 2 cache. */
    const double cache = 64.0 * 1e3 * (double)clock_khz * (double)sm_count;
    hone_roofline peak = {0, 0, 0};

    if (memory_clock_khz > 0 && bus_bits > 0) {
        peak.bytes_per_s =
            2.0 * 1e3 * (double)memory_clock_khz * (double)bus_bits / 8;
        /* Four times the memory is what caches reach on large cards; small
         * ones have narrow buses in front of fast caches. */
        peak.cache_bytes_per_s =
            cache > 4 * peak.bytes_per_s ? cache : 4 * peak.bytes_per_s;
    }
    if (clock_khz > 0)
        peak.flops_per_s = hone__tensor_flops_per_clock(sm) *
                           (has_bytes ? 2 : 1) * 1e3 * (double)clock_khz *
                           (double)sm_count;
    return peak;
}

static hone_alarm above_roofline(const hone_selfcheck *check, char *message,
                                 size_t size)
{
    const double bytes_peak = check->in_cache ? check->peak.cache_bytes_per_s
                                              : check->peak.bytes_per_s;
    const double bytes_per_s = 1e9 * check->bytes / check->time_ns;
    const double flops_per_s = 1e9 * check->flops / check->time_ns;

    if (bytes_peak > 0 && bytes_per_s > slack * bytes_peak) {
        (void)snprintf(message, size,
                       "%.4g bytes in %.4g us are %.3g TB/s, but the card's "
                       "%s can do %.3g: check the template's work line, that "
                       "the kernel does all of the work, and that its data "
                       "does not stay in a cache",
                       check->bytes, 1e-3 * check->time_ns, 1e-12 * bytes_per_s,
                       check->in_cache ? "cache" : "memory",
                       1e-12 * bytes_peak);
        return HONE_ALARM_ROOFLINE;
    }
    if (check->peak.flops_per_s > 0 &&
        flops_per_s > slack * check->peak.flops_per_s) {
        (void)snprintf(message, size,
                       "%.4g operations in %.4g us are %.4g TFLOP/s, but the "
                       "card can do %.4g: check the template's work line and "
                       "that the kernel does all of the work",
                       check->flops, 1e-3 * check->time_ns, 1e-12 * flops_per_s,
                       1e-12 * check->peak.flops_per_s);
        return HONE_ALARM_ROOFLINE;
    }
    return HONE_ALARM_NONE;
}

hone_alarm hone__selfcheck_trial(const hone_selfcheck *check, char *message,
                                 size_t size)
{
    const double total_ns = check->time_ns * check->n_launches;

    if (!isfinite(check->time_ns) || check->time_ns <= 0) {
        (void)snprintf(message, size,
                       "the measured time is %g ns: the clock is broken or "
                       "the kernel did not run",
                       check->time_ns);
        return HONE_ALARM_ZERO;
    }
    if (total_ns < HONE_FLOORS_OF_A_SAMPLE * check->event_floor_ns) {
        (void)snprintf(message, size,
                       "%d executions took %.3g us, an empty measurement "
                       "takes %.3g: check that the launches are not all left "
                       "out and that the grid is not empty",
                       check->n_launches, 1e-3 * total_ns,
                       1e-3 * check->event_floor_ns);
        return HONE_ALARM_FLOOR;
    }
    return above_roofline(check, message, size);
}

hone_alarm hone__selfcheck_session(const double *times_ns, size_t n,
                                   char *message, size_t size)
{
    double low = n ? times_ns[0] : 0;
    double high = low;

    for (size_t i = 1; i < n; ++i) {
        low = times_ns[i] < low ? times_ns[i] : low;
        high = times_ns[i] > high ? times_ns[i] : high;
    }
    if (n < HONE_EQUAL_TIMES || high > (1 + equal_within) * low)
        return HONE_ALARM_NONE;
    (void)snprintf(message, size,
                   "%zu different variants all take %.4g us within 0.1 %%: "
                   "what is measured does not depend on the variant; check "
                   "that the parameters reach the kernel and that it is the "
                   "kernel that takes the time",
                   n, 1e-3 * high);
    return HONE_ALARM_EQUAL;
}
