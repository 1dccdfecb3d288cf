#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A reference that crashes is one message of verify and of tune, with the same
# exit code: it says nothing about any configuration.
. "$(dirname "$0")/hone_test.sh"
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR

# op NAME CHECK STATEMENT
op() {
    cat <<END >"$work/$1.cu"
#pragma hone op $1(n) "y = x"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone param BLOCK in {64, 128, 256}
#pragma hone launch copy grid(ceildiv(n, BLOCK)) block(BLOCK)
#pragma hone check $2
extern "C" __global__ void copy(const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;

    if (i < n)
        $3;
}
END
}
op crash none '*(volatile float *)8 = x[i]'
op user "template.crash tolerance(1)" 'y[i] = x[i]'
for how in "verify" "tune --dims 1000 --device cpu --db $work/a.db"; do
    # shellcheck disable=SC2086 # several words
    run 3 $how "$work/user.cu"
    err_has "user.cu:5: the reference template.crash is broken"
    [ "$(grep -c "is broken" "$work/err")" -eq 1 ] || fail "said more than once"
    ! grep -q fault "$work/out" || fail "a configuration is blamed"
done
