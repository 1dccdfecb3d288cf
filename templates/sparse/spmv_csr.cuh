/* SPDX-License-Identifier: Apache-2.0 */
/* spmv_csr: y = A*x, A sparse in compressed rows, the contract of all its
 * implementations.
 *
 * Shapes: A has `rows` rows, `columns` columns and `nnz` elements. Row r has the
 * elements start[r] .. start[r+1]-1 of `column` and `value`, in any order; it
 * may have none (y[r] is 0) and may have several in one column, which are added
 * up. T, f32 or f64, is the type of value, x and y; I, i32 or i64, that of
 * start; columns are i32. nnz from 0 up, the other sizes from 1; nnz above 2^31 - 1 wants I = i64.
 *
 * DATA says what the matrix is like. Results do not depend on it: it is what a
 * tuner draws the matrix by, and what is tuned apart.
 *   0  a band: rows of one length, neighbouring columns about the diagonal
 *   1  uneven: one row in 2^k has 2^k times the elements of the shortest, up to
 *      4096 times, columns anywhere
 *   2  random: start is drawn uniformly (many rows are empty), columns anywhere
 * spmv_csr_data.cu makes 0 and 1.
 *
 * Layout: all arrays begin at multiples of 16 bytes; y overlaps none of the
 * others. Where a row starts needs no alignment.
 *
 * Hazards: start ascends from 0 to nnz, and every column is in 0..columns-1.
 * Nothing checks it: other numbers read, or write, what lies there, or fault.
 *
 * Accuracy: a row of k elements is a sum of k products in T, in an order that
 * depends on the variant alone (no atomics): each product passes at most k
 * roundings, so y[r] is within k*u*sum |value*x| of the true value to first
 * order, u being 2^-24 for f32 and 2^-53 for f64. The reference adds in f64,
 * which for f64 is off by as much again.
 *
 * Bound by memory: the matrix once, x once (as far as it stays in the level 2
 * cache), y once; 2 operations for 8 (f32) or 12 (f64) bytes. Where x is
 * larger than the cache and columns are anywhere, every element of the matrix
 * costs a sector of 32 bytes of x.
 *
 * After Bell and Garland, Implementing sparse matrix-vector multiplication on
 * throughput-oriented processors (2009), for threads that share a row, and
 * Greathouse and Daga, Efficient sparse matrix-vector multiplication on GPUs
 * using the CSR storage format (2014), for rows from shared memory.
 *
 * Source: Bell and Garland, Implementing sparse matrix-vector multiplication
 * on throughput-oriented processors (SC 2009). */
#pragma once

#pragma hone op spmv_csr(rows, columns, nnz from 0, T in {f32, f64} default f32, DATA in {0, 1, 2} default 0, I in {i32, i64} default i32) \
    "y = A*x, A of nnz elements in compressed rows"
#pragma hone arg start: in I[rows + 1] offsets of nnz, column: in i32[nnz] from 0..columns - 1, \
    value: in T[nnz], x: in T[columns], y: out T[rows]
#pragma hone inputs template.spmv_csr_data

#pragma hone require columns <= 2G - 1 "a column is an i32"
#pragma hone require I == i64 || nnz <= 2G - 1 "so many elements want I = i64"

// Elements of x that occur: all in a band, 1 - 1/e of as many drawn at random.
#pragma hone let X_READ = DATA == 0 ? min(columns, nnz) : nnz >= 4*columns ? columns - columns/32 : min(columns, nnz)*5/8
#pragma hone let AVERAGE = ceildiv(max(nnz, 1), max(rows, 1))
#pragma hone let LONGEST = DATA == 0 ? AVERAGE : nnz
#pragma hone work flops(2*nnz) bytes(nnz*(sizeof(T) + 4) + (rows + 1)*sizeof(I) + (X_READ + rows)*sizeof(T))
#pragma hone shapes (4194304, 4194304, 113246208) (4194304, 4194304, 113246208, f32, 1) (1000003, 999983, 20000003, f64, 2)
#pragma hone check template.spmv_csr_plain tolerance((T == f64 ? 2 : 1)*LONGEST + 4) exact(8)
#pragma hone baseline template.spmv_csr_plain, memcpy
