# SPDX-License-Identifier: Apache-2.0
# gemm_sm90_thin.cu as the cpu device can run it: maps become what they are made of, the
# ring lies in a workspace, products and copies are those of thin_host.cuh.
/^#pragma hone arch /d
/^#pragma hone device /d
s/gemm\/sm90_thin "/gemm\/thin_imitated "/
s/"hone_hopper.cuh"/"thin_host.cuh"/
s/^#pragma hone tensormap \([A-Z]*_[AB]\): [AB] dims(\(.*\), \(GROUPS[^,]*\), 1) strides(\([^,]*\), .*) box(64, \(.*\), 1) .*/#pragma hone let \1_ACROSS = \2\n#pragma hone let \1_DOWN = \3\n#pragma hone let PITCH_\1 = \4\n#pragma hone let BOX_\1 = \5/
s/^\(#pragma hone launch gemm_sm90_thin grid.*\) cluster(1, 1, IN_CLUSTER) args(pick(SWAP, HEAD_A, HEAD_B), pick(SWAP, TAIL_A, TAIL_B),/#pragma hone workspace rings: u8[BLOCKS*align(SMEM, 1024)]\n\1 args(pick(SWAP, A, B), i64(SWAP ? HEAD_B_ACROSS : HEAD_A_ACROSS), i64(SWAP ? HEAD_B_DOWN : HEAD_A_DOWN), i64(SWAP ? TAIL_B_ACROSS : TAIL_A_ACROSS), i64(SWAP ? TAIL_B_DOWN : TAIL_A_DOWN), i64(SWAP ? PITCH_HEAD_B : PITCH_HEAD_A), i32(SWAP ? BOX_HEAD_B : BOX_HEAD_A), i64(LENGTH), rings,/
/^ *asm volatile("{/,/"n"(X_ACROSS));$/c\        hone::wgmma_imitated<T, X_ACROSS != 0>(d, a, b, sum);
s/^gemm_sm90_thin(const __grid_constant__ CUtensorMap HEAD,/gemm_sm90_thin(const T *X, long long head_across, long long head_down, long long tail_across, long long tail_down, long long map_pitch, int box_rows, long long length, unsigned char *rings,/
s/^ *const __grid_constant__ CUtensorMap TAIL, const T \*packed, OUT \*C,/               const T *packed, OUT *C,/
s/^ *extern __shared__ .* shared\[\];/    unsigned char *const shared = rings + ((blockIdx.z * gridDim.y + blockIdx.y) * (long long)gridDim.x + blockIdx.x) * ((SMEM + 1023) \/ 1024 * 1024);\n    const unsigned short *const elements = reinterpret_cast<const unsigned short *>(X);\n    const hone::thin_map HEAD = {elements, head_across, head_down, map_pitch, box_rows, ldx, length};\n    const hone::thin_map TAIL = {elements, tail_across, tail_down, map_pitch, box_rows, ldx, length};\n\n    hone::begin_block(shared);/
s/CUtensorMap/hone::thin_map/g
s/^        if constexpr (X_ACROSS)$/        hone::own_row = which;\n&/
