#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slots that gemm_sm90_loose.cuh fills from rows that begin anywhere, on the cpu device,
# compared with what the copy engine leaves there: K contiguous and across, ends of K,
# rows and arrays, batches. Nothing is read outside of the arrays; and defects are found.
#
#   loose_slots.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all forms
. "$(dirname "$0")/../tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
every=${1:-1} n_planted=0
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
slots=$HONE_SOURCE/tests/templates/loose
loose=$HONE_SOURCE/templates/gemm/gemm_sm90_loose.cuh
# verify CODE FILE ACROSS_X,ACROSS_Y,BM,BN,BK,WHICH OPTIONS..
verify() {
    code=$1 file=$2 form=$3
    shift 3
    run "$code" verify "$file" --device cpu --format json \
        --dims "70,45,131,$form" "$@"
}
forms="0,1,256,48,64,3 1,0,128,8,128,3"
[ "$every" -gt 1 ] || forms="$forms 0,0,64,80,128,3 1,1,64,208,64,3"
for form in $forms; do
    verify 0 "$slots/loose_slots.cu" "$form" --limit 1
    json checked=1 failed=0
done
verify 0 "$slots/loose_slots.cu" 0,1,64,16,64,3 --limit 1 --sanitize
json failed=0
mkdir "$work/planted"
cp "$slots"/*.cu "$slots"/*.cuh "$work/planted"
# planted PATTERN REPLACEMENT FORM OPTIONS..: it is found.
planted() {
    sed "s/$1/$2/" "$loose" >"$work/planted/gemm_sm90_loose.cuh"
    ! cmp -s "$loose" "$work/planted/gemm_sm90_loose.cuh" ||
        fail "gemm_sm90_loose.cuh has changed: no '$1'"
    n_planted=$((n_planted + 1))
    if [ $((n_planted % every)) -ne 0 ]; then
        return 0
    fi
    what=$2 form=$3
    shift 3
    verify 1 "$work/planted/loose_slots.cu" "$form" --limit 1 "$@"
    grep -q "\"$outcome\"" "$work/out" || fail "planted $what: not found $outcome"
}
outcome=wrong
planted '(own_piece() ^ own_line() % 8)' 'own_piece()' 0,0,64,16,64,1
planted 'left -= P::DEPTH' 'left -= 0' 0,0,64,16,64,1
planted 'down -= P::DEPTH' 'down -= 0' 1,0,64,16,64,1
planted 'if (n < 8)' 'if (n < 0)' 0,1,64,16,64,3
planted 'P::DEPTH \/ 8 \* m.pitch' 'P::DEPTH \/ 8' 1,0,64,16,64,1
planted 'box_of(round) \* 64, 8' '0, 8' 0,0,64,16,128,1
planted 'if (next.begins)' 'if (next.t.id < 0)' 0,0,64,16,64,3
planted 'if (from + 1 >= m.last)' 'if (from < nullptr)' 0,0,64,16,64,3
outcome=fault
planted 'is_line \&\& from < m.last' 'is_line' 0,0,64,16,64,3 --sanitize
planted 'is_more \&\& from + 1 < m.last' 'is_more' 1,1,64,16,64,3 --sanitize
planted 'at + last + 2 > m' 'at + last + 1 > m' 0,0,64,16,64,3 --sanitize
