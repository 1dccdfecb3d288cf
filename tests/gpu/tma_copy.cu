// SPDX-License-Identifier: Apache-2.0
// y = alpha*x + y over an M x K matrix whose tiles come, and with STORE go,
// through the TMA unit: what tensor maps can be, each with its own form.
// More than half of the space asks for maps that CUDA does not allow: those
// must be `limits` with a sentence and never compiled.

#pragma hone op tma_copy(M, T in {f32, f64}, K) "y = alpha*x + y by tiles"
#pragma hone arch sm >= 90
#pragma hone device cuda "uses TMA"
#pragma hone arg alpha: T, x: in T[M*K], y: inout T[M*K]

// Bytes of a tile's row, rows of it.
#pragma hone param ROW in {16, 24, 32, 64, 128, 256} default 128
#pragma hone param BM in {8, 64, 256, 264} default 64
#pragma hone param SWIZZLE in {0, 32, 64, 128} default 128
#pragma hone param L2 in {0, 256}
// plane: a matrix. slices: three dimensions, side by side. copy: a workspace
// that another kernel filled. second: every second row, twice.
#pragma hone param FORM in {plane, slices, copy, second}
#pragma hone param STORE: bool default false

#pragma hone require SWIZZLE == 0 || ROW >= SWIZZLE "the swizzle is as wide as a row"
#pragma hone require L2 == 0 || FORM == plane "one form shows it"
#pragma hone require !STORE || FORM == plane "one form shows it"

#pragma hone let BK = ROW/sizeof(T)
#pragma hone let PITCH = K*sizeof(T)
#pragma hone workspace w: T[FORM == copy ? M*K : 0]
#pragma hone tensormap X_MAP: x dims(K, M) strides(PITCH) box(BK, BM) swizzle(SWIZZLE) l2(L2) fill(1) if(FORM == plane)
#pragma hone tensormap SLICES: x dims(BK, M, K/BK) strides(PITCH, ROW) box(BK, BM, 1) swizzle(SWIZZLE) fill(1) if(FORM == slices)
#pragma hone tensormap W_MAP: w dims(K, M) strides(PITCH) box(BK, BM) swizzle(SWIZZLE) if(FORM == copy)
#pragma hone tensormap HALF: x dims(K, M) strides(PITCH) box(BK, BM) elements(1, 2) swizzle(SWIZZLE) if(FORM == second)
#pragma hone tensormap Y_MAP: y dims(K, M) strides(PITCH) box(BK, BM) swizzle(SWIZZLE) if(STORE)
#pragma hone require FORM != second || ROW*BM % 2048 == 0 "halves of a tile start at 1024 bytes"
#pragma hone require FORM != slices || K % BK == 0 "slices are whole"
#pragma hone launch copy_to_workspace if(FORM == copy) grid(ceildiv(M*K, 256)) block(256) args(x, w, i64(M*K))
#pragma hone launch tma_copy grid(ceildiv(K, BK), ceildiv(M, BM)) block(128) shared(ROW*BM + 1024) args(alpha, y, X_MAP, SLICES, W_MAP, HALF, Y_MAP, i64(M), i64(K))
#pragma hone work flops(2*M*K) bytes(3*M*K*sizeof(T))
#pragma hone check cpu.saxpy tolerance(2) exact(1000)

// As in templates/hone_device.cuh, from which tests do not include.
struct alignas(128) CUtensorMap {
    unsigned long long opaque[16];
};

// Where the byte at `offset` of a tile lies: 16-byte pieces are exchanged
// within spans of SWIZZLE bytes, by the number of the 128 bytes they are in.
__device__ inline unsigned place_of(unsigned offset)
{
    constexpr unsigned mask = SWIZZLE ? SWIZZLE / 16 - 1 : 0;

    return offset ^ ((offset >> 7 & mask) << 4);
}

__device__ inline void load_tile(unsigned to, const CUtensorMap *map,
                                 unsigned barrier, int x, int y)
{
#if HONE_FORM == HONE_FORM_slices
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];"
                 :
                 : "r"(to), "l"(map), "r"(0), "r"(y), "r"(x / (int)BK),
                   "r"(barrier)
                 : "memory");
#else
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                 ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :
                 : "r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
#endif
}

__device__ inline void store_tile(const CUtensorMap *map, unsigned from, int x,
                                  int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;"
                 :
                 : "l"(map), "r"(x), "r"(y), "r"(from)
                 : "memory");
}

__device__ inline void wait(unsigned barrier)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
                 "@!done bra again;\n"
                 "}"
                 :
                 : "r"(barrier)
                 : "memory");
}

extern "C" __global__ void copy_to_workspace(const T *x, T *w, long long n)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;

    if (i < n)
        w[i] = x[i];
}

extern "C" __global__ void
tma_copy(T alpha, T *y, const __grid_constant__ CUtensorMap X_MAP,
         const __grid_constant__ CUtensorMap SLICES,
         const __grid_constant__ CUtensorMap W_MAP,
         const __grid_constant__ CUtensorMap HALF,
         const __grid_constant__ CUtensorMap Y_MAP, long long M, long long K)
{
    extern __shared__ unsigned char room[];
    __shared__ unsigned long long barriers[1];
    const unsigned base =
        (static_cast<unsigned>(__cvta_generic_to_shared(room)) + 1023u) & ~1023u;
    const unsigned barrier =
        static_cast<unsigned>(__cvta_generic_to_shared(barriers));
    unsigned char *tile =
        room +
        (base - static_cast<unsigned>(__cvta_generic_to_shared(room)));
    const int x0 = static_cast<int>(blockIdx.x * BK);
    const int y0 = static_cast<int>(blockIdx.y * BM);

    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;"
                     :
                     : "r"(barrier)
                     : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :
                     : "r"(barrier), "r"((unsigned)(ROW * BM))
                     : "memory");
#if HONE_FORM == HONE_FORM_plane
        load_tile(base, &X_MAP, barrier, x0, y0);
#elif HONE_FORM == HONE_FORM_slices
        load_tile(base, &SLICES, barrier, x0, y0);
#elif HONE_FORM == HONE_FORM_copy
        load_tile(base, &W_MAP, barrier, x0, y0);
#else
        /* Even rows, then odd ones: half of the box each. */
        load_tile(base, &HALF, barrier, x0, y0);
        load_tile(base + ROW * BM / 2, &HALF, barrier, x0, y0 + 1);
#endif
    }
    wait(barrier);
    for (unsigned i = threadIdx.x; i < BK * BM; i += 128) {
        const unsigned row = i / BK;
        const unsigned column = i % BK;
#if HONE_FORM == HONE_FORM_second
        const unsigned line = row / 2 + row % 2 * (BM / 2);
#else
        const unsigned line = row;
#endif
        T *at = reinterpret_cast<T *>(
            tile + place_of(line * ROW + column * (unsigned)sizeof(T)));
        T *out = y + ((long long)y0 + row) * K + x0 + column;

        if (y0 + (long long)row < M && x0 + (long long)column < K) {
            if constexpr (STORE)
                *at = alpha * *at + *out;
            else
                *out = alpha * *at + *out;
        }
    }
    if constexpr (STORE) {
        asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
        __syncthreads();
        if (threadIdx.x == 0)
            store_tile(&Y_MAP, base, x0, y0);
    }
}
