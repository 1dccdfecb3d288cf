#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program that ranks trials by a template's COST, on a space whose order is
# known: COST is the parameter.
#   cost_ranks.sh BENCH
. "$(dirname "$0")/../tools/hone_test.sh"
bench=$1
cat >"$work/toy.cu" <<'END'
#pragma hone op toy(n)
#pragma hone arg x: inout f32[n]
#pragma hone param A in 1..100
#pragma hone require A != 5 || n > 1000 "one configuration less"
#pragma hone feature COST = A*n
#pragma hone launch toy grid(n) block(64) args(x)
extern "C" __global__ void toy(float *x) { x[0] = A; }
END
sed '/feature/d' "$work/toy.cu" >"$work/plain.cu"
# costs CODE FILE: what it says of the trials of stdin
costs() {
    expected=$1
    command="bench_cost $2"
    code=0
    "$bench" "$work/$2" sm_90 >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq "$expected" ] || fail "expected exit code $expected"
}
# A = 11 is within 3 % of the fastest, A = 3 is not; of the first the space has
# nine before it (not A = 5), of the second problem's all.
printf '100\t%s\tA=%s\n' 104 3 100 40 102 11 >"$work/trials"
printf '2000\t%s\tA=%s\n' 50 7 >>"$work/trials"
costs 0 toy.cu <"$work/trials"
out_has "99 valid     3 trials, rank      9"
out_has "100 valid     1 trials, rank      6"
out_has "2 problems: log2(1 + rank) 3.06, below 40 2, below 150 2"
# 60 trials, the slower the cheaper by COST but for one: the first ten have not
# the fastest, the first 20 do.
awk 'BEGIN { for (a = 41; a <= 100; ++a)
    printf "10\t%d\tA=%d\n", a == 55 ? 100 : 300 - a, a }' >"$work/trials"
costs 0 toy.cu <"$work/trials"
out_has "rank     53, of 5 2.550, of 10 2.500, of 20 1.000"
costs 3 plain.cu <"$work/trials"
err_has "has no feature COST"
costs 3 toy.cu </dev/null
err_has "there are no trials"
echo "10 100 A=3" | costs 3 toy.cu
err_has "a line is not"
printf '10\t100\tA=300\n' | costs 3 toy.cu
err_has "A"
