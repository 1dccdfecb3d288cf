#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input: a sentence that says what is wrong and what to do, exit 3.
. "$(dirname "$0")/hone_test.sh"
mini=$fixtures/mini.cu

bad() { # bad TEXT ARGUMENTS..
    text=$1
    shift
    run 3 "$@"
    out_empty
    err_has "hone: error: "
    err_has "$text"
}

# Five mistakes, five located messages.
run 3 space "$fixtures/five_mistakes.cu"
out_empty
[ "$(grep -cE '^[^ ]*five_mistakes\.cu:[0-9]+:[0-9]+: error: ' \
    "$work/err")" -eq 5 ] || fail "five located messages"
for line in 4 5 6 7 9; do
    err_has "five_mistakes.cu:$line:"
done
[ "$(grep -c '\^' "$work/err")" -ge 5 ] || fail "five carets"
err_has "did you mean 'work'?"
run 3 expand "$fixtures/five_mistakes.cu"
run 3 tune "$fixtures/five_mistakes.cu" --dims 1

bad "saxpy" space saxpyy
err_has "saxpyy"
bad "nosuch.cu" space ./nosuch.cu
bad "nosuch.json" space nosuch.json
bad "only 'hone space nosuch.json' reads it" expand nosuch.json
bad "gemm(M, N, K" space gemm/wmma --dims 1,2
bad "gemm(M, N, K" space gemm/wmma --dims 1,2,3,99
bad "mini(n" space "$mini" --dims -5
bad "mini(n" space "$mini" --dims 0
bad "mini(n" space "$mini" --dims 12x
bad "mini(n" space "$mini" --dims 99999999999999999999
bad "mini(n" space "$mini" --dims 12,i8
bad "sm_99" space "$mini" --arch sm_99
bad "BLOK" expand "$mini" --config BLOK=64
bad "BLOCK" expand "$mini" --config BLOCK=65
bad "too much per block" expand "$mini" --config BLOCK=256,VEC=4
bad "16 bytes" expand "$mini" --dims 1,f64 --config VEC=4
bad "there is no database" run saxpy --dims 1 --device cpu
# A template that the cpu device cannot run is skipped, but not unread.
run 3 verify "$fixtures/cuda_only.cu" --dims 12x
err_has "cuda_only(n"
run 3 verify "$fixtures/cuda_only.cu" --config BLOCK=65
err_has "BLOCK"
run 0 verify "$fixtures/cuda_only.cu" --dims 12
err_has "skipped"

# A reference that does not exist is said once, before anything is compiled.
sed '/#pragma hone work/a #pragma hone check cpu.nosuch tolerance(4)' \
    "$mini" >"$work/unchecked.cu"
for how in "verify --seed 1" "tune --dims 1K --db $work/checks.db" \
    "bench --dims 1K --db $work/none.db --config BLOCK=64" \
    "run --dims 1K --db $work/checks.db"; do
    # shellcheck disable=SC2086 # the options of a command
    HONE_CACHE_DIR=$work/unused run 3 ${how%% *} "$work/unchecked.cu" \
        --device cpu ${how#* }
    [ "$(grep -c "there is no CPU reference 'cpu.nosuch'" "$work/err")" -eq 1 ] ||
        fail "the missing reference is to be said once"
    [ -z "$(find "$work/unused" -mindepth 2 2>/dev/null)" ] ||
        fail "something was compiled"
done

# Shapes from a file: the place of a mistake is named, nothing is tuned.
cat >"$work/shapes" <<'END'
# what the program launches
saxpy 1M
saxpy 1M,f64   # the same in double
gemm/wmma 4096,4096
END
bad "shapes:4: " tune --shapes "$work/shapes"
err_has "gemm(M, N, K"
echo 'saxpy 1M again' >"$work/shapes"
bad "shapes:1: a line is an operation, its dimensions" \
    tune --shapes "$work/shapes"
bad "shapes.none" tune --shapes "$work/shapes.none"
[ ! -e "$HOME/.local/share/hone/hone.db" ] || fail "a database was made"

# Databases.
bad "hone tune" show
err_has "$HOME/.local/share/hone/hone.db"
bad "$work/none.db" show --db "$work/none.db"
echo 'this is a text, long enough to be looked at as a database file' \
    >"$work/text.db"
bad "$work/text.db" show --db "$work/text.db"
bad "$work/text.db" tune saxpy --dims 1M --db "$work/text.db"
grep -q '^this is a text' "$work/text.db" || fail "the file was changed"
if command -v sqlite3 >/dev/null; then
    sqlite3 "$work/other.db" 'create table t(x); insert into t values(1)'
    bad "$work/other.db" show --db "$work/other.db"
    bad "$work/other.db" tune saxpy --dims 1M --db "$work/other.db"
    [ "$(sqlite3 "$work/other.db" 'select x from t')" = 1 ] ||
        fail "the other program's database was changed"
fi
