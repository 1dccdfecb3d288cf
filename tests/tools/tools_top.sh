#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone top: the last tune, one that runs, a terminal that is as before, and a
# database that nobody locks.
. "$(dirname "$0")/hone_test.sh"
db=$work/known.db
"$(dirname "$HONE")/../tests/make_db" "$db"

# ---- the last tune -------------------------------------------------------------
run 0 top --db "$db" --once
out_has "gemm  "
out_has "ended: too_noisy"
out_has "by trial"
run 0 top --db "$db" --format json
json schema_version=1 op=gemm running=false verdict=too_noisy trials=3 \
    outcomes.ok=2 outcomes.wrong=1 best.config=BLOCK=256 \
    best.time_ns=1500.0 implementations.0.trials=3 implementations.0.ok=2
run 0 top --db "$db" --format csv
out_has "name,trials,ok,device_time_ns,best_ns,default_ns"

# ---- nothing to see ------------------------------------------------------------
run 3 top --db "$work/none.db" --once
err_has "$work/none.db"
run 3 top --db "$work/none.db"
err_has "$work/none.db"
[ ! -e "$work/none.db" ] || fail "looking made a database"
run 2 top gemm
run 2 top --interval 0

# ---- one that was killed elsewhere ---------------------------------------------
# A session without a word of its process, as of a file or of another machine:
# it ends by itself a day after its last trial, and an import ends it at once.
cp "$db" "$work/killed.db"
run 0 sql --write "update session set status = 'running', finished_unix_s = null,
    started_unix_s = unixepoch() - 90000" --db "$work/killed.db"
run 0 sql --write "update trial set started_unix_ns = (unixepoch() - 87000) * 1000000000" --db "$work/killed.db"
run 0 top --db "$work/killed.db" --once
out_has "ended without a word: nothing for a day"
run 0 top --db "$work/killed.db" --interval 1
out_has "ended without a word: nothing for a day"
run 0 sql --write "update trial set started_unix_ns = (unixepoch() - 80000) * 1000000000
    where trial_id = (select max(trial_id) from trial)" --db "$work/killed.db"
run 0 top --db "$work/killed.db" --format json
json running=true lost=false
run 0 export gemm --db "$work/killed.db" -o "$work/killed.jsonl" -q
run 0 import "$work/killed.jsonl" --db "$work/imported.db"
run 0 top --db "$work/imported.db" --interval 1
out_has "ended: "
run 0 sql "select group_concat(distinct status) as of from session_v1" --db "$work/imported.db" --format csv
out_has interrupted

# ---- one that runs -------------------------------------------------------------
# A session whose tuner goes on: lines until somebody ends it, in a file.
command -v sqlite3 >/dev/null || {
    echo "sqlite3 is not installed"
    exit 77
}
ask() { sqlite3 "$db" "$1"; }
ask "update session set status = 'running', finished_unix_s = null,
     started_unix_s = unixepoch() where session_id =
     (select max(session_id) from session)" >/dev/null
"$HONE" top --db "$db" --interval 1 >"$work/out" 2>"$work/err" &
watcher=$!
trap 'kill "$watcher" 2>/dev/null || true
    rm -rf "$work"' EXIT
# shellcheck disable=SC2317 # wait_until calls it
lines() { [ "$(wc -l <"$work/out")" -ge "$1" ]; }
wait_until "a line" lines 1
# The tuner's side writes meanwhile, at once.
for i in 1 2 3 4 5 6 7 8 9 10; do
    ask "pragma busy_timeout = 0; update session set seed = $i" >/dev/null ||
        fail "a reader is in the way"
done
wait_until "three lines" lines 3
out_has "gemm "
kill -INT "$watcher"
code=0
wait "$watcher" || code=$?
[ "$code" -eq 130 ] || fail "Ctrl-C ends it with $code"
# It ends by itself when nothing has run for ten seconds.
"$HONE" top --db "$db" --interval 1 >"$work/out" 2>"$work/err" &
watcher=$!
wait_until "a line" lines 1
ask "update session set status = 'done'" >/dev/null
code=0
wait "$watcher" || code=$?
[ "$code" -eq 0 ] || fail "it ends with $code"
out_has "ended: too_noisy"

# A database that comes later.
later=$work/later.db
"$HONE" top --db "$later" --follow --interval 1 >"$work/out" 2>"$work/err" &
watcher=$!
"$(dirname "$HONE")/../tests/make_db" "$later"
wait_until "a line" lines 1
kill "$watcher"
wait "$watcher" || true

# ---- a terminal ----------------------------------------------------------------
script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 0
ask "update session set status = 'running'" >/dev/null
escape=$(printf '\033')
TERM=xterm
LC_ALL=C
export TERM LC_ALL
# stty as it was before and after; 'q' ends it.
printf 'q' | script -qec "stty -g; '$HONE' top --db '$db'; stty -g" /dev/null \
    >"$work/out" 2>&1 || true
grep -qF "${escape}[?1049h" "$work/out" || fail "another screen"
grep -qF "${escape}[?1049l" "$work/out" || fail "the own screen again"
[ "$(grep -aoE '[0-9a-f]+(:[0-9a-f]+){10,}' "$work/out" | sort -u | wc -l)" -eq 1 ] ||
    fail "the keyboard is not as it was"
# The page stays, below where the screen was left.
tr -d '\r' <"$work/out" | sed "1,/1049l/d" | grep -q '^by trial' ||
    fail "the last page does not stay"
TERM=dumb
"$HONE" top --db "$db" --once >"$work/out" 2>"$work/err"
grep -qF "$escape" "$work/out" && fail "a dumb terminal gets sequences"
exit 0
