#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What plain `hone verify FILE` covers: every type, every listed value, several
# shapes; and what it says about the rest.
. "$(dirname "$0")/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR

# A copy, transposed or not, of two types. TRANSPOSED is an element of it.
copy() { # OP TRANSPOSED CHECK
    cat <<END
#pragma hone op $1(m, n, T in {f32, u8} default f32, TRANSPOSE in {0, 1})
#pragma hone arg x: in T[m*n], y: out T[m*n]
#pragma hone param BLOCK in {64, 128}
#pragma hone launch copy grid(ceildiv(m*n, BLOCK)) block(BLOCK)
#pragma hone check $3
extern "C" __global__ void copy(const T *x, T *y, long long m, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;

    if (i >= m * n)
        return;
    if constexpr (TRANSPOSE == 1)
        y[i] = $2;
    else
        y[i] = x[i];
}
END
}
t='x[i % m * n + i / m]'
check='template.plain tolerance(1) exact(4)'
copy plain "$t" none >"$work/plain.cu"

# A factor that only the transposed path has, and bytes that are one too many:
# neither is in the defaults. BLOCK is not in the code: one compile serves two.
copy wrong "2 * $t" "$check" |
    sed 's/y\[i\] = x\[i\];/y[i] = sizeof(T) == 1 ? x[i] + 1 : x[i];/' \
        >"$work/wrong.cu"
run 1 verify "$work/wrong.cu" --format json
json checked=8 failed=6 cases.0.of=2 cases.3.configurations=2
out_has '"case": "T=f32 TRANSPOSE=1"'
out_has '"case": "T=u8 TRANSPOSE=0"'
out_has "T f32 u8, TRANSPOSE 0 1 in 4 of 4 combinations; 8 of 8 configurations"
out_has "m=1 n=1, m=61 n=37"
out_has "not covered: nothing"
run 1 verify "$work/wrong.cu"
[ "$(tail -n 1 "$work/out" | cut -c1-8)" = covered: ] ||
    fail "the last line does not say what was covered"
# What is given restricts; trailing dimensions that are not, are covered.
run 0 verify "$work/wrong.cu" --dims 8,8,f32,0 --format json
json checked=2 failed=0
out_has "m=2053 n=5, m=5 n=2053"
out_has "m=8 n=8" # the problem itself, behind the edge shapes
out_has "not covered: T other than f32 (--dims); TRANSPOSE other than 0 (--dims)"
run 1 verify "$work/wrong.cu" --dims 8,8,f32 --format json
json checked=4 failed=2
# What is wrong at that problem alone is found.
copy one "$t" "$check" |
    sed 's/y\[i\] = x\[i\];/y[i] = m == 77 ? x[0] : x[i];/' >"$work/one.cu"
run 0 verify "$work/one.cu" --format json
run 1 verify "$work/one.cu" --dims 77,5,f32,0 --format json
json checked=2 failed=2
out_has "at m=77 n=5"
# So does a limit, which is said.
run 0 verify "$work/wrong.cu" --limit 1
out_has "not covered: T=u8 (--limit); TRANSPOSE=1 (--limit)"
run 1 verify "$work/wrong.cu" --limit 2 --format json
json checked=2
out_has "T f32 u8, TRANSPOSE 0 1 in 2 of 4"

# A reference that does not do a type: not covered, and said why.
sed 's/op plain(/op half(/; /^#pragma hone check/i #pragma hone require T != u8 "no bytes"' \
    "$work/plain.cu" >"$work/half.cu"
copy part "$t" "template.half tolerance(1)" >"$work/part.cu"
run 0 verify "$work/part.cu" --limit 2 --format json
out_has "results with T=u8"
out_has "no bytes"
# Nor does the operation itself.
copy few "$t" "$check" |
    sed '/^#pragma hone check/i #pragma hone require T != u8 "not yet"' \
        >"$work/few.cu"
run 0 verify "$work/few.cu" --format json
json checked=4 failed=0
out_has "TRANSPOSE 0 1 in 2 of 4 combinations"
out_has "not covered: T=u8"
out_has "not yet"

# A reference reads arrays of the types it was written for, and no others; it
# does not see arguments behind its own;
# what runs on no shape at all is no success.
cat >"$work/bytes.cu" <<'END'
#pragma hone op bytes(n, T in {u8, f32, i32})
#pragma hone arg x: in T[n], y: out T[n], exclusive: i32, spare: in T[n]
#pragma hone launch bytes grid(1) block(1)
#pragma hone check cpu.scan tolerance(n) exact(2)
extern "C" __global__ void bytes(const T *x, T *y, int exclusive,
                                 const T *spare, long long n)
{
    T sum = 0;

    for (long long i = 0; i < n; ++i) {
        const T before = sum;

        sum += x[i];
        y[i] = exclusive & 1 ? before : sum;
    }
}
END
run 0 verify "$work/bytes.cu" --format json
json checked=3 failed=0 cases.0.compared=false cases.1.compared=true \
    cases.2.compared=true
out_has "not covered: results with T=u8 (cpu.scan: takes arguments of the types"
out_has "f16 f16 i32|f32 f32 i32|i32 i32 i32, not u8 u8 i32 u8)"
run 0 help references
out_has "i32|f32 f32 i32|i32 i32 i32"
sed 's/^#pragma hone check.*/#pragma hone check none\n#pragma hone require n > 100000000/' \
    "$work/bytes.cu" >"$work/idle.cu"
run 1 verify "$work/idle.cu"
err_has "nothing was verified"
