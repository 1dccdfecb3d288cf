#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kill -9 and Ctrl-C at several moments of a run, each followed by the same
# command: no finished trial is repeated, none is lost, the database is whole.
# $SEED moves the moments; $N is the budget.
. "$(dirname "$0")/gpu_test.sh"
N=${N:-500}
seed=${SEED:-$(date +%S)}
echo "seed: $seed"

tune() { # tune BUDGET: exec, so that the tuner itself is what gets the signal
    exec "$HONE" tune saxpy --device "$DEVICE" --dims 3000017 \
        --strategy random --seed 7 --budget "$1"
}
pause() { # pause N: up to 0.4 s, another time for each seed and N
    sleep "$(awk "BEGIN { srand($seed * 100 + $1); printf \"%.2f\", 0.4 * rand() }")"
}

# strike SIGNAL N BUDGET: run until there are N trials, and one of this run
# unless N is 0, and a moment longer, then send the signal. Ends with the
# tuner's exit code in $code.
strike() {
    before=$(n_trials)
    least=$2
    [ "$2" -eq 0 ] || [ "$before" -lt "$2" ] || least=$((before + 1))
    tune "$3" >"$scratch/run" 2>&1 &
    pid=$!
    for _ in $(seq 600); do
        if [ "$(n_trials)" -ge "$least" ] || ! kill -0 $pid 2>/dev/null; then
            break
        fi
        sleep 0.05
    done
    pause "$2"
    kill "-$1" $pid 2>/dev/null
    wait $pid
    code=$?
    after=$(n_trials)
    echo "$1 after $2 trials: $before trials before, $after after, exit $code"
    expect_whole
    expect "none is lost" test "$after" -ge "$before"
    for _ in $(seq 40); do
        pgrep -f "tune saxpy --device $DEVICE --dims 3000017" >/dev/null || break
        sleep 0.05
    done
    expect "no worker outlives the tuner" \
        test "$(pgrep -c -f "tune saxpy --device $DEVICE --dims 3000017")" -eq 0
}

strike KILL 0 "$N" # in its set-up
strike KILL $((N / 30)) "$N"
expect "some trials, not all, before the end" \
    test "$(n_trials)" -ge $((N / 30)) -a "$(n_trials)" -lt "$N"
strike INT $((N / 5)) "$N"
expect "an interrupted run says so" test $code -eq 130
expect "also in the database" test "$(ask "select count(*) from session
    where status = 'interrupted'")" -ge 1
strike KILL $((N * 2 / 5)) "$N"
strike TERM $((N * 3 / 5)) "$N"
strike KILL $((N * 4 / 5)) "$N"
(tune "$N")
expect "the last run finishes" test $? -eq 0
expect_whole
# What was unstable is tried again, and counts once.
n_settled() {
    ask "select count(*) from trial where outcome <> 'unstable' or trial_id in
         (select max(trial_id) from trial group by variant_id)"
}
after=$(n_settled)
distinct=$(ask "select count(distinct variant_id) from trial")
sessions=$(ask "select count(distinct session_id) from trial")
echo "trials: $after of $distinct variants in $sessions sessions"
expect "none is repeated" test "$after" -eq "$distinct"
expect "the budget is spent" test "$after" -eq "$N"

# In the final, when all trials are done.
new_db
n=$((N / 8))
strike KILL $n $n
(tune $n) >/dev/null
expect "the run after it finishes" test $? -eq 0
expect "it made no trial again" test "$(n_settled)" -eq $n
expect "and has a winner" test "$(ask 'select count(*) from winner_v1')" -eq 1
exit $((failures > 0))
