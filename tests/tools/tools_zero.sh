#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes of 0: a dimension `from 0` is verified there, others refuse it.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR

# write NAME ITS_CHECK GRID
write() {
    cat >"$work/$1.cu" <<END
#pragma hone op $1(n from 0, m default n + 1) "out[0] = sum of x"
#pragma hone arg x: in f32[n], out: out f32[1]
#pragma hone param BLOCK in {32, 64}
#pragma hone launch total grid($3) block(BLOCK) args(x, out, i64(n))
#pragma hone $2
extern "C" __global__ void total(const float *x, float *out, long long n)
{
    float sum = 0;

    if (threadIdx.x + blockIdx.x)
        return;
    for (long long i = 0; i < n; ++i)
        sum += x[i];
    if (n HONE_LEAST 0)
        out[0] = sum;
}
END
    sed -i "s/HONE_LEAST/$4/" "$work/$1.cu"
}

write plainly "check none" 1 ">="
write total "check template.plainly tolerance(n + 2) exact(8)" 1 ">="
write lazy "check template.plainly tolerance(n + 2) exact(8)" 1 ">"
write divides "check template.plainly tolerance(n + 2) exact(8)" \
    "ceildiv(64, n)" ">="

run 0 verify "$work/total.cu" --format json
json checked=2 failed=0
out_has "n=0"
run 1 verify "$work/lazy.cu" --format json
out_has "at n=0"
# No launch there, where the operation says that 0 is a size like others.
run 1 verify "$work/divides.cu" --format json
json checked=2 failed=2
out_has "at n=0"
out_has "must be positive"
run 0 tune "$work/total.cu" --dims 0 --device cpu --budget 2 --db "$work/db" \
    --format json
json shapes.0.dims.0=0
HONE_TEMPLATE_PATH=$work run 0 list total --format json
json "operations.0.signature=total(n from 0, m default n + 1)"
sed 's/ from 0//' "$work/total.cu" >"$work/whole.cu"
run 3 tune "$work/whole.cu" --dims 0 --device cpu --db "$work/db"
err_has "the dimension n must be at least 1, not 0"
run 3 tune "$work/total.cu" --dims -1 --device cpu --db "$work/db"
err_has "the dimension n must be at least 0, not -1"
