#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight threads of one program whose calls are recorded, answered and computed
# both ways at once. Under ThreadSanitizer, too: the library is linked in front
# of cuBLAS there.
. "$HONE_SOURCE/tests/blas/blas_test.sh"
HONE_DB=$work/tuned.db
# threads MODE: 200 calls of each of eight threads.
threads() {
    command="HONE_BLAS=$1 blas_linked"
    code=0
    HONE_BLAS=$1 HONE_BLAS_FILE=$work/shapes.txt "$tests/blas_linked" 200 7 4 8 \
        >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq 0 ] || fail "expected exit code 0"
    err_has "1600 matrix products of"
}
threads record
grep '^gemm' "$work/shapes.txt" | sort -k 3,3nr | head -n 4 |
    awk '{ print $1, $2, $3 }' >"$work/top.txt"
run 0 tune gemm/plain --shapes "$work/top.txt" --device cpu -q
"$tests/blas_baseline" "$HONE_DB" 1000
threads on
grep -q '; [1-9][0-9]* answered by tuned' "$work/err" || fail "none is answered"
HONE_BLAS_CHECK=2
export HONE_BLAS_CHECK
threads on
grep -q '[1-9][0-9]* computed both ways, 0 wrong' "$work/err" ||
    fail "no check, or a wrong one"
