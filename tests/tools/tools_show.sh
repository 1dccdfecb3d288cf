#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone show: every view, its filters and formats, on a database with known
# contents; and a database that may not be written.
. "$(dirname "$0")/hone_test.sh"
db=$work/known.db
"$(dirname "$HONE")/../tests/make_db" "$db"

run 0 show --db "$db"
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "a title and two winners"
out_has "BLOCK=256"
out_has "1.500 us"
cp "$work/out" "$work/first"
run 0 show winners --db "$db"
cmp -s "$work/first" "$work/out" || fail "winners is the default"
HONE_DB=$db run 0 show --format json
json schema_version=1 winners.0.op=gemm_f16 winners.1.op=saxpy \
    winners.1.dims=1000,4 winners.1.time_ns=1500.0 \
    winners.1.config=BLOCK=256 "winners.1.decided_by=by far" \
    "winners.1.device_name=Test GPU" winners.1.mode=cold
run 0 show winners --db "$db" --op saxpy --format csv
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "a head line and one winner"

# Fastest first, failures last; every trial is there.
run 0 show trials --db "$db" --format json
json trials.6.outcome
run 0 show trials --db "$db" --op saxpy --dims 1000,f32 --format json
json trials.0.config=BLOCK=256 trials.1.config=BLOCK=128 \
    trials.2.outcome=wrong "trials.2.message=off by one" \
    trials.2.time_ns=null
# Trailing dimensions may be left out, sizes may have a suffix.
run 0 show trials --db "$db" --op saxpy --dims 1000 --format csv
[ "$(wc -l <"$work/out")" -eq 4 ] || fail "three trials"
run 0 show trials --db "$db" --op saxpy --dims 1K --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "nothing at 1024"
run 0 show trials --db "$db" --dims 100 --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "100 is not the beginning of 1000"
run 0 show trials --db "$db" --limit 2 --format csv
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "--limit 2 gives two"
run 0 show trials --db "$db" --mode hot --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "nothing is hot"
run 3 show trials --db "$db" --dims 1000,f99
err_has "f99"

run 0 show sessions --db "$db" --format json
json sessions.0.op=gemm_f16 sessions.0.n_trials=3 sessions.0.status=done \
    sessions.1.n_trials=1 sessions.2.budget=60s
run 0 show devices --db "$db" --format json
json devices.0.name="Test GPU" devices.0.sm_count=132
run 0 show devices --db "$db" --op nothing --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "no device has that op"
run 0 show coverage --db "$db" --format json
json coverage.1.op=saxpy coverage.1.n_problems=2 coverage.1.n_winners=1 \
    coverage.1.n_trials=4 coverage.1.n_ok=2
run 0 show coverage --db "$db" --op saxpy --dims 5
out_empty

# Nobody may write it: reading works, tuning says so before it starts. Root
# may write everything, so take another user.
other=""
if [ "$(id -u)" -eq 0 ]; then
    if ! command -v setpriv >/dev/null; then
        echo "skipped the read-only part: setpriv is not installed"
        exit 0
    fi
    other="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
mkdir "$work/locked" "$work/nobody"
chmod 777 "$work/nobody"
cp "$db" "$work/locked/known.db"
chmod 444 "$work/locked/known.db"
chmod 555 "$work/locked"
# The tree may be where the other user cannot look.
cp "$HONE" "$work/hone"
cp -r "$HONE_SOURCE/templates" "$work/templates"
HONE_TEMPLATE_PATH=$work/templates
chmod -R a+rX "$work/templates" "$work/hone"
chmod 755 "$work"
code=0
command="hone tune, read-only database"
# shellcheck disable=SC2086 # a command and its options
HOME=$work/nobody $other "$work/hone" tune saxpy --dims 1M \
    --db "$work/locked/known.db" >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 3 ] || fail "a read-only database should end with 3"
err_has "$work/locked/known.db"
out_empty
# shellcheck disable=SC2086
HOME=$work/nobody $other "$work/hone" show --db "$work/locked/known.db" \
    >"$work/out" 2>"$work/err" || fail "reading it should work"
out_has "BLOCK=256"
chmod 755 "$work/locked"
