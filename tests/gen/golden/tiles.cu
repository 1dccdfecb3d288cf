// Golden template: tensor maps of an argument and of a workspace.
#pragma hone op tiles(M, K, T in {f16, f32} default f16) "tile copies"
#pragma hone arch sm >= 90 features
#pragma hone device cuda "uses TMA"
#pragma hone arg x: in T[M*K], y: out T[M*K]
#pragma hone param BK in {32, 64} default 64
#pragma hone param BM in {64, 128, 512}
#pragma hone param SWIZZLE in {0, 64, 128} default 128
#pragma hone param USE_TMA: bool default true
#pragma hone let ROW_BYTES = K*sizeof(T)
#pragma hone let UNUSED = K*3
#pragma hone workspace sums: f32[4*M]
#pragma hone tensormap X_MAP: x dims(K, M) strides(ROW_BYTES) box(BK, BM) \
    swizzle(SWIZZLE) l2(256) fill(T == f16) elements(1, 1) if(USE_TMA)
#pragma hone tensormap SUMS: sums box(256) dims(4*M)
#pragma hone launch tiles grid(ceildiv(K, BK), ceildiv(M, BM)) block(128) \
    args(y, X_MAP, SUMS, i32(K))
extern "C" __global__ void tiles(T *y, const __grid_constant__ CUtensorMap X,
                                 const __grid_constant__ CUtensorMap S, int K)
{
}
