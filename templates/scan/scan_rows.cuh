/* SPDX-License-Identifier: Apache-2.0 */
/* scan_rows: each row of x scanned on its own, y[r][c] = x[r][0] + ... +
 * x[r][c] (inclusive) or x[r][0] + ... + x[r][c-1] with y[r][0] = 0
 * (exclusive): the contract of all its implementations. `exclusive` is 0 or 1,
 * more exactly its lowest bit counts.
 *
 * Types: as in scan.cuh. Sums of f16 and bf16 are kept in f32 and rounded once,
 * when they are written; i32 and i64 wrap around.
 *
 * Layout: rows of `columns` elements follow each other without gaps, in x and
 * in y, which begin at multiples of 16 bytes and do not overlap. Rows need not
 * begin at such multiples.
 *
 * Accuracy: whatever the order of the additions, an element of a row passes
 * fewer than `columns` that are not of zeros, and each rounds by 2^-24 of what
 * it adds up: the error is at most columns * 2^-24 * (sum of |x| of the row),
 * plus half a unit in the last place of f16 and bf16 where T is that. Integers
 * are exact. Results do not depend on timing.
 *
 * Bound by memory: 2*sizeof(T) bytes for each element.
 *
 * Source: Sengupta et al., Scan primitives for GPU computing (2007), a group
 * of threads for each row. */
#pragma once

#pragma hone op scan_rows(rows, columns, T in {f32, i32, f16, bf16, i64} default f32) "y[r][c] = sum of x[r][0..c], or of x[r][0..c) if exclusive"
#pragma hone arg x: in T[rows][columns], y: out T[rows][columns], exclusive: i32

#pragma hone work flops(rows*columns) bytes(2*rows*columns*sizeof(T))
#pragma hone shapes (8388608, 32) (65536, 4096) (1000, 262144, f16) (1000000, 37, bf16)
#pragma hone check template.scan_rows_plain tolerance(T == i32 || T == i64 ? 0 : columns) exact(columns > 8M ? 1 : 2)
#pragma hone baseline cub.scan_rows, memcpy
