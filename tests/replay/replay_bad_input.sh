#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that are no recordings, and recordings without an answer: one
# sentence that names the file and the place, the exit code, no database.
. "$(dirname "$0")/../tools/hone_test.sh"
rec=$here/recordings

# bad SENTENCE FILE: both commands refuse it.
bad() {
    run 3 simulate "$2" --score
    err_has "$1"
    err_has "$(basename "$2")"
    err_lines 1
    out_empty
    run 3 tune --device "replay:$2" --db "$work/never.db"
    err_has "$1"
    out_empty
    [ ! -e "$work/never.db" ] || fail "a bad recording left a database"
}
bad "cannot open" "$work/missing.json"
echo "hello, world" >"$work/text"
bad "text:1:1: this is not JSON" "$work/text"
: >"$work/empty"
bad "empty:1:1: the text ends too early" "$work/empty"
echo '{"winner": 1}' >"$work/shape.json"
bad "this is not a recording: expected T4 results" "$work/shape.json"
echo '[1, 2]' >"$work/list.json"
bad "list.json:1:1: this is not a recording" "$work/list.json"
echo '{"results": []}' >"$work/none.json"
bad "there is no trial in this file" "$work/none.json"
gzip -c "$rec/small_t4.json" | head -c 300 >"$work/cut.json.gz"
bad "the gzip file is truncated" "$work/cut.json.gz"
head -c 700 "$rec/small_t4.json" >"$work/cut.json"
bad "the text ends" "$work/cut.json"
bad "it is a folder" "$work"
"$(dirname "$HONE")/../tests/make_db" "$work/known.db"
gzip "$work/known.db"
bad "unpack it first" "$work/known.db.gz"
printf 'SQLite format 3\0 and then nothing of the kind' >"$work/odd.db"
bad "odd.db" "$work/odd.db"

# A good file before a bad one: nothing is printed.
run 3 simulate "$rec/small_t4.json" "$work/none.json"
out_empty

# Everything failed: the commands ran, the answer is negative.
run 1 simulate "$rec/all_failed_t4.json" --score --format json
json files.0.valid=0 files.0.best_ns=null files.0.score=null mean=null \
    "files.0.message=every recorded configuration failed"
run 1 tune --device "replay:$rec/all_failed_t4.json" --db "$work/new.db" \
    --format json
json shapes.0.winner=null shapes.0.time_ns=null shapes.0.trials=5
json "shapes.0.message=1 of 5: constraint, 1: compile, 1: launch, 1: timeout, \
1: wrong"
err_has "error: $rec/all_failed_t4.json has no winner: 1 of 5: constraint"
