#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone submit and hone status with a real Slurm: 60 problems on three nodes of the cpu
# device. A node is lost while it works, a task is preempted, the controller is started
# anew: each problem has a winner, no trial is lost or there twice.
#
# On a cluster of your own, by hand: HONE=/usr/bin/hone HONE_SOURCE=. \
# HONE_SLURM_FOLDER=/shared/run tests/tools/tools_slurm.sh [OPTIONS of hone submit]
# runs the same problems there and leaves its nodes alone.
. "$(dirname "$0")/hone_test.sh"
. "$(dirname "$0")/slurm_cluster.sh"
command -v "${CXX:-c++}" >/dev/null || {
    echo "there is no C++ compiler"
    exit 77
}
cd "$work"
unset HONE_SCRATCH HONE_CACHE_DIR
cluster=$work/cluster
folder=${HONE_SLURM_FOLDER:-$work/run}
is_ours=1
[ -z "${HONE_SLURM_FOLDER:-}" ] || is_ours=0
if [ "$is_ours" -eq 1 ]; then
    lacks=$(cluster_lacks)
    if [ -n "$lacks" ]; then
        echo "$lacks"
        exit 77
    fi
    mkdir "$cluster" "$work/tmp"
    TMPDIR=$work/tmp # of tasks that are killed, too
    export TMPDIR
    trap 'cluster_end; rm -rf "$work"' EXIT
    trap 'exit 1' TERM INT HUP
    # Where a container allows no daemons there is nothing to test.
    cluster_begin >begin.txt 2>&1 || {
        echo "Slurm's daemons do not start here: $(head -1 begin.txt)"
        exit 77
    }
fi
n=1
while [ "$n" -le 60 ]; do
    echo "saxpy/stream $((1000 + 37 * n))"
    n=$((n + 1))
done >list
# The answer to a question about a database.
ask() { # ask DB SQL
    run 0 sql "$2" --db "$1" --format csv
    tail -n 1 out
}
# Trials that are in any shard's database.
n_trials() {
    all=0
    for db in "$folder"/shards/*.db; do
        [ -e "$db" ] || continue
        one=$("$HONE" sql "select count(*) from trial" --db "$db" --format csv \
            2>/dev/null | tail -n 1)
        all=$((all + ${one:-0}))
    done
    echo "$all"
}
has_trials() { [ "$(n_trials)" -ge "$1" ]; }
all_done() { "$HONE" status "$folder" >status.txt 2>&1; }
# The first task that runs now, on NODE: "JOB_TASK".
running_on() {
    squeue -h -r -t RUNNING -n hone-tune -w "$1" -o '%F_%K' | head -n 1
}
answers() { scontrol ping 2>/dev/null | grep -q 'is UP'; }
runs_on() { [ -n "$(running_on "$1")" ]; }
# Its task is done: nothing of it has to begin again.
is_done() {
    tail -n 1 "$folder/state/tune-${1#*_}" 2>/dev/null |
        grep -q '^ended [0-9]* [01]$'
}
# A job that goes before takes n2 from a task that is not done: $preempted.
preempts_one() {
    preempted=$(running_on n2)
    [ -n "$preempted" ] || return 1
    sbatch -p high -w n2 --output=/dev/null --wrap 'sleep 3' >/dev/null || return 1
    wait_until "$preempted is preempted" is_taken
    ! is_done "$preempted"
}
is_taken() { [ "$(running_on n2)" != "$preempted" ]; }
# n1 goes while a task works there that is not done: $lost.
loses_one() {
    lost=$(running_on n1)
    [ -n "$lost" ] && [ "$lost" != "$preempted" ] && ! is_done "$lost" || return 1
    cluster_lose n1 || return 1
    ! is_done "$lost" || {
        cluster_node n1
        return 1
    }
}
trap_file=$work/timing
say() { echo "$(date +%T) $*" | tee -a "$trap_file"; }

# ---- submitted ---------------------------------------------------------------------
say submit
if [ "$is_ours" -eq 1 ]; then
    set -- --tasks 6 --device cpu --partition low
elif [ $# -eq 0 ]; then
    set -- --device cpu
fi
run 0 submit "$folder" --shapes list --budget 3 --no-seeds "$@" --format json
json problems=60 jobs.0.step=tune jobs.1.step=merge jobs.2.step=report
if [ "$is_ours" -eq 1 ]; then
    json shards=6 jobs.0.tasks=6
    tune=$(sed -n 's/.*"step": "tune", "job": "\([0-9]*\)".*/\1/p' out)
    run 1 status "$folder"
    out_has "0 of 6 done"
    out_has "0 of 1 done"

    # ---- a task is preempted, by a job of a partition that goes before -------------------
    wait_until "a task works on n1" runs_on n1
    wait_until "a task works on n2" runs_on n2
    wait_until "trials" has_trials 6
    wait_until "a task of n2 gives way" preempts_one
    say "preempted $preempted"

    # ---- a node is lost while it works --------------------------------------------------
    wait_until "a task of n1 is lost" loses_one
    say "lost n1 with $lost"

    # ---- the controller is started anew ---------------------------------------------------
    kill "$(cat "$cluster/slurmctld.pid")"
    while kill -0 "$(cat "$cluster/slurmctld.pid" 2>/dev/null)" 2>/dev/null; do
        sleep 0.2
    done
    run 1 status "$folder" # which still says what tasks wrote
    err_has "Slurm was not asked"
    cluster_control
    wait_until "the controller answers" answers
    say "controller is back"
    is_down() { sinfo -h -N -n n1 -t down | grep -q .; }
    wait_until "n1 is down" is_down
    say "n1 is down"
    cluster_node n1
fi

# ---- done ---------------------------------------------------------------------------------
wait_until "the run is done" all_done
say "done"
run 0 status "$folder" --full --format json
json open=0 scheduler_asked=true tasks.0.step=tune tasks.0.task=all
[ "$is_ours" -eq 0 ] || {
    # It is known who began twice.
    for task in "$lost" "$preempted"; do
        [ "$(grep -c began "$folder/state/tune-${task#*_}")" -ge 2 ] ||
            fail "task $task did not begin again"
    done
    json tasks.0.done=6 tasks.0.state="6 of 6 done" tasks.1.state=done
    grep -q '"restarts": [1-9]' out || fail "no restart is known"
    [ "$tune" -gt 0 ]
}
[ -s "$folder/report.html" ] || fail "there is no report"
[ -s "$folder/kernels.pack" ] || fail "there is no pack"
run 0 check "$folder/kernels.pack"
run 0 check "$folder/all.db"

# Each problem has a winner and its trials: three, of three configurations.
[ "$(ask "$folder/all.db" "select count(*) from winner_v1 where mode = 'hot'")" \
    -eq 60 ] || fail "not each problem has a winner"
[ "$(ask "$folder/all.db" "select count(*), count(distinct problem_id ||
    ' ' || config) from trial_v1")" = "180,180" ] ||
    fail "a trial is lost, or there twice"
[ "$(ask "$folder/all.db" "select count(*) from (select 1 from trial_v1
    group by problem_id having count(*) <> 3)")" -eq 0 ] ||
    fail "a problem does not have three trials"
[ "$(n_trials)" -eq 180 ] || fail "the merge lost trials"
run 0 tune --shapes list --missing-from "$folder/all.db"
out_empty
run 0 run saxpy/stream --dims 1037 --device cpu --db "$folder/all.db" --format json
json correct=true match=exact

# ---- what is wrong later -----------------------------------------------------------------------
if [ "$is_ours" -eq 1 ]; then
    # Another list does not go into the folder of this one.
    echo "saxpy/stream 77" >other
    run 3 submit "$folder" --shapes other --budget 3 --no-seeds --tasks 6 --device cpu
    err_has "belongs to another run"
    # Databases on the machines' own disks, of which copies come; and a shard that
    # nobody tuned. Few problems: their parts have a final.
    printf 'saxpy/stream 50021\nsaxpy/stream 977\n' >few
    HONE_SCRATCH=$work/scratch
    export HONE_SCRATCH
    mkdir "$HONE_SCRATCH"
    folder=$work/few_run
    run 0 submit "$folder" --shapes few --budget 6 --no-seeds --tasks 3 --device cpu \
        --partition low --format json
    json jobs.2.step=final
    wait_until "the second run is done" all_done
    [ "$(ask "$folder/all.db" "select count(*) from winner_v1")" -eq 2 ] ||
        fail "not both have a winner"
    [ -z "$(ls -A "$HONE_SCRATCH")" ] || fail "scratch is left"
    say "few done"
    rm "$folder"/shards/2.db "$folder"/state/*
    (cd "$folder" && HONE_SCRATCH=$work sh ./task.sh merge) \
        >"$folder/logs/merge-1.log" 2>&1 || fail "$(cat "$folder/logs/merge-1.log")"
    run 1 status "$folder" --format json
    json tasks.4.step=merge
    out_has "1 of 3 shards are missing"
    out_has "never ran"
    # The folder is not there on a machine.
    mkdir elsewhere
    (cd elsewhere && sh "$folder/task.sh" tune) >elsewhere.txt 2>&1 &&
        fail "a task ran without its folder"
    grep -q "is not the shared folder of a run" elsewhere.txt ||
        fail "$(cat elsewhere.txt)"
fi
cat "$trap_file"
