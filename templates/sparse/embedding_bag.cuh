/* SPDX-License-Identifier: Apache-2.0 */
/* embedding_bag: the sum or the mean of some rows of a table, the contract of
 * all its implementations.
 *
 *   out[b][c] = sum of table[index[i]][c] over i = start[b] .. start[b+1]-1
 *
 * and with MEAN = 1 that divided by the number of its terms.
 *
 * Shapes: table is m rows of W elements of T (f16, bf16 or f32), out `bags`
 * rows of W, index n numbers, start bags + 1; both of type I, i32 or i64. A bag
 * may be empty: its row is 0, the mean too. n from 0 up, the other sizes from 1; m*W and bags*W
 * may be above 2^31, n wants I = i64 there.
 *
 * Layout: rows follow each other without gaps. All arrays begin at multiples
 * of 16 bytes; out overlaps none of the others.
 *
 * Hazards: every index is in 0..m-1, and start ascends from 0 to n. Nothing
 * checks it: other numbers read what lies there, or fault.
 *
 * Accuracy: sums in f32 in an order that depends on the variant alone (no
 * atomics), rounded to T once. With k terms each passes at most k - 1
 * additions, the mean two roundings more (one over k, and the product): out is
 * within (k + 1)*2^-24*sum |table| of the true value, for the mean divided by k,
 * and half a step of T beyond.
 *
 * Bound by memory: n rows of the table (those that occur several times once,
 * where the level 2 cache holds them; of indexes drawn uniformly DISTINCT is at
 * most a third too few), the indexes, the results.
 *
 * Source: the definition; a row of the table is read as gather.cuh does. */
#pragma once

#pragma hone op embedding_bag(bags, n from 0, W, m, T in {f32, f16, bf16} default f32, MEAN in {0, 1} default 0, I in {i32, i64} default i32) \
    "out[b][..] = sum or mean of table[index[i]][..] over bag b"
#pragma hone arg table: in T[m][W], index: in I[n] from 0..m - 1, start: in I[bags + 1] offsets of n, out: out T[bags][W]

#pragma hone require I == i64 || n <= 2G - 1 "so many indexes want I = i64"

#pragma hone let DISTINCT = n <= m/4 ? n - n/8 : n < 2*m ? min(n, m)*5/8 : m - m/8
#pragma hone work flops(n*W) bytes((DISTINCT + bags)*W*sizeof(T) + (n + bags + 1)*sizeof(I))
#pragma hone shapes (65536, 2097152, 128, 1048576, f16) (16384, 524288, 64, 4194304) (10007, 1000003, 37, 500009)
#pragma hone check template.embedding_bag_plain tolerance(2*n + 4) exact(MEAN ? 0 : 8)
#pragma hone baseline template.embedding_bag_plain, memcpy
