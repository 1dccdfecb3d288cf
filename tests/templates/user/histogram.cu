// SPDX-License-Identifier: Apache-2.0
// histogram: how often each of 256 values occurs among n bytes.
//
// Counters are in shared memory, COPIES of them for each block, so that threads
// that meet the same value seldom wait for each other; at the end every block
// adds its own to those of all. A first launch clears the result.

#pragma hone op histogram(n) "count[v] = how many of x are v"
#pragma hone arg x: in u8[n] from 0..255, count: out u32[256]

#pragma hone param BLOCK in {128, 256, 512} default 256
// Elements of one thread, and of one access.
#pragma hone param EACH in {16, 32, 64, 128} default 32
#pragma hone param VEC in {1, 4, 16} default 4
#pragma hone param COPIES in {1, 2, 4, 8}

#pragma hone launch clear grid(1) block(256) args(count)
#pragma hone launch histogram grid(ceildiv(n, BLOCK*EACH)) block(BLOCK)
#pragma hone work bytes(n + 1K)
#pragma hone check template.histogram_plain tolerance(0)
#pragma hone baseline template.histogram_plain

struct alignas(VEC) pack {
    unsigned char v[VEC];
};

extern "C" __global__ void clear(unsigned *count)
{
    count[threadIdx.x] = 0;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
histogram(const unsigned char *__restrict__ x, unsigned *count, long long n)
{
    /* Copies lie beside each other: the same value in two copies is two banks. */
    __shared__ unsigned part[256][COPIES];
    const int copy = threadIdx.x % COPIES;
    const long long start = (long long)blockIdx.x * (BLOCK * EACH);

    for (int i = threadIdx.x; i < 256 * COPIES; i += BLOCK)
        part[i / COPIES][i % COPIES] = 0;
    __syncthreads();
    for (int i = 0; i < EACH / VEC; ++i) {
        const long long at = start + (long long)(i * BLOCK + threadIdx.x) * VEC;

        if (at + VEC <= n) {
            const pack p = *reinterpret_cast<const pack *>(x + at);

            for (int j = 0; j < VEC; ++j)
                atomicAdd(&part[p.v[j]][copy], 1u);
        } else {
            for (long long j = at; j < n; ++j)
                atomicAdd(&part[x[j]][copy], 1u);
        }
    }
    __syncthreads();
    for (int v = threadIdx.x; v < 256; v += BLOCK) {
        unsigned sum = 0;

        for (int i = 0; i < COPIES; ++i)
            sum += part[v][i];
        if (sum != 0)
            atomicAdd(&count[v], sum);
    }
}
