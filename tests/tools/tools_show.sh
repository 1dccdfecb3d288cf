#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone show: every view, its filters and formats, on a database with known
# contents; and a database that may not be written.
. "$(dirname "$0")/hone_test.sh"
db=$work/known.db
"$(dirname "$HONE")/../tests/make_db" "$db"

run 0 show --db "$db"
[ "$(wc -l <"$work/out")" -eq 4 ] ||
    fail "what is the same, a title and two winners"
out_has "in all rows: device Test GPU, mode cold, time 1.500 us, default 2.250 us, gain 1.50, winner BLOCK=256"
# Both times are of the final, not of the trials; a decision that is none says
# so.
for verdict in decided too_noisy; do
    grep -q "  $verdict  " "$work/out" ||
        fail "no row is one measurement that is $verdict"
done
cp "$work/out" "$work/first"
run 0 show winners --db "$db"
cmp -s "$work/first" "$work/out" || fail "winners is the default"
HONE_DB=$db run 0 show --format json
json schema_version=1 winners.0.op=gemm winners.1.op=saxpy \
    winners.1.dims=1000,4 winners.1.time_ns=1500.0 \
    winners.1.config=BLOCK=256 "winners.1.decided_by=by far" \
    "winners.1.device_name=Test GPU" winners.1.mode=cold \
    winners.1.default_time_ns=2250.0 winners.1.gain=1.5 \
    winners.1.verdict=decided winners.0.verdict=too_noisy \
    winners.1.is_default=0
run 0 show winners --db "$db" --op saxpy --format csv
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "a head line and one winner"
out_has ",1500.0,2250.0,1.5,decided,"

# Fastest first, failures last; every trial is there.
run 0 show trials --db "$db" --format json
json trials.6.outcome
run 0 show trials --db "$db" --op saxpy --dims 1000,f32 --format json
json trials.0.config=BLOCK=256 trials.1.config=BLOCK=128 \
    trials.2.outcome=wrong "trials.2.message=off by one" \
    trials.2.time_ns=null trials.0.timing=graph trials.0.n_discarded=2 \
    trials.0.sample_time_ns=7000 "trials.0.compiler_warnings="
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
json sessions.0.op=gemm sessions.0.n_trials=3 sessions.0.status=done \
    sessions.1.n_trials=1 sessions.2.budget=60s sessions.0.verdict=too_noisy \
    sessions.0.noise_floor=0.25 sessions.0.event_floor_ns=null \
    sessions.0.device_busy_ns=70 sessions.0.device_wall_ns=100 \
    sessions.1.verdict=null sessions.2.verdict=decided
run 0 show sessions --db "$db"
out_has "decided"

# The last session first, and in it the last decision.
run 0 show decisions --db "$db" --format json
json decisions.0.op=gemm decisions.0.kind=winner decisions.0.ratio=0.625 \
    decisions.0.config=BLOCK=256 decisions.0.against_config=BLOCK=128 \
    decisions.0.ratio_low=0.5 decisions.0.ratio_high=0.75 \
    decisions.0.n_samples=40 decisions.1.kind=finalist \
    decisions.1.ratio=null decisions.1.against_config=null \
    decisions.2.op=saxpy decisions.3.kind=finalist
run 0 show decisions --db "$db"
[ "$(wc -l <"$work/out")" -eq 6 ] || fail "what is the same, a title and four decisions"
out_has "40 % faster"
# The rows are chosen before they are counted, wherever they are.
run 0 show decisions --db "$db" --where op=saxpy --limit 1 --format json
json decisions.0.op=saxpy
run 0 show decisions --db "$db" --sort decision_id --limit 1 --format json
json decisions.0.decision_id=1
run 0 show decisions --db "$db" --op saxpy --limit 1 --format csv
cat >"$work/expected" <<'END'
session_id,op,label,mode,kind,ratio,n_samples,config,against_config,text
1,saxpy,n=1000 T=f32,cold,winner,0.625,40,BLOCK=256,BLOCK=128,"40 % faster, ""by far"""
END
diff "$work/expected" "$work/out" || fail "a head line and one decision"
run 0 show decisions --db "$db" --dims 2000 --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "no decision at 2000"

run 0 show devices --db "$db" --format json
json devices.0.name="Test GPU" devices.0.sm_count=132
run 0 show devices --db "$db" --op nothing --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "no device has that op"
run 0 show coverage --db "$db" --format json
json coverage.1.op=saxpy coverage.1.n_problems=2 coverage.1.n_winners=1 \
    coverage.1.n_trials=4 coverage.1.n_ok=2
run 0 show coverage --db "$db" --op saxpy --dims 5
out_empty

# Of many trials the last have to do, and it says so; what is chosen is all.
large=$work/large.db
"$(dirname "$HONE")/../tests/make_large" "$large" 100040
run 0 show parameters --db "$large" --format json
err_has "of the last 100000 trials; --op, --dims and --mode choose others"
json parameters.0.op=op_0
run 0 show parameters --db "$large" --op op_0 --where parameter=STAGES \
    --format json
[ ! -s "$work/err" ] || fail "all trials of an operation were counted"
# 126 shapes of it, each tuned four times with ten trials, of which one is wrong.
json parameters.0.n_trials=1260 parameters.0.n_ok=1134 parameters.3.value=4
rm "$large"

# A file of an older format is shown as it is, and not changed.
# Filters by any column, sorting.
run 0 show trials --db "$db" --where 'time_ns<2000' --format csv
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "two trials are below 2 us"
run 0 show trials --db "$db" --where 'outcome!=ok' --where op=saxpy \
    --format json
json trials.0.outcome=wrong
run 0 show trials --db "$db" --where 'config~*=256' --where message= \
    --format csv
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "a pattern, and what is unknown"
run 0 show trials --db "$db" --where dims=1000,4 --sort time_ns:desc \
    --limit 1 --format json
json trials.0.config=BLOCK=128
run 0 show trials --db "$db" --sort op:desc --sort config --format json
json trials.0.op=saxpy
# Times have units, in what is printed and in what is asked.
run 0 show trials --db "$db" --where 'time_ns<2us' --format csv
[ "$(wc -l <"$work/out")" -eq 3 ] || fail "two trials are below 2 us"
run 0 show trials --db "$db" --where 'time_ns>=0.002 ms' --where op=saxpy --format csv
[ "$(wc -l <"$work/out")" -eq 2 ] || fail "one trial is not below 2 us"
run 2 show trials --db "$db" --where 'time_ns<2uz'
err_has "'time_ns' is a time, and '2uz' is none"
# Of a column without unit this is text, which is no number.
run 0 show trials --db "$db" --where 'n_samples=2us' --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "2us is no number of samples"
# CSV has the columns of the text, and all of JSON's with --full.
run 0 show trials --db "$db" --format csv --full
head -n 1 "$work/out" | tr , '\n' | sort >"$work/columns"
run 0 show trials --db "$db" --format json --limit 1
grep -o '"[a-z_0-9]*":' "$work/out" | tr -d '":' | grep -vx 'schema_version\|trials' |
    sort | cmp -s - "$work/columns" || fail "CSV with --full lacks columns"
run 2 show trials --db "$db" --where tme_ns=1
err_has "--where: trials have no column 'tme_ns'; they have trial_id, op, "
err_has "did you mean 'time_ns'?"
run 2 show trials --db "$db" --where time_ns
err_has "--where takes COLUMN, one of = != < <= > >= ~ and a value"
run 2 show trials --db "$db" --sort time_ns:up
err_has "--sort takes COLUMN, COLUMN:asc or COLUMN:desc"
run 2 show trials --db "$db" --sort 'op; drop table trial'
# Values are never part of the statement.
run 0 show trials --db "$db" --where "config=x' OR '1'='1" --format csv
[ "$(wc -l <"$work/out")" -eq 1 ] || fail "a value is a value"

# Nothing: which filter, and what there is.
run 0 show winners --db "$db" --op nosuch --mode hot
out_empty
err_has "there is no winner for --op nosuch, --mode hot; the database has gemm, saxpy"
run 0 show winners --db "$db" --op nosuch --format json
json schema_version=1

# Every view, on a narrow terminal: no line is wider, nothing is lost.
for view in winners trials sessions decisions devices coverage problems stale \
    parameters; do
    run 0 show $view --db "$db" --full
    tr -s ' ,=:' '[\n*]' <"$work/out" | sort -u >"$work/words"
    for width in 40 60 80 120; do
        COLUMNS=$width run 0 show $view --db "$db" --full
        awk -v most=$width 'length($0) > most || / $/ { exit 1 }' "$work/out" ||
            fail "$view is wider than $width, or ends in blanks"
        # No word is broken: what differs is what stands above, or nowhere ("-").
        tr -s ' ,=:' '[\n*]' <"$work/out" | sort -u >"$work/narrow"
        comm -23 "$work/narrow" "$work/words" | grep . &&
            fail "$view has words that it does not have at full width"
        comm -13 "$work/narrow" "$work/words" | grep -v '^-$' | grep . &&
            fail "$view lost words at $width"
    done
    run 0 show $view --db "$db" --format json
    json schema_version=1
done
COLUMNS=120 run 0 show decisions --db "$db" --full
tr -s ' \n' '  ' <"$work/out" | grep -q "40 % faster" || fail "it is wrapped"
run 0 show parameters --db "$db" --op saxpy --format json
json parameters.0.parameter=BLOCK parameters.0.value=64 parameters.0.n_ok=0 \
    parameters.1.value=128 parameters.2.best_ns=1500.0
run 0 show problems --db "$db" --op saxpy --format json
json problems.0.dims=1000,4 problems.0.time_ns=1500.0 \
    problems.0.config=BLOCK=256 problems.0.verdict=decided \
    problems.1.time_ns=null problems.1.n_trials=1
# Configurations as what differs from the default, BLOCK=128.
run 0 show trials --db "$db" --op saxpy --dims 1000
out_has "(default)"
run 0 show trials --db "$db" --op saxpy --dims 1000 --full
out_has "BLOCK=128"

if command -v sqlite3 >/dev/null; then
    sqlite3 "$work/old.db" <"$HONE_SOURCE/tests/db/version_1.sql" >/dev/null
    for view in winners trials sessions decisions devices coverage; do
        run 0 show "$view" --db "$work/old.db" --format csv
        expected=2
        [ "$view" = trials ] && expected=4
        [ "$view" = decisions ] && expected=1
        [ "$(wc -l <"$work/out")" -eq "$expected" ] || fail "old: $view"
    done
    [ "$(sqlite3 "$work/old.db" 'PRAGMA user_version')" -eq 1 ] ||
        fail "reading changed the format"
fi

# What is later is of the same compiler, and another driver than the winner's.
cp "$db" "$work/stale.db"
run 0 sql --write "insert into toolchain (name, version) values ('nvrtc', '13.1'), ('c++', '14')" --db "$work/stale.db"
for driver in 13010 13000; do
    run 0 sql --write "insert into device select (select max(device_id) + 1 from device),
        printf('%064d', $driver), kind, name, arch, sm_count, memory_bytes + $driver, l2_bytes, '$driver', facts
        from device where device_id = 1" --db "$work/stale.db"
done
run 0 show stale --op gemm --db "$work/stale.db" --format csv
out_has "compiled by nvrtc 13.0; later runs have nvrtc 13.1"
out_has "tuned with driver 13000; later runs have 13010"

# What an older format does not have is said, with what to do, not in SQL.
for version in 1 2 3 4 5 6 7 8 9 10; do
    old=$work/old_$version.db
    "$(dirname "$HONE")/../tests/make_version" "$old" $version "$HONE_SOURCE/tests/db/version_1.sql"
    before=$(cksum <"$old")
    while read -r least command; do
        expected=0
        [ "$version" -ge "$least" ] || expected=3
        # shellcheck disable=SC2086 # a list of words
        run $expected $command --db "$old"
        [ "$expected" -eq 0 ] || err_has "run: hone merge"
    done <<END
2 show problems
2 show fleet
9 show pareto
2 diff session:1 session:1
6 report -o $work/report.html
6 explain gemm_f16
1 show stale
1 show parameters
1 show models
END
    [ "$before" = "$(cksum <"$old")" ] || fail "reading changed format $version"
done

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
# So do all commands that only read, without a word about locks: nobody can write.
for words in "explain saxpy" "report -o -" "export saxpy -o -" "sql 'SELECT 1'" \
    check "diff $work/locked/known.db $work/locked/known.db"; do
    command="hone $words, read-only"
    # shellcheck disable=SC2086
    eval "HOME=$work/nobody HONE_DB=$work/locked/known.db $other $work/hone $words" \
        >"$work/out" 2>"$work/err" || fail "reading it should work"
    [ ! -s "$work/err" ] || fail "nothing is wrong"
done
# Those that write say it, and lose nothing.
for words in gc "merge $db" "sql --write 'DELETE FROM trial'"; do
    command="hone $words, read-only"
    code=0
    # shellcheck disable=SC2086
    eval "HOME=$work/nobody HONE_DB=$work/locked/known.db $other $work/hone $words" \
        >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq 3 ] || fail "it should end with 3, not $code"
    err_has "$work/locked/known.db"
done
cmp -s "$db" "$work/locked/known.db" || fail "it was changed"
chmod 755 "$work/locked"
