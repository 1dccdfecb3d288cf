// SPDX-License-Identifier: Apache-2.0
// transpose: B = A^T for a row-major A of any size, in four types.
//
// A block reads a square tile along the rows of A and writes it along the rows
// of B, so that both sides touch whole lines of memory; the tile is turned in
// shared memory. PAD makes the tile's rows one element longer: without it the
// threads that read a column of the tile all hit the same bank.

#pragma hone op transpose(rows, columns, T in {f32, f64, i32, u8} default f32) "B[c][r] = A[r][c]"
#pragma hone arg A: in T[rows][columns], B: out T[columns][rows]

// Side of a tile, and how many of its rows the block takes at once.
#pragma hone param TILE in {16, 32, 64} default 32
#pragma hone param STEP in {4, 8, 16, 32} default 8
#pragma hone param PAD in {0, 1} default 1
// Which tiles run beside each other: those of a row of A, or of a row of B.
#pragma hone param ORDER in {along_A, along_B}
// Write past the caches: nobody reads B soon.
#pragma hone param STREAM: bool

#pragma hone require STEP <= TILE "a block takes more rows than a tile has"
#pragma hone require TILE*STEP <= device.threads_block "the device has no blocks of so many threads"

// One number for all tiles: grid.y ends at 65535, and rows may be many.
#pragma hone launch transpose grid(ceildiv(rows, TILE)*ceildiv(columns, TILE)) block(TILE, STEP)
#pragma hone work bytes(2*rows*columns*sizeof(T))
#pragma hone check template.transpose_plain tolerance(0) exact(100)
#pragma hone baseline template.transpose_plain

extern "C" __global__ void __launch_bounds__(TILE * STEP)
transpose(const T *__restrict__ A, T *__restrict__ B, long long rows,
          long long columns)
{
    __shared__ T tile[TILE][TILE + PAD];
    const long long down = (rows + TILE - 1) / TILE;
    const long long across = (columns + TILE - 1) / TILE;
    const long long block = blockIdx.x;
    const bool along_A = ORDER == ORDER_values::along_A;
    const long long r0 = (along_A ? block / across : block % down) * TILE;
    const long long c0 = (along_A ? block % across : block / down) * TILE;
    const int x = threadIdx.x;

    for (int i = threadIdx.y; i < TILE; i += STEP) {
        if (r0 + i < rows && c0 + x < columns)
            tile[i][x] = A[(r0 + i) * columns + c0 + x];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += STEP) {
        if (c0 + i < columns && r0 + x < rows) {
            T *to = B + (c0 + i) * rows + r0 + x;

            if constexpr (STREAM)
                __stcs(to, tile[x][i]);
            else
                *to = tile[x][i];
        }
    }
}
