#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program that compares ways to share a budget, on spaces so small that
# each way finds all there is.
#   shares_smoke.sh BENCH
. "$(dirname "$0")/../tools/hone_test.sh"
HONE=$1
awk 'BEGIN {
    printf "{\"device_name\": \"Test GPU\", \"kernel_name\": \"small\",\n"
    printf "\"problem_size\": [8], \"tune_params_keys\": [\"N\"],\n"
    printf "\"tune_params\": {\"N\": ["
    for (i = 1; i <= 40; i++)
        printf "%s%d", (i > 1 ? ", " : ""), i
    printf "]}, \"objective\": \"time\", \"cache\": {\n"
    for (i = 1; i <= 40; i++)
        printf "\"%d\": {\"N\": %d, \"time\": %s}%s\n", i, i,
            (i % 7 ? 1 + i / 10 : "\"RuntimeFailedConfig\""), (i < 40 ? "," : "}")
    print "}"
}' >"$work/small.json"
run 0 1 50 6 1 "$work/small.json"
for policy in rule even halving 'best alone'; do
    grep -q "^$policy;300;1.0000;1.0000;1.000;1.000$" "$work/out" ||
        fail "'$policy' does not find all of a small space"
done
grep -q '^rule;30;1\.[0-9]*;' "$work/out" || fail "no figures for 30 trials"
grep -q '^mean alone;300;1\.[1-9]' "$work/out" ||
    fail "the slow implementations are as good as the fast ones"
cp "$work/out" "$work/first"
run 0 1 50 6 1 "$work/small.json"
cmp -s "$work/first" "$work/out" || fail "the same seed gives other figures"
run 2 1 50 4 1 "$work/small.json"
