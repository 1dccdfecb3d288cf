// Everything that need not be there, and numbers that are no integers.
#pragma hone op choices(h, w, BIAS in {0-1}, TAPS in 1..8 default 3)
#pragma hone arg x: in f32[h][w], bias: in optional(BIAS) f32[w], \
    y: out f32[h][w]
#pragma hone param SPLIT in {1, 2, 4}
#pragma hone param SCALE in {0.5, 1.0, 1e-3} default 1.0 when SPLIT > 1
#pragma hone param BLOCK in {64, 128} for device sm >= 90 in {256}
#pragma hone param ORDER in {rows, columns} when BIAS && device.sm >= 80
#pragma hone launch choices grid(ceildiv(w, BLOCK), h) block(BLOCK) \
    args(x, bias, y, f32(SCALE), f64(-0.5), i64(w))
extern "C" __global__ void
choices(const float *x, const float *bias, float *y, float scale, double shift,
        long long w)
{
    if constexpr (ORDER == ORDER_values::rows)
        y[0] = x[0] * (float)SCALE + TAPS; // @{SCALE}
}
