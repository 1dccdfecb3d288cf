#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Another template as reference and as baseline, on the cpu device: a right
# variant and two planted wrong ones, and what is said of a name that is no
# such template. No GPU and no NVRTC.
. "$(dirname "$0")/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_DB=$work/other.db
HONE_CACHE_DIR=$work/cache
HONE_CUDA_LIBRARY=/nonexistent/libcuda.so
HONE_NVRTC_LIBRARY=/nonexistent/libnvrtc.so
export HONE_DB HONE_CACHE_DIR HONE_CUDA_LIBRARY HONE_NVRTC_LIBRARY
cp "$fixtures/norms.cu" "$fixtures/norms_plain.cu" "$work"
norms=$work/norms.cu

# Its dimensions are in another order there.
run 0 tune "$norms" --dims 77,33 --device cpu --strategy exhaustive \
    --format json
json shapes.0.outcomes.ok=1 shapes.0.outcomes.wrong=2 \
    shapes.0.winner=FORM=right shapes.0.notes= \
    shapes.0.baselines.0.name=template.norms_plain \
    shapes.0.baselines.0.time_ns shapes.0.baselines.0.message=
run 0 bench "$norms" --dims 77,33 --device cpu --format csv
out_has "template.norms_plain"
run 0 run "$norms" --dims 77,33 --device cpu --format json
json correct=true
run 1 verify "$norms" --format json
json checked=3 failed=2
out_has "template.norms_plain, integers"
run 0 verify "$norms" --config FORM=right --sanitize --format json
json checked=2 failed=0

# variant NAME EXPRESSION: norms.cu, changed by sed.
variant() {
    sed -e "$2" "$fixtures/norms.cu" >"$work/$1.cu"
}
# refused NAME EXPRESSION WORDS: it is a mistake, with its place.
refused() {
    variant "$1" "$2"
    run 3 tune "$work/$1.cu" --dims 77,33 --device cpu --format json
    err_has "$1.cu:9: template."
    err_has "$3"
}
refused absent 's/norms_plain/norms_plane/' "there is no template 'norms_plane'"
refused itself 's/template\.norms_plain/template.itself/' "vouch for itself"
refused argument 's/arg x:/arg v:/' "its argument 1 is 'x'"
refused mode 's/y: out/y: inout/' "its argument 'y' is marked out"
refused type 's/x: in f32/x: in f64/' "its argument 'x' is f32[2541] here"
refused count 's/out f32\[rows\]/out f32[rows + 1]/' "'y' is f32[33] here"
refused sizes '/^#pragma/s/rows/lines/g' "dimension rows has no default"
sed 's/check none/check template.circle tolerance(9)/' \
    "$fixtures/norms_plain.cu" >"$work/round.cu"
refused circle 's/norms_plain/round/' "vouch for itself"
sed 's/float sum/flaot sum/' "$fixtures/norms_plain.cu" >"$work/broken.cu"
refused uses_broken 's/norms_plain/broken/' "it does not compile"

# What the contract of an operation compares all with is its reference, which
# is right by definition; unless it is marked as that it vouches for itself.
cat >"$work/twice.cuh" <<'END'
#pragma hone op twice(n) "y = 2*x"
#pragma hone arg x: in f32[n], y: out f32[n]
#pragma hone check template.twice_plain tolerance(1) exact(8)
END
# implementation NAME EXPRESSION: y is that.
implementation() {
    cat >"$work/twice_${1%% *}.cu" <<END
#include "twice.cuh"
#pragma hone implements twice/$1
#pragma hone launch twice grid(ceildiv(n, 64)) block(64)
extern "C" __global__ void twice(const float *x, float *y, long long n)
{
    const long long i = blockIdx.x * 64LL + threadIdx.x;

    if (i < n)
        y[i] = $2;
}
END
}
implementation "plain reference" "2 * x[i]"
implementation sum "x[i] + x[i]"
implementation wrong "3 * x[i]"
for name in plain sum; do
    run 0 verify "$work/twice_$name.cu" --format json
    json checked=1 failed=0
done
run 1 verify "$work/twice_wrong.cu" --format json
json checked=1 failed=1
implementation plain "2 * x[i]"
for name in plain sum; do
    run 3 verify "$work/twice_$name.cu"
    err_has "twice.cuh:3: template.twice_plain"
    err_has "vouch for itself"
done

# As a baseline it may fail; the search path is used too.
mkdir "$work/path"
cp "$fixtures/norms_plain.cu" "$work/path/norms_far.cu"
variant baseline 's/check template.norms_plain/check template.norms_far/
    s/baseline template.norms_plain/baseline template.broken/'
HONE_TEMPLATE_PATH=$work/path run 0 tune "$work/baseline.cu" --dims 77,33 \
    --device cpu --strategy exhaustive --format json
json shapes.0.outcomes.wrong=2
out_has "it does not compile"

# One that refuses the problem is left out, and said to be.
sed 's/check none/require rows % 2 == 0 "rows come in pairs"/' \
    "$fixtures/norms_plain.cu" >"$work/pairs.cu"
variant uses_pairs 's/norms_plain/pairs/'
run 0 tune "$work/uses_pairs.cu" --dims 77,33 --device cpu --budget 1 \
    --format json
err_has "check template.pairs was left out"
err_has "rows come in pairs"
out_has "rows come in pairs"
run 0 tune "$work/uses_pairs.cu" --dims 77,34 --device cpu \
    --strategy exhaustive --format json
json shapes.0.outcomes.wrong=2

# Its magnitude is what was subtracted: where the terms cancel, an error in
# proportion to them is still rounding.
difference() {
    cat <<END
// SPDX-License-Identifier: Apache-2.0
#pragma hone op $1(n) "y = x - z, $2"
#pragma hone arg x: in f32[n], z: in f32[n], y: out f32[n]
#pragma hone launch $1 grid(ceildiv(n, 64)) block(64)
#pragma hone check $3
extern "C" __global__ void $1(const float *x, const float *z, float *y,
                              long long n)
{
    const long long i = (long long)blockIdx.x * 64 + threadIdx.x;

    if (i < n)
        y[i] = x[i] - z[i] $4;
}
END
}
difference sure "as it is" none "" >"$work/sure.cu"
difference near "nearly" "template.sure tolerance(4)" "+ x[i] * 1e-7f" \
    >"$work/near.cu"
difference far "not quite" "template.sure tolerance(4)" "+ x[i] * 2e-5f" \
    >"$work/far.cu"
run 0 verify "$work/near.cu" --format json
json checked=1 failed=0
run 1 verify "$work/far.cu" --format json
json checked=1 failed=1
