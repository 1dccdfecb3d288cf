#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every status that hone.h documents for a function is provoked: it has a ROW in
# test_runtime_errors.c, or a test with the comment "hone.h: FUNCTION, STATUS".
# What a function has of others ("what hone_open() returns") is not asked again.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header="${HONE_SOURCE:?}/runtime/hone.h"
tests="$HONE_SOURCE/tests/runtime"

# A comment's statuses behind @return, then the function that is declared.
awk '
    /^\/\*\*/ { n = 0; returns = 0 }
    /@return/ { returns = 1 }
    returns {
        line = $0
        while (match(line, /HONE_ERR_[A-Z_]+/)) {
            found[++n] = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
        }
    }
    /\*\// { returns = 0 }
    /^HONE_API/ {
        match($0, /hone_[a-z_]+\(/)
        name = substr($0, RSTART, RLENGTH - 1)
        for (i = 1; i <= n; ++i) print name ", " found[i]
        n = 0
    }' "$header" | sort -u >"$work/documented"
[ "$(wc -l <"$work/documented")" -gt 40 ] || {
    echo "few errors are read of $header"
    exit 1
}
{
    sed -n 's/^ *ROW(\(hone_[a-z_]*, HONE_ERR_[A-Z_]*\),.*/\1/p' \
        "$tests/test_runtime_errors.c"
    cat "$tests"/test_runtime_*.c "$tests"/small_library.sh |
        sed -n 's/.*hone\.h: \(hone_[a-z_]*, HONE_ERR_[A-Z_]*\).*/\1/p'
} | sort -u >"$work/provoked"
diff "$work/documented" "$work/provoked" || {
    echo "the errors that hone.h documents (<) are not those provoked (>)"
    exit 1
}
