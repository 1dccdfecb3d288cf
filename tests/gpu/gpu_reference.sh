#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Another template as reference and as baseline: a right variant and two wrong
# ones are told apart, the baseline is right and has a time, and one that refuses
# the problem is left out with its reason. Prints a table.
. "$(dirname "$0")/gpu_test.sh"
fixtures=$HONE_SOURCE/tests/tools/fixtures
cp "$fixtures/norms.cu" "$fixtures/norms_plain.cu" "$scratch"
sed 's/check none/require rows % 2 == 0 "rows come in pairs"/
    s/op norms_plain/op pairs/' \
    "$fixtures/norms_plain.cu" >"$scratch/pairs.cu"
sed 's/baseline template.norms_plain/baseline template.pairs/' \
    "$fixtures/norms.cu" >"$scratch/odd.cu"

tune() { # tune NAME: at sizes that divide nothing
    new_db
    "$HONE" tune "$scratch/$1.cu" --device "$DEVICE" --dims 1025,333 \
        --strategy exhaustive --format json >"$scratch/json"
    expect "$1: the run finishes" test $? -eq 0
    expect "$1: two variants are wrong" test "$(ask "select count(*) from
        trial_v1 where outcome = 'wrong'
        and message like '%template.norms_plain%'")" -eq 2
    expect "$1: the right one wins" test "$(ask "select config from
        winner_v1")" = FORM=right
    expect_whole
}
tune norms
ask "select '| ' || name || ' | ' || round(time_ns / 1e3, 2) || ' us |'
    from baseline_v1"
expect "the baseline has a time and nothing is said of it" test "$(ask "select
    count(*) from baseline_v1 where time_ns > 0")" -eq 1
"$HONE" run "$scratch/norms.cu" --device "$DEVICE" --dims 1025,333 \
    --format json >"$scratch/run"
expect "and so does a program's launch" grep -q '"correct": *true' \
    "$scratch/run"
tune odd
expect "what refuses the problem says why" grep -q 'rows come in pairs' \
    "$scratch/json"
expect "and has no time" test "$(ask "select count(*) from baseline_v1
    where time_ns > 0")" -eq 0
exit $((failures > 0))
