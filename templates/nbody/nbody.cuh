/* SPDX-License-Identifier: Apache-2.0 */
/* nbody: the acceleration of n bodies by the gravitation of all of them,
 *     accel_i = sum over j of m_j * d / (|d|^2 + softening^2)^(3/2),
 *     d = position_j - position_i,
 * the gravitational constant being 1; the contract of all its implementations.
 *
 * Shapes and layouts: body has x, y, z and the mass of each of n bodies, f32,
 * accel the three components of each. LAYOUT says how they lie:
 *     0  one body after another: x y z m; accel x y z.
 *     1  n of each: all x, all y, all z, all masses; accel likewise.
 *     2  groups of 32 bodies, in each 32 x, 32 y, 32 z, 32 masses; accel
 *        likewise without masses. The last group is whole in memory: what
 *        stands behind the last body is read and does not count, and in accel
 *        stays as it was.
 * Both begin at a multiple of 16 bytes and do not overlap. n from 1 up; of
 * nothing HONE_OK comes back.
 *
 * A body does not attract itself, as d is 0 then: softening must not be 0, and
 * its square not less than 2^-126. Units: whatever makes the constant 1.
 *
 * PRECISE 0: the root is the device's approximation (rsqrt.approx.ftz, 2^-22.9
 * relative; CUDA C++ Programming Guide, intrinsic functions), and bodies count
 * as standing up to 2^-24 of their coordinates aside, which is how precisely f32
 * can say where they stand, another way for each pair: bodies that are far from
 * the origin and near each other need 1. The mass to the power of 3/2 over the
 * cube of softening must be less than 2^127 then. 1: differences of positions
 * as they are, and the root with a step of Newton's method behind it.
 *
 * Accuracy: with u = 2^-24 a component of d has a relative error of u, |d|^2 +
 * softening^2 of at most 6u, the inverse root of half of it and 2.2u, its cube
 * three times that and 2u; with d and the mass, or with a mass that is 4u off:
 * a term has at most 23u, and with PRECISE 0 what moving the body does to it.
 * Terms are added in an order that the configuration says, up to 4,096 at a time,
 * and then these sums: at most min(n, 4096 + n/4096 + 64)*u of the sum of the
 * terms' sizes. What is checked is that, the 24u of each term and u times what
 * moving does (nbody_magnitude.cu). Subnormal numbers count as 0.
 *
 * Source: Nyland, Harris, Prins, Fast N-Body Simulation with CUDA, GPU Gems 3,
 * chapter 31 (2007); 20 operations an interaction as counted there.
 *
 * Bound by instructions: 12 of f32 (3 additions, 3 products, 6 fused) and one
 * inverse root, on the special function unit, for each pair, so 13 issue slots
 * of the 128 that a multiprocessor has a cycle; with positions that are scaled
 * by the mass (nbody/tiles, SCALED) 12. */
#pragma once

#pragma hone op nbody(n, LAYOUT in {0, 1, 2} default 0, PRECISE in {0, 1} default 0) "accelerations of n bodies by gravitation, all pairs"
#pragma hone arg body: in f32[LAYOUT == 2 ? 128*ceildiv(n, 32) : 4*n] from -1..1, softening: f32 from 0.05..0.2, accel: inout f32[LAYOUT == 2 ? 96*ceildiv(n, 32) : 3*n]

#pragma hone work flops(n < 400M ? 20*n*n : 0) bytes(28*n)
#pragma hone shapes (65536) (262144) (131072, 2) (10007, 1) (65536, 0, 1)
#pragma hone baseline template.nbody_plain
#pragma hone check template.nbody_plain magnitude template.nbody_magnitude tolerance(24 + min(n, 4096 + n/4096 + 64))
