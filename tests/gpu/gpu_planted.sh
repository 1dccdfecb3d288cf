#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gpu_planted.sh [STEP..]: broken variants among good ones. Each gets its own
# outcome and decision, the run goes on, the winner is right. One line per
# defect: name: got.
. "$(dirname "$0")/gpu_test.sh"

planted() { # planted TEMPLATE N [OPTIONS]: all its variants, in order
    new_db
    template=$1
    shift
    "$HONE" tune "$HONE_SOURCE/tests/gpu/$template.cu" --device "$DEVICE" \
        --strategy exhaustive --trial-timeout 5 --dims "$@"
    expect "the run over $template finishes" test $? -eq 0
}
outcomes() { # outcomes KIND: of all trials, the first first
    ask "select group_concat(outcome) from (select outcome from trial_v1
         where config like 'KIND=$1,%' group by outcome order by min(trial_id))"
}
decisions() { # decisions KIND: what was decided about it, each once
    ask "select group_concat(kind) from (select distinct kind
         from decision_v1 where config like 'KIND=$1,%')"
}
is() { # is KIND OUTCOMES [DECISION]
    got=$(outcomes "$1")
    why=$(decisions "$1")
    echo "$1: $got ($why)"
    expect "$1 is $2" test "$got" = "$2"
    [ -z "${3:-}" ] || case ,$why, in
    *,"$3",*) expect "$1 was $3" true ;;
    *) expect "$1 was $3" false ;;
    esac
}
never_good() { # never_good KIND: some trial of it, or the final, says so
    got=$(outcomes "$1")
    echo "$1: $got ($(decisions "$1"))"
    case $got in
    "" | ok) expect "$1 is not good" false ;;
    *) expect "$1 is not good" true ;;
    esac
}
not_compiled() { # not_compiled KIND
    expect "$1 was not compiled" test "$(ask "select count(*) from trial_v1
        where config like 'KIND=$1,%' and cubin_sha256 is not null")" -eq 0
}
good_wins() {
    is good ok
    winner=$(ask "select config from winner_v1")
    echo "winner: $winner"
    case $winner in
    KIND=good,*) expect "the winner is a good one" true ;;
    *) expect "the winner is a good one" false ;;
    esac
    expect_whole
}

try_planted() {
    planted planted 1000003
    is out_of_bounds fault
    is endless timeout
    is wrong wrong
    is off_by_one wrong
    is greedy limits gated
    good_wins
}
try_memory() {
    planted planted_memory 1M
    is neighbour wrong
    is behind wrong
    is reads_behind wrong
    is reads_neighbour wrong
    is input_changed wrong
    is earlier_array wrong
    is second_run unstable # right in the third
    is later_run wrong
    is odd_sizes ok,wrong refuted # the sizes of the final are odd
    is huge_workspace limits gated
    is large_workspace limits
    not_compiled huge_workspace
    good_wins
}
# Right at the size that they are tuned for.
try_sizes() {
    planted planted_sizes 500000
    is hang_odd ok,timeout refuted
    is hang_larger ok,timeout refuted
    is last_element ok,wrong refuted
    never_good sometimes
    is any_order ok
    good_wins
}
try_shared() {
    planted planted_shared 1000003
    for kind in small medium large; do
        is $kind wrong
    done
    good_wins
}

gib_free() { # of a line of /proc/meminfo
    awk -v of="$1:" '$1 == of { printf "%d", $2 / 1048576 }' /proc/meminfo
}
device_gib() {
    nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits |
        awk 'NR == 1 { printf "%d", $1 / 1024 }'
}

# Three arrays of 8.2 GiB, and two of them twice, on the device; two and their
# values in the host's memory.
try_index() {
    if [ "$DEVICE" = cuda ] && [ "$(gib_free MemAvailable)" -ge 40 ] &&
        [ "$(device_gib 2>/dev/null || echo 0)" -ge 60 ]; then
        planted planted_index 2200000007 --trial-timeout 30
        is int_size wrong
        never_good int_index # another's memory, or nobody's
        good_wins
    else
        echo "skipped: planted_index (60 GiB of device memory, 40 of the host's)"
    fi
    planted planted_index 1000003
    is int_index ok
    is int_size ok
    expect "all are right here" test "$(ask "select count(*) from winner_v1")" -eq 1
}
try_limits() {
    planted planted_limits 1000003
    for kind in many_threads much_shared many_blocks; do
        is $kind limits gated
        not_compiled $kind
    done
    is many_registers limits gated
    is spilling ok
    expect "spilling was tried last" test "$(ask "select max(started_unix_ns) =
        max(case when config like 'KIND=spilling,%' then started_unix_ns end)
        from trial_v1 where outcome = 'ok'")" -eq 1
    good_wins
    # The first in order; with a budget for the seven others its turn never comes.
    planted planted_limits 1000003 --budget 7
    is spilling "" deferred
    good_wins
}

[ $# -gt 0 ] || set -- planted memory sizes shared index limits
for step; do
    case $step in
    planted) try_planted ;;
    memory) try_memory ;;
    sizes) try_sizes ;;
    shared) try_shared ;;
    index) try_index ;;
    limits) try_limits ;;
    *) expect "there is a step $step" false ;;
    esac
done
exit $((failures > 0))
