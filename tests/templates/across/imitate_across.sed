# SPDX-License-Identifier: Apache-2.0
# gemm_sm90_across.cu as the cpu device can run it: maps become what they are made of, the
# ring lies in a workspace, products and copies are those of across_host.cuh.
/^#pragma hone arch /d
/^#pragma hone device /d
s/gemm\/sm90_across "/gemm\/across_imitated "/
s/"hone_hopper.cuh"/"across_host.cuh"/
s/^#pragma hone tensormap \([A-Z_]*\): [A-Za-z]* dims(\([^,]*\), \([^,]*\), \([A-Z]*\)) strides(\([^,]*\), \([^,)]*\)) box(32, \([^,]*\), 1).*/#pragma hone let \1_ACROSS = \2\n#pragma hone let \1_DOWN = \3\n#pragma hone let \1_ALL = \4\n#pragma hone let \1_PITCH = \5\n#pragma hone let \1_STEP = \6\n#pragma hone let \1_BOX = \7/
s/^\(#pragma hone launch gemm_sm90_across grid.*\) cluster(1, 1, OF_CLUSTER) args(pick(SWAP, X_OF_A, X_OF_B), pick(PACK_Y ? 2 : SWAP, Y_OF_B, Y_OF_A, Y_PACKED),/#pragma hone workspace rings: u8[BLOCKS*align(SMEM, 1024)]\n\1 args(pick(SWAP, A, B), i64(SWAP ? X_OF_B_ACROSS : X_OF_A_ACROSS), i64(SWAP ? X_OF_B_DOWN : X_OF_A_DOWN), i64(SWAP ? X_OF_B_PITCH : X_OF_A_PITCH), i64(SWAP ? X_OF_B_STEP : X_OF_A_STEP), i32(SWAP ? X_OF_B_BOX : X_OF_A_BOX), pick(PACK_Y ? 2 : SWAP, B, A, packed), i64(PACK_Y ? Y_PACKED_ACROSS : SWAP ? Y_OF_A_ACROSS : Y_OF_B_ACROSS), i64(PACK_Y ? Y_PACKED_DOWN : SWAP ? Y_OF_A_DOWN : Y_OF_B_DOWN), i64(PACK_Y ? Y_PACKED_PITCH : SWAP ? Y_OF_A_PITCH : Y_OF_B_PITCH), i64(PACK_Y ? Y_PACKED_STEP : SWAP ? Y_OF_A_STEP : Y_OF_B_STEP), i32(PACK_Y ? Y_PACKED_BOX : SWAP ? Y_OF_A_BOX : Y_OF_B_BOX), i64(SWAP ? X_OF_B_ALL : X_OF_A_ALL), i64(PACK_Y ? Y_PACKED_ALL : SWAP ? Y_OF_A_ALL : Y_OF_B_ALL), rings,/
/^ *asm volatile("{/,/"r"(sum));$/c\        hone::wgmma_imitated(d, x, y, sum);
s/^gemm_sm90_across(const __grid_constant__ CUtensorMap map_x,/gemm_sm90_across(const float *X, long long x_across, long long x_down, long long x_pitch, long long x_step, int x_box, const float *Y, long long y_across, long long y_down, long long y_pitch, long long y_step, int y_box, long long x_all, long long y_all, unsigned char *rings,/
s/^ *const __grid_constant__ CUtensorMap map_y, OUT \*C,/                 OUT *C,/
s/^ *extern __shared__ .* shared\[\];/    unsigned char *const shared = rings + ((blockIdx.z * gridDim.y + blockIdx.y) * (long long)gridDim.x + blockIdx.x) * ((SMEM + 1023) \/ 1024 * 1024);\n    const hone::across_map map_x = {X, x_across, x_down, x_all, x_pitch, x_step, x_box};\n    const hone::across_map map_y = {Y, y_across, y_down, y_all, y_pitch, y_step, y_box};\n\n    hone::begin_block(shared);/
# Few blocks, however many cores there are, so that each has several tiles.
/^#pragma hone launch gemm_sm90_across grid/s/min(TILES, RESIDENT)/min(TILES, 3)/
s/CUtensorMap/hone::across_map/g
