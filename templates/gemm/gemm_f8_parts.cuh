/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of gemm_f8/sm90: sums that leave the tensor cores in time, or are scaled by
 * their rows and columns, and copies of matrices of bytes in which K is contiguous
 * and rows begin at multiples of 16 bytes. Behind gemm_sm90_slots.cuh and
 * gemm_sm90_output.cuh; no name of a template parameter: see hone_device.cuh. */
#ifndef GEMM_F8_PARTS_CUH
#define GEMM_F8_PARTS_CUH

namespace hone {
namespace gemm {

/* The products of one slot, and what 128 of K came to is added to the sums. `fresh`
 * holds that while it is added up. P is as gemm_sm90_slots.cuh says. */
template <typename P>
__device__ __forceinline__ void promote_slot(typename P::sums &sums,
                                             typename P::sums &fresh,
                                             unsigned long long a,
                                             unsigned long long b)
{
#pragma unroll
    for (int first = 0; first < P::x::STEPS; first += 4) {
#pragma unroll
        for (int i = 0; i < P::HEIGHTS; i++)
            hone::wgmma_result(fresh[i]);
        hone::wgmma_begin();
#pragma unroll
        for (int i = 0; i < P::HEIGHTS; i++) {
#pragma unroll
            for (int k = first; k < first + 4; k++)
                P::multiply(fresh[i], a + (P::x::at(k) + i * P::x::HEIGHT) / 16,
                            b + P::y::at(k) / 16, k > first);
            hone::wgmma_commit();
        }
#pragma unroll
        for (int i = 0; i < P::HEIGHTS; i++) {
            if (i + 1 < P::HEIGHTS)
                hone::wgmma_wait<1>();
            else
                hone::wgmma_wait<0>();
            hone::wgmma_result(fresh[i]);
#pragma unroll
            for (int j = 0; j < P::SUMS; j++)
                sums[i][j] += fresh[i][j];
        }
    }
}

/* Those of so many slots, which are given back. */
template <typename P>
__device__ __forceinline__ void
promote_slots(typename P::sums &sums, ring_place &place, unsigned long long a,
              unsigned long long b, int steps)
{
    typename P::sums fresh = {};

#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int at = place.slot * (P::SLOT / 16);

        hone::barrier_wait(place.own_full(), place.round);
        promote_slot<P>(sums, fresh, a + at, b + at);
        release<P::BLOCKS>(place, place.slot);
        place.advance();
    }
}

/* Sums of a warp group times a number for each row and one for each column of
 * the products, of which there are `rows` and `cols`. */
template <int HEIGHTS, int SUMS>
__device__ __forceinline__ void
scale_lines(float (&sums)[HEIGHTS][SUMS], const float *of_rows,
            const float *of_cols, int row, int col, int rows, int cols,
            int thread)
{
    float of_row[HEIGHTS * 2];

    row += lane_row(thread);
    col += lane_col(thread);
#pragma unroll
    for (int i = 0; i < HEIGHTS * 2; i++) {
        const int at = row + i / 2 * 64 + i % 2 * 8;

        of_row[i] = at < rows ? of_rows[at] : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < SUMS / 4; j++) {
        const int at = col + j * 8;
        const float first = at < cols ? of_cols[at] : 0.0f;
        const float second = at + 1 < cols ? of_cols[at + 1] : 0.0f;

#pragma unroll
        for (int i = 0; i < HEIGHTS * 2; i++) {
            float *d = &sums[i / 2][j * 4 + i % 2 * 2];

            d[0] *= of_row[i] * first;
            d[1] *= of_row[i] * second;
        }
    }
}

/* The scales of rows and columns of the products (KIND 2), or one for all of each
 * matrix, which alpha takes (1), or none (0). With TURNED rows are those of B. */
template <int KIND, bool TURNED> struct line_scales {
    const float *of_rows, *of_cols;

    __device__ line_scales(const float *of_a, const float *of_b)
        : of_rows(TURNED ? of_b : of_a), of_cols(TURNED ? of_a : of_b)
    {
    }
    template <int HEIGHTS, int SUMS, typename C>
    __device__ __forceinline__ void apply(float (&sums)[HEIGHTS][SUMS],
                                          const C &c, int row, int col,
                                          int thread) const
    {
        if constexpr (KIND == 2)
            scale_lines(sums, of_rows, of_cols, row, col, c.rows, c.cols,
                        thread);
    }
    __device__ __forceinline__ float of_all(float alpha) const
    {
        const float *a = TURNED ? of_cols : of_rows;
        const float *b = TURNED ? of_rows : of_cols;

        return KIND == 1 ? alpha * (*a * *b) : alpha;
    }
};

/* Matrices of bytes, `rows` x `cols` as they are stored, rows `pitch` bytes apart;
 * none where `rows` is 0. What they are copied to has, with `turned`, their columns
 * as rows, `pitch_to` bytes apart, a multiple of 16. Both have no gaps between
 * matrices. */
struct byte_matrices {
    const unsigned char *from;
    unsigned char *to;
    int rows, cols, batches;
    bool turned;
    long long pitch, step, pitch_to;

    static constexpr int TILE = 128; /* bytes of each side */

    __device__ byte_matrices(const unsigned char *from_, unsigned char *to_,
                             int rows_, int cols_, int batches_, bool turned_,
                             long long pitch_, long long pitch_to_)
        : from(from_), to(to_), rows(rows_), cols(cols_), batches(batches_),
          turned(turned_), pitch(pitch_), step(rows_ * pitch_),
          pitch_to(pitch_to_)
    {
    }

    __device__ long long tiles() const
    {
        return (long long)batches * ((rows + TILE - 1) / TILE) *
               ((cols + TILE - 1) / TILE);
    }
    __device__ long long end() const
    {
        return (batches - 1) * step + (rows - 1) * pitch + cols;
    }
    /* Four neighbours from byte `at` on, which belongs to a matrix, in a word;
     * what lies behind the array's last byte is 0, and not read. */
    __device__ unsigned word(long long at, long long last) const
    {
        const unsigned off = (unsigned)(at % 4);
        const unsigned *p = reinterpret_cast<const unsigned *>(from) + at / 4;
        unsigned v = 0;

        if (at - off + 8 <= last) {
            v = off ? __funnelshift_r(p[0], p[1], off * 8) : p[0];
        } else {
#pragma unroll 1
            for (int i = 3; i >= 0; i--)
                v = v << 8 | (at + i < last ? from[at + i] : 0u);
        }
        return v;
    }
};

/* Byte i of each of four words becomes word i. */
__device__ __forceinline__ void turn_bytes(unsigned (&w)[4])
{
    const unsigned a = __byte_perm(w[0], w[1], 0x5140);
    const unsigned b = __byte_perm(w[2], w[3], 0x5140);
    const unsigned c = __byte_perm(w[0], w[1], 0x7362);
    const unsigned d = __byte_perm(w[2], w[3], 0x7362);

    w[0] = __byte_perm(a, b, 0x5410);
    w[1] = __byte_perm(a, b, 0x7632);
    w[2] = __byte_perm(c, d, 0x5410);
    w[3] = __byte_perm(c, d, 0x7632);
}

/* A block of 256 threads copies a tile at a time: `first` of them belong to other
 * matrices. A warp reads and writes 128 neighbouring bytes at once. Words of
 * `turned` are exchanged within its rows, so that neither way meets conflicts. */
__device__ inline void pack_bytes(const byte_matrices &m, long long first,
                                  unsigned (&turned)[128][32])
{
    constexpr int TILE = byte_matrices::TILE;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int tiles_down = (m.rows + TILE - 1) / TILE;
    const int tiles_along = (m.cols + TILE - 1) / TILE;
    const long long last = m.end();

#pragma unroll 1
    for (long long t = first; t < m.tiles(); t += gridDim.x) {
        const int batch = (int)(t / ((long long)tiles_down * tiles_along));
        const int row = (int)(t / tiles_along % tiles_down) * TILE;
        const int col = (int)(t % tiles_along) * TILE;
        const long long from = batch * m.step + col + 4 * lane;
        const bool inside = col + 4 * lane < m.cols;

        if (!m.turned) {
            unsigned char *const to =
                m.to + (long long)batch * m.rows * m.pitch_to + col + 4 * lane;

#pragma unroll 4
            for (int r = row + warp; r < min(row + TILE, m.rows); r += 8)
                if (inside)
                    *reinterpret_cast<unsigned *>(to + r * m.pitch_to) =
                        m.word(from + r * m.pitch, last);
            continue;
        }
#pragma unroll
        for (int i = 0; i < TILE / 32; i++) {
            const int four = warp + 8 * i; /* rows from 4 * four on */
            unsigned w[4];

#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int r = row + 4 * four + e;

                w[e] = inside && r < m.rows
                           ? m.word(from + r * m.pitch, last)
                           : 0u;
            }
            turn_bytes(w);
#pragma unroll
            for (int e = 0; e < 4; e++)
                turned[4 * lane + e][four ^ lane] = w[e];
        }
        __syncthreads();
#pragma unroll 4
        for (int c = warp; c < min(TILE, m.cols - col); c += 8)
            if (row + 4 * lane < m.rows)
                *reinterpret_cast<unsigned *>(
                    m.to +
                    ((long long)batch * m.cols + col + c) * m.pitch_to + row +
                    4 * lane) = turned[c][lane ^ c / 4];
        __syncthreads();
    }
}

} /* namespace gemm */
} /* namespace hone */

#endif
