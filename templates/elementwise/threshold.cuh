/* SPDX-License-Identifier: Apache-2.0 */
/* threshold: y is x, or a limit, or nothing, by a comparison with `limit`.
 *
 *   MODE 0, binary      y = x > limit ? value : 0
 *   MODE 1, to zero     y = x > limit ? x : 0
 *   MODE 2, truncate    y = x > limit ? limit : x
 *
 * as OpenCV's threshold() has them. A NaN is not greater than the limit: it
 * gives 0, 0 and itself.
 *
 * Shapes: x and y have n elements of T, u8, f16 or f32, one after another.
 * `limit` and `value` are numbers of the same type; value is read in MODE 0.
 *
 * Layout: the arrays begin at multiples of 16 bytes and do not overlap.
 *
 * Accuracy: exact. Bound by memory: 2*sizeof(T) bytes per element. */
#pragma once

#pragma hone op threshold(n, T in {u8, f16, f32} default u8, MODE in {0, 1, 2}) "y = x > limit ? (value | x | limit) : (0 | 0 | x), by MODE"
#pragma hone arg limit: T, value: T, x: in T[n], y: out T[n]

#pragma hone work flops(n) bytes(2*n*sizeof(T))
#pragma hone shapes (268435456, u8, 0) (100000007, f16, 2) (67108864, f32, 1)
#pragma hone check template.threshold_plain tolerance(0) exact(8)
#pragma hone baseline template.threshold_plain, memcpy
