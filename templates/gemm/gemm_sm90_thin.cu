/* SPDX-License-Identifier: Apache-2.0 */
/* gemm/sm90_thin: few rows or few columns of C, whose time is that of reading the large
 * factor once, where its rows do not begin at multiples of 16 bytes. The copy engine of
 * Hopper takes no such rows; but every CLASSES-th of them begins at the same place within
 * 16 bytes, and lies a multiple of 16 bytes behind the one before: 2, 4 or 8 classes
 * of rows, each of which it takes as they lie. Nothing of the large factor is copied in
 * front of the product.
 *
 * X is the large factor (B where C has no more rows than columns, else A), Y the other;
 * what is computed has a row for each row or column of C that X belongs to, and few
 * columns. A block has BM rows, BN columns and one class:
 *   K across (a stored row of X is one k): a class has every CLASSES-th k. It begins up
 *     to seven elements in front of the row, so its rows of the product do, too, and its
 *     sums are added to those of others that many rows further up: where parts of K
 *     meet, of which each has one class.
 *   K along: a class has every CLASSES-th row of the product. It begins up to seven k
 *     in front of the row; these, and those behind its end, are what other rows or nobody
 *     has there, and become zero in shared memory.
 * Y is small, and comes in the order of K of each class: a launch in front copies it to
 * what slots of the ring hold, while the first ones fill with X; or, with GATHER, threads
 * that multiply read it, a step ahead, and put it there.
 * Parts of K, SPLIT of them or of each class, are added up by another launch, or where
 * they are 2, 4 or 8, FINISH = cluster, by the blocks that have them: each reads a share
 * of the rows from the shared memory of all. There tiles of different classes have the
 * same rows, BM - 8 of them. The order is always the same.
 *
 * Two maps show all classes: the first those that have a row in the last CLASSES ones,
 * which ends where the array does; the other, one row shorter, those that have none.
 *
 * Accuracy: sums in f32, by parts of K; alpha*sum + beta*C in f32, rounded once.
 * Alignment: A, B and C begin at multiples of 16 bytes, as any cudaMalloc result does. */
#include "gemm.cuh"
#include "hone_device.cuh"
#include "hone_hopper.cuh"
#include "hone_pack.cuh"
#include "gemm_sm90_parts.cuh"
#include "gemm_sm90_slots.cuh"

#pragma hone implements gemm/sm90_thin "wgmma and tensor copies of rows that are not aligned, by classes"
#pragma hone require K > 0 "nothing is multiplied: the plain implementation writes beta*C"
#pragma hone arch sm == 90 features
#pragma hone require sizeof(T) == 2 "these tensor cores take f16 and bf16"
#pragma hone device cuda "it uses wgmma and tensor copies of compute capability 9.0"

#include "gemm_sm90_thin_space.cuh"

#pragma hone workspace packed: T[GATHER ? 0 : CLASSES*STEPS*WIDTH*64]
#pragma hone workspace partial: f32[PARTS > IN_CLUSTER ? PARTS*ROWS*WIDTH : 0]
#pragma hone tensormap HEAD_A: A dims((IN_LAST - 1)*LDA + COLS_A, GROUPS, 1) strides(CLASSES*LDA*2, GROUPS*CLASSES*LDA*2) box(64, X_ACROSS ? 64 : BM, 1) swizzle(128) l2(256) if(!SWAP)
#pragma hone tensormap TAIL_A: A dims(CLASSES*LDA, GROUPS - 1, 1) strides(CLASSES*LDA*2, GROUPS*CLASSES*LDA*2) box(64, X_ACROSS ? 64 : BM, 1) swizzle(128) l2(256) if(!SWAP && IN_LAST < CLASSES)
#pragma hone tensormap HEAD_B: B dims((IN_LAST - 1)*LDB + COLS_B, GROUPS, 1) strides(CLASSES*LDB*2, GROUPS*CLASSES*LDB*2) box(64, X_ACROSS ? 64 : BM, 1) swizzle(128) l2(256) if(SWAP)
#pragma hone tensormap TAIL_B: B dims(CLASSES*LDB, GROUPS - 1, 1) strides(CLASSES*LDB*2, GROUPS*CLASSES*LDB*2) box(64, X_ACROSS ? 64 : BM, 1) swizzle(128) l2(256) if(SWAP && IN_LAST < CLASSES)
/* Not early: the product reads X before it waits for this launch, which begins when what
 * wrote X has ended. */
#pragma hone launch gemm_sm90_thin_pack if(!GATHER) grid(min(ceildiv(CLASSES*STEPS*WIDTH*8, 256), 8*device.sm_count)) block(256) args(pick(SWAP, B, A), packed, i32(COLS), i32(K), i64(LDY), i64(LDX), i32(STEPS), i32(COL_TILES))
#pragma hone launch gemm_sm90_thin grid(TILES, COL_TILES, PARTS) block(THREADS) shared(SMEM) cluster(1, 1, IN_CLUSTER) args(pick(SWAP, HEAD_A, HEAD_B), pick(SWAP, TAIL_A, TAIL_B), packed, C, partial, alpha, beta, i64(LDC), i32(ROWS), i32(COLS), i32(K), i64(LDX), i32(STEPS), i32(IN_LAST), i32(SPLIT), i32(STAGES), i32(WIDTH), pick(SWAP, B, A), i64(LDY)) early
#pragma hone launch gemm_sm90_thin_reduce if(PARTS > IN_CLUSTER) grid(ceildiv(ROWS, 32/SHARES), ceildiv(WIDTH, 32)) block(256) args(C, partial, alpha, beta, i64(LDC), i32(ROWS), i32(COLS), i32(PARTS), i32(WIDTH)) early

namespace {

namespace gemm = hone::gemm;

using operand_x = gemm::operand<X_ACROSS != 0, BM, 64, 64, 1>;
using operand_y = gemm::operand<false, BN, 64, 64, 1>;

/* For gemm_sm90_slots.cuh. */
struct products : gemm::tiling<operand_x, operand_y, BM / CONSUMERS, CONSUMERS, false> {
    static constexpr int PENDING = 0;

    /* One product of 64 rows, BN columns and 16 of K; `sum` 0 forgets what the
     * sums held. */
    static __device__ __forceinline__ void multiply(float (&d)[SUMS],
                                                    unsigned long long a,
                                                    unsigned long long b,
                                                    int sum)
    {
        asm volatile("{\n"
                     ".reg .pred sum;\n"
                     "setp.ne.b32 sum, %@{BN/2 + 2}, 0;\n"
#pragma hone if T == f16
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k16.f32.f16.f16 "
#pragma hone else
                     "wgmma.mma_async.sync.aligned.m64n@{BN}k16.f32.bf16.bf16 "
#pragma hone endif
                     "{%0"
#pragma hone for I in 1..BN/2-1
                     ", %@{I}"
#pragma hone endfor
                     "}, %@{BN/2}, %@{BN/2 + 1}, sum, 1, 1, %@{BN/2 + 3}, 0;\n"
                     "}"
                     : "+f"(d[0])
#pragma hone for I in 1..BN/2-1
                     , "+f"(d[@{I}])
#pragma hone endfor
                     : "l"(a), "l"(b), "r"(sum), "n"(X_ACROSS));
    }
};
static_assert(products::SLOT == SLOT, "shared memory is less");

constexpr int PITCH = BN + 8; /* of sums in shared memory: rows lie in other banks */

/* What a block has: a class, and of it rows of the product and steps of K. */
struct share {
    int which;  /* class */
    int ahead;  /* elements that it begins in front of its rows */
    int line;   /* where its tile begins, in elements or rows of the map */
    int column; /* where the class begins in the map */
    int first, end;

    __device__ __forceinline__ share(long long ldx, int steps, int split)
    {
        const int tile = blockIdx.x;
        const int part = X_ACROSS ? blockIdx.z / CLASSES : blockIdx.z;
        long long begin;

        which = X_ACROSS ? blockIdx.z % CLASSES : tile % CLASSES;
        begin = which * ldx;
        ahead = (int)(begin % 8);
        column = (int)(begin - ahead);
        line = (X_ACROSS ? tile : tile / CLASSES) * HEIGHT;
        first = (int)((long long)steps * part / split);
        end = (int)((long long)steps * (part + 1) / split);
    }
    /* Which row of the product is row `r` of the tile. */
    __device__ __forceinline__ int row(int r) const
    {
        return X_ACROSS ? line + r - ahead : (line + r) * CLASSES + which;
    }
    __device__ __forceinline__ void load_x(unsigned to, const CUtensorMap &map,
                                           int step, unsigned barrier) const
    {
        if constexpr (X_ACROSS)
            operand_x::load(to, map, column + line, step * 64, 0, 0, barrier);
        else
            operand_x::load(to, map, line, column + step * 64, 0, 0, barrier);
    }
};

/* One thread fills the ring; X comes before there is a Y. `packed` is Y of this class. */
__device__ __forceinline__ void produce(gemm::ring_place place, const share &mine,
                                        const CUtensorMap &map, const T *packed)
{
    constexpr int TILE = BN * 64; /* elements */
    constexpr int BYTES = GATHER ? operand_x::BYTES : products::SLOT;
    const int early = min(mine.first + place.stages, mine.end);
    const auto load_y = [=](unsigned to, int step, unsigned full) {
        const T *const from = packed + ((long long)step * gridDim.y + blockIdx.y) * TILE;

        hone::bulk_load(to + operand_x::BYTES, from, TILE * 2, full);
    };

    if (GATHER)
        hone::wait_for_previous();
    for (int i = mine.first; i < early; i++) {
        const int slot = i - mine.first;

        hone::barrier_expect(place.full + 8 * slot, BYTES);
        mine.load_x(place.slots + slot * products::SLOT, map, i, place.full + 8 * slot);
    }
    if (!GATHER) {
        hone::wait_for_previous();
        hone::async_fence_global();
        for (int i = mine.first; i < early; i++) {
            const int slot = i - mine.first;

            load_y(place.slots + slot * products::SLOT, i, place.full + 8 * slot);
        }
    }
    place.skip(early - mine.first);
#pragma unroll 1
    for (int i = early; i < mine.end; i++) {
        const unsigned to = place.slots + place.slot * products::SLOT;

        gemm::expect(place, BYTES);
        mine.load_x(to, map, i, place.own_full());
        if (!GATHER)
            load_y(to, i, place.own_full());
        place.advance();
    }
}

/* Of a warp group's rows of 64 elements those in front of `from`, and from `end` on,
 * become zero: pieces of 16 bytes are exchanged by the row's number. */
__device__ inline void clean(unsigned char *rows, int from, int end)
{
    for (int i = threadIdx.x % 128; i < products::ROWS_OF_GROUP * 8; i += 128) {
        const int row = i / 8, piece = i % 8;
        const int low = from - piece * 8, high = end - piece * 8;

        if (low > 0 || high < 8) {
            unsigned short *const at = reinterpret_cast<unsigned short *>(rows + row * 128 + (piece ^ row % 8) * 16);

#pragma unroll
            for (int e = 0; e < 8; e++)
                if (e < low || e >= high)
                    at[e] = 0;
        }
    }
    hone::async_fence();
    hone::group_sync((int)threadIdx.x / 128 + 1);
}

/* Y of a step, which threads that multiply have, two neighbours of K each time. */
struct gathered {
    static constexpr int THREADS_ALL = CONSUMERS * 128;
    static constexpr int COUNT = (BN * 32 + THREADS_ALL - 1) / THREADS_ALL;
    const unsigned short *from; /* the first column of the tile */
    long long pitch;
    int cols, K; /* that are there */
    unsigned pair[COUNT];

    static __device__ __forceinline__ int row(int i)
    {
        return Y_ACROSS ? (int)(threadIdx.x + i * THREADS_ALL) % BN : (int)(threadIdx.x + i * THREADS_ALL) / 32;
    }
    static __device__ __forceinline__ int of_row(int i)
    {
        return Y_ACROSS ? (int)(threadIdx.x + i * THREADS_ALL) / BN : (int)threadIdx.x % 32;
    }
    __device__ __forceinline__ unsigned at(int row, int k) const
    {
        return k >= 0 && k < K && row < cols ? from[Y_ACROSS ? k * pitch + row : row * pitch + k] : 0;
    }
    __device__ __forceinline__ void read(const share &mine, int step)
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int k = step * 64 + of_row(i) * 2;
            const int low = X_ACROSS ? mine.which + k * CLASSES : k - mine.ahead;

            if (COUNT * THREADS_ALL == BN * 32 || of_row(i) < 32 && row(i) < BN)
                pair[i] = at(row(i), low) | at(row(i), low + (X_ACROSS ? CLASSES : 1)) << 16;
        }
    }
    /* To a slot; then all threads that multiply see it. */
    __device__ __forceinline__ void write(unsigned char *slot) const
    {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            const int r = row(i), p = of_row(i);

            if (COUNT * THREADS_ALL == BN * 32 || p < 32 && r < BN)
                *reinterpret_cast<unsigned *>(slot + r * 128 + (p / 4 ^ r % 8) * 16 + p % 4 * 4) = pair[i];
        }
        hone::async_fence();
        hone::threads_sync<3, THREADS_ALL>();
    }
};

/* alpha*sum + beta*C to an element of C. */
__device__ __forceinline__ void write(OUT *C, long long ldc, int row, int col,
                                      float sum, float alpha, float beta)
{
    OUT &to = SWAP ? C[col * ldc + row] : C[row * ldc + col];

    sum *= alpha;
    if (ADD && beta != 0)
        sum += beta * hone::widen(to);
    to = hone::narrow<OUT>(sum);
}

/* Where sums go: to C, to the workspace, or to the tile that the cluster reads. */
struct result {
    OUT *C;
    float *partial, *tile;
    long long ldc;
    int rows, cols, width;
    float alpha, beta;

    /* Those of a warp group. */
    __device__ __forceinline__ void put(const products::sums &sums,
                                        const share &mine, int group) const
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;

#pragma unroll
        for (int i = 0; i < products::HEIGHTS * 2; i++) {
            const int r = group * products::ROWS_OF_GROUP + i / 2 * 64 + warp * 16 + i % 2 * 8 + lane / 4;
            const int row = mine.row(r), of_tile = X_ACROSS ? r - mine.ahead : r;

            if (IN_CLUSTER > 1 ? of_tile < 0 || of_tile >= HEIGHT : row < 0 || row >= rows)
                continue;
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
                const int c = j * 8 + lane % 4 * 2, col = blockIdx.y * BN + c;
                const float2 v = make_float2(sums[i / 2][j * 4 + i % 2 * 2], sums[i / 2][j * 4 + i % 2 * 2 + 1]);

                if constexpr (IN_CLUSTER > 1) {
                    *reinterpret_cast<float2 *>(tile + of_tile * PITCH + c) = v;
                } else if constexpr (PARTS > 1) {
                    *reinterpret_cast<float2 *>(partial + ((long long)blockIdx.z * rows + row) * width + col) = v;
                } else {
                    if (col < cols)
                        write(C, ldc, row, col, v.x, alpha, beta);
                    if (col + 1 < cols)
                        write(C, ldc, row, col + 1, v.y, alpha, beta);
                }
            }
        }
    }

    /* What the tiles of the cluster add up to, of this block's share of their rows. */
    __device__ __forceinline__ void take(const share &mine) const
    {
        constexpr int SHARE = (HEIGHT + IN_CLUSTER - 1) / IN_CLUSTER;
        const int first = blockIdx.z * SHARE;
        const unsigned at = hone::shared_address(tile);

        for (int i = threadIdx.x; i < SHARE * BN; i += CONSUMERS * 128) {
            const int r = first + (SWAP ? i % SHARE : i / BN);
            const int c = SWAP ? i / SHARE : i % BN;
            const int row = X_ACROSS ? mine.line + r : mine.row(r);
            const int col = blockIdx.y * BN + c;
            float of_part[IN_CLUSTER], sum = 0;

            if (r >= HEIGHT || row >= rows || col >= cols)
                continue;
#pragma unroll
            for (int part = 0; part < IN_CLUSTER; part++)
                of_part[part] = hone::load_shared(at + (r * PITCH + c) * 4, part);
#pragma unroll
            for (int part = 0; part < IN_CLUSTER; part++)
                sum += of_part[part];
            write(C, ldc, row, col, sum, alpha, beta);
        }
    }
};

} /* namespace */

extern "C" __global__ void __launch_bounds__(THREADS)
gemm_sm90_thin(const __grid_constant__ CUtensorMap HEAD,
               const __grid_constant__ CUtensorMap TAIL, const T *packed, OUT *C,
               float *partial, float alpha, float beta, long long ldc, int rows,
               int cols, int K, long long ldx, int steps, int in_last, int split,
               int stages, int width, const T *Y, long long ldy)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    gemm::ring_place place = gemm::ring_in<products, 16>(shared, stages, SUMMED);
    const share mine(ldx, steps, split);

    if constexpr (PARTS > IN_CLUSTER)
        hone::start_next();
    if (threadIdx.x == CONSUMERS * 128) {
        for (int i = 0; i < stages; i++) {
            hone::barrier_init(place.full + 8 * i, 1);
            hone::barrier_init(place.empty + 8 * i, products::WARPS);
        }
        hone::barrier_init_done();
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS * 128) {
        if (threadIdx.x == CONSUMERS * 128)
            produce(place, mine, mine.which < in_last ? HEAD : TAIL,
                    packed + (long long)mine.which * steps * gridDim.y * BN * 64);
        if constexpr (IN_CLUSTER > 1) {
            __syncwarp();
            hone::cluster_sync();
            hone::cluster_sync();
        }
        return;
    }

    const int group = threadIdx.x / 128;
    const unsigned of_group = group * products::ROWS_OF_GROUP * operand_x::ROW;
    const unsigned long long x = operand_x::DESCRIPTOR + hone::wgmma_address(place.slots + of_group);
    const unsigned long long y = operand_y::DESCRIPTOR + hone::wgmma_address(place.slots + operand_x::BYTES);
    unsigned char *const ring = shared + (place.slots - hone::shared_address(shared));
    const result to = {C, partial, reinterpret_cast<float *>(ring + stages * products::SLOT), ldc, rows, cols, width, alpha, beta};
    products::sums sums = {};
    gathered y_step;

    if constexpr (GATHER) {
        const int first = blockIdx.y * BN;

        y_step.from = reinterpret_cast<const unsigned short *>(Y) + (Y_ACROSS ? first : first * ldy);
        y_step.pitch = ldy;
        y_step.cols = cols - first;
        y_step.K = K;
    }
    hone::wait_for_previous();
    if constexpr (GATHER)
        y_step.read(mine, mine.first);
#pragma unroll 1
    for (int step = mine.first; step < mine.end; step++) {
        if constexpr (GATHER) {
            y_step.write(ring + place.slot * products::SLOT + operand_x::BYTES);
            if (step + 1 < mine.end)
                y_step.read(mine, step + 1);
        }
        hone::barrier_wait(place.own_full(), place.round);
        if (!X_ACROSS) {
            const int from = mine.ahead - step * 64, end = from + K;

            if (from > 0 || end < 64)
                clean(ring + place.slot * products::SLOT + of_group, from, end);
        }
        gemm::multiply_slot<products, products::HEIGHTS>(sums, x, y, place.slot, step > mine.first);
        hone::wgmma_wait<0>();
        gemm::release<1>(place, place.slot);
        place.advance();
    }
    gemm::finish_slots<products>(sums, place, 0);
    to.put(sums, mine, group);
    if constexpr (IN_CLUSTER > 1) {
        __syncwarp();
        hone::cluster_sync();
        to.take(mine);
        __syncwarp();
        hone::cluster_sync();
    }
}

/* Y, in the order of K of each class, as slots hold it: a thread makes 16 bytes. */
extern "C" __global__ void __launch_bounds__(256)
gemm_sm90_thin_pack(const T *Y, T *packed, int cols, int K, long long ldy,
                    long long ldx, int steps, int col_tiles)
{
    const unsigned short *const from = reinterpret_cast<const unsigned short *>(Y);
    const long long pieces = (long long)CLASSES * steps * col_tiles * BN * 8;

    hone::start_next();
    for (long long i = blockIdx.x * 256ll + threadIdx.x; i < pieces; i += gridDim.x * 256ll) {
        const int in_tile = (int)(i % (BN * 8));
        const long long tile = i / (BN * 8);
        const int row = Y_ACROSS ? in_tile % BN : in_tile / 8;
        const int piece = Y_ACROSS ? in_tile / BN : in_tile % 8;
        const int col = (int)(tile % col_tiles) * BN + row;
        const int step = (int)(tile / col_tiles % steps);
        const int which = (int)(tile / col_tiles / steps);
        const long long first = step * 64 + piece * 8;
        unsigned short v[8];

#pragma unroll
        for (int e = 0; e < 8; e++) {
            const long long k = X_ACROSS ? which + (first + e) * CLASSES : first + e - which * ldx % 8;

            v[e] = k >= 0 && k < K && col < cols ? from[Y_ACROSS ? k * ldy + col : col * ldy + k] : 0;
        }
        reinterpret_cast<uint4 *>(packed)[tile * BN * 8 + row * 8 + (piece ^ row % 8)] =
            make_uint4(v[0] | v[1] << 16, v[2] | v[3] << 16, v[4] | v[5] << 16, v[6] | v[7] << 16);
    }
}

/* Adds up the parts: a block has 32 columns of 32/SHARES rows of the product. */
extern "C" __global__ void __launch_bounds__(256)
gemm_sm90_thin_reduce(OUT *C, const float *partial, float alpha, float beta,
                      long long ldc, int rows, int cols, int parts, int width)
{
    constexpr int DOWN = 32 / SHARES;
    __shared__ float4 of_share[SHARES][DOWN][8];
    __shared__ float tile[DOWN][33];
    const int quad = threadIdx.x % 8, r = threadIdx.x / 8 % DOWN;
    const int share = threadIdx.x / 8 / DOWN;
    const int row = blockIdx.x * DOWN + r, col = blockIdx.y * 32 + quad * 4;
    float4 sum = make_float4(0, 0, 0, 0);

    hone::wait_for_previous();
    if (row < rows && col < width) {
        const long long next = (long long)rows * width / 4;
        const int end = (share + 1) * parts / SHARES;
        const float4 *from = reinterpret_cast<const float4 *>(partial + (long long)row * width + col);

        from += share * parts / SHARES * next;
#pragma unroll 8
        for (int part = share * parts / SHARES; part < end; part++, from += next)
            sum = hone::axpy(1.0f, *from, sum);
    }
    if constexpr (SHARES > 1) {
        of_share[share][r][quad] = sum;
        __syncthreads();
        if (share == 0)
            for (int i = 1; i < SHARES; i++)
                sum = hone::axpy(1.0f, of_share[i][r][quad], sum);
    }
    if (share == 0) {
        tile[r][quad * 4] = sum.x;
        tile[r][quad * 4 + 1] = sum.y;
        tile[r][quad * 4 + 2] = sum.z;
        tile[r][quad * 4 + 3] = sum.w;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < DOWN * 32; i += 256) {
        const int down = SWAP ? i % DOWN : i / 32;
        const int across = SWAP ? i / DOWN : i % 32;
        const int to_row = blockIdx.x * DOWN + down, to_col = blockIdx.y * 32 + across;

        if (to_row < rows && to_col < cols)
            write(C, ldc, to_row, to_col, tile[down][across], alpha, beta);
    }
}
