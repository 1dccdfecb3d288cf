/* SPDX-License-Identifier: Apache-2.0 */
/* host_axpb: y = a*x + b for arrays in host memory, the contract of all its
 * implementations: the pattern of an operation whose data pass the device once.
 *
 * Shapes: x and y have n elements of f32, one after another; n from 1 up, also
 * beyond the device's memory. a and b are numbers.
 *
 * Layout: x and y are in host memory, at addresses of any alignment, and do not
 * overlap. PINNED says which memory: 0 any (malloc), 1 page-locked, which
 * callers promise. The result is there once the stream has come to the end of
 * the call (gen/TEMPLATE.md, under `pipeline`).
 *
 * Accuracy: an element is one multiplication and one addition, which may be
 * fused: at most two roundings, so it is within 2*u * (|a*x| + |b|) of the true
 * value, u being 2^-24.
 *
 * Bound by the bus between host and device: 4 bytes of each direction for an
 * element, which go at the same time where copies overlap; with PINNED 0 by the
 * host's copies, too. */
#pragma once

#pragma hone op host_axpb(n, PINNED in {0, 1}) "y = a*x + b, arrays in host memory"
#pragma hone arg a: f32, b: f32, x: in host(PINNED) f32[n], y: out host(PINNED) f32[n]

#pragma hone work flops(2*n) bytes(8*n)
#pragma hone shapes (268435456, 1) (16777216, 0) (100000007, 1)
#pragma hone check template.host_axpb_plain tolerance(4) exact(1000)
#pragma hone baseline template.host_axpb_plain
