#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Broken copies of the shipped templates: each defect is found by
# `hone verify --device cpu`, with the right diagnosis; those that only a
# sanitizer sees with --sanitize. The default configuration, which is tried
# first, has every defect: it is the only one that is compiled. Under sanitizers one
# shape is enough, and a part of the time.
. "$(dirname "$0")/hone_test.sh"
"${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q / || {
    echo "there is no C++ compiler with AddressSanitizer"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cp "$HONE_SOURCE"/templates/*.cu "$HONE_SOURCE"/templates/*.cuh \
    "$HONE_SOURCE"/templates/gemm/*.cu* "$HONE_SOURCE"/templates/reduction/*.cu* \
    "$HONE_SOURCE"/templates/scan/*.cu* "$HONE_SOURCE"/templates/fft/*.cu* "$work"

# at OP DIMS: the shape of what is sanitized.
at() { echo "$*" >"$work/shape"; }
# broken NAME TEMPLATE SED [--sanitize] WORD..: the copy fails, and one of its
# failures says all the words.
broken() {
    name=$1
    template=$2
    expression=$3
    shift 3
    mkdir "$work/$name"
    cp "$work"/*.cuh "$work/$name"
    sed "$expression" "$work/$template.cu" >"$work/$name/$template.cu"
    cmp -s "$work/$template.cu" "$work/$name/$template.cu" &&
        fail "$name: the defect was not planted"
    file=$work/$name/$template.cu
    if [ "$1" = --sanitize ]; then
        shift
        run 1 verify "$file" --limit 1 --format csv --sanitize --shapes "$work/shape"
    else
        run 1 verify "$file" --limit 1 --format csv
    fi
    for word in "$@"; do
        out_has "$word"
    done
}

# The tail reaches one element too far.
at saxpy 61
broken tail saxpy_stream 's/&& last < n)/\&\& last <= n)/' --sanitize \
    "AddressSanitizer" "saxpy_stream.cu:"
# A sum that forgets the last element behind the last whole pack.
mkdir "$work/rest"
cp "$work"/*.cuh "$work"/sum_*.cu "$work/rest"
sed 's/last - end \* VEC : 0/last - end * VEC - 1 : 0/' "$work/reduction.cuh" \
    >"$work/rest/reduction.cuh"
run 1 verify "$work/rest/sum_stream.cu" --limit 1 --format csv
out_has "wrong"
out_has "integers"
# One barrier fewer: two warps meet in shared memory.
mkdir "$work/barrier"
cp "$work"/*.cuh "$work"/sum_*.cu "$work/barrier"
awk '/__syncthreads\(\);$/ && ++n == 2 { next } { print }' \
    "$work/hone_reduce.cuh" >"$work/barrier/hone_reduce.cuh"
at sum 40009
run 1 verify "$work/barrier/sum_stream.cu" --sanitize --limit 1 --format csv --shapes "$work/shape"
out_has "with no barrier between them"
out_has "sum_stream.cu:"
# Rows of B taken with the wrong stride.
broken stride gemm_wmma 's/return DOWN ? k \* PITCH + i/return DOWN ? k * (PITCH + 8) + i/' \
    "wrong" "integers"
# A tile is refilled while other warps still read it, and one is read before
# it has arrived.
at gemm 61,37,113,f16,f32
broken race gemm_wmma '/read = read + 1 == stages/,/two\[0\]/s/__syncthreads();//' \
    --sanitize "races" "with no barrier between them" "gemm_wmma.cu:"
broken arrival gemm_wmma '/read = read + 1 == stages/,/two\[0\]/s/hone::copy_wait(ahead - 1);//' \
    "wrong"
# The same of rings that ldmatrix reads, and a turn of groups that the copies know
# of and the fragments do not.
broken matrices gemm_mma '/read = read + 1 == stages/,/two\[0\]/s/__syncthreads();//' \
    --sanitize "races" "with no barrier between them" "gemm_mma.cu:"
broken landing gemm_mma '/read = read + 1 == stages/,/two\[0\]/s/hone::copy_wait(ahead - 1);//' \
    "wrong"
mkdir "$work/turn"
cp "$work"/gemm_mma.cu "$work"/*.cuh "$work/turn"
sed 's/(to ^ lies::turn(n \* ROW_STEP))/to/;s/lies::place(row, col \/ 8)/row * lies::LINE + col \/ 8 * 16/' \
    "$work/gemm_mma_parts.cuh" >"$work/turn/gemm_mma_parts.cuh"
run 1 verify "$work/turn/gemm_mma.cu" --limit 1 --format csv
out_has "wrong"
# A tap of the newer group where the older one holds the sample, and groups
# that start too late in front of the signal.
broken window conv1d 's/r >= k ? newer/r > k ? newer/' "wrong"
broken history conv1d 's/block_first - done - history;/block_first - done - history + 4;/' \
    3 "wrong"
# The end of a group of tiles is published without its last tile.
mkdir "$work/group"
cp "$work"/scan* "$work/hone_device.cuh" "$work/group"
sed 's/before + (sum + own)/before + sum/' "$work/hone_lookback.cuh" \
    >"$work/group/hone_lookback.cuh"
run 1 verify "$work/group/scan_tiles.cu" --limit 1 --format csv
out_has "wrong"
# Elements are read before others have written them; a constant that is off by
# 4e-6, in transforms of another size and direction than the default.
mkdir "$work/early" "$work/constant"
cp "$work"/fft_registers.cu "$work"/*.cuh "$work/early"
cp "$work"/fft_registers.cu "$work"/*.cuh "$work/constant"
sed 's/wait();//' "$work/transform.cuh" >"$work/early/transform.cuh"
sed 's/0x1.d906bcp-1f/0x1.d906fcp-1f/' "$work/butterflies.cuh" \
    >"$work/constant/butterflies.cuh"
at fft 64,3
run 1 verify "$work/early/fft_registers.cu" --sanitize --limit 1 --format csv --shapes "$work/shape"
out_has "with no barrier between them"
run 1 verify "$work/constant/fft_registers.cu" --dims 256,1,2 --limit 1 --format csv
out_has "wrong"
out_has "n=256"
run 0 verify fft/registers --dims 64,1,2 --limit 1 --format json
json checked=1 failed=0
run 3 verify fft/registers --dims 1000
# The references, which have no parameters.
run 0 verify saxpy/plain --format json
json checked=2 failed=0
run 0 verify fft/plain --dims 16,3,1 --format json
json checked=1 failed=0
printf 'fft %s\n' 1024,2,2 8192,1,1 >"$work/sizes"
run 0 verify fft/plain --shapes "$work/sizes" --format json
json checked=2 failed=0
printf 'fft_filter %s\n' 16,3 2048,2 >"$work/sizes"
run 0 verify fft_filter/plain --shapes "$work/sizes" --format json
json checked=2 failed=0
# The shipped ones have none of this: tools_examples.sh runs saxpy and sum under sanitizers,
# as the help has it, tools_verify_shipped.sh looks at more.
