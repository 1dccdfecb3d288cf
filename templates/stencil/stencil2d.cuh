/* SPDX-License-Identifier: Apache-2.0 */
/* stencil2d: STEPS steps of a stencil of 5 points, the contract of all its
 * implementations. With u_0 = x and y = u_STEPS, a step is
 *
 *   u'[i][j] = centre*u[i][j] + neighbour*((u[i-1][j] + u[i+1][j])
 *                                        + (u[i][j-1] + u[i][j+1]))
 *
 * for cells that have four neighbours; those of the first and last row and
 * column keep their values (Dirichlet), in a field of one or two rows or
 * columns so all of them. Explicit steps of the heat equation have centre =
 * 1 - 4*neighbour, Jacobi's iteration has 0 and 1/4.
 *
 * Shapes: x and y have ROWS rows of COLS elements of T, f32 or f64, row by row
 * without gaps; all sizes from 1 up. STEPS is from 0 up, where y = x;
 * a plan takes 1,000,000 passes at most. centre and neighbour are numbers of the same type.
 *
 * Layout: x and y begin at multiples of 16 bytes and do not overlap.
 *
 * Accuracy: a product and a fused multiply-add, three additions: in each step
 * a term is rounded at most three times (a neighbour: two additions, the fused
 * one; the cell: a product, the fused one). The error of a step is so within
 * 3*u times the same step on absolute values, errors before it pass through
 * the same operator, and by induction
 *
 *   |y - exact| <= 3*STEPS*u * (L^STEPS |x|) + O(u^2),
 *
 * L being a step with |centre| and |neighbour|, u 2^-24 for f32 and 2^-53 for
 * f64. It is no more than 3*STEPS*u*max|x| where |centre| + 4*|neighbour| is
 * at most 1; where it is more, y grows as its STEPS-th power and so does the
 * bound. All implementations do the same operations on each cell in the same
 * order: their results are the same bits. The check allows for both sides,
 * 6*STEPS.
 *
 * Hazards: none; y is written only by the last pass, but it serves as buffer
 * before. Infinities and NaNs spread by a cell in each step.
 *
 * Bound by memory, 2*sizeof(T) bytes a cell, as far as several steps are done
 * in one pass; one step a pass moves that for each step, and its 6
 * operations a cell are far below what a GPU can do in that time.
 *
 * Source: steps of a tile in one pass over memory, with overlap: A. Nguyen et
 * al., 3.5-D Blocking Optimization for Stencil Computations, SC 2010. */
#pragma once
#include "stencil.cuh"

#pragma hone op stencil2d(ROWS, COLS, STEPS from 0 default 1, T in {f32, f64} default f32) "y = x after STEPS steps of a 5-point stencil, fixed borders"
#pragma hone arg centre: T from 0.49..0.5, neighbour: T from 0.124..0.125
#pragma hone arg x: in T[ROWS][COLS], y: out T[ROWS][COLS]

#pragma hone work flops(6*ROWS*COLS*STEPS) bytes(2*ROWS*COLS*sizeof(T))
#pragma hone shapes (8192, 8192, 1) (8192, 8192, 64) (8191, 8191, 17) (8192, 8192, 16, f64)
#pragma hone check template.stencil2d_plain tolerance(6*STEPS)
#pragma hone baseline template.stencil2d_plain, memcpy
