/* SPDX-License-Identifier: Apache-2.0 */
/* rgb_to_gray/stream: packs of so many pixels as an access has bytes; a thread
 * reads three for each that it writes. */
#include "hone_device.cuh"
#include "elementwise.cuh"
#include "rgb_to_gray.cuh"

#pragma hone implements rgb_to_gray/stream "wide accesses, several in flight, any device"

// Bytes of an access, pixels of a pack; packs that a thread has under way along a row, rows.
#pragma hone param BYTES in {1, 4, 8, 16} default 16
#pragma hone param ACROSS in {1, 2, 4, 8} default 1
#pragma hone param DOWN in {1, 2, 4, 8} default 2
// Threads of a block, and of them along a row.
#pragma hone param BLOCK in pow2 64..1024 default 256
#pragma hone param LANES in pow2 4..1024 default 32
// Where packs begin: `cut`, in each row where memory has their multiples;
// `aligned`, at the first column; `whole`, all is one row.
#pragma hone param ROWS in {cut, aligned, whole} default cut
// 0: a block for each tile. Else so many blocks for each multiprocessor,
// which walk over the tiles together.
#pragma hone param BLOCKS_PER_SM in {0, 2, 4, 8, 16} default 0
// How inputs are read and the output written (hone::access).
#pragma hone param READ in {normal, stream, constant} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let VEC = BYTES
#pragma hone let WIDE = ROWS == whole ? rows*columns : columns
#pragma hone let HIGH = ROWS == whole ? 1 : rows
#pragma hone let TILES_X = ceildiv(WIDE, LANES*ACROSS*max(VEC, 1))
#pragma hone let TILES_Y = ceildiv(HIGH, BLOCK/LANES*DOWN)
#pragma hone let MOST = BLOCKS_PER_SM > 0 ? device.sm_count*BLOCKS_PER_SM : 2G - 1
#pragma hone let GRID_X = min(TILES_X, MOST)
#pragma hone let GRID_Y = min(TILES_Y, BLOCKS_PER_SM > 0 ? max(1, MOST/max(1, GRID_X)) : 65535)

#pragma hone require ROWS != whole || (rows == 1 || (pitch_rgb == 3*columns && pitch_gray == columns)) "the rows do not follow each other"
#pragma hone require ROWS != whole || (LANES == BLOCK && DOWN == 1) "there is one row alone"
#pragma hone require ROWS != aligned || (pitch_rgb % VEC == 0 && pitch_gray % VEC == 0) "rows do not begin at multiples of a pack"
#pragma hone require ROWS != cut || VEC > 1 || BYTES == 16 "single elements are always aligned"
#pragma hone require LANES <= BLOCK "a row is dealt to the threads of a block"
#pragma hone prefer LANES <= 32 || LANES*VEC < 2*WIDE "most threads would have nothing of a row"
#pragma hone prefer LANES >= 32 || columns <= 512 "so few threads are for short rows"
#pragma hone prefer ACROSS == 1 || LANES*ACROSS*VEC < 2*WIDE "a thread would have fewer packs of a row"
#pragma hone prefer DOWN <= 2 || BLOCK/LANES*DOWN < 2*HIGH "a thread would have fewer rows"
#pragma hone require ACROSS*DOWN <= 8 && BYTES*ACROSS*DOWN <= 64 "a thread holds at most 8 packs and 64 bytes of an input"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require BLOCK*BLOCKS_PER_SM <= device.threads_sm "the grid that walks does not fit the device"
#pragma hone require BLOCKS_PER_SM == 0 || BLOCK*BLOCKS_PER_SM >= 512 "too few threads to keep the memory busy"
#pragma hone launch rgb_to_gray grid(GRID_X, GRID_Y) block(BLOCK) \
    args(rgb, gray, i64(WIDE), i64(HIGH), i64(pitch_rgb), i64(pitch_gray))

/* Weights of 16 bits, of bytes that follow each other. */
constexpr unsigned RED = 19595, GREEN = 38470, BLUE = 7471;
constexpr unsigned RED_GREEN = GREEN << 16 | RED;
constexpr unsigned GREEN_BLUE = BLUE << 16 | GREEN;

/* One pixel. */
__device__ inline unsigned char luma(unsigned char r, unsigned char g,
                                     unsigned char b)
{
    return static_cast<unsigned char>(
        (RED * r + GREEN * g + BLUE * b + 32768) >> 16);
}

/* Four pixels that lie in three words: R0 G0 B0 R1, G1 B1 R2 G2, B2 R3 G3 B3.
 * The products are taken where the bytes lie. */
__device__ inline unsigned luma(unsigned a, unsigned b, unsigned c)
{
    using hone::dot_high, hone::dot_low;
    const unsigned y0 = dot_high(BLUE, a, dot_low(RED_GREEN, a, 32768));
    const unsigned y1 = dot_low(GREEN_BLUE, b, dot_high(RED << 16, a, 32768));
    const unsigned y2 = dot_low(BLUE, c, dot_high(RED_GREEN, b, 32768));
    const unsigned y3 = dot_high(GREEN_BLUE, c, dot_low(RED << 16, c, 32768));

    return __byte_perm(__byte_perm(y0, y1, 0x0062),
                       __byte_perm(y2, y3, 0x0062), 0x5410);
}

/* What pixels are taken as: words, bytes. */
template <bool FOUR> struct pixels {
    using unit = unsigned char;
};
template <> struct pixels<true> {
    using unit = unsigned;
};

/* A row of the image in color and in gray. */
struct gray_row : hone::no_columns {
    const unsigned char *rgb;
    unsigned char *gray;

    /* Pixels, one after another: words where there are any. */
    template <int WIDTH>
    using unit = typename pixels<WIDTH % 4 == 0>::unit;
    template <int WIDTH>
    using part = hone::pack<unit<WIDTH>, WIDTH / sizeof(unit<WIDTH>)>;
    template <int WIDTH> struct held {
        part<WIDTH> v[3];
    };

    template <int WIDTH> __device__ int head() const
    {
        const int head = hone::to_pack<WIDTH>(gray);

        return hone::to_pack<WIDTH>(rgb + 3 * head) == 0 ? head : -1;
    }

    template <int WIDTH> __device__ held<WIDTH> read(long long column) const
    {
        constexpr int units = WIDTH / sizeof(unit<WIDTH>);
        const unit<WIDTH> *p =
            reinterpret_cast<const unit<WIDTH> *>(rgb + 3 * column);
        held<WIDTH> h;

#pragma unroll
        for (int i = 0; i < 3; i++)
            h.v[i] = hone::read_pack<units, hone::access::@{READ}>(p + i * units);
        return h;
    }

    template <int WIDTH>
    __device__ void write(long long column, const columns<WIDTH> &,
                          const held<WIDTH> &h) const
    {
        constexpr int units = WIDTH / sizeof(unit<WIDTH>);
        part<WIDTH> v;

#pragma unroll
        for (int i = 0; i < units; i++)
            v.at[i] = luma(h.v[3 * i / units].at[3 * i % units],
                           h.v[(3 * i + 1) / units].at[(3 * i + 1) % units],
                           h.v[(3 * i + 2) / units].at[(3 * i + 2) % units]);
        hone::write_pack<hone::access::@{WRITE}>(
            reinterpret_cast<unit<WIDTH> *>(gray + column), v);
    }
};

struct image {
    const unsigned char *rgb;
    unsigned char *gray;
    long long pitch_rgb, pitch_gray;

    using row = gray_row;

    __device__ row at(long long, long long of) const
    {
        return {{}, rgb + of * pitch_rgb, gray + of * pitch_gray};
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
rgb_to_gray(const unsigned char *__restrict__ rgb,
            unsigned char *__restrict__ gray, long long columns,
            long long rows, long long pitch_rgb, long long pitch_gray)
{
    const image arrays = {rgb, gray, pitch_rgb, pitch_gray};

    hone::stream<VEC, ACROSS, DOWN, LANES, BLOCK, ROWS == ROWS_values::cut>(
        arrays, columns, rows, 1);
}
