/* SPDX-License-Identifier: Apache-2.0 */
/* What slots of gemm/sm90 hold, one after the other: of each tile of BM x BN, from the
 * left to the right, of each matrix of a batch, for each BK of K the part of X and
 * behind it that of Y. WHICH: 1 is X alone, 2 Y alone, 3 both; the other is 0. */
#pragma once
#pragma hone op loose_slots(M, N, K, ACROSS_X in {0, 1}, ACROSS_Y in {0, 1}, BM in {64, 128, 256}, BN in {8, 16, 48, 80, 128, 208}, BK in {64, 128}, WHICH in {3, 1, 2}, PITCH_X default ACROSS_X ? M : K, PITCH_Y default ACROSS_Y ? N : K, BATCH default 1, STEP_X from 0 default (ACROSS_X ? K : M)*PITCH_X, STEP_Y from 0 default (ACROSS_Y ? K : N)*PITCH_Y) "slots of a ring"
#pragma hone let ROWS_X = ACROSS_X ? K : M
#pragma hone let COLS_X = ACROSS_X ? M : K
#pragma hone let ROWS_Y = ACROSS_Y ? K : N
#pragma hone let COLS_Y = ACROSS_Y ? N : K
#pragma hone let SLOT_X = BM*BK
#pragma hone let SLOT_Y = (ACROSS_Y ? align(BN, 64) : BN)*BK
#pragma hone let STEPS = ceildiv(K, BK)
#pragma hone let SIZE = BATCH*ceildiv(M, BM)*ceildiv(N, BN)*STEPS*(SLOT_X + SLOT_Y)
#pragma hone arg X: in f16[(BATCH - 1)*STEP_X + (ROWS_X - 1)*PITCH_X + COLS_X], Y: in f16[(BATCH - 1)*STEP_Y + (ROWS_Y - 1)*PITCH_Y + COLS_Y], SLOTS: out f16[SIZE]
#pragma hone require PITCH_X >= COLS_X && PITCH_Y >= COLS_Y "rows overlap"
#pragma hone check template.loose_slots_plain tolerance(0)
