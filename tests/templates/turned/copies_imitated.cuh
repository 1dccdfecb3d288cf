/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways through staging buffers take of hone_hopper.cuh, for the cpu device:
 * shared memory of all blocks lies one behind the other in memory, whose addresses begin
 * at 0 in each, a warp group is a block, and copies are done when they are asked for.
 * What is copied outside of it, or is not what a barrier expects, ends the process. */
#ifndef COPIES_IMITATED_CUH
#define COPIES_IMITATED_CUH

namespace hone {

/* The same for all threads of a launch. */
inline char *imitated;
inline unsigned imitated_bytes; /* of each block, a multiple of 1024 */

template <typename V> inline V &shared_at(unsigned address)
{
    if (address % sizeof(V) != 0 || address + sizeof(V) > imitated_bytes)
        __builtin_trap();
    return *reinterpret_cast<V *>(imitated + 1LL * blockIdx.x * imitated_bytes +
                                  address);
}
template <typename V> inline void shared_load(unsigned from, V &v)
{
    v = shared_at<V>(from);
}
template <typename V> inline void shared_store(unsigned to, const V &v)
{
    shared_at<V>(to) = v;
}
inline void shared_store(unsigned to, float a, float b)
{
    shared_at<float2>(to) = make_float2(a, b);
}

/* stmatrix, as its description has it: a lane's words hold elements 2*(l%4) and the next
 * one of row l/4 of each matrix, and what lane 8*m + j gives is where row j of matrix m
 * goes, or with .trans column j. */
inline void store_matrices(unsigned to, unsigned a, unsigned b, unsigned c,
                           unsigned d)
{
    const unsigned words[4] = {a, b, c, d};
    const unsigned lane = threadIdx.x % 32;

    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = __shfl_sync(~0u, to, i * 8 + lane / 4);

        if (at % 16 != 0)
            __builtin_trap();
        shared_at<unsigned>(at + lane % 4 * 4) = words[i];
    }
}
inline void store_columns(unsigned to, const unsigned *words, unsigned count)
{
    const unsigned lane = threadIdx.x % 32;

    for (unsigned i = 0; i < count * 2; i++) {
        const unsigned column = lane % 4 * 2 + i % 2;
        const unsigned at = __shfl_sync(~0u, to, i / 2 * 8 + column);

        if (at % 16 != 0)
            __builtin_trap();
        shared_store(at + lane / 4 * 2,
                     (unsigned short)(words[i / 2] >> i % 2 * 16));
    }
}
inline void store_matrices_turned(unsigned to, unsigned a, unsigned b,
                                  unsigned c, unsigned d)
{
    const unsigned words[4] = {a, b, c, d};

    store_columns(to, words, 4);
}
inline void store_matrices_turned(unsigned to, unsigned a, unsigned b)
{
    const unsigned words[2] = {a, b};

    store_columns(to, words, 2);
}

/* --- memory, by some lanes -------------------------------------------------- */

template <bool STREAM, typename V>
inline void store_if(bool is_mine, V *p, const V &v)
{
    if (!is_mine)
        return;
    if (reinterpret_cast<unsigned long long>(p) % sizeof(V) != 0)
        __builtin_trap();
    *p = v;
}

/* --- barriers ------------------------------------------------------------- */

template <int = 2> inline void group_sync(int)
{
    __syncthreads();
}
inline bool group_any(int, bool mine)
{
    return __syncthreads_or(mine);
}
inline void async_fence() {}

/* Bytes that are expected, and phases that are over. */
inline void barrier_expect(unsigned barrier, unsigned bytes)
{
    shared_at<unsigned>(barrier) += bytes;
}
inline void barrier_wait(unsigned barrier, unsigned parity)
{
    __syncthreads();
    if (shared_at<unsigned>(barrier) != 0 ||
        (shared_at<unsigned>(barrier + 4) + 1) % 2 != parity)
        __builtin_trap();
}
inline void barrier_arrive(unsigned) {}

/* --- copies --------------------------------------------------------------- */

/* What a CUtensorMap is here: a box of `lines` lines of 128 bytes, exchanged by
 * pieces. */
struct imitated_map {
    char *first;
    long long size, pitch[2]; /* bytes */
    int count[3], lines;
};
inline imitated_map map_of(const CUtensorMap &map)
{
    imitated_map m;

    static_assert(sizeof m <= sizeof map, "it is too large");
    memcpy(&m, &map, sizeof m);
    return m;
}

template <typename V, bool TO_C>
inline void copy_box(const imitated_map &m, int x, int y, int z,
                     unsigned buffer)
{
    constexpr int LINE = 128 / sizeof(V);

    if (buffer % 128 != 0)
        __builtin_trap();
    for (int i = 0; i < m.lines * LINE; i++) {
        const unsigned plain = buffer + i * sizeof(V);
        V &here = shared_at<V>(plain ^ (plain >> 3 & 112));
        const int col = x + i % LINE, row = y + i / LINE;
        const bool is_there = col < m.count[0] && row < m.count[1] &&
                              z < m.count[2];
        V *there = reinterpret_cast<V *>(m.first + col * m.size +
                                         row * m.pitch[0] + z * m.pitch[1]);

        if (TO_C && is_there)
            *there = here;
        else if (!TO_C)
            here = is_there ? *there : V(0);
    }
}
template <bool STREAM>
inline void tensor_store(const CUtensorMap &map, int x, int y, int z,
                         unsigned from)
{
    const imitated_map m = map_of(map);

    if (m.size == 2)
        copy_box<unsigned short, true>(m, x, y, z, from);
    else
        copy_box<float, true>(m, x, y, z, from);
}
inline void tensor_load(unsigned to, const CUtensorMap &map, int x, int y,
                        int z, unsigned barrier)
{
    const imitated_map m = map_of(map);

    if (m.size == 2)
        copy_box<unsigned short, false>(m, x, y, z, to);
    else
        copy_box<float, false>(m, x, y, z, to);
    shared_at<unsigned>(barrier) -= m.lines * 128;
    if (shared_at<unsigned>(barrier) == 0)
        shared_at<unsigned>(barrier + 4)++;
}
inline void tensor_store_commit() {}
template <int> inline void tensor_store_wait_read() {}

/* Element (row, col) of op(A)*op(B), of a matrix that is stored across or is not. */
template <bool A_ACROSS, bool B_ACROSS, typename E>
inline float element_of_product(const E *a, const E *b, long long pitch_a,
                                long long pitch_b, int depth, int row, int col)
{
    float sum = 0.0f;

    for (int k = 0; k < depth; k++)
        sum += float(a[A_ACROSS ? k * pitch_a + row : row * pitch_a + k]) *
               float(b[B_ACROSS ? col * pitch_b + k : k * pitch_b + col]);
    return sum;
}

} /* namespace hone */

#endif
