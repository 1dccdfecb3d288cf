#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Database files of every format version, and files that are none or not whole:
# exit codes and sentences of the commands that read them.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
old=$HONE_SOURCE/tests/db/version_1.sql
views="winners trials sessions decisions devices coverage"

# ---- every version -----------------------------------------------------------

for version in 1 2 3 4 5 6 7 8 9 10 11; do
    db=$work/version_$version.db
    "$tests/make_version" "$db" $version "$old" || fail "no version $version"
    before=$(cksum <"$db")
    for view in $views; do
        run 0 show "$view" --db "$db" --format json
        mv "$work/out" "$work/$view.$version"
        cmp -s "$work/$view.$version" "$work/$view.1" ||
            fail "$view of version $version are not those of version 1"
    done
    run 0 doctor --db "$db"
    out_has "format $version"
    out_has "1 winners, 3 trials"
    [ "$before" = "$(cksum <"$db")" ] || fail "reading changed version $version"
done
grep -q '"op": "gemm_f16"' "$work/winners.8" || fail "there is a winner"
grep -q '"n_trials": 3' "$work/coverage.8" || fail "there are three trials"

# ---- files that are none -----------------------------------------------------

# refused SENTENCE: by a reader and by a writer, and left as it is.
refused() {
    before=$(cksum <"$work/bad.db")
    for view in $views; do
        run 3 show "$view" --db "$work/bad.db"
        out_empty
        err_has "$work/bad.db"
        err_has "$1"
    done
    run 3 tune saxpy/plain --dims 1000 --device cpu --budget 1 --db "$work/bad.db"
    err_has "$1"
    run 3 pack --db "$work/bad.db" -o "$work/bad.pack"
    err_has "$1"
    for words in "explain gemm_f16" "report -o page.html" "export gemm_f16 -o t.csv" \
        "sql 'SELECT 1'" "diff bad.db version_10.db" "diff version_10.db bad.db" check \
        gc "top --once" "merge bad.db --db version_10.db" "merge version_10.db --db bad.db" \
        "import rows.csv"; do
        (cd "$work" && export HONE_DB=bad.db && eval "run 3 $words" && err_has "$1" &&
            out_empty && err_has bad.db) || exit 1
    done
    for file in page.html t.csv bad.pack; do
        [ ! -e "$work/$file" ] || fail "$file was made of it"
    done
    [ "$before" = "$(cksum <"$work/bad.db")" ] || fail "it was changed"
}

whole=$work/version_11.db
run 0 export gemm_f16 --db "$whole" -o "$work/rows.csv"
whole_before=$(cksum <"$whole")
: >"$work/bad.db"
run 3 show --db "$work/bad.db"
err_has "bad.db' is empty"
echo "some notes" >"$work/bad.db"
refused "not a database"
for bytes in 100 4096 20000; do
    head -c $bytes "$whole" >"$work/bad.db"
    refused damaged
done
cp "$whole" "$work/bad.db"
"$tests/damage_db" "$work/bad.db" "pragma application_id = 7"
refused "not a database of hone"
cp "$whole" "$work/bad.db"
"$tests/damage_db" "$work/bad.db" "pragma user_version = 99"
refused "format 99"
err_has "newer hone"
run 3 show --db "$work"
err_has "folder"
run 3 show --db "$work/none.db"
err_has "hone tune"
[ ! -e "$work/none.db" ] || fail "a reader made a file"

[ "$whole_before" = "$(cksum <"$whole")" ] || fail "a merge of a bad file changed its target"

# ---- no room -------------------------------------------------------------------

# Files may not grow beyond 64 KiB: what was stored before is there.
cp "$whole" "$work/full.db"
(
    trap '' XFSZ
    ulimit -f 128
    run 3 tune saxpy/plain --dims 1000 --device cpu --budget 3 --db "$work/full.db"
    err_has "disk"
) || exit 1
for view in $views; do
    run 0 show "$view" --db "$work/full.db" --op gemm_f16 --format json
    cmp -s "$work/out" "$work/$view.8" || fail "$view: a full disk lost rows"
done
