/* SPDX-License-Identifier: Apache-2.0 */
/* column_sums: out[c] = x[0][c] + ... + x[rows-1][c], the contract of all its
 * implementations.
 *
 * Shapes: x has `rows` rows of `columns` elements of T, f32, f64, f16 or bf16,
 * out one of the same type for each column. columns from 1 up, rows
 * from 0.
 *
 * Layout: row-major, PITCH elements from one row to the next, what lies between
 * is not read; the last row ends with its last element. x begins at a multiple
 * of 16 bytes (any cudaMalloc result does; a pointer into an array need not).
 * x and out do not overlap.
 *
 * Accuracy: numbers of 16 bits are added in f32, others in their own type, and
 * each sum is rounded to T once. An element passes at most rows additions, so
 * the error is at most rows * u * sum|column| and the last rounding, u being
 * 2^-24, for f64 2^-53, and near the square root of that in practice. The
 * result is the same in every run of a variant on devices with as many
 * multiprocessors.
 *
 * Bound by memory, (rows*columns + columns)*sizeof(T) bytes.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op column_sums(rows from 0, columns, T in {f32, f64, f16, bf16} default f32, PITCH default columns) "out[c] = sum of column c of x"
#pragma hone arg x: in T[max(0, (rows - 1)*PITCH + columns)], out: out T[columns]
#pragma hone require PITCH >= columns "PITCH is less than a row of x"

#pragma hone work flops(rows*columns) bytes((rows*columns + columns)*sizeof(T))
#pragma hone shapes (4096, 4096) (1048576, 32) (16, 16777213)
#pragma hone check template.column_sums_plain tolerance(rows) exact(3)
/* Nothing of CUB: it reduces what lies side by side. */
#pragma hone baseline memcpy
