#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dimensions that are left out, on the cpu device: defaults that are
# expressions of other dimensions, empty fields, names, and a kernel that
# ignores a pitch. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/dims.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY

# template NAME CHECK PITCH: rows of x that lie PITCH apart.
template() {
    cat >"$work/$1.cu" <<END
// SPDX-License-Identifier: Apache-2.0
#pragma hone op $1(ROWS, COLS, T in {f32, f64} default f32, PITCH default COLS, BATCH default 1) "y = 2*x"
#pragma hone arg x: in T[BATCH*ROWS*PITCH], y: out T[BATCH*ROWS*COLS]
#pragma hone require PITCH >= COLS
#pragma hone launch $1 grid(ceildiv(BATCH*ROWS*COLS, 32)) block(32) args(x, y, i64(ROWS), i64(COLS), i64(PITCH), i64(BATCH))
#pragma hone check $2
extern "C" __global__ void $1(const T *x, T *y, long long rows,
                              long long cols, long long pitch, long long batch)
{
    const long long i = (long long)blockIdx.x * 32 + threadIdx.x;

    if (i < batch * rows * cols)
        y[i] = 2 * x[i / cols * $3 + i % cols];
}
END
}
template plain none pitch
template good "template.plain exact(3)" pitch
template bad "template.plain exact(3)" cols
good=$work/good.cu

run 0 list good --template-path "$work"
out_has good

# Every other shape has no gaps between rows: the last one finds it.
run 0 verify "$good" --format json
json checked=2 failed=0
run 1 verify "$work/bad.cu" --format json
out_has "ROWS=61 COLS=37 T=f32 PITCH=40"

run 0 tune "$good" --dims ROWS=16,COLS=24,BATCH=2 --device cpu --format json
json shapes.0.dims.3=24 shapes.0.dims.4=2 \
    "shapes.0.label=ROWS=16 COLS=24 T=f32 BATCH=2"
printf '%s 16,24,,,2\n%s COLS=24,ROWS=16,T=f32,PITCH=28\n' "$good" "$good" \
    >"$work/shapes"
run 0 tune --shapes "$work/shapes" --device cpu --format json
json shapes.0.dims.3=24 shapes.1.dims.3=28 \
    "shapes.1.label=ROWS=16 COLS=24 T=f32 PITCH=28 BATCH=1"
for dims in 16,24,,,2 16,24,f32,24,2 16,24,BATCH=2 "16, 24, , 24, BATCH = 2"; do
    run 0 run "$good" --dims "$dims" --device cpu --format json
    json correct=true match=exact dims.3=24 dims.4=2
done
run 0 run "$good" --dims 16,24,,28 --device cpu --format json
json correct=true match=exact dims.3=28 dims.4=1
# BATCH twice as large; that PITCH follows COLS makes it no farther.
run 0 run "$good" --dims 16,48,,,2 --device cpu --format json
json correct=true match=neighbour dims.3=48
run 0 bench "$good" --dims 16,24,BATCH=2 --device cpu --format csv
run 0 space "$good" --dims COLS=4,ROWS=2
run 0 expand "$good" --dims COLS=4,ROWS=2,T=f64
out_has double

# refused DIMS WORDS: a sentence that lists the names.
refused() {
    run 3 run "$good" --dims "$1" --device cpu
    err_has "good(ROWS, COLS, T, PITCH, BATCH): $2"
}
refused 16,,,24 "the dimension COLS has no default, and is not given"
refused ROWS=16 "the dimension COLS has no default, and is not given"
refused 16,24,PICH=3 "'PICH' is none of its dimensions; did you mean 'PITCH'?"
refused 16,24,ROWS=3 "'ROWS' is given twice"
refused 16,24,T=f32,3 "'3' stands behind a dimension with a name, and has none"
refused 16,24,T= "'T' is given no value"
refused 1,2,3,4,5,6 "takes 2 to 5 dimensions, but 6 were given"
