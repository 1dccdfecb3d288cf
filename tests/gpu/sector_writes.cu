/* SPDX-License-Identifier: Apache-2.0 */
/* What it costs to write a matrix of 16-bit elements by tiles when its rows do not
 * begin at multiples of 32 bytes, a sector: nothing is read, nothing is computed.
 *
 *     nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -o sectors tests/gpu/sector_writes.cu
 *     ./sectors
 *
 * 132 blocks of 256 threads write tiles of 128 rows, eight tiles down, then to the
 * right. A line says how a tile writes a row of its own: */
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned short element;
typedef unsigned long long address;

enum way {
    PIECES,  /* aligned 16 bytes; what is left at the ends is not written */
    ENDS,    /* the same, and the ends by elements: complete */
    SECTORS, /* aligned 32 bytes; the ends are not written */
    OWN,     /* aligned 32 bytes that begin in the tile: complete */
    BULK     /* as ENDS, the pieces of a row by one copy from shared memory */
};

static const int kRows = 8192, kCols = 50257, kPadded = 50304, kHeight = 128;

template <way WAY, int WIDTH>
__global__ void __launch_bounds__(256, 1)
write_tiles(element *c, int rows, int cols, long long pitch)
{
    extern __shared__ __align__(128) unsigned char shared[];
    const int across = (cols + WIDTH - 1) / WIDTH;
    const int tiles = rows / kHeight * across;
    constexpr int OF_ROW = WIDTH / 8;

    for (int i = threadIdx.x; i < kHeight * WIDTH / 2; i += 256)
        reinterpret_cast<unsigned *>(shared)[i] = i;
    __syncthreads();
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int row = (t / (8 * across) * 8 + t % 8) * kHeight;
        const int col = t % (8 * across) / 8 * WIDTH;
        const int count = min(WIDTH, cols - col);

        if (WAY == BULK && threadIdx.x < kHeight) {
            element *to = c + (row + threadIdx.x) * pitch + col;
            const int off = (address)to / 2 % 8;
            const int first = off > 0 ? 8 - off : 0;
            const int bytes = (count - first) / 8 * 16;
            const unsigned from = (unsigned)__cvta_generic_to_shared(shared) +
                                  threadIdx.x * (WIDTH * 2);

            asm volatile(
                "fence.proxy.async.shared::cta;\n"
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                "cp.async.bulk.commit_group;\n"
                "cp.async.bulk.wait_group.read 1;" ::"l"(to + first),
                "r"(from), "r"(bytes)
                : "memory");
        }
#pragma unroll 4
        for (int i = threadIdx.x; i < kHeight * (OF_ROW + 2); i += 256) {
            const int r = WAY == OWN ? i / (OF_ROW + 2) : i / OF_ROW;
            const int k = WAY == OWN ? i % (OF_ROW + 2) : i % OF_ROW;
            element *first = c + (row + r) * pitch + col;
            element *end = first + count;
            element *to = first - (address)first / 2 % 8 + k * 8;
            bool mine = to >= first && to + 8 <= end;

            if (WAY == BULK || r >= kHeight)
                break;
            if (WAY == SECTORS) {
                element *sector = (element *)((address)to / 32 * 32);

                mine = sector >= first && sector + 16 <= end;
            }
            if (WAY == OWN) {
                to = (element *)(((address)first + 31) / 32 * 32) + k * 8;
                mine = to < (element *)(((address)end + 31) / 32 * 32);
            }
            if (mine)
                *reinterpret_cast<uint4 *>(to) = make_uint4(i, r, k, t);
        }
        for (int r = threadIdx.x / 8; (WAY == ENDS || WAY == BULK) && r < kHeight;
             r += 32) {
            element *first = c + (row + r) * pitch + col;
            const int off = (address)first / 2 % 8, lane = threadIdx.x % 8;
            const int head = 8 - off, tail = (count + off) / 8 * 8 - off;
            const int at = lane < head ? lane : lane - head + tail;

            if (off > 0 && at < count)
                first[at] = (element)t;
        }
    }
    if (WAY == BULK)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

template <way WAY, int WIDTH>
static void measure(const char *what, int cols, long long pitch)
{
    const size_t size = ((size_t)kRows * kPadded + 64) * sizeof(element);
    element *c = nullptr;
    cudaEvent_t before, after;
    float best_ms = 1e9f;

    cudaMalloc(&c, size);
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    cudaFuncSetAttribute(write_tiles<WAY, WIDTH>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    for (int i = 0; i < 4; i++) {
        float ms;

        cudaEventRecord(before);
        write_tiles<WAY, WIDTH><<<132, 256, 65536>>>(c, kRows, cols, pitch);
        cudaEventRecord(after);
        cudaEventSynchronize(after);
        cudaEventElapsedTime(&ms, before, after);
        best_ms = ms < best_ms ? ms : best_ms;
    }
    printf("tiles of %d, %s: %.0f us (%s)\n", WIDTH, what, best_ms * 1e3f,
           cudaGetErrorString(cudaGetLastError()));
    cudaFree(c);
}

template <int WIDTH> static void measure_all()
{
    measure<PIECES, WIDTH>("rows of 50304, whole pieces", kPadded, kPadded);
    measure<ENDS, WIDTH>("rows of 50257, pieces and ends", kCols, kCols);
    measure<PIECES, WIDTH>("pieces alone, ends missing", kCols, kCols);
    measure<SECTORS, WIDTH>("sectors alone, ends missing", kCols, kCols);
    measure<OWN, WIDTH>("own sectors, complete", kCols, kCols);
    measure<BULK, WIDTH>("bulk copies and ends", kCols, kCols);
}

int main()
{
    measure_all<128>();
    measure_all<256>();
    return 0;
}
