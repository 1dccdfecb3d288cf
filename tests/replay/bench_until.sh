#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Not a test: the table and figures of docs/results/search-stopping-*. Needs
# the target bench_until and a folder of recordings.
#   bench_until.sh BUILD RECORDINGS OUT
set -eu
build=$1
recordings=$2
out=$3
repeats=${REPEATS:-25}
strategies=${STRATEGIES:-auto}
name=$out/search-stopping-$(date -u +%Y-%m-%d)
figures=$(mktemp)
trap 'rm -f "$figures"' EXIT

for strategy in $strategies; do
    "$build/tests/bench_until" "$strategy" 0.01,0.05 "$repeats" \
        "$recordings"/*.gz
done | awk 'NR == 1 || !/^strategy/' >"$figures"
awk -F, '
    NR == 1 { split($0, key); printf "{\"until\": [" }
    NR > 1 {
        printf "%s\n {\"%s\": \"%s\"", (NR > 2 ? "," : ""), key[1], $1
        for (i = 2; i <= NF; ++i)
            printf ", \"%s\": %s", key[i], $i
        printf "}"
    }
    END { print "\n]}" }' "$figures" >"$name.json"
{
    cat <<TEXT
# When a search may stop: \`--until\`

| | |
|---|---|
| date | $(date -u +%Y-%m-%d) |
| command | \`REPEATS=$repeats STRATEGIES="$strategies" tests/replay/bench_until.sh BUILD RECORDINGS OUT\` |
| recordings | $(find "$recordings" -name '*.gz' | wc -l) brute-forced spaces |
| runs | $repeats per space and strategy, at most 3000 evaluations each |

\`--until PERCENT\` stops a search when this share of all its trials, and at
least so many, have gained less than PERCENT %. "Too early": the runs that
would have gained more than that in four times the evaluations; "missed": what
all runs would have gained in them, on average; "spent": evaluations, and as a
share of the space; "fraction": of the optimum, when it stopped. The rule that
hone has is marked (\`tuner/session/rules.c\`). All figures are in the JSON file.

| strategy | gain | at least | share | too early | missed | evaluations | spent | fraction |
|---|---|---|---|---|---|---|---|---|
TEXT
    awk -F, 'NR > 1 && $3 >= 50 && ($4 == "0.67" || $3 == 300) {
        mark = $3 == 300 && $4 == "0.67" ? "**" : ""
        printf "| %s | %s %% | %s%s%s | %s | %.1f %% | %.2f %% | %d | %.1f %% | %.3f |\n",
            $1, 100 * $2, mark, $3, mark, $4, 100 * $5, 100 * $6, $7,
            100 * $8, $9
    }' "$figures"
} >"$name.md"
echo "$name.md"
