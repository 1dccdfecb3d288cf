/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_square/tiles: a block for each pair of tiles that change places.
 *
 * Squares of tiles above the diagonal and on it are dealt to a grid that is half
 * as high: the rows of squares from the last one up are what is left of the
 * first ones. In a square on the diagonal the blocks below it have nothing. */
#include "turned_tile.cuh"
#include "turned_words.cuh"
#include "transpose_square.cuh"

#pragma hone implements transpose_square/tiles "pairs of tiles in shared memory, wide accesses on both sides, any device"

// Bytes of the rows of a tile, which is a square.
#pragma hone param ROW_BYTES in {64, 128, 256} default 128
#pragma hone param BLOCK in pow2 64..1024 default 128
// What moves: `packs` of BYTES_IN and BYTES_OUT, element by element where rows
// are not aligned to them; `words`, wherever rows begin.
#pragma hone param FORM in {packs, words} default packs
#pragma hone param BYTES_IN in {4, 8, 16} default 16
#pragma hone param BYTES_OUT in {4, 8, 16} default 16
#pragma hone param SWIZZLED: bool default true
// Blocks take pairs square by square, of so many tiles a side.
#pragma hone param SQUARE in {1, 4, 8, 16} default 1
// How x is read and written (hone::access).
#pragma hone param READ in {normal, stream, l2} default normal
#pragma hone param WRITE in {normal, stream} default normal

#pragma hone let SIDE = ROW_BYTES/sizeof(T)
#pragma hone let WORD = max(4, sizeof(T))
#pragma hone let TILES = ceildiv(n, SIDE)
#pragma hone let SQUARES = ceildiv(TILES, SQUARE)
#pragma hone let WIDTH_IN = FORM == words ? WORD : BYTES_IN
#pragma hone let WORDS_BLOCK = FORM == words ? BLOCK : 1K
#pragma hone let TILE = SIDE*SIDE*sizeof(T)
#pragma hone let UNIT = WORD/sizeof(T)
#pragma hone let WORDS = ((SIDE + (UNIT > 1 ? UNIT : 0))/UNIT + 1) | 1
#pragma hone let SHARED = 2*(FORM == words ? WORDS*SIDE*WORD : TILE + (SWIZZLED ? 0 : SIDE*WORD))

#pragma hone require BYTES_IN >= WORD && BYTES_OUT >= WORD "an access has at least a word"
#pragma hone require TILE >= BLOCK*BYTES_OUT && TILE >= BLOCK*WIDTH_IN*(WORD/sizeof(T)) "threads would have nothing of a tile"
#pragma hone require TILE <= 128*BLOCK "a thread holds at most 128 bytes of a tile"
#pragma hone require SWIZZLED || BYTES_IN == WORD || BYTES_OUT == WORD "lanes would meet in the same banks"
#pragma hone require BYTES_IN == 16 || BYTES_OUT == 16 || BYTES_IN == BYTES_OUT "accesses are wide on one side at least, or narrow on both"
#pragma hone require FORM == packs || (BYTES_IN == 16 && BYTES_OUT == 16 && SWIZZLED) "words are not packed"
#pragma hone require FORM == packs || pitch*sizeof(T) % 16 != 0 "rows are aligned: packs move more at once"
#pragma hone require FORM == packs || BLOCK*WORD >= ROW_BYTES "threads share the columns of a tile"
#pragma hone require FORM == words || BYTES_IN == WORD || pitch*sizeof(T) % max(BYTES_IN, BYTES_OUT) == 0 || ROW_BYTES == 128 "rows that are not aligned move element by element"
#pragma hone require SQUARE == 1 || TILES >= 2*SQUARE "there are not so many tiles"
#pragma hone require ROW_BYTES <= 128 || SIDE < 2*n "tiles are larger than the matrix"
#pragma hone require BLOCK <= device.threads_block "the device has no blocks of so many threads"
#pragma hone require SHARED <= device.smem_optin "the tiles do not fit shared memory"

#pragma hone launch transpose_square grid((SQUARES + 1 - SQUARES % 2)*SQUARE*SQUARE, min(ceildiv(SQUARES + 1, 2), 65535), min(batch, 65535)) block(BLOCK) shared(SHARED) \
    args(x, i64(n), i64(batch), i64(pitch), i64(stride))

using tile = hone::turned_tile<T, SIDE, SIDE, BLOCK, WIDTH_IN, BYTES_OUT,
                               SWIZZLED>;
using words = hone::turned_words<T, SIDE, SIDE, WORDS_BLOCK, false>;

/* The tile of x in this row and column of tiles. */
template <typename E>
__device__ inline hone::place_of<E> tile_of(E *x, long long n, long long pitch,
                                            long long row, long long column,
                                            bool aligned)
{
    const long long high = n - row * SIDE;
    const long long wide = n - column * SIDE;

    return {x + row * SIDE * pitch + column * SIDE, pitch,
            high < SIDE ? static_cast<int>(high) : SIDE,
            wide < SIDE ? static_cast<int>(wide) : SIDE, aligned};
}

/* Two tiles change places, one that is on the diagonal with itself. */
__device__ inline void exchange(T *x, long long n, long long pitch,
                                long long row, long long column,
                                bool aligned_in, bool aligned_out,
                                tile::word_type *shared)
{
    tile::word_type *other = shared + tile::bytes / tile::word_bytes;
    const bool two = row != column;
    const auto above = tile_of<const T>(x, n, pitch, row, column, aligned_in);
    const auto below = tile_of<const T>(x, n, pitch, column, row, aligned_in);

    if (two && tile::whole(above, SIDE, SIDE)) {
        tile::held upper, lower; /* below is whole as well */

        tile::read<hone::access::@{READ}>(upper, above);
        tile::read<hone::access::@{READ}>(lower, below);
        tile::put(shared, upper);
        tile::put(other, lower);
    } else {
        tile::bring<hone::access::@{READ}>(shared, above);
        if (two)
            tile::bring<hone::access::@{READ}>(other, below);
    }
    __syncthreads();
    tile::write<hone::access::@{WRITE}>(
        tile_of<T>(x, n, pitch, column, row, aligned_out), shared);
    if (two)
        tile::write<hone::access::@{WRITE}>(
            tile_of<T>(x, n, pitch, row, column, aligned_out), other);
}

/* A tile of x and what the matrix has behind it, as far as another tile. */
__device__ inline hone::place_of<const T> words_of(const T *x, long long n,
                                                   long long pitch,
                                                   long long row,
                                                   long long column)
{
    hone::place_of<const T> from =
        tile_of<const T>(x, n, pitch, row, column, false);
    const long long wide = n - column * SIDE;

    from.columns = wide < 2 * SIDE ? static_cast<int>(wide) : 2 * SIDE;
    return from;
}

/* Two tiles change places, in words. */
__device__ inline void exchange_words(T *x, long long n, long long pitch,
                                      long long row, long long column,
                                      tile::word_type *shared)
{
    tile::word_type *other = shared + words::bytes / tile::word_bytes;
    const bool two = row != column;

    const auto above = words_of(x, n, pitch, row, column);
    const auto below = words_of(x, n, pitch, column, row);

    if (two && words::whole(above, 0) && words::whole(below, 0)) {
        words::held upper, lower;

        words::read<hone::access::@{READ}, true>(upper, above, 0);
        words::read<hone::access::@{READ}, true>(lower, below, 0);
        words::put(shared, upper);
        words::put(other, lower);
    } else {
        words::fetch<hone::access::@{READ}>(shared, above, 0);
        if (two)
            words::fetch<hone::access::@{READ}>(other, below, 0);
    }
    __syncthreads();
    words::write<hone::access::@{WRITE}>(
        tile_of<T>(x, n, pitch, column, row, false), 0, shared);
    if (two)
        words::write<hone::access::@{WRITE}>(
            tile_of<T>(x, n, pitch, row, column, false), 0, other);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
transpose_square(T *x, long long n, long long batch, long long pitch,
                 long long stride)
{
    extern __shared__ __align__(16) unsigned char tiles[];
    tile::word_type *shared = reinterpret_cast<tile::word_type *>(tiles);
    const bool aligned_in =
        pitch % tile::in == 0 && (batch == 1 || stride % tile::in == 0);
    const bool aligned_out =
        pitch % tile::out == 0 && (batch == 1 || stride % tile::out == 0);
    const long long count = (n + SIDE - 1) / SIDE;
    const long long squares = (count + SQUARE - 1) / SQUARE;
    const long long even = squares % 2 == 0;
    const long long across = blockIdx.x / (SQUARE * SQUARE);
    const int in_square = blockIdx.x % (SQUARE * SQUARE);

    for (long long z = blockIdx.z; z < batch; z += gridDim.z)
        for (long long y = blockIdx.y; y < (squares + 1) / 2; y += gridDim.y) {
            const bool first = across >= y + even;
            const long long row =
                (first ? y : squares - even - y) * SQUARE + in_square / SQUARE;
            const long long column =
                (first ? across - even : squares - 1 - across) * SQUARE +
                in_square % SQUARE;

            if (SQUARE > 1 && (row > column || column >= count))
                continue;
            if (z != blockIdx.z || y != blockIdx.y)
                __syncthreads(); /* the last tiles have left shared memory */
            if constexpr (FORM == FORM_values::words)
                exchange_words(x + z * stride, n, pitch, row, column, shared);
            else
                exchange(x + z * stride, n, pitch, row, column, aligned_in,
                         aligned_out, shared);
        }
}
