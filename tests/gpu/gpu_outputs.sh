#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Three arrays are written, and each wrong variant is wrong in one of them
# alone: all are found out, the right one wins, and a program gets right
# results. Prints what was said of each.
. "$(dirname "$0")/gpu_test.sh"
fixtures=$HONE_SOURCE/tests/tools/fixtures
cp "$fixtures/row_stats.cu" "$fixtures/row_stats_plain.cu" "$scratch"

new_db
"$HONE" tune "$scratch/row_stats.cu" --device "$DEVICE" --dims 1025,333 \
    --strategy exhaustive --format json >"$scratch/json"
expect "the run finishes" test $? -eq 0
for array in mean largest place; do
    expect "a wrong '$array' is found" test "$(ask "select count(*) from
        trial_v1 where outcome = 'wrong' and message like '%''$array''%'")" -eq 1
done
expect "the right one wins" test "$(ask "select config from winner_v1")" = \
    FORM=right
ask "select '| ' || config || ' | ' || message || ' |' from trial_v1"
"$HONE" run "$scratch/row_stats.cu" --device "$DEVICE" --dims 1025,333 \
    --format json >"$scratch/run"
expect "a program's launch is right" grep -q '"correct": *true' "$scratch/run"
expect_whole
exit $((failures > 0))
