/* SPDX-License-Identifier: Apache-2.0 */
/* scan: y[i] = x[0] + ... + x[i] (inclusive) or x[0] + ... + x[i-1] with
 * y[0] = 0 (exclusive), over n elements: the contract of all its
 * implementations. `exclusive` is 0 or 1, more exactly its lowest bit counts.
 *
 * Types: sums of f16 and bf16 are kept in f32 and rounded once, when they are
 * written; i32 and i64 wrap around.
 *
 * Layout: x and y begin at multiples of 16 bytes (any cudaMalloc result does)
 * and do not overlap. n from 1 up.
 *
 * Accuracy: an element passes at most DEPTH additions, one after the other, in
 * the smallest tiles of 4 KB: those inside its thread, warp and block (fewer
 * than 128), and one for each tile in front of it. Each rounds by 2^-24 of
 * what it adds up, so the error is at most DEPTH * 2^-24 * sum |x|, plus half
 * a unit in the last place of f16 and bf16 where T is that. Integers are
 * exact. A result does not depend on timing: the same implementation on the
 * same device gives the same bits.
 *
 * Bound by memory: 2*sizeof(T) bytes for each element; by latencies below
 * some 1 M elements.
 *
 * Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled
 * look-back (NVIDIA NVR-2016-002). */
#pragma once

#pragma hone op scan(n, T in {f32, i32, f16, bf16, i64} default f32) "y[i] = sum of x[0..i], or of x[0..i) if exclusive"
#pragma hone arg x: in T[n], y: out T[n], exclusive: i32

// Additions in a row, for the smallest tiles.
#pragma hone let DEPTH = T == i32 || T == i64 ? 0 : ceildiv(n*sizeof(T), 4096) + 128

#pragma hone work flops(n) bytes(2*n*sizeof(T))
#pragma hone shapes (1048576) (16777216) (268435456) (268435456, f16) (268435456, i64) (100000007, bf16)
#pragma hone check template.scan_plain tolerance(DEPTH) exact((T == f16 || T == bf16) && n > 16M ? 1 : 2)
#pragma hone baseline cub.scan, memcpy
