#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How blocks of gemm_grouped find their tiles (gemm_grouped_walk.cuh): every element of
# C has one tile, of its own group, whatever the heights; mistakes are found.
#
#   grouped_walk.sh [CONFIGURATIONS [OF_MISTAKES]]: how many are tried (16)
. "$(dirname "$0")/../tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
limit=${1:-16} limit_of_mistakes=${2:-16}
# verify CODE FILE LIMIT
verify() {
    run "$1" verify "$2" --device cpu --limit "$3" --format json
}
verify 0 "$HONE_SOURCE/tests/templates/grouped/grouped_walk.cu" "$limit"
json failed=0
walk=$HONE_SOURCE/templates/gemm/gemm_grouped_walk.cuh
mkdir "$work/planted"
cp "$HONE_SOURCE"/tests/templates/grouped/*.cu "$work/planted"
# planted PATTERN REPLACEMENT: it is found.
planted() {
    sed "s/$1/$2/" "$walk" >"$work/planted/gemm_grouped_walk.cuh"
    ! cmp -s "$walk" "$work/planted/gemm_grouped_walk.cuh" ||
        fail "gemm_grouped_walk.cuh has changed: no '$1'"
    verify 1 "$work/planted/grouped_walk.cu" "$limit_of_mistakes"
    grep -q '"wrong"' "$work/out" || fail "planted $2: not found wrong"
}
planted 'BM \* SHARED_M - 1' 'BM * SHARED_M - 2'
planted 't.end = end;' 't.end = end + (end < begin + 3);'
planted 'min(band, lines - line_of_band)' 'band'
planted 'next += from \* step' 'next += 0 * step'
planted 'begin = end;' 'begin = end \/ 2 * 2;'
