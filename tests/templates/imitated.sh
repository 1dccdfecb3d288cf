# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Common to tests that run a part of gemm/sm90 on the cpu device, where what Hopper does
# is imitated: sourced with $folder, beside this file, which has gemm_$folder.cu, and $every:
# every so many of the mistakes are tried.
# shellcheck disable=SC2154 # of hone_test.sh
. "$HONE_SOURCE/tests/tools/hone_test.sh"
imitated=gemm_$folder.cu every=${every:-1} n_planted=0
HONE_CACHE_DIR=$work/cache
export HONE_CACHE_DIR
cp "$HONE_SOURCE"/templates/*.cuh "$HONE_SOURCE"/templates/gemm/*.cuh \
    "$HONE_SOURCE/tests/templates/hopper_host.cuh" \
    "$HONE_SOURCE/tests/templates/$folder"/* "$work"
mkdir "$work/planted"
# right DIMS CONFIG
right() {
    run 0 verify "$work/$imitated" --device cpu --format json --limit 1 \
        --dims "$1" --config "$2"
    json failed=0
    ! grep -q '"checked": 0' "$work/out" || fail "$1 $2: nothing was checked"
}
# more DIMS CONFIG: where all is tried.
more() {
    [ "$every" -ne 1 ] || right "$@"
}
# planted FILE PATTERN REPLACEMENT DIMS CONFIG: it is found.
planted() {
    cp "$work"/*.cuh "$work/$imitated" "$work/planted"
    sed "s/$2/$3/" "$work/$1" >"$work/planted/$1"
    ! cmp -s "$work/$1" "$work/planted/$1" || fail "$1 has changed: no '$2'"
    n_planted=$((n_planted + 1))
    if [ $((n_planted % every)) -ne 0 ]; then
        return 0
    fi
    run 1 verify "$work/planted/$imitated" --device cpu --limit 1 --format json \
        --dims "$4" --config "$5"
    grep -q '"outcome": "\(wrong\|unstable\|fault\)"' "$work/out" ||
        fail "planted $3: not found wrong"
}
