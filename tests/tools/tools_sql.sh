#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone sql: one statement, which reads unless somebody says otherwise; and the
# examples of hone-db(5).
. "$(dirname "$0")/hone_test.sh"
db=$work/known.db
"$(dirname "$HONE")/../tests/make_db" "$db"
sum() { cksum <"$db"; }
before=$(sum)

run 0 sql "SELECT op, count(*) AS n FROM trial_v1 GROUP BY op ORDER BY op" \
    --db "$db"
out_is "op     n
gemm   3
saxpy  4"
run 0 sql "SELECT op, count(*) AS n FROM trial_v1 GROUP BY op ORDER BY op" \
    --db "$db" --format json
json schema_version=1 rows.0.op=gemm rows.0.n=3 rows.1.n=4
run 0 sql "SELECT 'a,b' AS x, NULL AS y, 1.5 AS \"count(*), all\"" --db "$db" \
    --format csv
out_is 'x,y,"count(*), all"
"a,b",,1.5'
# Two columns of one name; no row; all columns of the widest view.
run 0 sql "SELECT 1 AS n, 2 AS n" --db "$db" --format json
json rows.0.n=1 rows.0.n_2=2
run 0 sql "SELECT op FROM trial_v1 WHERE 0" --db "$db" --format csv
out_is op
run 0 sql "SELECT * FROM trial_v1" --db "$db" --format json
json rows.0.outcome
# From standard input, with a semicolon and a comment.
command="hone sql -"
printf 'SELECT 7 AS n -- seven\n; \n' | "$HONE" sql - --db "$db" --format csv \
    >"$work/out" 2>"$work/err"
out_is "n
7"

# Mistakes: SQLite's sentence, and where.
run 2 sql "SELECT op FRM trial_v1" --db "$db"
err_has 'near "trial_v1": syntax error, at character 15: trial_v1'
run 2 sql "SELECT nosuch FROM trial_v1" --db "$db"
err_has "no such column: nosuch, at character 8"
run 2 sql "SELECT 1; SELECT 2" --db "$db"
err_has "one statement at a time"
run 2 sql "SELECT 1; -- and
    SELECT 2" --db "$db"
run 0 sql "SELECT 1; -- of all" --db "$db"
run 0 sql "SELECT 1;; /* of all */ ;" --db "$db"
run 2 sql "" --db "$db"
err_has "there is no statement"
run 2 sql "/* of all */" --db "$db"
err_has "there is no statement"
run 2 sql "SELECT ?1" --db "$db"
err_has "has parameters"
run 3 sql "SELECT 1" --db "$work/none.db"
run 2 sql --db "$db"

# Reading is all that is allowed.
for statement in "DELETE FROM trial" "UPDATE session SET seed = 1" \
    "CREATE TABLE t(x)" "DROP VIEW trial_v1" "ATTACH '$work/other.db' AS o" \
    "PRAGMA journal_mode = DELETE" "PRAGMA user_version = 99" "VACUUM" \
    "VACUUM INTO '$work/other.db'" "BEGIN" "CREATE TEMP TABLE t(x)" \
    "WITH x AS (SELECT 1) INSERT INTO toolchain SELECT 9, 'a', 'b'"; do
    run 2 sql "$statement" --db "$db"
    err_has "does more than it may"
done
[ ! -e "$work/other.db" ] || fail "another file was made"
[ "$(sum)" = "$before" ] || fail "the database has changed"

# With --write rows change, all or nothing; what hone relies on does not.
run 0 sql "UPDATE session SET seed = 77" --write --db "$db"
out_has "changed: 3"
run 0 sql "SELECT DISTINCT seed FROM session_v1" --db "$db" --format csv
out_is "seed
77"
run 3 sql "UPDATE session SET mode = 'warm'" --write --db "$db"
err_has "CHECK constraint failed"
run 3 sql "DELETE FROM device" --write --db "$db"
err_has "FOREIGN KEY constraint failed"
for statement in "DROP TABLE trial" "CREATE TABLE t(x)" "ALTER TABLE trial ADD y" \
    "ATTACH '$work/other.db' AS o" "PRAGMA user_version = 99" \
    "DROP TRIGGER trial_counted"; do
    run 2 sql "$statement" --write --db "$db"
    err_has "does more than it may"
done
run 2 sql "DELETE FROM sqlite_master" --write --db "$db"
run 0 sql "SELECT count(*) AS n FROM trial" --db "$db" --format json
json rows.0.n=7

# The examples of hone-db(5), line by line, on this database.
# shellcheck disable=SC2016 # backquotes of Markdown
sed -n '/^```sh$/,/^```$/p' "$HONE_SOURCE/db/FORMAT.md" |
    grep -E '^(hone|sqlite3) ' >"$work/examples"
[ "$(wc -l <"$work/examples")" -ge 6 ] || fail "there are fewer examples"
cd "$work"
cp "$db" hone.db
PATH=$(dirname "$HONE"):$PATH
HONE_DB=$work/hone.db
export HONE_DB
while read -r line; do
    case $line in
    sqlite3*) command -v sqlite3 >/dev/null || continue ;;
    esac
    command=$line
    code=0
    sh -c "$line" >out 2>err </dev/null || code=$?
    [ "$code" -eq 0 ] || fail "an example of hone-db(5)"
    case $line in
    *writefile* | *.backup*) ;;
    *) [ -s out ] || fail "an example of hone-db(5) prints nothing" ;;
    esac
done <examples

# Rows that are replaced are taken from the counts and answers, too.
run 0 sql --write "REPLACE INTO trial SELECT * FROM trial" --db "$db"
run 0 sql --write "REPLACE INTO ranking (problem_id, device_id, mode, rank, trial_id,
        session_id, time_ns, decided_by, ranked_unix_s)
    SELECT problem_id, device_id, mode, rank, trial_id, session_id, time_ns + 1,
        decided_by, ranked_unix_s FROM ranking" --db "$db"
run 0 check --db "$db"
