// SPDX-License-Identifier: Apache-2.0
// median3: the median of the 3 x 3 pixels around each pixel; beyond the edges
// the outermost pixels are repeated. For bytes and for floats.
//
// A thread makes DOWN pixels below each other. SORT: rows of three are sorted
// once and shared by pixels below each other (`rows`), or all nine go through
// a network of 19 exchanges (`network`).

#pragma hone op median3(height, width, T in {u8, f32} default u8) "y = median of 3 x 3 of x"
#pragma hone arg x: in T[height][width] from 0..255, y: out T[height][width]

#pragma hone param WIDE in {32, 64, 128} default 32
#pragma hone param HIGH in {1, 2, 4, 8} default 4
#pragma hone param DOWN in {1, 2, 4, 8}
#pragma hone param SORT in {rows, network}

#pragma hone launch median3 grid(ceildiv(width, WIDE)*ceildiv(height, HIGH*DOWN)) block(WIDE, HIGH)
#pragma hone work bytes(2*height*width*sizeof(T))
#pragma hone check template.median3_plain tolerance(0)
#pragma hone baseline template.median3_plain

/* a and b in order. */
__device__ inline void order(T &a, T &b)
{
    const T low = a < b ? a : b;

    b = a < b ? b : a;
    a = low;
}
__device__ inline void order3(T &a, T &b, T &c)
{
    order(a, b);
    order(b, c);
    order(a, b);
}

/* Three sorted triples: the median of all is that of the largest of the
 * lowest, the median of the middle ones, and the lowest of the largest. */
__device__ inline T median_of_sorted(const T *p, const T *q, const T *r)
{
    T low = p[0], a = p[1], middle = q[1], c = r[1], high = p[2];

    low = low > q[0] ? low : q[0];
    low = low > r[0] ? low : r[0];
    high = high < q[2] ? high : q[2];
    high = high < r[2] ? high : r[2];
    order3(a, middle, c);
    order3(low, middle, high);
    return middle;
}

/* Paeth's network: 19 exchanges leave the median of v in the middle. */
__device__ inline T median_by_network(T *v)
{
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]);
    order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]);
    order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]);
    order(v[4], v[2]);
    return v[4];
}

extern "C" __global__ void __launch_bounds__(WIDE * HIGH)
median3(const T *__restrict__ x, T *__restrict__ y, long long height,
        long long width)
{
    const long long across = (width + WIDE - 1) / WIDE;
    const long long c = blockIdx.x % across * WIDE + threadIdx.x;
    const long long r0 = (blockIdx.x / across * HIGH + threadIdx.y) * DOWN;
    const long long left = c > 0 ? c - 1 : 0;
    const long long right = c + 1 < width ? c + 1 : width - 1;
    T v[DOWN + 2][3]; /* rows r0-1 .. r0+DOWN */

    if (r0 >= height || c >= width)
        return;
#pragma unroll
    for (int i = 0; i < DOWN + 2; ++i) {
        long long r = r0 + i - 1;

        r = r < 0 ? 0 : r;
        r = r < height ? r : height - 1;
        v[i][0] = x[r * width + left];
        v[i][1] = x[r * width + c];
        v[i][2] = x[r * width + right];
        if constexpr (SORT == SORT_values::rows)
            order3(v[i][0], v[i][1], v[i][2]);
    }
#pragma unroll
    for (int d = 0; d < DOWN; ++d) {
        T result;

        if constexpr (SORT == SORT_values::rows) {
            result = median_of_sorted(v[d], v[d + 1], v[d + 2]);
        } else {
            T nine[9];

            for (int i = 0; i < 9; ++i)
                nine[i] = v[d + i / 3][i % 3];
            result = median_by_network(nine);
        }
        if (r0 + d < height)
            y[(r0 + d) * width + c] = result;
    }
}
