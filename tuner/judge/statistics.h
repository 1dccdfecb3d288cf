/* SPDX-License-Identifier: Apache-2.0 */
/* Robust statistics of samples: medians, spreads, intervals; pure. */
#ifndef HONE_TUNER_STATISTICS_H
#define HONE_TUNER_STATISTICS_H

#include <stddef.h>

/* `values` is sorted in place. */
double hone__median(double *values, size_t n);
/* Half the interquartile range of sorted values. */
double hone__half_iqr(const double *sorted, size_t n);
/* Distribution-free 95 % confidence interval of the median of sorted values:
 * the order statistics of the sign test. */
void hone__median_interval(const double *sorted, size_t n, double *out_low,
                           double *out_high);

#endif
