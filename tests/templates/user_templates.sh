#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Templates of users: a sample of each verifies, its broken copy does not
# and elements of the array that its mistake spoils are shown; two are tuned.
#   user_templates.sh DEVICE VARIANTS_PER_TEMPLATE [NAME ..]
set -u
device=$1
sample=$2
shift 2
users=${HONE_SOURCE:?}/tests/templates/user
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HOME=$work
HONE_DB=$work/user.db
HONE_CACHE_DIR=${HONE_TEST_CACHE:-$work/cache}
export HOME HONE_DB HONE_CACHE_DIR
[ "$device" != cpu ] || command -v "${CXX:-c++}" >/dev/null || {
    echo "skipped: there is no C++ compiler"
    exit 77
}
[ $# -gt 0 ] || set -- "$users"/broken/*.sed
failures=0

fail() {
    echo "FAILED: $*"
    cat "$work/out" "$work/err"
    failures=$((failures + 1))
}

# run CODE ARGUMENTS..: the program ends with CODE; it writes to out and err.
run() {
    expected=$1
    shift
    code=0
    "${HONE:?}" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq "$expected" ] || {
        fail "hone $*: exit code $code, not $expected"
        return 1
    }
}

# word NAME WHICH: what the comment `# WHICH: ..` of the broken copy says.
word() { sed -n "s/^# $2: //p" "$users/broken/$1.sed"; }

verify_broken() {
    mkdir "$work/$1"
    cp "$users/$1_plain.cu" "$work/$1"
    sed -f "$users/broken/$1.sed" "$users/$1.cu" >"$work/$1/$1.cu"
    ! cmp -s "$users/$1.cu" "$work/$1/$1.cu" || fail "$1.sed changes nothing"
    dims=$(word "$1" dims)
    # shellcheck disable=SC2086 # the option is there or is not
    run 1 verify "$work/$1/$1.cu" --device "$device" \
        --config "$(word "$1" config)" ${dims:+--dims $dims} \
        --limit 1 || return
    grep -q ' \(wrong\|fault\) ' "$work/out" ||
        fail "the broken $1 is neither wrong nor a fault"
    grep -q "^hone: $1 .*: $(word "$1" array)\[" "$work/err" ||
        fail "of the broken $1: no element of '$(word "$1" array)' is shown"
}

for name in "$@"; do
    name=$(basename "$name" .sed)
    run 0 verify "$users/$name.cu" --device "$device" --limit "$sample" &&
        { grep -q '^checked: [1-9]' "$work/out" || fail "$name: none checked"; }
    verify_broken "$name"
    echo "checked: $name"
done
run 0 tune "$users/transpose.cu" --device "$device" --dims 61,259 --budget 3
run 0 tune "$users/median3.cu" --device "$device" --dims 61,259 --budget 3
exit $((failures > 0))
