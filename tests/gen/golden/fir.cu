// Golden template: constant memory, a workspace zeroed for each run, clusters
// and a cooperative launch.
#pragma hone op fir(n, K, T in {f32, c64} default f32) "y = h * x"
#pragma hone arg x: in T[n], h: in T[K], y: out T[n]
#pragma hone param TAPS in {constant_memory, global_memory}
#pragma hone param CLUSTER in {1, 2, 16}
#pragma hone param ACC in {f32, f64}
#pragma hone let BLOCKS = align(ceildiv(n, 256), CLUSTER)
#pragma hone let UNUSED = K*3
#pragma hone workspace sums: ACC[BLOCKS] zero each
#pragma hone workspace ticket: u32[1] zero
#pragma hone constant taps: T[K] from h if(TAPS == constant_memory)
#pragma hone launch fir grid(BLOCKS) block(256) cluster(CLUSTER)
#pragma hone launch fir_sum grid(device.sm_count, 2) block(64) \
    cooperative args(sums, y)
__constant__ float taps[512];
extern "C" __global__ void fir() {}
extern "C" __global__ void fir_sum() {}
