/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of gemm/sm90 that do not multiply: which tile is next, the places of
 * the ring, and tiles whose K several blocks share. Behind hone_hopper.cuh; no
 * name of a template parameter: see hone_device.cuh.
 *
 * The sums of a warp group are what wgmma leaves: float[HEIGHTS][SUMS] in each
 * thread, HEIGHTS blocks of 64 rows and SUMS*2 columns. Of each block, warp w
 * has rows 16*w to 16*w + 15; of these, lane l has rows l/4 and l/4 + 8, and
 * of eight columns each the pair from l%4*2 on. */
#ifndef GEMM_SM90_PARTS_CUH
#define GEMM_SM90_PARTS_CUH

namespace hone {
namespace gemm {

/* --- the work of a block ------------------------------------------------- */

/* A tile, or a part of its K: its first row and column, its matrix of the
 * batch, its number among all tiles, and which part. It may follow the one to
 * its left in a run of the same block, and the run may go on to the right. */
struct tile {
    int row, col, batch, id, part;
    bool follows, goes_on;
};

/* The tiles of this block, BM x BN each: `group` lines of tiles are walked
 * together, across them; a cluster takes SHARED_M x SHARED_N tiles that lie
 * side by side, column by column. First come all tiles of the first part, matrix by matrix. With
 * RUN > 1 a block takes so many neighbours of a row of tiles where it would take
 * one; the last may lie outside. With SHARED_K > 1 a cluster takes so many
 * neighbouring parts of a tile. */
template <int BM, int BN, int SHARED_M, int SHARED_N, int RUN, int SHARED_K = 1>
struct tile_walk {
    static constexpr int OF_TILES = SHARED_M * SHARED_N;
    static constexpr int BLOCKS = OF_TILES * SHARED_K; /* of a cluster */
    /* Of X and Y that a cluster's place in the walk has. */
    static constexpr int X_AT_ONCE = SHARED_M * BM;
    static constexpr int Y_AT_ONCE = SHARED_N * RUN * BN;
    int lines, others, group, rank, batches;
    bool along_n;
    int next, step, end;
    int in_run = 0, hop = 1; /* tile of the run, and how many further the next is */

    __device__ tile_walk(int rows, int cols, int batches_, int parts,
                         int group_, bool along_n_)
        : group(group_), batches(batches_), along_n(along_n_)
    {
        const int m = ((rows + BM - 1) / BM + SHARED_M - 1) / SHARED_M;
        const int runs = ((cols + BN - 1) / BN + RUN - 1) / RUN;
        const int n = (runs + SHARED_N - 1) / SHARED_N;

        lines = along_n ? n : m;
        others = along_n ? m : n;
        rank = BLOCKS > 1 ? (int)blockIdx.x % BLOCKS : 0;
        next = (int)blockIdx.x / BLOCKS;
        step = (int)gridDim.x / BLOCKS;
        end = m * n * batches * (parts / SHARED_K);
    }

    __device__ tile at(int unit) const
    {
        const int of_matrix = lines * others;
        const int matrix = quotient(unit, of_matrix);
        const int in_matrix = unit - matrix * of_matrix;
        const int of_group = group * others;
        const int groups = quotient(in_matrix, of_group);
        const int first = groups * group;
        const int in_group = in_matrix - groups * of_group;
        const int width = max(min(group, lines - first), 1);
        /* Lines of a group are mostly 4, 8 or 16. */
        const bool is_power = (width & (width - 1)) == 0;
        const int other = is_power ? in_group >> (31 - __clz(width))
                                   : in_group / width;
        const int line = first + in_group - other * width;
        tile t;

        t.row = ((along_n ? other : line) * SHARED_M +
                 (SHARED_M == 1   ? 0
                  : SHARED_N > 1 ? rank % SHARED_M
                                 : rank)) *
                BM;
        t.col = ((along_n ? line : other) * SHARED_N +
                 (SHARED_N > 1 ? rank / SHARED_M : 0)) * RUN * BN;
        t.follows = t.goes_on = false;
        t.part = batches == 1 ? matrix : quotient(matrix, batches);
        t.batch = matrix - t.part * batches;
        t.id = (unit - t.part * of_matrix * batches) * OF_TILES;
        if (SHARED_K > 1)
            t.part = t.part * SHARED_K + rank;
        else
            t.id += rank;
        return t;
    }

    /* The one with this number, whole. */
    __device__ tile numbered(int id)
    {
        if (OF_TILES > 1)
            rank = id % OF_TILES;
        return at(id / OF_TILES);
    }

    /* From here on every second one, from the first or second on. */
    __device__ void alternate(int from)
    {
        hop = 2;
        forward(from);
    }

    /* The next one; false behind the last. */
    __device__ bool take(tile *t)
    {
        const bool there = next < end;

        if (there) {
            *t = at(next);
            if (RUN > 1) {
                t->col += in_run * BN;
                t->follows = in_run > 0;
                t->goes_on = in_run + 1 < RUN;
            }
        }
        forward(hop);
        return there;
    }

  private:
    /* Mostly 0; a division takes long, and all wait for the first tile. */
    static __device__ __forceinline__ int quotient(int a, int b)
    {
        return a < b ? 0 : a / b;
    }
    __device__ void forward(int tiles)
    {
        if (RUN > 1) {
            for (in_run += tiles; in_run >= RUN; in_run -= RUN)
                next += step;
        } else {
            next += tiles * step;
        }
    }
};

/* Addresses in shared memory, and a place in the ring: a slot, and how often
 * it came round, modulo 2. */
struct ring_place {
    unsigned slots, full, empty, turns, writes;
    int stages;
    int slot = 0;
    unsigned round = 0;

    __device__ unsigned own_full() const { return full + 8 * slot; }
    __device__ unsigned own_empty() const { return empty + 8 * slot; }
    __device__ void advance()
    {
        if (++slot == stages) {
            slot = 0;
            round ^= 1;
        }
    }
    /* So many slots, as many as there are at most. */
    __device__ void hop(int n)
    {
        slot += n;
        if (slot >= stages) {
            slot -= stages;
            round ^= 1;
        }
    }
    __device__ void skip(int n)
    {
        slot += n;
        round ^= slot / stages & 1;
        slot %= stages;
    }
};

/* --- tiles in parts --------------------------------------------------------- */

/* A part's sums to the workspace: HEIGHTS*SUMS/4 groups of four per thread,
 * those of the 128 threads next to each other. */
template <int HEIGHTS, int SUMS>
__device__ __forceinline__ void write_part(const float (&sums)[HEIGHTS][SUMS],
                                           float4 *to, int thread)
{
#pragma unroll
    for (int i = 0; i < HEIGHTS; i++) {
#pragma unroll
        for (int j = 0; j < SUMS; j += 4)
            to[(i * SUMS + j) * 32 + thread] =
                make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2],
                            sums[i][j + 3]);
    }
}

/* The sum of `parts` parts in their order, `step` apart. */
template <int HEIGHTS, int SUMS>
__device__ __forceinline__ void add_parts(float (&sums)[HEIGHTS][SUMS],
                                          const float4 *from, long long step,
                                          int parts, int thread)
{
    constexpr int COUNT = HEIGHTS * SUMS / 4;
    constexpr int AHEAD = 8;

#pragma unroll
    for (int i = 0; i < HEIGHTS * SUMS; i++)
        sums[i / SUMS][i % SUMS] = 0.0f;
#pragma unroll 1
    for (int part = 0; part < parts; part++) {
#pragma unroll
        for (int first = 0; first < COUNT; first += AHEAD) {
            float4 v[AHEAD] = {};

#pragma unroll
            for (int j = 0; j < AHEAD && first + j < COUNT; j++)
                v[j] = __ldcg(from + (first + j) * 128 + thread);
#pragma unroll
            for (int j = 0; j < AHEAD && first + j < COUNT; j++) {
                float *d = &sums[(first + j) * 4 / SUMS]
                                [(first + j) * 4 % SUMS];

                d[0] += v[j].x;
                d[1] += v[j].y;
                d[2] += v[j].z;
                d[3] += v[j].w;
            }
        }
        from += step;
    }
}

/* The same of four sums, in shares of the parts: thread (x, y) of a block of 32
 * x SHARES adds up share y of the parts at `from`, those with y = 0 add up the
 * shares. True for these. */
template <int SHARES>
__device__ inline bool share_parts(float (&sums)[1][4], const float4 *from,
                                   long long step, int parts)
{
    __shared__ float4 of_share[SHARES][32];
    const int shares = (int)blockDim.y, share = (int)threadIdx.y;
    const int first = share * parts / shares;
    const int end = (share + 1) * parts / shares;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    from += first * step;
#pragma unroll 8
    for (int part = first; part < end; part++) {
        sum = hone::axpy(1.0f, *from, sum);
        from += step;
    }
    of_share[share][threadIdx.x] = sum;
    __syncthreads();
    for (int i = 1; i < shares; i++)
        sum = hone::axpy(1.0f, of_share[i][threadIdx.x], sum);
    sums[0][0] = sum.x;
    sums[0][1] = sum.y;
    sums[0][2] = sum.z;
    sums[0][3] = sum.w;
    return share == 0;
}

/* Whether the warp groups that compute the other parts have all been here;
 * what they wrote before is visible then. The last leaves the ticket at 0. */
__device__ inline bool is_last(unsigned *ticket, int parts, int group)
{
    bool last = false;

    __threadfence();
    hone::group_sync(group);
    if (threadIdx.x % 128 == 0) {
        last = atomicAdd(ticket, 1u) == (unsigned)parts - 1;
        if (last)
            *ticket = 0;
    }
    last = hone::group_any(group, last);
    __threadfence();
    return last;
}

} /* namespace gemm */
} /* namespace hone */

#endif
