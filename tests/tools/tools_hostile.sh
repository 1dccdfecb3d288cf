#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are not files: a sentence at once, whatever is named. No wait for
# a pipe that nobody writes, no gigabytes of a device, no end of the program by
# a signal.
. "$(dirname "$0")/hone_test.sh"
tests=$(dirname "$HONE")/../tests
mini=$fixtures/mini.cu
db=$work/good.db
"$tests/make_version" "$db" 11 "$HONE_SOURCE/tests/db/version_1.sql" ||
    fail "no database"

# at_once CODE WORD ARGUMENTS..: the command ends by itself, in a sentence.
at_once() {
    expected=$1
    word=$2
    shift 2
    command="hone $*"
    code=0
    timeout 600 "$HONE" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" -eq "$expected" ] || fail "expected exit code $expected"
    err_has "hone: "
    err_has "$word"
    [ "$(wc -c <"$work/err")" -lt 4000 ] || fail "a sentence, not a book"
}

# ---- what may be found under a name ------------------------------------------

mkdir "$work/a" "$work/a/folder"
ln -s /dev/zero "$work/a/zero"
mkfifo "$work/a/pipe"
truncate -s 100G "$work/a/endless"
kinds="zero pipe folder endless"
if command -v python3 >/dev/null; then
    (cd "$work/a" && python3 -c '
import socket
socket.socket(socket.AF_UNIX).bind("socket")') && kinds="$kinds socket"
fi

for kind in $kinds; do
    case $kind in
    zero) word=device ;;
    endless) word=MiB ;;
    *) word=$kind ;;
    esac
    for name in t.cu t.json t.txt t.gz t.csv; do
        ln -sfn "a/$kind" "$work/$name"
    done
    at_once 3 "$word" space "$work/t.cu"
    at_once 3 "$word" expand "$work/t.cu"
    at_once 3 "$word" tune "$work/t.cu" --dims 1 --device cpu --db "$work/none.db"
    at_once 3 "$word" space "$work/t.json"
    at_once 3 "$word" tune --shapes "$work/t.txt" --db "$work/none.db"
    at_once 3 "$word" tune saxpy --dims 1K --start "$work/t.txt" --db "$work/none.db"
    [ "$kind" = endless ] || at_once 3 "$word" simulate "$work/t.gz"
    # A database and a table may be that long: they are looked at where they begin.
    [ "$kind" != endless ] || word=hone
    at_once 3 "$word" simulate "$work/t.json"
    at_once 3 "$word" import "$work/t.csv" --db "$work/none.db"
    at_once 3 "$word" show --db "$work/t.txt"
    at_once 3 "$word" check "$work/t.txt"
    at_once 3 "$word" merge "$work/t.txt" --db "$work/all.db"
    at_once 3 "$word" diff "$db" "$work/t.txt"
    HONE_DB=$work/t.txt at_once 3 "$word" run saxpy --dims 1K --device cpu

    # A header: as if it were not there.
    rm -rf "$work/h" && mkdir "$work/h"
    sed '1i #include "h.cuh"' "$mini" >"$work/h/t.cu"
    ln -s "../a/$kind" "$work/h/h.cuh"
    expected=1
    word=h.cuh
    [ "$kind" != endless ] || expected=3
    at_once $expected "$word" tune "$work/h/t.cu" --dims 1K --device cpu \
        --budget 1 --db "$work/none.db"

    # What SQLite keeps beside a database.
    for ending in -journal -wal -shm; do
        cp "$db" "$work/beside.db"
        ln -sfn "a/$kind" "$work/beside.db$ending"
        [ "$kind" = endless ] || at_once 3 "beside.db$ending" show --db "$work/beside.db"
        rm "$work/beside.db$ending"
    done
done

# ---- writing -----------------------------------------------------------------

# Nobody reads what is printed: an error with a sentence, and no signal.
mkfifo "$work/unread"
exec 3<>"$work/unread"
exec 4>"$work/unread"
exec 3<&-
command="hone help to a closed pipe"
code=0
"$HONE" help >&4 2>"$work/err" || code=$?
exec 4>&-
[ "$code" -eq 3 ] || fail "expected exit code 3"
err_has "cannot write the result: Broken pipe"

# A file may not grow: a sentence, and what was there stays.
(
    ulimit -f 8
    for words in "pack --db $db -o $work/full.pack" "report --db $db -o $work/full.html" \
        "merge $db --db $work/full.db" "export gemm_f16 --db $db -o $work/full.csv"; do
        code=0
        # shellcheck disable=SC2086 # words of a command
        "$HONE" $words >"$work/out" 2>"$work/err" || code=$?
        command="hone $words"
        case $words in
        export*) [ "$code" -eq 0 ] || [ "$code" -eq 3 ] ;; # a short table fits
        *) [ "$code" -eq 3 ] ;;
        esac || fail "the file may not grow: exit code $code"
        [ "$code" -eq 0 ] || err_has "hone: error: "
    done
    [ "$code" -lt 128 ]
) || exit 1

# ---- spaces without a compact form -------------------------------------------

# 40 parameters in 400 conditions that tie them all together: within the memory
# and the time that were given, and the sentence names a constraint.
awk 'BEGIN {
    srand(7)
    print "{\"ConfigurationSpace\": {\"TuningParameters\": ["
    for (i = 0; i < 40; ++i)
        printf "%s{\"Name\": \"p%d\", \"Values\": [1,2,3,4,5,6,7,8]}\n", i ? "," : "", i
    print "], \"Conditions\": ["
    for (i = 0; i < 400; ++i)
        printf "%s{\"Expression\": \"p%d*3 + p%d*5 - p%d*7 + p%d > %d\"}\n", i ? "," : "",
            int(rand() * 10), 10 + int(rand() * 10), 20 + int(rand() * 10),
            30 + int(rand() * 10), int(rand() * 20) - 15
    print "]}}"
}' >"$work/tied.json"
at_once 3 "takes more than 32 MiB" space "$work/tied.json" --space-memory 32
err_has "the constraint that makes most of them is $work/tied.json:"
err_has "> "
at_once 3 "takes more than 1 seconds" space "$work/tied.json" --space-time 1
err_has "--space-time"
run 0 space "$fixtures/mini.cu" --space-memory 1

# ---- databases made to do harm -------------------------------------------------

# Views that never end.
cp "$db" "$work/endless.db"
for view in winner_v1 trial_v1 coverage_v1; do
    columns=$("$HONE" sql "SELECT * FROM $view LIMIT 1" --db "$db" --format csv |
        sed "s/,/,n || 'x' AS /g; s/^/n || 'x' AS /; q")
    "$tests/damage_db" "$work/endless.db" "DROP VIEW $view; CREATE VIEW $view AS
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
        SELECT $columns FROM r" || fail "no endless $view"
done
export HONE_DB_SECONDS=1
for words in "show winners" "show coverage" "doctor" "report -o $work/page.html"; do
    # shellcheck disable=SC2086 # words of a command
    code=0 && timeout 600 "$HONE" $words --db "$work/endless.db" \
        >"$work/out" 2>"$work/err" || code=$?
    command="hone $words"
    [ "$code" -lt 124 ] || fail "it does not end"
    grep -q "seconds of computing" "$work/out" "$work/err" || fail "no sentence"
done
unset HONE_DB_SECONDS

# What is stored goes to a terminal as letters.
cp "$db" "$work/escape.db"
"$tests/damage_db" "$work/escape.db" "UPDATE device SET name =
    'A' || char(27) || '[2J' || char(27) || ']0;owned' || char(7) || char(155) || '31m'"
"$tests/damage_db" "$work/escape.db" "UPDATE trial SET message = 'B' || char(27) || '[31m'"
for words in "show winners" "show trials" "show devices" "show sessions" "show coverage" \
    "explain gemm_f16" "sql 'SELECT * FROM device'" "top --once" "doctor" \
    "diff $work/escape.db $db" "export gemm_f16 --as csv -o -" "check" "list gemm_f16"; do
    for format in text json; do
        code=0
        eval "HONE_DB=$work/escape.db \"\$HONE\" $words --format $format" \
            >"$work/out" 2>"$work/err" </dev/null || code=$?
        command="hone $words --format $format"
        cat "$work/out" "$work/err" >"$work/both"
        LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$work/both" &&
            fail "a control character is printed"
        LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$work/both" &&
            fail "a control character of eight bits is printed"
    done
done
true
