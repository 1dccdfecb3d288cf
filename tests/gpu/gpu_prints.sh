#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a kernel prints is seen with --verbose, on stderr and nowhere else; and
# not at all without.
. "$(dirname "$0")/gpu_test.sh"
cat >"$scratch/prints.cu" <<'END'
#include <cstdio>
#pragma hone op prints(n)
#pragma hone arg y: out f32[n]
#pragma hone launch prints grid(ceildiv(n, 64)) block(64) args(y, i32(n))
#pragma hone check none
extern "C" __global__ void prints(float *y, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;

    if (i == 0)
        printf("n is %d\n", n);
    if (i < n)
        y[i] = 1.0f;
}
END
verify() { # verify [OPTION]
    "$HONE" verify "$scratch/prints.cu" --device "$DEVICE" --dims 10 \
        --format csv "$@" >"$scratch/out" 2>"$scratch/err"
}
verify --verbose
expect "a kernel that prints is verified" test $? -eq 0
expect "its lines are on stderr" grep -q '^n is 1$' "$scratch/err"
expect "and not among the results" test "$(grep -c 'n is' "$scratch/out")" -eq 0
verify
expect "without --verbose too" test $? -eq 0
expect "no line is shown then" \
    test "$(cat "$scratch/out" "$scratch/err" | grep -c 'n is')" -eq 0
exit $((failures > 0))
