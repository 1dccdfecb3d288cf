/* SPDX-License-Identifier: Apache-2.0 */
/* gather: out[i][c] = x[index[i]][c], the contract of all its implementations.
 *
 * Shapes: x is m rows of W elements of T, out n rows, index n numbers of I.
 * n, m and W from 1 up; n*W and m*W may be above 2^31.
 *
 * Layout: rows follow each other without gaps. The three arrays begin at
 * multiples of 16 bytes; out overlaps neither x nor index. Elements are moved
 * and not computed with: a type that is not listed goes as one of its size.
 *
 * Hazard: every index is in 0..m-1. Nothing checks it: another one reads what
 * lies there, or faults.
 *
 * Accuracy: bit for bit.
 *
 * Bound by memory: n rows written, n indexes read, and those rows of x that
 * occur at all, once each (where the level 2 cache holds them). For n indexes
 * drawn uniformly from m these are m*(1 - exp(-n/m)), which DISTINCT stays
 * below by at most a third. Rows shorter than 32 bytes cost whole sectors of 32.
 *
 * Source: the definition. */
#pragma once

#pragma hone op gather(n, m, W, T in {f32, f16, bf16, f64, i8, i32} default f32, I in {i32, i64} default i32) \
    "out[i][..] = x[index[i]][..], n of m rows of W elements of type T"
#pragma hone arg x: in T[m][W], index: in I[n] from 0..m - 1, out: out T[n][W]

#pragma hone let DISTINCT = n <= m/4 ? n - n/8 : n < 2*m ? min(n, m)*5/8 : m - m/8
#pragma hone work bytes((n + DISTINCT)*W*sizeof(T) + n*sizeof(I))
#pragma hone shapes (4194304, 4194304, 64) (16777216, 1048576, 16) (1000003, 999983, 37)
#pragma hone check template.gather_plain tolerance(0) exact(100)
#pragma hone baseline template.gather_plain, memcpy
