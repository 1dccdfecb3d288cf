/* SPDX-License-Identifier: Apache-2.0 */
/* row_sums: out[r] = x[r][0] + ... + x[r][columns-1], the contract of all its
 * implementations.
 *
 * Shapes: x has `rows` rows of `columns` elements of T, f32, f64, f16 or bf16,
 * out one of the same type for each row. rows from 1 up, columns
 * from 0.
 *
 * Layout: row-major, PITCH elements from one row to the next, what lies between
 * is not read; the last row ends with its last element. x begins at a multiple
 * of 16 bytes (any cudaMalloc result does; a pointer into an array need not),
 * its rows need not. x and out do not overlap.
 *
 * Accuracy: numbers of 16 bits are added in f32, others in their own type, and
 * each sum is rounded to T once. An element passes at most columns additions,
 * so the error is at most columns * u * sum|x[r]| and the last rounding, u being
 * 2^-24, for f64 2^-53, and near the square root of that in practice. The
 * result is the same in every run of a variant.
 *
 * Bound by memory, (rows*columns + rows)*sizeof(T) bytes.
 *
 * Source: Harris, Optimizing parallel reduction in CUDA (2007). */
#pragma once

#pragma hone op row_sums(rows, columns from 0, T in {f32, f64, f16, bf16} default f32, PITCH from 0 default columns) "out[r] = sum of row r of x"
#pragma hone arg x: in T[max(0, (rows - 1)*PITCH + columns)], out: out T[rows]
#pragma hone require PITCH >= columns "PITCH is less than a row of x"

#pragma hone work flops(rows*columns) bytes((rows*columns + rows)*sizeof(T))
#pragma hone shapes (4096, 4096) (1048576, 32) (16, 16777216)
#pragma hone check template.row_sums_plain tolerance(columns) exact(3)
#pragma hone baseline cub.row_sums, memcpy
