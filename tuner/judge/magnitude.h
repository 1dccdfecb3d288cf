/* SPDX-License-Identifier: Apache-2.0 */
/* How far rounding may move an element: its magnitude M, so that a right
 * kernel is within tolerance * u * M of the reference f, u being the unit
 * round-off and the tolerance the number of roundings in a row.
 *
 * What is to be bounded. A stable kernel gives f(x_1 (1 + e_1), ..,
 * x_m (1 + e_m)) with |e_i| <= tolerance * u, up to rounding the result: a
 * small componentwise backward error (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., 2002, sections 1.5 and 3.1). To first order
 * it is off by sum e_i g_i, g_i = x_i df/dx_i. The sum of the |g_i| is the
 * componentwise condition number times |f| (Gohberg and Koltracht, 1993): for
 * x - z it is |x| + |z|, for a dot product twice sum |x_i y_i|. Roundings that
 * do not conspire stay within the 2-norm of g, times a small factor (Higham
 * and Mary, A new approach to probabilistic rounding error analysis, 2019).
 *
 * How it is found, by running the reference alone: statistical condition
 * estimation (Kenney and Laub, Small-sample statistical condition estimates
 * for general matrix functions, 1994). A run on x_i (1 + step * s_i) moves the
 * result by step * S, S = sum s_i g_i, plus step^2. s_i is random: a number of
 * the element itself, and half as large ones that are common to 32 elements,
 * to 1024 and to the array, each uniform in [-1, 1). So
 *     3 E S^2 = sum g_i^2 + 1/4 sum over blocks B of (sum over B of g_i)^2,
 * at least the square of the 2-norm of g, and where many terms act together,
 * as in a long sum of one sign, up to the square of its 1-norm. Then
 *     M = max(|f|, 8 sqrt(3 * mean of S^2 over 8 runs)).
 *
 * The factor 8. S is close to normal, so that the mean of 8 squares is as
 * chi-squared with 8 degrees of freedom: it is below 1/64 of what is expected,
 * M below the 2-norm, with probability 6e-7, and M below a fifth of it, which
 * is what errors reach in practice, with 2e-12. On the other side M is about 11
 * times the sum of the |g_i| at most, and 20 times only by chance.
 *
 * What it does not cover: terms that cancel and do not move with the inputs,
 * as in (x + 1) - 1, exp(x) - exp(z) near 0, or integers, which are not
 * moved. A kernel may err there by u times the terms, which no run of the
 * reference shows; `magnitude template.NAME` of a check says it. Steps are the
 * square root of the types' round-off: much larger than the noise of the
 * reference, much smaller than 1. */
#ifndef HONE_TUNER_MAGNITUDE_H
#define HONE_TUNER_MAGNITUDE_H

#include <stdint.h>

enum { HONE_MAGNITUDE_RUNS = 8 };

/* Relative step for arguments and results of one type; 0 for integers, which
 * are not moved. The largest of all types is that of a run. */
double hone__magnitude_step(int type);
/* Element `index` of an argument, moved by `step`; `seed` is that of the
 * argument in this run. The same numbers as hone_perturb in device_code.cu. */
double hone__magnitude_perturbed(double value, uint64_t seed, uint64_t index,
                                 double step);
/* S^2 of one run; 0 if it is no number: a square root, say, whose domain ends
 * here. As in hone_spread. */
double hone__magnitude_square(double value, double moved, double step);
/* M, from |f| and the sum of the squares. As in hone_magnitude. */
double hone__magnitude(double value, double squares);
/* What the square root is taken of is so many times the sum of the squares. */
double hone__magnitude_factor(void);

#endif
