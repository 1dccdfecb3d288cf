#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone simulate --curves, --at, --svg: on recordings whose figures are known.
. "$(dirname "$0")/../tools/hone_test.sh"
rec=$here/recordings
xml_check=$(dirname "$HONE")/../tests/xml_check

# In the file's order the best is 4.25 ms after one trial, 2.25 ms after two,
# 1 ms, the optimum, at the end; a run that ended has what it had.
run 0 simulate "$rec/small_t4.json" --strategy exhaustive --repeats 2 \
    --at 1,2,8,100 --format json
json curves.at.0=1 curves.at.3=100 curves.rows.0.space=small \
    curves.rows.0.strategy=exhaustive curves.rows.0.mean.1=0.44444444444444442 \
    curves.rows.0.median.1=0.44444444444444442 curves.rows.0.mean.2=1.0 \
    curves.rows.0.mean.3=1.0 curves.rows.1.space=all curves.rows.1.file=null \
    curves.rows.1.mean.1=0.44444444444444442 files.0.evaluations=2.0
out_has '"mean": [0.23529411764705882,'

# The same with a score, with a budget that the strategy is told, with
# threads; a longer run does not change the score.
run 0 simulate "$rec/small_cache.json" --strategy local --score --repeats 8 \
    --format json --jobs 1
grep '"mean"' "$work/out" >"$work/score"
run 0 simulate "$rec/small_cache.json" --strategy local --score --repeats 8 \
    --format json --at 1,2,3
grep '^  "mean"' "$work/out" | cmp -s - "$work/score" ||
    fail "curves change the score"
grep '"curves"' "$work/out" >"$work/curves"
run 0 simulate "$rec/small_cache.json" --strategy local --repeats 8 \
    --format json --at 1,2,3 --budget 2 --jobs 5
json files.0.evaluations=2.0
grep '"curves"' "$work/out" | cmp -s - "$work/curves" ||
    fail "--budget changes the curves"

# Two spaces of which one has nothing valid: the mean is that of the other.
run 1 simulate "$rec/all_failed_t4.json" "$rec/small_t4.json" \
    --strategy exhaustive --repeats 1 --at 2 --format csv
out_has "space,file,strategy,evaluations,mean,median"
grep -q '^all_failed,.*,exhaustive,2,,$\|^all,.*all_failed_t4.json,exhaustive,2,,$' \
    "$work/out" || fail "no value where nothing is valid"
grep -q '^all,,exhaustive,2,0.4444' "$work/out" || fail "no mean"

# Text: a table; one row for one space.
run 0 simulate "$rec/small_t4.json" --strategy exhaustive --repeats 2 \
    --at 2,8
grep -q '^all  *exhaustive  *0.444  *1.000  *0.444  *1.000$' "$work/out" ||
    fail "no table"

run 2 simulate "$rec/small_t4.json" --at 2,2
err_has "--at takes at most 12 ascending numbers"
run 2 simulate "$rec/small_t4.json" --at 1,2,3,4,5,6,7,8,9,10,11,12,13
run 2 simulate "$rec/small_t4.json" --at 5,
run 2 simulate "$rec/small_t4.json" --at 0

# ---- the figure -----------------------------------------------------------

cp "$rec/small_t4.json" "$work/a<b&\"c\">.json"
cp "$rec/small_t4.json" "$work/$(printf 'odd\001\303\251').json"
run 0 simulate "$work"/a*.json "$work"/odd*.json "$rec/small_cache.json" \
    --strategy all --repeats 2 --budget 9 --svg "$work/figure.svg" --quiet
"$xml_check" <"$work/figure.svg" >"$work/out" || fail "not well-formed"
[ "$(grep -c 'clip-path=' "$work/figure.svg")" -eq 4 ] || fail "four panels"
n=$("$HONE" simulate "$rec/small_t4.json" --strategy all --repeats 1 --budget 9 \
    --format csv | grep -c '^/')
[ "$(grep -c '<path stroke-width=' "$work/figure.svg")" -eq $((4 * n)) ] ||
    fail "a curve for each of $n strategies in each panel"
run 0 simulate "$rec/small_t4.json" --repeats 2 --budget 9 --at 3 \
    --svg "$work/figure.svg"
"$xml_check" <"$work/figure.svg" >"$work/out" || fail "not well-formed"
grep -q 'nan\|inf' "$work/figure.svg" && fail "not numbers"
echo '<a><b></a></b>' | "$xml_check" >"$work/out" && fail "it checks nothing"
run 3 simulate "$rec/small_t4.json" --repeats 2 --budget 9 --svg "$work/no/figure.svg"
err_has "no/figure.svg"
