#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What warps pack beside the product (gemm_sm90_meanwhile.cuh, gemm_sm90_patches.cuh), on the cpu device, where
# copies arrive when they are waited for: each step finds what the copy engine would bring
# of aligned rows, in whatever order units are done, K contiguous and across, ends of K,
# rows and arrays, batches, parts of K, several blocks and one. Nothing is read outside of
# the arrays; and defects are found.
#
#   loose_meanwhile.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all forms
. "$(dirname "$0")/../tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
every=${1:-1} n_planted=0
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
slots=$HONE_SOURCE/tests/templates/loose
gemm=$HONE_SOURCE/templates/gemm
# verify CODE FILE DIMS OPTIONS..
verify() {
    code=$1 file=$2 dims=$3
    shift 3
    run "$code" verify "$file" --device cpu --format json --limit 1 \
        --dims "$dims" "$@"
}
# right DIMS CONFIG OPTIONS..
right() {
    dims=$1 config=$2
    shift 2
    verify 0 "$slots/loose_meanwhile.cu" "$dims" --config "$config" "$@"
    json failed=0
    ! grep -q '"checked": 0' "$work/out" || fail "$dims: nothing was checked"
}
right 300,290,700,0,1,128,208,64,3 PARTS=3,UNITS=3
right 70,45,131,0,0,64,16,64,3 UNITS=1
if [ "$every" -eq 1 ]; then
    right 600,530,531,1,1,64,48,128,3 RAWS=3,PARTS=2
    right 70,45,131,0,0,64,16,64,3 UNITS=1 --sanitize
    right 300,290,700,1,0,256,80,64,3 RAWS=4,UNITS=3,ALONG_N=true
    right 600,530,531,1,1,64,48,128,1 RAWS=3,UNITS=3,GROUP=8
    right 301,530,531,0,0,64,48,128,2 RAWS=3,UNITS=3,GROUP=8
    right 70,45,131,1,1,128,8,64,3 RAWS=3 --sanitize
fi
mkdir "$work/planted"
cp "$slots"/*.cu "$slots"/*.cuh "$work/planted"
# planted PATTERN REPLACEMENT DIMS CONFIG OPTIONS..: it is found in the file that has it.
planted() {
    is_there=false
    for file in gemm_sm90_meanwhile.cuh gemm_sm90_patches.cuh; do
        sed "s/$1/$2/" "$gemm/$file" >"$work/planted/$file"
        cmp -s "$gemm/$file" "$work/planted/$file" || is_there=true
    done
    $is_there || fail "the files have changed: no '$1'"
    n_planted=$((n_planted + 1))
    if [ $((n_planted % every)) -ne 0 ]; then
        return 0
    fi
    what="$1: $2" dims=$3 config=$4
    shift 4
    verify 1 "$work/planted/loose_meanwhile.cu" "$dims" --config "$config" "$@"
    grep -q "\"$outcome\"" "$work/out" || fail "planted $what: not found $outcome"
}
outcome=wrong near=300,290,700,0,0,128,48,64,3 far=300,290,700,1,1,128,48,64,3
# What a step waits for.
planted 'k < known' 'known > 0' $near PARTS=1
planted 'patches = (__ffs' 'patches = 1 + (__ffs' $near PARTS=1
planted 'lane < 16 ? of_x' 'lane < 1 ? of_x' $near PARTS=1
planted 'missing \& 0xffff)' '0)' $near PARTS=1
planted 'missing >> 16)' '0)' $near PARTS=1
planted 'of_x::FIRST | of_y' '0 \& of_y' $near PARTS=1
planted 'begin_tile() { known = 0; }' 'begin_tile() {}' $near PARTS=1
planted 'down \* matrix.across() +' 'down +' $near PARTS=1
planted 'min(matrix.lines - (int)down' 'min(1 + 0 * (int)down' $far PARTS=1
planted 'batch \* matrix.of_matrix() +' '' $near PARTS=1
planted 'x.of_matrix() \* batches, t.col' '0, t.col' $near PARTS=1
# What a unit is, and where it goes.
planted 'u.batch \* m.step' '0' $near PARTS=1
planted 'high\[i\], begin % 8' 'high[i], 0' $near PARTS=1
planted 'lane <= groups \&\&' 'lane < groups \&\&' $near PARTS=1
planted 'if (lane == 31' 'if (lane == 30' $near PARTS=1
planted 'first == UNIT_LINES - PLACE_LINES' 'first == 0' $near PARTS=1
planted '(int)is_end << 16' '0 << 16' $near PARTS=1 --sanitize
planted 'ask_part(place + 16' 'ask_part(place' $near PARTS=1
planted 'of_unit \* PLACE_LINES \* pitch' '0 * pitch' $near PARTS=1
planted 'round \/ UNIT_ROUNDS % 2' '0' $near PARTS=1
planted 'packer.move(place, moved' 'packer.move(first, moved' $near PARTS=1
outcome=fault
planted 'm.groups() - group, PATCH' 'm.groups(), PATCH' $near PARTS=1
outcome=timeout
planted 'whole \* (part + 1) \/ parts' 'whole * part \/ parts' $near PARTS=3 --trial-timeout 40
planted 'whole == ~0u' 'whole != ~1u' $near PARTS=1 --trial-timeout 40
