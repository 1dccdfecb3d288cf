#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trouble from outside: the GPU worker killed, the GPU's memory taken by
# another program, several tuners at once, a thermal slowdown. Each is
# recorded as what it was, and costs no more than it must.
# One line per case: name: got. Without arguments all cases: worker, memory,
# tuners, slowdown. $N is the budget of the longer runs.
. "$(dirname "$0")/gpu_test.sh"
N=${N:-400}
tests=$(dirname "$HONE")/../tests
tune() { "$HONE" tune "$@" --device "$DEVICE"; }

# ---- the GPU worker is killed --------------------------------------------

wait_for_trials() { # wait_for_trials N PID
    for _ in $(seq 600); do
        if [ "$(n_trials)" -ge "$1" ] || ! kill -0 "$2" 2>/dev/null; then
            return
        fi
        sleep 0.05
    done
}
kill_worker() {
    new_db
    "$HONE" tune saxpy --device "$DEVICE" --dims 3000017 --budget "$N" \
        >"$scratch/killed" 2>&1 &
    tuner=$! # not of a shell between
    n_killed=0
    for n in $((N / 20)) $((N / 4)) $((N / 2)) $((N * 3 / 4)); do
        wait_for_trials $n $tuner
        pkill -9 -P $tuner -x hone-trial && n_killed=$((n_killed + 1))
    done
    wait $tuner
    code=$?
    n=$(n_trials)
    distinct=$(ask "select count(distinct variant_id) from trial")
    other=$(ask "select count(*) from trial where outcome <> 'ok'")
    retried=$(ask "select count(*) from decision where kind = 'retried'")
    echo "worker killed: $n_killed times; exit $code, $n trials," \
        "$other not ok, $retried retried"
    expect "the worker was found and killed" test $n_killed -ge 3
    expect "the run goes on to its end" test $code -eq 0
    expect "no trial is lost or done twice" \
        test "$n" -eq "$N" -a "$distinct" -eq "$N"
    expect "no variant is blamed" test "$other" -eq 0
    expect "the trials in flight were repeated" test "$retried" -ge 1
    expect_whole
}

# ---- another program has the memory ----------------------------------------

# With less and less left, a run must work with smaller copies, then say that
# memory is short; it must never end in any other way.
fill_memory() {
    n_smaller=0
    n_refused=0
    for left in 4096 1500 1300 1200 1100 1000 900 800 700 600 500 400; do
        "$tests/fill_memory" $left >"$scratch/filled" 2>&1 &
        filler=$!
        for _ in $(seq 200); do
            if [ -s "$scratch/filled" ] || ! kill -0 $filler 2>/dev/null; then
                break
            fi
            sleep 0.05
        done
        new_db
        tune saxpy --dims 4M --budget 4 \
            >"$scratch/out" 2>"$scratch/err"
        code=$?
        kill $filler 2>/dev/null
        wait $filler 2>/dev/null
        # Of a run with a winner only its notes: a baseline is named after memory.
        [ $code -ne 0 ] || : >"$scratch/out"
        says=$(cat "$scratch/err" "$scratch/out" | grep -i 'memory' |
            head -n 1 | cut -c 1-150)
        got="exit $code"
        if [ $code -eq 0 ] && [ -n "$says" ]; then
            n_smaller=$((n_smaller + 1))
            got="smaller set-up"
        elif [ -n "$says" ] && { [ $code -eq 1 ] || [ $code -eq 4 ]; }; then
            n_refused=$((n_refused + 1))
            got="refused"
        fi
        echo "memory filled: $left MiB left: $got${says:+ ($says)}"
        [ $code -eq 0 ] || [ "$got" = refused ] || cat "$scratch/err"
        expect "that is one of the ways it may end" \
            test "$code" -eq 0 -o "$got" = refused
        [ $n_refused -lt 2 ] || break
    done
    expect "the set-up shrank once" test $n_smaller -ge 1
    expect "the run said once that memory is short" test $n_refused -ge 1
    new_db
    tune saxpy --dims 4M --budget 4 >"$scratch/out" 2>"$scratch/err"
    expect "with the memory back all is as before" test $? -eq 0
}

# ---- several tuners -----------------------------------------------------------

several_tuners() {
    n=$((N * 3 / 10))
    new_db
    tune sum --dims 4M --budget $n >"$scratch/a" 2>&1 &
    a=$!
    tune sum --dims 4M --budget $n >"$scratch/b" 2>&1 &
    b=$!
    tune saxpy --dims 1M --budget $n >"$scratch/c" 2>&1 &
    c=$!
    codes=
    for pid in $a $b $c; do
        wait "$pid"
        codes="$codes $?"
    done
    distinct=$(ask "select count(distinct variant_id) from trial")
    # Of one op all trials come before those of the other: they took turns.
    mixed=$(ask "select count(*) from
        (select min(started_unix_ns) as first, max(started_unix_ns) as last
           from trial_v1 where op = 'saxpy') s,
        (select min(started_unix_ns) as first, max(started_unix_ns) as last
           from trial_v1 where op = 'sum') r
        where s.first < r.last and r.first < s.last")
    echo "three tuners: exit$codes, $(n_trials) trials of $distinct variants"
    grep -ih 'wait' "$scratch/a" "$scratch/b" "$scratch/c" | sort -u | head -n 3
    expect "all end well" test "$codes" = " 0 0 0"
    expect "no trial is done twice" test "$(n_trials)" -eq $((2 * n)) -a "$distinct" -eq $((2 * n))
    expect "one at a time has the GPU" test "$mixed" -eq 0
    expect "both problems have winners" \
        test "$(ask 'select count(*) from winner_v1')" -eq 2
    expect_whole
}

# ---- slowdowns ------------------------------------------------------------------

# Many short ones, from the start (with cached cubins all trials take a second):
# some begin between two samples of a trial.
slowdown() {
    new_db
    HONE_NVML_LIBRARY=$tests/libhot_nvml.so HOT_NVML_FROM=0 HOT_NVML_UNTIL=5 \
        HOT_NVML_PERIOD=0.02 "$HONE" tune saxpy --device "$DEVICE" \
        --dims 3000017 --budget "$N" >"$scratch/out" 2>"$scratch/err"
    code=$?
    discarded=$(ask "select coalesce(sum(n_discarded), 0) from trial")
    hot=$(ask "select count(*) from trial where n_discarded > 0")
    decisions=$(ask "select count(*) from decision where kind = 'discarded'")
    echo "thermal slowdown: exit $code, $(n_trials) trials, $discarded samples" \
        "of $hot trials discarded, $decisions decisions"
    expect "the run goes on to its end" test $code -eq 0
    expect "no trial is lost" test "$(n_trials)" -eq "$N"
    expect "samples were discarded and counted" test "$discarded" -ge 1
    expect "each decision is there" test "$decisions" -ge 1
    expect "there is a winner" test "$(ask 'select count(*) from winner_v1')" -eq 1
    expect_whole
}

[ $# -gt 0 ] || set -- worker memory tuners slowdown
for case in "$@"; do
    case $case in
    worker) kill_worker ;;
    memory) fill_memory ;;
    tuners) several_tuners ;;
    slowdown) slowdown ;;
    *) expect "there is a case $case" false ;;
    esac
done
exit $((failures > 0))
