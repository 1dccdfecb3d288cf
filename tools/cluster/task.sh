#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One task of a run of 'hone submit': task.sh compile|tune|merge|final|report, in the
# folder of the run, which all machines see. It is started by Slurm, by an indexed job of
# Kubernetes, or by anybody else with HONE_TASK set to the number of the task, from 1;
# started again, it goes on where it was.
#
# What it reads: settings (written by hone submit: $hone, $tasks, $device and the
# functions tune_list and compile_list), shapes. What it writes: state/STEP-TASK (began,
# ended), shards/N.db, cache/, all.db, kernels.pack, report.html.
#
# A database of SQLite does not belong on a network disk: there it is in a scratch
# folder of the machine ($HONE_SCRATCH, $TMPDIR or /tmp) while it is written, and a copy
# comes to shards/ by rename, once a minute and at the end.
set -u
step=${1:?compile, tune, merge, final or report}
if [ ! -r settings ]; then
    echo "hone: $(hostname): the folder $PWD is not the shared folder of a run:" \
        "it has no 'settings'; is it there on this machine?" >&2
    exit 3
fi
# shellcheck source=/dev/null
. ./settings
: "${hone:?}" "${tasks:?}" "${device:?}"
[ -z "${JOB_COMPLETION_INDEX:-}" ] || first_is_0=$((JOB_COMPLETION_INDEX + 1))
task=${HONE_TASK:-${SLURM_ARRAY_TASK_ID:-${first_is_0:-1}}}
mkdir -p state shards
state=state/$step-$task
work=$(mktemp -d "${HONE_SCRATCH:-${TMPDIR:-/tmp}}/hone-run-XXXXXX") || exit 3
child= # the hone that runs
stopped=
# Nobody's database is taken away while it writes.
trap '[ -z "$child" ] || { kill "$child" 2>/dev/null; wait_for "$child"; }
    rm -rf "$work"' EXIT
# Slurm takes the task back: what runs ends with everything kept.
trap 'stopped=1; [ -z "$child" ] || kill "$child" 2>/dev/null' TERM INT HUP

note() { # a line, whole
    echo "$*" >>"$state"
}
is_network() {
    [ -z "${HONE_SCRATCH:-}" ] || return 0
    case $(stat -f -c %T . 2>/dev/null) in
    ext* | xfs | btrfs | zfs | tmpfs | overlay* | reiserfs | f2fs) return 1 ;;
    *) return 0 ;;
    esac
}
# put FILE PLACE: appears whole or not at all.
put() {
    cp "$1" "$2.new-$$" && mv "$2.new-$$" "$2"
}
# publish DB SHARD: a copy of a database that may be written to meanwhile.
publish() {
    rm -f "$work/copy-$2.db"
    "$program" merge "$1" --db "$work/copy-$2.db" -q >/dev/null 2>&1
    [ $? -le 1 ] && put "$work/copy-$2.db" "shards/$2.db"
    rm -f "$work/copy-$2.db"
}
# shellcheck disable=SC2317 # called by run_hone
wait_for() { # wait_for PID: its exit code, whatever signals come
    wait "$1"
    code=$?
    while kill -0 "$1" 2>/dev/null; do
        wait "$1"
        code=$?
    done
    return "$code"
}
# run_hone WORDS..: in the background, since a shell hears no signal while something runs
# in the foreground; nothing more once the task was told to end. A shell takes the word
# "$hone" of the settings for this function.
program=$hone
hone=run_hone
# shellcheck disable=SC2317 # called as "$hone"
run_hone() {
    [ -z "$stopped" ] || return 130
    "$program" "$@" &
    child=$!
    [ -z "$stopped" ] || kill "$child" 2>/dev/null # told between the two
    wait_for "$child"
    code=$?
    child=
    return "$code"
}

copy_often() { # copy_often DB SHARD: a twentieth of the time at most
    pause=60
    nap=
    trap 'kill "$nap" 2>/dev/null; exit' TERM
    while :; do
        sleep "$pause" &
        nap=$!
        wait "$nap"
        began=$(date +%s)
        publish "$1" "$2"
        pause=$((60 + 20 * ($(date +%s) - began)))
    done
}

tune_shard() { # tune_shard SHARD DEVICE
    db=shards/$1.db
    if is_network; then
        db=$work/$1.db
        [ ! -e "shards/$1.db" ] || cp "shards/$1.db" "$db" || return 3
        copy_often "$db" "$1" &
        copier=$!
    fi
    tune_list --shapes shapes --shard "$1/$tasks" --device "$2" --db "$db" \
        --cache-dir cache
    code=$?
    if [ "$db" != "shards/$1.db" ]; then
        kill "$copier" 2>/dev/null
        wait "$copier" 2>/dev/null
        publish "$db" "$1"
    fi
    return "$code"
}

# All GPUs of the task are one shard's.
run_tune() {
    tune_shard "$task" "$device"
}
run_compile() {
    compile_list --shard "$task/$tasks" --cache-dir cache
}
run_merge() {
    set -- shards/*.db
    if [ ! -e "$1" ]; then
        echo "hone: shards/ has no database: no tune task has begun; see" \
            "'hone status $PWD'" >&2
        return 3
    fi
    "$hone" merge "$@" --db "$work/all.db"
    code=$?
    [ "$code" -gt 1 ] || put "$work/all.db" all.db || code=3
    return "$code"
}
# Problems that several shards had: one final for all parts.
run_final() {
    cp all.db "$work/all.db" || return 3
    tune_list --shapes split --no-portfolio --device "$device" \
        --db "$work/all.db" --cache-dir cache
    code=$?
    case $code in
    0 | 1 | 130) put "$work/all.db" all.db || code=3 ;;
    esac
    return "$code"
}
run_report() {
    cp all.db "$work/all.db" || return 3
    "$hone" pack -o "$work/kernels.pack" --db "$work/all.db" &&
        put "$work/kernels.pack" kernels.pack || return
    "$hone" report -o "$work/report.html" --db "$work/all.db" &&
        put "$work/report.html" report.html
}

note "began $(date +%s) $(hostname) ${SLURM_RESTART_COUNT:-0} ${SLURM_JOB_ID:--}"
case $step in
compile) run_compile ;;
tune) run_tune ;;
merge) run_merge ;;
final) run_final ;;
report) run_report ;;
*)
    echo "hone: task.sh takes compile, tune, merge, final or report, not '$step'" >&2
    false
    ;;
esac
code=$?
[ -z "$stopped" ] || code=130
note "ended $(date +%s) $code"
# 1: it ran to its end, and some problem has no winner, some variant does not
# compile, or a shard is missing. What comes after it can still be done.
[ "$code" -ne 1 ] || code=0
exit "$code"
