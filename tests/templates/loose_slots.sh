#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slots that gemm_sm90_loose.cuh fills from rows that begin anywhere by way of raw lines
# (gemm_sm90_raw.cuh), on the cpu device, where copies arrive when they are waited for,
# compared with what the copy engine leaves there: K contiguous and across, ends of K,
# rows and arrays, batches. Nothing is read outside of the arrays; and defects are found.
#
#   loose_slots.sh [EVERY]: every so many of the mistakes are tried; 1 (default): and all forms
. "$(dirname "$0")/../tools/hone_test.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
every=${1:-1} n_planted=0 dims=70,45,131
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
slots=$HONE_SOURCE/tests/templates/loose
gemm=$HONE_SOURCE/templates/gemm
# verify CODE FILE ACROSS_X,ACROSS_Y,BM,BN,BK,WHICH OPTIONS..
verify() {
    code=$1 file=$2 form=$3
    shift 3
    run "$code" verify "$file" --device cpu --format json \
        --dims "$dims,$form" "$@"
}
forms="0,1,256,48,64,3 1,0,128,8,128,3"
[ "$every" -gt 1 ] || forms="$forms 0,0,64,80,128,3 1,1,64,208,64,3"
for form in $forms; do
    verify 0 "$slots/loose_slots.cu" "$form" --limit 1
    json checked=1 failed=0
done
verify 0 "$slots/loose_slots.cu" 0,1,64,16,64,3 --limit 1 --sanitize
json failed=0
for config in RAWS=3,STAGES=3,PARTS=2,UNITS=3 RAWS=4,UNITS=3 FILLERS=1,STAGES=3,PARTS=3; do
    verify 0 "$slots/loose_slots.cu" 1,0,64,48,64,3 --limit 1 --config "$config"
    json checked=1 failed=0
done
mkdir "$work/planted"
cp "$slots"/*.cu "$slots"/*.cuh "$work/planted"
# planted PART PATTERN REPLACEMENT FORM OPTIONS..: it is found in gemm_sm90_PART.cuh.
planted() {
    file=gemm_sm90_$1.cuh
    cp "$gemm/gemm_sm90_raw.cuh" "$gemm/gemm_sm90_loose.cuh" "$work/planted"
    sed "s/$2/$3/" "$gemm/$file" >"$work/planted/$file"
    ! cmp -s "$gemm/$file" "$work/planted/$file" || fail "$file has changed: no '$2'"
    n_planted=$((n_planted + 1))
    if [ $((n_planted % every)) -ne 0 ]; then
        return 0
    fi
    what="$2: $3" form=$4
    shift 4
    verify 1 "$work/planted/loose_slots.cu" "$form" --limit 1 "$@"
    grep -q "\"$outcome\"" "$work/out" || fail "planted $what: not found $outcome"
}
outcome=wrong
planted raw '(own ^ line() % 8)' 'own' 0,0,64,16,64,1
planted raw '((own + 1) ^ line() % 8)' '(own + 1)' 0,0,64,16,64,1
planted raw 'shift \/ 4 \* 8' 'shift \/ 4 * 4' 0,0,64,16,64,1
planted raw 'left -= APART \* P::DEPTH' 'left -= P::DEPTH' 0,0,64,16,64,1
planted raw 'DEEP = APART \* P::DEPTH' 'DEEP = P::DEPTH' 0,0,64,16,64,1
planted raw 'lines : more)\[i\] -= DEEP' 'lines : more)[i] -= 0' 1,0,64,16,64,1
planted raw 'lines : more)\[i\] -= DEEP' 'lines : more)[i] -= 0' 0,0,64,16,64,1
planted raw 'm.pitch \* (DEEP' '8 * (DEEP' 1,0,64,16,64,1
planted raw 'count % 8 != 0' 'count < 0' 0,1,64,16,64,3
planted raw 'first_of(v, count % 8)' 'first_of(v, count % 8 + 1)' 0,1,64,16,64,3
planted raw 'w\[i\] \& 0xffffu' 'w[i]' 0,0,64,16,64,1
planted raw 'more\[2\] > 0' 'false' 0,0,64,16,64,1
planted raw 'i \/ 2 \* 64 < more' '0 < more' 0,0,64,16,128,1
planted raw 'hone::shared_load(tail.at, v)' 'v = uint4{}' 0,0,64,16,64,3
planted raw 'P::BOXES \* 8 + 1;' 'P::BOXES * 8;' 0,0,64,16,64,1
planted loose 'if (ahead.take())' 'if (ahead.take() \&\& ahead.t.col == 0)' 0,0,64,16,64,3
planted loose 'if (steps.take())' 'if (steps.take() \&\& steps.t.row == 0)' 0,0,64,16,64,3
planted loose 'copy16_wait(raws - 1)' 'copy16_wait(raws)' 0,0,64,16,64,1
planted loose 'copy_commit()' 'copy16_wait(9)' 0,0,64,16,64,1
planted loose 'raw + OF_STEP < end ? raw + OF_STEP' 'raw == 0 ? raw' 0,0,64,16,64,1
planted loose 'missing > 0' 'missing > 1' 0,0,64,16,64,1
planted loose 'of_y.ask(raw + BEHIND_X)' 'of_y.ask(raw)' 0,0,64,16,64,3
# The second group: the first one's steps, the first one's raw lines.
planted loose 'steps(walk, K, parts, group)' 'steps(walk, K, parts, 0)' 0,0,64,16,64,1
planted loose 'group \* raws \* OF_STEP' '0' 0,0,64,16,64,1
outcome=fault
planted raw '!wanted || from < m.last' 'true' 0,0,64,16,64,3 --sanitize
planted raw 'down : left) -= DEEP' 'down : left) -= 0' 0,0,64,16,64,1 --sanitize
dims=9,16,65
planted raw 'P::BOXES \* 64 + 16' 'P::BOXES * 64' 0,0,64,16,64,1 --sanitize
dims=64,16,131
planted raw 'P::BOX_ROWS + 8' 'P::BOX_ROWS' 0,0,64,16,64,1,133 --sanitize
# Rows that end within the last 16 bytes of a step.
outcome=wrong dims=70,45,125
planted raw 'left < P::BOXES \* 64, 0' 'left < P::BOXES * 64 - 8, 0' 0,0,64,16,64,1
