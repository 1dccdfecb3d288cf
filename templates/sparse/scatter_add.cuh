/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_add: y[index[i]][c] += x[i][c], the contract of all its
 * implementations.
 *
 * Shapes: x is n rows of W elements of T (f32, f64 or i32), y m rows, index n
 * numbers of I. n, m and W from 1 up; n*W and m*W may be above 2^31.
 *
 * SORTED = 1 says that index ascends (equal ones beside each other).
 *
 * Layout: rows follow each other without gaps. The three arrays begin at
 * multiples of 16 bytes and do not overlap.
 *
 * Hazards: every index is in 0..m-1, and with SORTED = 1 none is below the one
 * before it. Nothing checks it: other numbers write what lies there, or fault;
 * out of order, sums are wrong.
 *
 * Order: with SORTED = 1, and for i32, the result is the same in every run.
 * With SORTED = 0 reals are added by atomics, in the order in which blocks come:
 * the last bits of a sum of three terms and more differ from run to run.
 *
 * Accuracy: in any order, an element of y that gets k terms is a sum of k + 1
 * numbers in T, each of which passes at most k additions: it is within
 * k*u*(|y| + sum |x|) of the true value to first order, u being 2^-24 for f32
 * and 2^-53 for f64. k is n at most, and n/m where indexes are drawn uniformly.
 * i32 is exact modulo 2^32.
 *
 * Bound by memory: x and index once, and those rows of y that occur at all
 * read and written once (DISTINCT, for indexes drawn uniformly, at most a third
 * too few). Atomics on one row from everywhere wait for each other.
 *
 * Source: the definition; runs of equal indices are added up before they are
 * written. */
#pragma once

#pragma hone op scatter_add(n from 0, m, W, T in {f32, f64, i32} default f32, SORTED in {0, 1} default 0, I in {i32, i64} default i32) \
    "y[index[i]][..] += x[i][..], n rows of W elements onto m"
#pragma hone arg x: in T[n][W], index: in I[n] from 0..m - 1, y: inout T[m][W]
#pragma hone inputs template.scatter_add_data

#pragma hone let DISTINCT = n <= m/4 ? n - n/8 : n < 2*m ? min(n, m)*5/8 : m - m/8
#pragma hone work flops(n*W) bytes((n + 2*DISTINCT)*W*sizeof(T) + n*sizeof(I))
#pragma hone shapes (4194304, 1048576, 64) (4194304, 1048576, 64, f32, 1) (1000003, 999983, 37)
#pragma hone check template.scatter_add_plain tolerance(2*n + 4) exact(8)
#pragma hone baseline template.scatter_add_plain, memcpy
