#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Broken variants among good ones: each gets its own outcome and decision, the
# run goes on, the winner is right. One line per defect: name: got.
. "$(dirname "$0")/gpu_test.sh"

planted() { # planted TEMPLATE N [OPTIONS]: all its variants, in order
    new_db
    template=$1
    shift
    "$HONE" tune "$HONE_SOURCE/tests/gpu/$template.cu" --device "$DEVICE" \
        --dims "$@" --strategy exhaustive --trial-timeout 5
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

planted planted 1000003
is out_of_bounds fault
is endless timeout
is wrong wrong
is off_by_one wrong
is greedy limits gated
good_wins

planted planted_memory 1M
is neighbour wrong
is behind wrong
is input_changed wrong
is earlier_array wrong
is second_run wrong
is later_run wrong
is odd_sizes ok,wrong refuted # the sizes of the final are odd
is huge_workspace limits gated
is large_workspace limits
not_compiled huge_workspace
good_wins

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
exit $((failures > 0))
