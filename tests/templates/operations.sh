#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every implementation of the operations of operations.list: verified on the
# cpu device at the shapes there, or compiled for each architecture, on which
# each operation has one that is no reference.
#   operations.sh verify LIMIT PART OF    a configuration of each at its first
#                                         shape and, but for lines with a `-`,
#                                         on edge shapes; with a LIMIT above 1 at every
#                                         shape, references too, and LIMIT of
#                                         them sanitized, as many at each shape.
#                                         Every OF-th line from PART on
#   operations.sh compile LIMIT PART OF [ARCH ..]
#                                         likewise, for these architectures, or
#                                         all
set -u
what=$1 limit=$2 part=$3 of=$4
shift 4
architectures=${*:-sm_75 sm_80 sm_89 sm_90 sm_100 sm_120}
list=$HONE_SOURCE/tests/templates/operations.list
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
HONE_CACHE_DIR=$work/cache
HONE_TEMPLATE_PATH=$HONE_SOURCE/templates
export HONE_CACHE_DIR HONE_TEMPLATE_PATH
failures=0
n_checked=0

skip() {
    echo "$*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    cat "$work/err"
    failures=$((failures + 1))
}

# applying OP DIMS OPTIONS..: its implementations that are no libraries.
applying() {
    op=$1 dims=$2
    shift 2
    "$HONE" list "$op" --dims "$dims" "$@" --format csv 2>"$work/err" |
        awk -F, '($3 == "template" || $3 == "reference") && $4 == "true" {
            print $2 ~ /\.cu$/ ? $1 : $1 "/" $2, $3 }'
}

# verified NAME DIMS LIMIT [--sanitize]: what `hone verify` counts says whether
# anything was done.
verified() {
    set -- "$@" --dims "$2"
    if [ -n "$alone" ] && [ "$limit" -eq 1 ]; then
        echo "${1%%/*} $2" >"$work/alone"
        set -- "$1" "$2" "$3" --shapes "$work/alone"
    fi
    this=$1 dims=$2 n=$3
    shift 3
    "$HONE" verify "$this" --device cpu "$@" --limit "$n" -q --trial-timeout 600 \
        --format json >"$work/out" 2>"$work/err" || {
        fail "verify $this --dims $dims --limit $n $*"
        cat "$work/out"
        return
    }
    n=$(sed -n 's/^ *"checked": \([0-9]*\),$/\1/p' "$work/out")
    [ "${n:-0}" -gt 0 ] || fail "verify $this --dims $dims $*: none was checked"
    n_checked=$((n_checked + ${n:-0}))
}

# verify OP DIMS WHICH: the first shape is 1.
verify() {
    [ "$limit" -gt 1 ] || [ "$3" -eq 1 ] || return 0
    applying "$1" "$2" --device cpu >"$work/names"
    [ -s "$work/names" ] || fail "$1 --dims $2: nothing applies"
    while read -r name kind; do
        if [ "$kind" = template ]; then
            verified "$name" "$2" 1
            [ "$limit" -eq 1 ] ||
                verified "$name" "$2" $(((limit + n_shapes - 1) / n_shapes)) \
                    --sanitize
        elif [ "$limit" -gt 1 ]; then
            verified "$name" "$2" 1
        fi
    done <"$work/names"
}

compiled() {
    "$HONE" compile "$1" --dims "$2" --arch "$3" --limit "$limit" -q \
        --format json >"$work/out" 2>"$work/err" || {
        fail "compile $1 --dims $2 --arch $3"
        cat "$work/out"
    }
    n_checked=$((n_checked + 1))
}

# At one shape, where only one configuration is asked for.
compile() {
    [ "$limit" -gt 1 ] || [ "$3" -eq 1 ] || return 0
    for arch in $architectures; do
        applying "$1" "$2" --arch "$arch" >"$work/names"
        # Of an operation's own line: one implementation may be for few.
        grep -q 'template$' "$work/names" || [ "$1" != "${1%%/*}" ] ||
            fail "$1 --dims $2 has no implementation for $arch"
        while read -r name kind; do
            compiled "$name" "$2" "$arch"
        done <"$work/names"
    done
}

case $what in
verify)
    "${CXX:-c++}" -print-file-name=libasan.so 2>/dev/null | grep -q / ||
        skip "there is no C++ compiler with AddressSanitizer"
    ;;
compile)
    "$HONE" doctor --require nvrtc >/dev/null 2>&1 ||
        skip "no NVRTC here (hone doctor --require nvrtc says so)"
    ;;
esac
line=0
while read -r op shapes; do
    case $op in '' | '#'*) continue ;; esac
    line=$((line + 1))
    alone=
    case $op in -*) op=${op#-} alone=yes ;; esac
    [ $((line % of)) -eq $((part % of)) ] || continue
    which=0
    # shellcheck disable=SC2086 # shapes, separated by blanks
    n_shapes=$(set -- $shapes && echo $#)
    for shape in $shapes; do
        which=$((which + 1))
        $what "$op" "$shape" "$which"
    done
done <"$list"
echo "$n_checked configurations of $line lines, $failures failures"
[ "$failures" -eq 0 ] && [ "$n_checked" -gt 0 ]
