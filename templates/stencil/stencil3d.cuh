/* SPDX-License-Identifier: Apache-2.0 */
/* stencil3d: STEPS steps of a stencil of 7 points, the contract of all its
 * implementations. With u_0 = x and y = u_STEPS, a step is
 *
 *   u'[k][i][j] = centre*u[k][i][j]
 *       + neighbour*(((u[k][i-1][j] + u[k][i+1][j])
 *                   + (u[k][i][j-1] + u[k][i][j+1]))
 *                   + (u[k-1][i][j] + u[k+1][i][j]))
 *
 * for cells that have six neighbours; those of the first and last plane, row
 * and column keep their values (Dirichlet), in a field that is one or two
 * thick anywhere so all of them. Explicit steps of the heat equation have
 * centre = 1 - 6*neighbour, Jacobi's iteration has 0 and 1/6.
 *
 * Shapes: x and y have PLANES planes of ROWS rows of COLS elements of T, f32 or
 * f64, one after another without gaps; all sizes from 1 up. STEPS is from 0 up,
 * where y = x; a plan takes 1,000,000 passes at most. centre and neighbour are
 * numbers of the same type.
 *
 * Layout: x and y begin at multiples of 16 bytes and do not overlap.
 *
 * Accuracy: as of stencil2d.cuh, where a term is rounded at most four times in
 * each step (a neighbour: three additions, the fused multiply-add):
 *
 *   |y - exact| <= 4*STEPS*u * (L^STEPS |x|) + O(u^2),
 *
 * L being a step with |centre| and |neighbour|, u 2^-24 for f32 and 2^-53 for
 * f64; no more than 4*STEPS*u*max|x| where |centre| + 6*|neighbour| is at most
 * 1. All implementations do the same operations on each cell in the same
 * order: their results are the same bits. The check allows for both sides,
 * 8*STEPS.
 *
 * Hazards: none; y is written only by the last pass, but it serves as buffer
 * before. Infinities and NaNs spread by a cell in each step.
 *
 * Bound by memory, 2*sizeof(T) bytes a cell, as far as several steps are done
 * in one pass; one step a pass moves that for each step, and its 8 operations
 * a cell are far below what a GPU can do in that time.
 *
 * Source: Micikevicius, 3D finite difference computation on GPUs using CUDA
 * (2009), which goes through planes; several steps a pass as in Nguyen et al.,
 * 3.5-D blocking optimization for stencil computations (SC 2010). */
#pragma once
#include "stencil.cuh"

#pragma hone op stencil3d(PLANES, ROWS, COLS, STEPS from 0 default 1, T in {f32, f64} default f32) "y = x after STEPS steps of a 7-point stencil, fixed borders"
#pragma hone arg centre: T from 0.24..0.25, neighbour: T from 0.124..0.125
#pragma hone arg x: in T[PLANES][ROWS][COLS], y: out T[PLANES][ROWS][COLS]

#pragma hone work flops(8*PLANES*ROWS*COLS*STEPS) bytes(2*PLANES*ROWS*COLS*sizeof(T))
#pragma hone shapes (512, 512, 512, 1) (512, 512, 512, 16) (301, 399, 511, 7)
#pragma hone check template.stencil3d_plain tolerance(8*STEPS)
#pragma hone baseline template.stencil3d_plain, memcpy
