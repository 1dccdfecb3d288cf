// SPDX-License-Identifier: Apache-2.0
// Kernels of the tuner itself: inputs, poison, comparison. Compiled by NVRTC
// like every variant; needs no header. Element types come as the codes of
// hone_type; complex arrays come as twice as many f32.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

enum { F16 = 1, BF16, TF32, F32, F64, I8, I32, C32, U8, U32, I64, U64, C64,
       E4M3, E5M2 };

__device__ u64 mix(u64 x) // the finaliser of splitmix64
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

__device__ u16 to_f16(float v)
{
    u16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
    return r;
}

__device__ float from_f16(u16 v)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v));
    return r;
}

// Round to nearest even in integers: cvt.rn.bf16 needs sm_80. NaN stays NaN.
__device__ u16 to_bf16(float v)
{
    const u32 bits = __float_as_uint(v);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (u16)((bits >> 16) | 0x40u);
    return (u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Eight bits as judge/check_data.c has them: `stored` bits of fraction; beyond
// the largest number it is that. Their places in f16 differ by the exponent's
// bias alone, so that f16 has the value; only e4m3 has no infinity.
__device__ u8 to_small(double v, int stored, int bias, int largest)
{
    const int sign = v < 0 || (v == 0 && 1 / v < 0) ? 0x80 : 0;
    if (isnan(v))
        return (u8)0x7f;
    v = fmin(fabs(v), 0x1p20);
    if (v == 0)
        return (u8)sign;
    int exponent;
    frexp(v, &exponent);
    exponent += bias - 1;
    exponent = exponent < 1 ? 1 : exponent;
    const int bits = (int)rint(ldexp(v, stored + bias - exponent)) +
                     ((exponent - 1) << stored);
    return (u8)(sign | (bits < largest ? bits : largest));
}

__device__ double from_e4m3(u8 v)
{
    const double rest = from_f16((u16)((v & 0x7f) << 7)) * 256.0;
    if ((v & 0x7f) == 0x7f)
        return __longlong_as_double(0x7ff8000000000000ll);
    return v & 0x80 ? -rest : rest;
}

__device__ double load(int type, const void *p, i64 i)
{
    switch (type) {
    case F16: return from_f16(((const u16 *)p)[i]);
    case BF16: return __uint_as_float((u32)((const u16 *)p)[i] << 16);
    case F64: return ((const double *)p)[i];
    case E4M3: return from_e4m3(((const u8 *)p)[i]);
    case E5M2: return from_f16((u16)(((const u8 *)p)[i] << 8));
    case I8: return ((const signed char *)p)[i];
    case I32: return ((const int *)p)[i];
    case U8: return ((const u8 *)p)[i];
    case U32: return ((const u32 *)p)[i];
    case I64: return (double)((const i64 *)p)[i];
    case U64: return (double)((const u64 *)p)[i];
    default: return ((const float *)p)[i];
    }
}

__device__ void store(int type, void *p, i64 i, double v)
{
    switch (type) {
    case F16: ((u16 *)p)[i] = to_f16((float)v); break;
    case BF16: ((u16 *)p)[i] = to_bf16((float)v); break;
    case F64: ((double *)p)[i] = v; break;
    case E4M3: ((u8 *)p)[i] = to_small(v, 3, 7, 0x7e); break;
    case E5M2: ((u8 *)p)[i] = to_small(v, 2, 15, 0x7b); break;
    case I8: ((signed char *)p)[i] = (signed char)v; break;
    case I32: ((int *)p)[i] = (int)v; break;
    case U8: ((u8 *)p)[i] = (u8)v; break;
    case U32: ((u32 *)p)[i] = (u32)v; break;
    case I64: ((i64 *)p)[i] = (i64)v; break;
    case U64: ((u64 *)p)[i] = (u64)v; break;
    default: ((float *)p)[i] = (float)v; break;
    }
}

// Value `v` as an array of this type would hold it.
__device__ double rounded(int type, double v)
{
    u64 cell = 0;
    store(type, &cell, 0, v);
    return load(type, &cell, 0);
}

#define FOR_EACH(i, n)                                                        \
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < (n);         \
         i += (i64)gridDim.x * blockDim.x)

// A distribution: hone_draw of input_values.h.
struct draw {
    int kind, integers;
    i64 first;
    u64 span;
    double low, high, a, b, u_low, u_span;
    i64 half_bits;
};

enum { UNIFORM, NORMAL, ZIPF, CONSTANT, PERMUTATION };

// The same as in input_values.c, from here to the end of hone_fill.
__device__ double normal_quantile(double p)
{
    const double q = p - 0.5;
    double r = 0.180625 - q * q;
    if (r >= 0)
        return q *
               (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r +
                3.3871327179) /
               (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1);
    r = sqrt(-log(q < 0 ? p : 1 - p));
    double x;
    if (r <= 5) {
        r -= 1.6;
        x = (((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r +
             1.4234372777) /
            ((0.12021132975 * r + 0.73700164250) * r + 1);
    } else {
        r -= 5;
        x = (((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r +
             6.6579051150) /
            ((0.012258202635 * r + 0.24197894225) * r + 1);
    }
    return q < 0 ? -x : x;
}

__device__ double within(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

__device__ double quantile(const draw &d, double u)
{
    double v;
    if (d.kind == ZIPF)
        v = (double)d.first - 1 +
            floor(d.a == 1 ? exp(u * d.b) : pow(1 + u * d.b, 1 / (1 - d.a)));
    else
        v = d.a + d.b * normal_quantile(d.u_low + u * d.u_span);
    return d.integers ? within(rint(v), (double)d.first,
                               (double)d.first + (double)(d.span - 1))
                      : within(v, d.low, d.high);
}

__device__ u64 permuted(const draw &d, u64 seed, u64 i)
{
    const u64 mask = (1ull << d.half_bits) - 1;
    do {
        u64 left = i >> d.half_bits, right = i & mask;
        for (u64 round = 0; round < 4; ++round) {
            const u64 next = left ^ (mix((seed + round) ^ (right << 2)) & mask);
            left = right;
            right = next;
        }
        i = (left << d.half_bits) | right;
    } while (i >= d.span);
    return i;
}

__device__ double drawn(const draw &d, u64 seed, u64 i)
{
    const u64 bits = mix(seed ^ mix(i));
    const double u = (double)(bits >> 11) * 0x1p-53;
    switch (d.kind) {
    case CONSTANT: return d.low;
    case PERMUTATION: return (double)permuted(d, seed, i);
    case UNIFORM:
        return d.integers ? (double)((i64)(bits % d.span) + d.first)
                          : within(d.low + u * (d.high - d.low), d.low, d.high);
    default: return quantile(d, u + 0x1p-54);
    }
}

extern "C" __global__ void hone_fill(int type, void *p, i64 n, u64 seed,
                                     draw d)
{
    FOR_EACH(i, n)
        store(type, p, i, drawn(d, seed, (u64)i));
}

extern "C" __global__ void hone_absolute(int type, void *to, const void *from,
                                         i64 n)
{
    FOR_EACH(i, n)
        store(type, to, i, fabs(load(type, from, i)));
}

// Uniform in [-1, 1), the same for i >> shift.
__device__ double common(u64 seed, u64 i, int shift)
{
    const u64 bits =
        mix(seed + shift + 64 * mix(shift < 64 ? i >> shift : 0));
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

// Inputs moved by random relative steps: see judge/check_data.h.
extern "C" __global__ void hone_perturb(int type, void *to, const void *from,
                                        i64 n, u64 seed, double step)
{
    FOR_EACH(i, n) {
        const double v = load(type, from, i);
        const double shared = common(seed, i, 5) + common(seed, i, 10) +
                              common(seed, i, 64);
        store(type, to, i,
              v + v * step * (common(seed, i, 0) + 0.5 * shared));
    }
}

// How far such a run moved the result, squared and summed over runs.
extern "C" __global__ void hone_spread(int type, double *squares,
                                       const double *value, const void *moved,
                                       i64 n, double step)
{
    FOR_EACH(i, n) {
        const double s = (load(type, moved, i) - value[i]) / step;
        squares[i] += isfinite(s) ? s * s : 0.0;
    }
}

// In place: the larger of |value| and the root of so many times the squares.
extern "C" __global__ void hone_magnitude(double *squares, const double *value,
                                          i64 n, double factor)
{
    FOR_EACH(i, n)
        squares[i] = fmax(fabs(value[i]), sqrt(squares[i] * factor));
}

// What is above `most` as that.
extern "C" __global__ void hone_to_double(int type, double *to,
                                          const void *from, i64 n, double most)
{
    FOR_EACH(i, n) {
        const double v = load(type, from, i);
        to[i] = v > most ? most : v;
    }
}

// The 2-norm of each of `batch` rows of `lanes` numbers, in all its places.
extern "C" __global__ void hone_norms(double *to, const double *from,
                                      i64 lanes, i64 batch)
{
    FOR_EACH(row, batch) {
        double sum = 0;
        for (i64 i = row * lanes; i < (row + 1) * lanes; ++i)
            sum += from[i] * from[i];
        for (i64 i = row * lanes; i < (row + 1) * lanes; ++i)
            to[i] = sqrt(sum);
    }
}

// One block of memory to look at: see device.c, which has the same structure.
struct audit_row {
    u64 base; // the guard before the data begins here
    u64 data;
    i64 size_bytes;
    i64 first_chunk; // chunks of the rows before this one
    u64 hash;        // out: order-independent sum over words of 16 bytes
    u64 n_before;    // out: bytes of the guards that are not 0xff any more
    u64 n_behind;
};

enum { GUARD_BYTES = 4096, CHUNK_BYTES = 1 << 16 };

// Add every thread's part to *sum. One atomic a warp: a million of them on one
// address take longer than reading the memory does.
__device__ void add_parts(u64 *sum, u64 mine)
{
    for (int offset = 16; offset; offset /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0 && mine)
        atomicAdd(sum, mine);
}

__device__ u64 count_damage(const u8 *guard, i64 n)
{
    u64 mine = 0;
    for (i64 i = threadIdx.x; i < n; i += blockDim.x)
        mine += guard[i] != 0xff;
    return mine;
}

// The row that chunk `c` belongs to: the last one that does not begin behind.
__device__ audit_row *find_row(audit_row *rows, int n_rows, i64 c)
{
    int low = 0, high = n_rows - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (rows[middle].first_chunk <= c)
            low = middle;
        else
            high = middle - 1;
    }
    return rows + low;
}

// A block of threads takes chunk after chunk of all rows; the first chunk of
// a row brings its guards. The last word may reach into the guard.
extern "C" __global__ void hone_audit(audit_row *rows, int n_rows,
                                      i64 n_chunks)
{
    for (i64 c = blockIdx.x; c < n_chunks; c += gridDim.x) {
        audit_row *row = find_row(rows, n_rows, c);
        const i64 chunk = c - row->first_chunk;
        const i64 n = (row->size_bytes + 15) / 16;
        const i64 first = chunk * (CHUNK_BYTES / 16);
        const i64 end = first + CHUNK_BYTES / 16 < n
                            ? first + CHUNK_BYTES / 16 : n;
        const ulonglong2 *words = (const ulonglong2 *)row->data;
        u64 mine = 0;
        for (i64 i = first + threadIdx.x; i < end; i += blockDim.x) {
            const ulonglong2 w = words[i];
            mine += mix((w.x + (u64)i) * 0xd6e8feb86659fd93ull + w.y);
        }
        add_parts(&row->hash, mine);
        if (chunk)
            continue;
        add_parts(&row->n_before,
                  count_damage((const u8 *)row->base, GUARD_BYTES));
        add_parts(&row->n_behind,
                  count_damage((const u8 *)row->data + row->size_bytes,
                               GUARD_BYTES));
    }
}

struct comparison { // hone_compared
    u64 n_bad;
    u64 first_bad; // smallest index of a bad element; ~0 if none
    u64 n_nan;
    u64 n_unbounded;
    u64 n_loose;
    u64 n_tight;
    double error2;
    double magnitude2;
    double value2;
    u32 worst_ratio; // bits of the largest error / bound, a float >= 0
    u32 unused;
};

__device__ void add_parts(double *sum, double mine)
{
    for (int offset = 16; offset; offset /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, offset);
    if (threadIdx.x % 32 == 0 && mine != 0)
        atomicAdd(sum, mine);
}

// |a - b| of 64-bit integers, of which a double does not hold all.
__device__ double distance(int type, const void *out, i64 at, const void *ref,
                           i64 i)
{
    const u64 a = ((const u64 *)out)[at];
    const u64 b = ((const u64 *)ref)[i];
    const bool below = type == I64 ? (i64)a < (i64)b : a < b;
    return (double)(below ? b - a : a - b);
}

// Element index[i] (or i) of `out` against ref[i]; of 64-bit integers ref
// holds integers, not doubles. Not exact: passes if |out - ref| <=
// tolerance * magnitude[i] + relative * |ref| + absolute. Exact: equals the
// reference rounded to the output's type.
extern "C" __global__ void hone_compare(int type, const void *out,
                                        const i64 *index, const double *ref,
                                        const double *magnitude, i64 n,
                                        double tolerance, double relative,
                                        double absolute, int exact,
                                        comparison *result)
{
    comparison mine = {0, ~0ull};
    float worst = 0;
    FOR_EACH(i, n) {
        const i64 at = index ? index[i] : i;
        const bool is_long = type == I64 || type == U64;
        const double v = load(type, out, at);
        const double want = is_long ? load(type, ref, i)
                            : exact ? rounded(type, ref[i]) : ref[i];
        // Infinity, as expected: the difference is no number.
        if (v == want && want - want != 0.0)
            continue;
        const double m = exact ? 0.0 : magnitude[i];
        const double bound =
            exact                 ? 0.0
            : m >= 0 && m < 1e308 ? tolerance * m + relative * fabs(want) +
                                        absolute
                                  : __longlong_as_double(0x7ff8ll << 48);
        const double error =
            is_long ? distance(type, out, at, ref, i) : fabs(v - want);
        mine.error2 += error * error;
        mine.magnitude2 += m * m;
        mine.value2 += want * want;
        mine.n_loose += want != 0 && bound >= fabs(want);
        mine.n_tight += want != 0 && bound < fabs(want);
        if (bound > 0)
            worst = fmaxf(worst, (float)(error / bound)); // not of NaN
        if (error <= bound) // false for NaN
            continue;
        ++mine.n_bad;
        mine.n_nan += v != v;
        mine.n_unbounded += !(bound > 0);
        mine.first_bad = (u64)at < mine.first_bad ? (u64)at : mine.first_bad;
    }
    if (worst > 0)
        atomicMax(&result->worst_ratio, __float_as_uint(worst));
    if (mine.n_bad)
        atomicMin(&result->first_bad, mine.first_bad);
    add_parts(&result->n_bad, mine.n_bad);
    add_parts(&result->n_nan, mine.n_nan);
    add_parts(&result->n_unbounded, mine.n_unbounded);
    add_parts(&result->n_loose, mine.n_loose);
    add_parts(&result->n_tight, mine.n_tight);
    add_parts(&result->error2, mine.error2);
    add_parts(&result->magnitude2, mine.magnitude2);
    add_parts(&result->value2, mine.value2);
}

__device__ u64 now_ns()
{
    u64 t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Keeps every multiprocessor busy for `ns`. One thread writes the cycles and
// the nanoseconds that passed meanwhile: the clock as it really ran.
extern "C" __global__ void hone_load(u64 ns, u64 *passed)
{
    const u64 start_ns = now_ns();
    const i64 start = clock64();
    u64 t;
    float a = threadIdx.x, b = 1.0f;
    do {
        for (int i = 0; i < 256; ++i) {
            a = fmaf(a, 1.0001f, b);
            b = fmaf(b, 0.9999f, a);
        }
        t = now_ns();
    } while (t - start_ns < ns);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        passed[0] = (u64)(clock64() - start);
        passed[1] = t - start_ns;
    }
    if (a == 1.2345f)
        passed[2] = __float_as_uint(a + b);
}

// Fills the shared memory of a multiprocessor, of which each block has all
// there is. None ends before all others have begun, so that each has a
// multiprocessor of its own.
extern "C" __global__ void hone_poison(u32 word, int n_words)
{
    extern __shared__ u32 words[];
    volatile u32 *to = words;
    const i64 start = clock64();
    for (int i = threadIdx.x; i < n_words; i += blockDim.x)
        to[i] = word;
    while (clock64() - start < 8192)
        ;
}

// Holds the stream for `ns`, so that what follows is queued before it begins.
extern "C" __global__ void hone_hold(u64 ns)
{
    const u64 start_ns = now_ns();
    while (now_ns() - start_ns < ns)
        ;
}
